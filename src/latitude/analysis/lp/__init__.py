"""The linear program of Shen et al. 2024, §II.C: it checks the engine, and answers more."""

"""The linear program of Shen et al. 2024, §II.C: a check of the engine, and further answers."""

"""Rank placement: a node for each rank, judged by the engine (Shen et al. 2024, §VI)."""

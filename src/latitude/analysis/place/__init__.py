"""Rank placement: which node each rank should run on, judged by the engine ([S] §VI)."""

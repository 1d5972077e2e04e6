"""Compares runtimes measured under injected latency with predictions (Shen et al. 2024, §III).

`plan` chooses the runs, `runs` makes and keeps them, and `validate` compares them with predictions.
"""

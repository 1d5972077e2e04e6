"""Compares a program's measured runtime under injected latency with its prediction ([S] §III).

`plan` chooses the runs, `runs` makes and keeps them, and `validate` compares them with predictions.
"""

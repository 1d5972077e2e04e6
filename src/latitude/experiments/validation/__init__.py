"""A program measured under injected latency against what its trace predicts; [S] §III.

`plan` says which runs there are, `store` keeps them on disk, `perform` makes them, `predict` turns
traces into T(ΔL), `result` puts both side by side.
"""

"""A program measured under injected latency against what its trace predicts; [S] §III.

`plan` says which runs there are, `runs` makes and keeps them, `predict` turns traces into T(ΔL),
`validate` puts both side by side.
"""

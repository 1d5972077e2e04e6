"""The linear program of [S] §II.C: a second opinion on the engine, and what only an LP answers."""

"""The linear program of [S] §II.C, which checks the engine, and answers further questions."""

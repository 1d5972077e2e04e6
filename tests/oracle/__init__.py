"""Independent answers to compare the engine with: an LP, all paths by brute force, an exact envelope.

Nothing here calls `latitude._core`; the modules only read the arrays of its `Graph`.
"""

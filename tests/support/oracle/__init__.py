"""Independent answers to compare the engine with: an LP, and all paths by brute force.

Nothing here calls the engine; the modules read the arrays of a `latitude._core.Graph`.
"""

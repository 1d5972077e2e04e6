"""How results of forecast are shown."""

"""How results of variation are shown."""

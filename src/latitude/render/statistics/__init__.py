"""How results of statistics are shown."""

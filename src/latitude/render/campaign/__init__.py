"""How results of campaign are shown."""

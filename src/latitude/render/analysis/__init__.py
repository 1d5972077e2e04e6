"""How results of analysis are shown."""

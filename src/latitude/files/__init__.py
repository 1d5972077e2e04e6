"""Files: written whole or not at all, read with errors that name the place."""

"""One document per result: what it says on the page, on the terminal and in files."""

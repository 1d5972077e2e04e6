"""One document per result: its content on the page, on the terminal and in files."""

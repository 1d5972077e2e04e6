"""Reading programs: traces and GOAL files, and the places in the source that they name."""

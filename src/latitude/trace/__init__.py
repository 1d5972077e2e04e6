"""Reads programs: traces and GOAL files, and places in the source."""

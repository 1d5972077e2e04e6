"""Quantities with units: parsed from options and files, formatted for people."""

"""Measurements: the programs of runtime/bench, built, started by the user's launcher, read."""

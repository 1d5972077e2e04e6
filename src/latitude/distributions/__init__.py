"""Latency distributions: tables for the injectors, named distributions, fits."""

from latitude.distributions.specification import parse_distribution, parse_table
from latitude.distributions.table import Table, read_table, write_table

__all__ = ["Table", "parse_distribution", "parse_table", "read_table", "write_table"]

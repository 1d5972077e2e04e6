"""Latency distributions: tables for the injectors, named distributions, fits."""

from latitude.distributions.specification import parse_distribution, parse_table
from latitude.distributions.table import QuantileTable, read_table, write_table

__all__ = ["QuantileTable", "parse_distribution", "parse_table", "read_table", "write_table"]

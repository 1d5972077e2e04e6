"""Descriptions of latency samples, and comparisons with runtimes."""

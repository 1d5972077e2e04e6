"""Latency samples described and held against runtimes."""

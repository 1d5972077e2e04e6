"""Latency samples described, and compared with runtimes."""

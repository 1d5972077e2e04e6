"""Runs programs under injected latency, and reads the results."""

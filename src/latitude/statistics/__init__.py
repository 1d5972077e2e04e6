"""Tests and summaries of measured latencies (docs/explanation/statistics.md)."""

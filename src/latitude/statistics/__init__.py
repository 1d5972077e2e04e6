"""Tests and summaries of measured latencies ([U] §5–7, [B] §4–5)."""

"""Running a program under injected latency, and the results."""

"""Running a program under injected latency, and what came of it."""

"""Random latency: distributions, their fits, and runtimes under random latency."""

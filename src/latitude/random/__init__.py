"""Random latency: distributions, their fits, and the runtime under them."""

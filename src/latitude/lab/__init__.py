"""What is about clusters and campaigns: samples, fits, statistics, background traffic."""

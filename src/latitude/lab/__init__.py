"""Clusters and campaigns: samples, fits, statistics, background traffic."""

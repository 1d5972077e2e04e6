"""A real Slurm on this host, for tests."""

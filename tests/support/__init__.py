"""Helpers of tests: oracles, MPIs, hosts, a Slurm, a guest, campaigns, schemas."""

"""What tests lean on: oracles, MPIs, hosts, a Slurm, a guest, campaigns, schemas."""

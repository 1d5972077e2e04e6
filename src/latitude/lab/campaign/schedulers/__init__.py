"""Places where runs are made: this machine, Slurm job arrays, a Dask cluster."""

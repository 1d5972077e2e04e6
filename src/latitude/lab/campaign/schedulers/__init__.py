"""Where runs are made: on this machine, in Slurm job arrays, on a Dask cluster."""

"""Campaigns of real runs: programs × injection levels × repetitions.

A campaign's directory holds one Parquet file a run (`record`), read as one table by `read_runs`.
"""

from latitude.experiments.campaign.record import (
    KINDS,
    STATUSES,
    Run,
    read_run,
    read_runs,
    write_run,
)

__all__ = ["KINDS", "STATUSES", "Run", "read_run", "read_runs", "write_run"]

"""Campaigns of real runs: programs × injection levels × repetitions.

A campaign's directory holds one Parquet file per run, read as one table by `read_runs`.
"""

from latitude.experiments.record import read_run, read_runs, write_run
from latitude.results.runs import KINDS, STATUSES, RunRecord

__all__ = ["KINDS", "STATUSES", "RunRecord", "read_run", "read_runs", "write_run"]

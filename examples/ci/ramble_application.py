"""Ramble, which Benchpark runs: an application.py whose experiment is good when all demands hold.

Benchpark's experiment names it as its `application`; the figures of merit stand in its results.
An experiment runs in a directory of its own, so its variables program, network and baseline are
absolute paths.
"""

from ramble.appkit import *


class LatencyTolerance(ExecutableApplication):
    """A program under latitude trace, and latitude check of what was recorded."""

    name = "latency-tolerance"

    executable("app", "latitude trace -o run --clock cpu -- {program}", use_mpi=True)
    executable(
        "check",
        "latitude check run --network {network} --tolerance '5us at 1%' --not-worse-than {baseline}"
        " --margin 3%",
        use_mpi=False,
    )
    workload("app", executables=["app", "check"])
    workload_variable("program", default="./app", description="the program", workloads=["app"])
    workload_variable(
        "network", default="network.toml", description="the system's network", workloads=["app"]
    )
    workload_variable(
        "baseline", default="baseline.json", description="an earlier result", workloads=["app"]
    )

    log = "{experiment_run_dir}/{experiment_name}.out"
    figure_of_merit(
        "tolerance at 1%",
        log_file=log,
        fom_regex=r"holds\s+tolerance\s.*\s(?P<tolerance>\S+ \S+) at 1% slower\s*$",
        group_name="tolerance",
        units="",
    )
    success_criteria(
        "demands",
        mode="string",
        match=r"(The demand holds|All of \d+ demands hold)\.",
        file=log,
    )

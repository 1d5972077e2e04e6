"""A place in the source that says nothing, for tests that give it what they look at."""

from latitude.sections.by_call_site.result import CallSiteShare


def site() -> CallSiteShare:
    """One call of a program, without call paths."""
    return CallSiteShare(
        where="a.c:1", function="f", file="a.c", line=1, inlined_into=(), module="app",
        offsets=(1,), calls={"MPI_Recv": 1}, path_vertices=1, before_ns=0.0, calc_ns=0.0,
        overhead_ns=0.0, latency_ns=0.0, network_ns=0.0, lambda_L=10.0, share=0.1, bytes_sent=0,
        bytes_received=0, least_slack_ns=0.0, sent_from=None, count=1, paths=[],
    )  # fmt: skip

"""`latitude background synthetic`: an invented history for trying commands."""

from dataclasses import dataclass
from pathlib import Path

from latitude.cli.plain_options import seed_option
from latitude.files.writing import refuse_existing, replace_with
from latitude.lab.cluster.topology import LOCALITIES
from latitude.notices.saying import say
from latitude.units.options import Options, flag, option, whole
from latitude.units.quantities import parse_number


@dataclass(kw_only=True)
class SyntheticOptions(Options):
    """Properties of the invented history."""

    output: Path = option("Parquet to write", "FILE", Path, spelled="-o", required=True)
    campaigns: int = option(
        "number of times at which every operation runs once (default: 120)",
        "N",
        whole("a number of times", 1),
        default=120,
    )
    iterations: int = option(
        "latencies of a run (default: 200; [B] has 1,000)",
        "N",
        whole("a number of latencies", 1),
        default=200,
    )
    placement: str | None = option(
        "placement of all runs (default: as Slurm would, mixed)", choices=LOCALITIES
    )
    effect: float = option(
        "factor on the effect of b, 0 for none (default: 1)",
        "X",
        lambda text: parse_number(text, "a factor", 0),
        default=1.0,
    )
    force: bool = flag("overwrite FILE if it exists")
    seed: int = seed_option("the random numbers")


class Synthetic:
    """Writes an invented history; no number in it was measured."""

    name = "synthetic"
    summary = "write an invented history, for trying `correlate` and `advise`"
    description = """\
Writes a history of three months of invented runs (bcast, reduce, alltoall; 4 B to 1 MiB) with the
features that [B] reports. Latency and its spread grow with b, size and distance, and a second mode
appears at high b. Every row, and every page from it, states that the data are synthetic."""
    example = "latitude background synthetic -o history.parquet"
    options = SyntheticOptions

    def run(self, arguments: SyntheticOptions) -> None:
        from latitude.lab.cluster.synthetic import SyntheticPlan, synthetic_history  # noqa: PLC0415

        refuse_existing([arguments.output], force=arguments.force)
        frame = synthetic_history(
            SyntheticPlan(
                campaigns=arguments.campaigns,
                iterations=arguments.iterations,
                locality=arguments.placement,
                effect=arguments.effect,
                seed=arguments.seed,
            )
        )
        replace_with(
            arguments.output,
            lambda path: frame.to_parquet(path, index=False, compression="zstd"),
            force=arguments.force,
        )
        say(
            f"{arguments.output}: {len(frame):,} synthetic latencies of "
            f"{12 * arguments.campaigns:,} runs; nothing in it was measured"
        )

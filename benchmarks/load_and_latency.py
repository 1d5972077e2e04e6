"""Figs. 2 and 3 of Underwood, Anderson and Apon, ICPE'18, on this machine.

Mean and standard deviation of a ping-pong's latency beside a load of so much of the bandwidth, in
random order, several times:

    python benchmarks/load_and_latency.py OUT --levels 1,20,40,60,80 --repeat 3 -- mpirun -n 2

leaves OUT/load.csv (level, achieved, mean_us, sd_us, median_us) and OUT/load.html; points bear the
load that was asked.
"""

import argparse
import csv
import json
import random
import subprocess
import sys
from pathlib import Path

from plotly.subplots import make_subplots

COLUMNS = ("level", "achieved", "mean_us", "sd_us", "median_us")


def main() -> None:
    """Measures, then draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--levels", default="1,20,40,60,80")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--iterations", default="1000")
    parser.add_argument("--message", default="64KiB")
    parser.add_argument("--draw", action="store_true", help="draw an OUT/load.csv that exists")
    words = [*sys.argv[1:], "--"]
    own, launch = words[: words.index("--")], words[words.index("--") + 1 : -1]
    arguments = parser.parse_args(own, argparse.Namespace(launch=launch))
    arguments.out.mkdir(parents=True, exist_ok=True)
    table = arguments.out / "load.csv"
    if not arguments.draw:
        rows = [measured(arguments, level) for level in order(arguments)]
        with table.open("w", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows])
    with table.open() as file:
        draw([list(map(float, row.values())) for row in csv.DictReader(file)], arguments.out)


def order(arguments: argparse.Namespace) -> list[str]:
    """Each repetition in an order of its own."""
    levels = arguments.levels.split(",")
    shuffler = random.Random(1)
    return [
        level for _ in range(arguments.repeat) for level in shuffler.sample(levels, len(levels))
    ]


def measured(arguments: argparse.Namespace, level: str) -> tuple[float, ...]:
    """A row of the table."""
    runs = arguments.out / "runs"
    before = set(runs.glob("*.json"))
    words = ["pingpong", "--sizes", "4B", "--iterations", arguments.iterations]
    words += ["--with-load", f"{level}%", "--message", arguments.message, "-o", str(runs)]
    command = [sys.executable, "-m", "latitude", "measure", *words, "--", *arguments.launch]
    subprocess.run(command, check=True)
    (added,) = set(runs.glob("*.json")) - before
    found = json.loads(added.read_text())
    (summary,) = found["summary"]
    times = (summary[name] / 1e3 for name in ("mean_ns", "sd_ns", "median_ns"))
    return (float(level), 100 * found["load"]["achieved"], *times)


def draw(rows: list[list[float]], out: Path) -> None:
    """Two panels: a point a run, over the load it really had."""
    figure = make_subplots(cols=2, subplot_titles=["Mean", "Standard deviation"])
    for panel, column in enumerate((2, 3), start=1):
        figure.add_scatter(
            x=[row[1] for row in rows], y=[row[column] for row in rows], mode="markers+text",
            text=[f" {row[0]:g} %" for row in rows], textposition="top center",
            marker={"color": "#1f6f8b", "size": 9}, row=1, col=panel,
        )  # fmt: skip
    figure.update_xaxes(title="load achieved, % of the one-way bandwidth", range=[-5, 100])
    figure.update_yaxes(title="half round trip of 4 B, µs", rangemode="tozero")
    figure.update_layout(
        template="simple_white", showlegend=False, width=980, height=380,
        margin={"l": 60, "r": 20, "t": 40, "b": 50},
    )  # fmt: skip
    figure.write_html(out / "load.html")


if __name__ == "__main__":
    main()

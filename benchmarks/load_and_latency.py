"""Figs. 2 and 3 of Underwood, Anderson and Apon, ICPE'18, on this machine.

Mean and standard deviation of a ping-pong's latency beside a load of so much of the bandwidth, in
random order, several times:

    python benchmarks/load_and_latency.py OUT --levels 1,20,40,60,80 --repeat 3 -- mpirun -n 2

adds to OUT/load.csv (level, achieved, mean_us, sd_us, median_us) and leaves OUT/load.html. Over a
link of a known rate, --service-us draws the queue in theory.
"""

import argparse
import csv
import json
import random
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
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
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    parser.add_argument(
        "--options", default="", help="of `latitude measure pingpong`: '--peak 23.9MB/s'"
    )
    parser.add_argument(
        "--service-us", type=float, default=0.0, help="what a message of the load takes the link"
    )
    parser.add_argument("--draw", action="store_true", help="draw an OUT/load.csv that exists")
    words = [*sys.argv[1:], "--"]
    own, launch = words[: words.index("--")], words[words.index("--") + 1 : -1]
    arguments = parser.parse_args(own, argparse.Namespace(launch=launch))
    arguments.out.mkdir(parents=True, exist_ok=True)
    table = arguments.out / "load.csv"
    if not arguments.draw:
        if not table.exists():
            add(table, COLUMNS)
        for level in order(arguments):
            add(table, measured(arguments, level))
    with table.open() as file:
        rows = [list(map(float, row.values())) for row in csv.DictReader(file)]
    draw(rows, arguments.service_us, arguments.out)


def add(table: Path, row: Sequence[object]) -> None:
    """A line of the table."""
    with table.open("a", newline="") as file:
        csv.writer(file).writerow(row)


def order(arguments: argparse.Namespace) -> list[str]:
    """Each repetition in an order of its own."""
    levels = arguments.levels.split(",")
    shuffler = random.Random(arguments.seed)
    return [
        level for _ in range(arguments.repeat) for level in shuffler.sample(levels, len(levels))
    ]


def measured(arguments: argparse.Namespace, level: str) -> tuple[float, ...]:
    """A row of the table."""
    runs = arguments.out / "runs"
    before = set(runs.glob("*.json"))
    words = ["pingpong", "--size", "4B", "--iterations", arguments.iterations]
    words += ["--with-load", f"{level}%", "--message", arguments.message, "-o", str(runs)]
    words += shlex.split(arguments.options)
    command = [sys.executable, "-m", "latitude", "measure", *words, "--", *arguments.launch]
    subprocess.run(command, check=True)
    (added,) = set(runs.glob("*.json")) - before
    found = json.loads(added.read_text())
    (summary,) = found["summary"]
    times = (summary[name] / 1e3 for name in ("mean_ns", "sd_ns", "median_ns"))
    return (float(level), 100 * found["load"]["achieved"], *times)


def queue(share: np.ndarray, service: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and sd of half a round trip through two queues of that load (M/D/1; one each way).

    What a message waits that comes at any time, by Pollaczek and Khinchine and the second moment of
    Takács; the mean of two independent waits has a deviation √2 less.
    """
    mean = service * share / (2 * (1 - share))
    return mean, np.sqrt((service**2 * share / (3 * (1 - share)) + mean**2) / 2)


def draw(rows: list[list[float]], service: float, out: Path) -> None:
    """Two panels: a point a run, over the load it really had."""
    figure = make_subplots(cols=2, subplot_titles=["Mean", "Standard deviation"])
    share = np.linspace(0, 0.92, 93)
    for panel, curve in enumerate(queue(share, service / 1e3), start=1):
        if service:
            figure.add_scatter(
                x=100 * share, y=curve, mode="lines", row=1, col=panel, showlegend=panel == 1,
                line={"color": "#b0b0b0", "width": 2}, name="queue of the link in theory (M/D/1)",
            )  # fmt: skip
        figure.add_scatter(
            x=[row[1] for row in rows], y=[row[panel + 1] / 1e3 for row in rows], mode="markers",
            text=[f"{row[0]:g} % asked" for row in rows], name="a run", showlegend=panel == 1,
            marker={"color": "#1f6f8b", "size": 8, "opacity": 0.7}, row=1, col=panel,
        )  # fmt: skip
    figure.update_xaxes(title="load, % of the one-way bandwidth", range=[-3, 100])
    figure.update_yaxes(title="half round trip of 4 B, ms", rangemode="tozero")
    figure.update_layout(
        template="simple_white", width=980, height=400,
        legend={"x": 0.02, "y": 0.98}, margin={"l": 60, "r": 20, "t": 40, "b": 50},
    )  # fmt: skip
    figure.write_html(out / "load.html", config={"displayModeBar": False})


if __name__ == "__main__":
    main()

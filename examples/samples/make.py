"""The samples of this folder: drawn, not measured. `python make.py` writes them anew."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def write(name: str, meaning: str, head: str, rows: list[str]) -> None:
    """Writes a table with a line that says what it is."""
    lines = [f"# source: drawn, not measured: {meaning}", head, *rows]
    (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def lognormal(draw: np.random.Generator, median: float, shape: float, count: int) -> np.ndarray:
    """Draws of a lognormal, ns."""
    return median * np.exp(shape * draw.standard_normal(count))


def main() -> None:
    """Barriers on an idle network; a quiet and a busy route; runs of two programs."""
    draw = np.random.default_rng(2018)
    latencies = {
        "barrier.csv": (
            "5.8 µs and a lognormal of median 700 ns and shape 0.8",
            5_800 + lognormal(draw, 700, 0.8, 1_000),
        ),
        "quiet.csv": (
            "lognormal, median 6 µs, shape 0.12",
            lognormal(draw, 6_000, 0.12, 5_000),
        ),
        "busy.csv": (
            "3,500 around 6 µs, 1,200 around 9 µs as of a longer route, 300 Pareto from 12 µs on",
            np.concatenate(
                [
                    lognormal(draw, 6_000, 0.08, 3_500),
                    lognormal(draw, 9_000, 0.08, 1_200),
                    12_000 * (1 + draw.pareto(2.2, 300)),
                ]
            ),
        ),
    }
    for name, (meaning, values) in latencies.items():
        draw.shuffle(values)
        write(name, meaning, "latency_ns", [f"{value:.0f}" for value in values])
    rows = []
    for program, by_mean, by_sd in (("FT", 8.0, 18.0), ("LU", 5.0, 56.0)):
        for mean in np.linspace(7, 40, 10):
            for spread in np.linspace(0.2, 1.6, 5):
                sd = spread * mean / 4
                time = 300 + by_mean * mean + by_sd * sd + draw.normal(0, 60, 6)
                rows += [f"{program},{mean:.3f},{sd:.3f},{each:.3f}" for each in time]
    meaning = "ten means, five standard deviations at each, six runs of each"
    write("runs.csv", meaning, "program,mean_us,sd_us,runtime_ms", rows)


if __name__ == "__main__":
    main()

"""Durations of a model's kernels on a GPU, interpolated from shipped measurements.

`h100.csv` has the medians of 20 runs each on one H100 80GB HBM3 in bf16 (torch 2.11, weights not in
the cache). Columns are M, N, K for `gemm`; heads times batch, queries and keys for `attention`
(causal, heads of 128); and moved bytes for other kernels.
"""

import csv
from functools import cache
from importlib.resources import files

import numpy as np

from latitude._types import Floats

_TABLE = "h100.csv"
_NEAREST = 8
_PEAK_FLOP_PER_NS = 700e3
_BYTES_PER_NS = 2800.0
_BYTES = 2
"""Bytes per number in bf16."""
HEAD = 128
"""Dimension of the measured heads."""
_FLOORS_NS = 2000.0
"""Least duration of a kernel, ns: that of two kernels launched back to back on a stream."""


@cache
def _measured() -> dict[str, tuple[Floats, Floats]]:
    """The logarithms of each kernel's shapes, and its times in ns."""
    rows: dict[str, list[tuple[float, ...]]] = {}
    with files(__package__).joinpath(_TABLE).open(encoding="ascii") as lines:
        for row in csv.DictReader(lines):
            shape = (float(row[each]) for each in ("a", "b", "c"))
            rows.setdefault(row["kernel"], []).append((*shape, 1000 * float(row["us"])))
    found = {}
    for kernel, values in rows.items():
        table = np.array(sorted(values))
        found[kernel] = np.log(np.maximum(table[:, :3], 1.0)), table[:, 3]
    return found


def _near(kernel: str, shape: tuple[float, float, float], ideal: Floats, own: float) -> float:
    """Time of a shape: its ideal time, times the mean excess of the nearest measured shapes."""
    shapes, times = _measured()[kernel]
    distance = np.sqrt(((shapes - np.log(shape)) ** 2).sum(axis=1))
    nearest = np.argsort(distance, kind="stable")[:_NEAREST]
    weights = 1 / (distance[nearest] + 1e-6) ** 2
    excess = np.log(times[nearest] / ideal[nearest])
    return float(own * np.exp((weights * excess).sum() / weights.sum()))


def _ideal_gemm(m: Floats, n: Floats, k: Floats) -> Floats:
    moved = _BYTES * (m * n + m * k + n * k)
    return np.asarray(
        np.maximum(2 * m * n * k / _PEAK_FLOP_PER_NS, moved / _BYTES_PER_NS) + _FLOORS_NS
    )


@cache
def gemm_ns(m: int, n: int, k: int) -> float:
    """Time of the product of an m × k and a k × n matrix, ns."""
    shapes = np.exp(_measured()["gemm"][0])
    ideal = _ideal_gemm(shapes[:, 0], shapes[:, 1], shapes[:, 2])
    own = _ideal_gemm(*(np.array([float(each)]) for each in (m, n, k)))
    return _near("gemm", (m, n, k), ideal, float(own[0]))


@cache
def attention_ns(heads: int, sequence: int, dimension: int, *, backward: bool) -> float:
    """Time of causal attention, ns, for `heads` over all sequences of one length."""
    kernel = "attention backward" if backward else "attention"
    shapes = np.exp(_measured()[kernel][0])
    ideal = shapes.prod(axis=1) + _FLOORS_NS
    own = heads * sequence * sequence * dimension / HEAD + _FLOORS_NS
    return _near(kernel, (heads, sequence, sequence), ideal, own)


@cache
def memory_ns(kernel: str, moved: int) -> float:
    """Time of a kernel that is bound by the bytes it moves (norm, residual, optimizer), ns."""
    shapes, times = _measured()[kernel]
    sizes = np.exp(shapes[:, 0])
    if moved >= sizes[-1]:
        return float(times[-1] * moved / sizes[-1])
    return float(np.exp(np.interp(np.log(max(moved, 1)), shapes[:, 0], np.log(times))))

"""Golden numbers of [S] Figs. 4-6, from the command line, to 1e-9."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.command import Run

MODEL = ("--o", "0", "--G", "5ns", "--L", "0.5us", "--latency", "0us:2us")
TIGHT = 1e-9


@pytest.fixture
def analyse(latitude: Run) -> Callable[..., dict[str, Any]]:
    def run(path: Path, *options: str) -> dict[str, Any]:
        done = latitude("analyze", path, *MODEL, *options, "--json", "-")
        assert done.returncode == 0, done.stderr
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    return run


def close(value: float) -> Any:
    return pytest.approx(value, rel=TIGHT)


def test_late_receiver(analyse: Callable[..., dict[str, Any]], two_ranks: Path) -> None:
    result = analyse(two_ranks, "--limit", "2us")
    base = result["baseline"]
    assert base["T_ns"] == close(1615.0)
    assert base["lambda_L"] == base["lambda_L_left"] == base["lambda_L_right"] == close(1.0)
    assert base["rho_L"] == close(500.0 / 1615.0)
    assert base["path"]["lambda_G"] == close(3.0)
    (critical,) = result["breakpoints"]
    assert critical["value"] == close(385.0)
    assert critical["T_ns"] == close(1500.0)
    assert (critical["lambda_left"], critical["lambda_right"]) == (close(0.0), close(1.0))
    limit = result["tolerance"][-1]
    assert limit["T_limit_ns"] == close(2000.0)
    assert limit["value"] == close(885.0)
    assert limit["delta"] == close(385.0)
    for latency, runtime in zip(result["curve"]["value"], result["curve"]["T_ns"], strict=True):
        assert runtime == close(max(latency + 1115.0, 1500.0))


def test_tolerances(analyse: Callable[..., dict[str, Any]], two_ranks: Path) -> None:
    result = analyse(two_ranks, "--tolerance", "1%,0.05")
    assert [t["degradation"] for t in result["tolerance"]] == [0.01, 0.05]
    for tolerance in result["tolerance"]:
        limit = 1615.0 * (1 + tolerance["degradation"])
        assert tolerance["T_limit_ns"] == close(limit)
        assert tolerance["value"] == close(limit - 1115.0)


def test_both_slopes_at_the_critical_latency(
    analyse: Callable[..., dict[str, Any]], two_ranks: Path
) -> None:
    base = analyse(two_ranks, "--L", "385ns")["baseline"]
    assert base["T_ns"] == close(1500.0)
    assert base["lambda_L_left"] == 0.0
    assert base["lambda_L"] == base["lambda_L_right"] == 1.0


def test_late_sender(
    analyse: Callable[..., dict[str, Any]], two_ranks: Path, tmp_path: Path
) -> None:
    text = two_ranks.read_text(encoding="utf-8")
    assert "l1: calc 100\n" in text
    path = tmp_path / "late-sender.goal"
    path.write_text(text.replace("l1: calc 100\n", "l1: calc 1000\n"), encoding="utf-8")
    result = analyse(path)
    assert result["baseline"]["T_ns"] == close(2515.0)
    assert result["breakpoints"] == []
    for latency, runtime in zip(result["curve"]["value"], result["curve"]["T_ns"], strict=True):
        assert runtime == close(latency + 2015.0)

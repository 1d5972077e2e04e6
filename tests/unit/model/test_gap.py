"""Effects and errors of the gap options; docs/explanation/model.md."""

from pathlib import Path

import pytest

from latitude import InputError, _core

SIZE = 256 * 1024


def goal(tmp_path: Path, *ranks: list[str]) -> _core.Graph:
    lines = [f"num_ranks {len(ranks)}"]
    for number, operations in enumerate(ranks):
        lines += [f"rank {number} {{", *operations, "}"]
    path = tmp_path / "program.goal"
    path.write_text("\n".join(lines) + "\n")
    return _core.graph_format("goal").read(str(path))


def network(gap: str | None, g: float = 0.0) -> _core.Network:
    return _core.Network(L=1000.0, o=200.0, G=0.08, S=SIZE, g=g, gap=gap)


def test_incast_of_eight_takes_seven_times_as_long_with_a_gap_at_the_receiver(
    tmp_path: Path,
) -> None:
    """The example of docs/explanation/model.md."""
    receives = [f"r{i}: recv {SIZE}b from {i} tag 0" for i in range(1, 9)]
    after = [f"r{i + 1} requires r{i}" for i in range(1, 8)]
    graph = goal(tmp_path, receives + after, *[[f"s: send {SIZE}b to 0 tag 0"]] * 8)
    wire = 0.08 * (SIZE - 1)
    expected = {
        "none": 200 + 1000 + wire + 8 * 200,
        "send": 200 + 1000 + wire + 8 * 200,
        "both": 200 + 1000 + 8 * wire + 200,
    }
    for gap, runtime in expected.items():
        found = _core.Model(graph, network(gap)).critical_path().T_ns
        assert found == pytest.approx(runtime, rel=1e-12)
    assert expected["both"] / expected["none"] == pytest.approx(7.117, abs=0.001)


def test_g_means_the_sender_unless_something_else_is_said() -> None:
    assert network(None).gap == "none"
    assert network(None, g=100.0).gap == "send"
    assert network("both").gap == "both"
    with pytest.raises(InputError, match="keeps no messages apart with gap none"):
        network("none", g=100.0)
    with pytest.raises(InputError, match="unknown gap 'receive'; use one of none, send, both"):
        network("receive")


def test_an_order_that_cannot_be_kept_is_named(tmp_path: Path) -> None:
    """The first message of the file is the answer to what follows the second one."""
    graph = goal(
        tmp_path,
        [
            "a: recv 8b from 1 tag 0",
            "b: recv 8b from 2 tag 0",
            "c: send 8b to 1 tag 0",
            "c requires b",
        ],
        ["a: recv 8b from 0 tag 0", "b: send 8b to 0 tag 0", "b requires a"],
        ["a: send 8b to 0 tag 0"],
    )
    assert _core.Model(graph, network("send")).critical_path().T_ns > 0
    with pytest.raises(InputError, match="in program order: try without it") as error:
        _core.Model(graph, network("both")).critical_path()
    assert "rank 1: recv 8 B from rank 0" in str(error.value)

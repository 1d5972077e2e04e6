"""The network that answers are for when nothing else is said."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import latitude
from latitude.cli.main import main
from latitude.launch.doctor.network import default_network
from latitude.model.default_network import VARIABLE
from latitude.results.doctor import MISSING, NOTE, OK

Refused = Callable[..., str]
Answer = Callable[..., dict[str, object]]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cluster file, and a user who has chosen nothing yet."""
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "cluster.toml"
    file.write_text('[network]\nL = "1.2us"\no = "0.4us"\nG = "0.04ns"\nS = "16KiB"\n')
    return file


@pytest.fixture
def model(two_ranks: Path, capsys: pytest.CaptureFixture[str]) -> Answer:
    """The model of an analysis with these options."""

    def answer(*words: str) -> dict[str, object]:
        assert main(["analyze", str(two_ranks), "--json", "-", *words]) == 0
        found: dict[str, object] = json.loads(capsys.readouterr().out)["model"]
        return found

    return answer


def test_a_network_is_chosen_shown_and_forgotten(
    cluster: Path, model: Answer, capsys: pytest.CaptureFixture[str], two_ranks: Path
) -> None:
    own = model()
    assert (own["source"], own["defaults"]) == (None, ["L", "o", "G", "S"])
    assert main(["network", "use", cluster.name]) == 0
    assert "L = 1.2 µs, o = 400 ns" in capsys.readouterr().err
    chosen = model()
    assert chosen["L_ns"] == 1200
    assert chosen["defaults"] == []
    assert chosen["source"] == f"{cluster}, your default network"
    assert main(["analyze", str(two_ranks)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"The network is that of {cluster}, your default network." in said
    assert latitude.analyze(latitude.load(two_ranks)).model.L_ns == 1200
    assert main(["network", "show"]) == 0
    assert f"{cluster} (latitude network use): L = 1.2 µs" in capsys.readouterr().err
    assert main(["network", "forget"]) == 0
    assert model() == own
    assert cluster.is_file()


def test_a_network_that_was_measured_in_a_node_says_so(
    cluster: Path, model: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The network's L may be 0, which no network between nodes has."""
    text = cluster.read_text().replace('L = "1.2us"', 'reach = "inside a node"\nL = "0ns"')
    cluster.write_text(text + '[[link]]\nwhere = "same socket"\nL = "0ns"\no = "0.1us"\n')
    caution = "it was measured inside a node, and tells nothing about links between nodes"
    assert main(["network", "use", cluster.name]) == 0
    said = capsys.readouterr().err
    assert caution in said
    assert "o_inside_a_socket = 100 ns" in said
    assert main(["network", "show"]) == 0
    assert caution in capsys.readouterr().err
    cluster.write_text(text)
    assert model()["source"] == f"{cluster}, your default network, measured inside a node"


def test_options_and_files_win_over_it(cluster: Path, model: Answer) -> None:
    assert main(["network", "use", str(cluster)]) == 0
    some = model("--L", "7us")
    assert (some["L_ns"], some["o_ns"], some["defaults"]) == (7000, 400, [])
    other = cluster.with_name("other.toml")
    other.write_text('L = "2us"\n')
    named = model("--network", "other.toml")
    assert (named["L_ns"], named["o_ns"], named["defaults"]) == (2000, 5000, ["o", "G", "S"])
    assert named["source"] == "other.toml"


def test_a_site_names_one_for_everybody(
    cluster: Path, model: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = cluster.with_name("site.toml")
    site.write_text('L = "9us"\n')
    assert main(["network", "use", str(cluster)]) == 0
    monkeypatch.setenv(VARIABLE, str(site))
    assert model()["L_ns"] == 9000
    monkeypatch.setenv(VARIABLE, "")
    assert model()["L_ns"] == 3000


def test_what_a_file_names_is_found_from_the_file(cluster: Path, model: Answer) -> None:
    folder = cluster.parent / "site"
    folder.mkdir()
    (folder / "hops.csv").write_text("0,1\n1,0\n")
    (folder / "tree.toml").write_text('o = "1us"\n[topology]\nspec = "hops:hops.csv"\n')
    assert main(["network", "use", "site/tree.toml"]) == 0
    assert "hops.csv" in str(model()["topology"])


def test_what_is_no_network_is_not_chosen(cluster: Path, model: Answer, refused: Refused) -> None:
    (cluster.parent / "wrong.toml").write_text('L = "3kg"\n')
    assert "wrong.toml: L: unknown unit 'kg'" in refused("network", "use", "wrong.toml")
    assert "absent.toml: No such file" in refused("network", "use", "absent.toml")
    assert model()["source"] is None


def test_a_file_that_is_gone_is_an_error_with_its_name(
    cluster: Path, refused: Refused, two_ranks: Path
) -> None:
    assert main(["network", "use", str(cluster)]) == 0
    cluster.unlink()
    said = refused("analyze", two_ranks)
    assert said.startswith(f"{cluster}: your default network no longer exists")


def test_doctor_says_which_it_is(cluster: Path) -> None:
    (found,) = default_network()
    assert (found.state, found.facts) == (NOTE, {"file": None})
    assert main(["network", "use", str(cluster)]) == 0
    (found,) = default_network()
    assert (found.state, found.facts) == (OK, {"file": str(cluster)})
    cluster.unlink()
    (found,) = default_network()
    assert found.state == MISSING

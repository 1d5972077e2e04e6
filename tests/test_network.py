from pathlib import Path

import pytest

from latitude import InputError, Network
from latitude.network import read_network


def test_defaults_are_named() -> None:
    assert Network().defaults() == ("L", "o", "G", "S")
    assert Network.parse({"L": "3us", "o": "1us"}).defaults() == ("G", "S")
    assert Network(L=1.0, o=2.0, G=3.0, S=4).defaults() == ()


def test_strings_with_units() -> None:
    network = Network.parse({"L": "1.2us", "o": "500ns", "G": "50GB/s", "S": "64KiB"}, "sync")
    assert (network.L, network.o, network.G, network.S) == (1200.0, 500.0, 0.02, 65536)
    assert network.core().rendezvous == "sync"


def test_cluster_file(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text('[network]\nL = "1us"\no = "2us"\nrendezvous = "llamp"\n')
    assert read_network(path) == ({"L": "1us", "o": "2us"}, "llamp")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("L = 3", 'must be a string with a unit, e.g. L = "3us"'),
        ('latency = "3us"', "unknown key 'latency'; use L, o, g, G, O, S, rendezvous"),
        ("L = ", "not a TOML file"),
        ("network = 3", "must be a table"),
    ],
)
def test_wrong_cluster_files(tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"cluster\.toml") as error:
        read_network(path)
    assert advice in str(error.value)
    with pytest.raises(InputError, match="No such file"):
        read_network(tmp_path / "absent.toml")

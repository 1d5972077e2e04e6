"""Finds the default network of analyses."""

from collections.abc import Iterator

from latitude._core import InputError
from latitude.model.default_network import default_file, network_or_default
from latitude.results.doctor import MISSING, NOTE, OK, Finding

_AREA = "network"
_NAME = "default"
_REMEDY = (
    "measure it once (latitude measure loggps -- mpirun -n 2 --map-by node), then "
    "latitude network use cluster.toml"
)


def default_network() -> Iterator[Finding]:
    """A finding about the user's default network, or about Latitude's own."""
    try:
        file = default_file()
        network = network_or_default(None)
    except InputError as error:
        yield Finding(
            area=_AREA,
            name=_NAME,
            state=MISSING,
            found=str(error),
            costs="commands that need a network fail, unless --network names one",
            remedy="latitude network use FILE, or latitude network forget",
            facts={"file": None},
        )
        return
    stated = ", ".join(f"{name} = {value}" for name, value in network.describe().items())
    if file is None:
        yield Finding(
            area=_AREA,
            name=_NAME,
            state=NOTE,
            found=f"a ConnectX-3 fat tree's, {stated}",
            costs="answers are for that network, not for yours",
            remedy=_REMEDY,
            facts={"file": None},
        )
    else:
        yield Finding(
            area=_AREA, name=_NAME, state=OK, found=f"{file}: {stated}", facts={"file": str(file)}
        )

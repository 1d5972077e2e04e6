"""`latitude network`: the default network of all analyses."""

import os
from dataclasses import dataclass
from pathlib import Path

from latitude.cli.command import Action, Group
from latitude.model import default_network
from latitude.model import network as networks
from latitude.model.cluster_file import Description
from latitude.notices.saying import say
from latitude.units.options import Options, argument


@dataclass(kw_only=True)
class UseOptions(Options):
    """The network to choose."""

    file: Path = argument("as `latitude measure loggps` writes it", "FILE", Path)


class Use:
    """Chooses the default network."""

    name = "use"
    summary = "make a cluster file the default network"
    description = """\
Makes the network of FILE the default of commands without --network and other network options. FILE
stays where it is, and is read each time."""
    example = "latitude network use cluster.toml"
    options = UseOptions

    def run(self, arguments: UseOptions) -> None:
        described = default_network.use(arguments.file)
        say(f"{arguments.file}: your default network from now on: {_stated(described.network())}")
        _say_measured(described)
        if default_network.VARIABLE in os.environ:
            say(f"{default_network.VARIABLE} is set here and wins over it; unset it")


@dataclass(kw_only=True)
class ShowNetworkOptions(Options):
    """Options for showing the default network."""


class ShowNetwork:
    """Shows the default network."""

    name = "show"
    summary = "show the default network"
    description = "Shows the default network, and where it was set."
    example = "latitude network show"
    options = ShowNetworkOptions

    def run(self, arguments: ShowNetworkOptions) -> None:
        del arguments
        file = default_network.default_file()
        described = default_network.default_description()
        stated = _stated(described.network())
        if file is None:
            say(f"{stated}: a ConnectX-3 fat tree's (Shen et al., SC'24, §III.B), not yours")
            say("`latitude network use cluster.toml` chooses yours, measured by")
            say("`latitude measure loggps -- mpirun -n 2 --map-by node`")
        else:
            chosen = default_network.VARIABLE in os.environ
            why = default_network.VARIABLE if chosen else "latitude network use"
            say(f"{file} ({why}): {stated}")
            _say_measured(described)


@dataclass(kw_only=True)
class ForgetOptions(Options):
    """Options for forgetting the default network."""


class Forget:
    """Forgets the default network."""

    name = "forget"
    summary = "go back to the network that Latitude comes with"
    description = "Undoes `latitude network use`; the file itself stays."
    example = "latitude network forget"
    options = ForgetOptions

    def run(self, arguments: ForgetOptions) -> None:
        del arguments
        say("forgotten" if default_network.forget() else "there was none")


ACTIONS: tuple[Action, ...] = (Use(), ShowNetwork(), Forget())


class NetworkCommand(Group):
    """Chooses, shows or forgets the default of --network."""

    description = """\
The default network, for commands without --network and other network options. Latitude's own
default is another cluster's network, so measure yours once (latitude measure loggps)."""
    example = "latitude network use cluster.toml"
    actions = ACTIONS


def _say_measured(described: Description) -> None:
    """Warns if the network was not measured between nodes."""
    if described.reach:
        say(f"it was measured {described.reach}, and tells nothing about links between nodes:")
        say("`latitude measure loggps -- mpirun -n 2 --map-by node` on two nodes measures those")


def _stated(network: networks.Network) -> str:
    """The network's parameters as text."""
    return ", ".join(f"{name} = {value}" for name, value in network.describe().items())

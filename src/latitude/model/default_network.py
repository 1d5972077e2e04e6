"""The default network of a user's programs.

A symbolic link in the user's configuration folder points to a cluster file, so that names in that
file stay relative to its folder. The environment variable LATITUDE_NETWORK is for sites, whose
environment modules can name the cluster's network.
"""

import os
from dataclasses import replace
from pathlib import Path

from latitude._core import InputError
from latitude.model.cluster_file import Description, read_cluster
from latitude.model.network import Network

VARIABLE = "LATITUDE_NETWORK"
"""Environment variable with a cluster file in place of the user's file; if empty, no file is used.
"""


def link() -> Path:
    """Path of the link with the user's choice."""
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "latitude" / "network.toml"


def default_file() -> Path | None:
    """The cluster file to use; None without a choice.

    InputError: the chosen file no longer exists.
    """
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    kept = link()
    if not kept.is_symlink():
        return None
    file = kept.readlink()
    if not file.is_file():
        raise InputError(
            f"{file}: your default network no longer exists; choose another one with "
            "`latitude network use FILE`, or `latitude network forget`"
        )
    return file


def default_description() -> Description:
    """The content of the default file; empty without one."""
    file = default_file()
    if file is None:
        return Description()
    return replace(read_cluster(file), source=f"{file}, your default network")


def network_or_default(given: Network | None) -> Network:
    """The given network, else the user's default, else Latitude's default."""
    return default_description().network() if given is None else given


def use(file: Path) -> Description:
    """Makes the network of a cluster file the user's default. InputError: the file is not valid."""
    description = read_cluster(file)
    try:
        description.network()
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    kept = link()
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(f".{os.getpid()}")
        fresh.symlink_to(file.resolve())
        fresh.replace(kept)
    except OSError as error:
        raise InputError(f"{kept}: cannot be written: {error.strerror}") from error
    return description


def forget() -> bool:
    """Removes the user's choice; returns whether there was one."""
    kept = link()
    if not kept.is_symlink():
        return False
    kept.unlink()
    return True

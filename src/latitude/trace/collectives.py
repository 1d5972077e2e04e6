"""Algorithms of a program's collectives, in words."""

from collections.abc import Iterable, Sequence

from latitude import _core


def in_words(options: Sequence[str], calls: Iterable[str]) -> str:
    """The algorithm of each collective among `calls`, or the library whose rules were used."""
    algorithms = _core.collective_algorithms()
    chosen = dict(option.split("=", 1) for option in options if "=" in option)
    if len(chosen) < len(options):
        return f"by the rules of {_core.describe_collectives(list(options))}"
    names = (call.removeprefix("MPI_").lower() for call in calls)
    used = {name if name in algorithms else name.removeprefix("i") for name in names}
    known = sorted(used & algorithms.keys())
    return ", ".join(f"{name} {chosen.get(name, algorithms[name][0])}" for name in known) or "none"

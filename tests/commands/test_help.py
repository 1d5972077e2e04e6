"""The output of `--help` and `latitude help`, and errors about words that are nearly right."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from latitude import _core
from latitude.cli.analyze_options import AnalyzeOptions
from latitude.cli.command import Command, Group
from latitude.cli.commands import SUMMARIES, build_parser, command
from latitude.cli.main import main
from latitude.cli.topics import TOPICS
from latitude.units.options import options_of

Refused = Callable[..., str]


def _commands() -> Iterator[tuple[str, Command]]:
    for name in SUMMARIES:
        found = command(name)
        yield name, found
        if isinstance(found, Group):
            yield from ((f"{name} {each.name}", each) for each in found.actions)


@pytest.fixture
def help_of(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def said(*words: str) -> str:
        with suppress(SystemExit):
            assert main(words) == 0
        return capsys.readouterr().out

    return said


@pytest.mark.parametrize("name", [name for name, _ in _commands()])
def test_a_command_is_explained_on_two_screens_with_a_line_that_works(
    help_of: Callable[..., str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = help_of(*name.split(), "--help")
    assert text.count("\n") < 110
    example = next(found.example for each, found in _commands() if each == name)
    assert f"\n  {example}\n" in text
    words = shlex.split(example)
    if words[0] == "latitude":
        parsed, left = build_parser(words[1]).parse_known_args(words[1:])
        assert not left
        assert parsed.command is not None


@pytest.mark.parametrize("words", [("analyze",), ("measure", "loggps"), ("stats",)])
def test_help_is_the_same_asked_in_both_ways(
    help_of: Callable[..., str], words: tuple[str, ...]
) -> None:
    assert help_of("help", *words) == help_of(*words, "--help")


def test_help_alone_is_the_list_of_commands(help_of: Callable[..., str]) -> None:
    assert help_of("help") == help_of("--help")
    assert all(f"\n    {name} " in help_of("help") for name in SUMMARIES)
    assert help_of("-V") == help_of("--version")


def test_collectives_are_listed_where_asked(help_of: Callable[..., str]) -> None:
    text = help_of("help", "collectives")
    for name, algorithms in _core.collective_algorithms().items():
        if len(algorithms) > 1:
            assert re.search(rf"^  {name} +{', '.join(algorithms)}$", text, re.MULTILINE)
    assert "recursive-doubling" not in help_of("analyze", "--help").partition("trace:")[2]


def test_ten_options_are_explained_and_the_others_named_by_topic(
    help_of: Callable[..., str],
) -> None:
    brief = help_of("analyze", "--help")
    explained, _, named = brief.partition("more options by topic")
    assert len(re.findall(r"^  -", explained.partition("need:")[2], re.MULTILINE)) == 10
    topics = [topic for topic in TOPICS if re.search(rf"^  {topic} ", named, re.MULTILINE)]
    assert topics == list(TOPICS)
    for topic in topics:
        names = re.findall(
            r"^  (?:-h, )?(--?[\w-]+)", help_of("help", "analyze", topic), re.MULTILINE
        )
        assert names
        assert all(re.search(rf"(?<![\w-]){name}(?![\w-])", brief) for name in names)
    everything = help_of("analyze", "--help", "all")
    for name, option, _ in options_of(AnalyzeOptions):
        typed = option.typed(name)
        assert re.search(rf"^  {typed}\b", everything, re.MULTILINE), typed
        assert re.search(rf"(?<![\w-]){typed}(?![\w-])", brief), typed


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("analyse", "x"), "invalid choice: 'analyse'; did you mean 'analyze'?"),
        (("measure", "logpgs"), "did you mean 'loggps'?"),
        (("analyze", "x", "--colective", "ring"), "; did you mean --collective?"),
        (("analyze", "x", "--colective=ring"), "; did you mean --collective?"),
        (("stats", "tail", "x", "--tresholds", "1us"), "; did you mean --threshold?"),
        (("analyze", "x", "--gap", "sent"), "invalid choice: 'sent'; did you mean 'send'?"),
        (("analyze", "x", "--gap", "zzz"), "choose from none, send, both"),
        (("help", "nothing"), "'nothing' is neither a command nor collectives"),
        (("analyze", "--help", "x"), "choose from questions, network, nodes, trace"),
        (("help", "analyze", "x"), "--help: 'x' is not a topic of latitude analyze"),
    ],
)
def test_a_word_that_is_nearly_right(refused: Refused, words: tuple[str, ...], advice: str) -> None:
    assert advice in refused(*words)


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (("an",), {"analyze"}),
        (("analyze", "--coll"), {"--collective"}),
        (("campaign", "ana"), {"analyze"}),
        (("inject", "--fl"), {"--flow"}),
        (("completion", "z"), {"zsh"}),
    ],
)
def test_a_shell_completes_commands_options_and_choices(
    help_of: Callable[..., str], tmp_path: Path, words: tuple[str, ...], completed: set[str]
) -> None:
    script = tmp_path / "completion"
    script.write_text(help_of("completion", "bash"), encoding="utf-8")
    line = shlex.join(["latitude", *words])
    asked = (
        f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _shtab_latitude; "
        'echo "${COMPREPLY[@]}"'
    )
    bash = shutil.which("bash") or "bash"
    done = subprocess.run([bash, "-c", asked], capture_output=True, check=True, text=True)
    assert set(done.stdout.split()) == completed

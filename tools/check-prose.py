#!/usr/bin/env python3
"""Finds sentences that readers stumble over. Exit status 1 if a file has more of them than before.

    check-prose.py            compares each file's count with tools/prose.tsv
    check-prose.py --renew    lowers the counts in tools/prose.tsv to today's, and adds new files
    check-prose.py FILE ...   prints every flagged sentence of files: Markdown, Python, C or C++

The patterns find habits: about one in five of the sentences that an editor would rewrite.
CONTRIBUTING.md has the rules. A new file may have one flagged sentence in ten.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
KEPT = Path(__file__).with_name("prose.tsv")
READ = ("README.md", "CONTRIBUTING.md", "docs", "src", "core", "runtime")
LONGEST_WORDS = 30
SHORTEST_WORDS = 4
"""Fewer words are a label or a phrase."""
NEW_FILE_SHARE = 0.1

_PATTERNS = {
    "begins with Of": (
        r"(^(\*\*[^*]*\*\*\.? )?|[.;:(] )[Oo]f "
        r"(a|the|each|several|such|more|these|what|\d|[A-Z`a-z]+ (that|which))"
    ),
    "clause as a noun": (
        r"(^|[.;:,] )(\*\*)?([Ww]hat|[Ww]ho|[Ww]hoever) (?!is the|are the|you|to |does |do )"
    ),
    "passive without an actor": (
        r"\b(is|are|was|were|be) (said|told|asked|reckoned|named|refused)\b|says? so\b|\bby name\b"
    ),
    "unusual verb": (
        r"\bheld against\b|\btaken? (for|to be)\b|\bgoes (closer|with)\b|\bcomes? of\b"
        r"|\bhangs? on\b|\bin vain\b|\blook(s|ed|ing)? whether\b|\bsees to\b"
        r"|\bdo(es)? not mind\b|\bhears of\b"
    ),
    "stand for be": r"\bst(ands?|ood) (in|beside|below|above|there|before|behind|with)\b",
    "old adverb": (
        r"\b(anew|besides?|meanwhile|alike|likewise|wherever|beforehand|the begin|its begin)\b"
    ),
    "is no X": r"\b(is|are|was|were) (no|none)\b(?! longer| more| less)",
    "so many without a number": r"\bso (many|much|long)\b",
    "ends in a pronoun": r"\b(ones|these|those|it|them|this|that|there|either|both)[.;:]($| )",
    "a for per": (
        r"\b(ns|µs|ms|s|bytes?|B|MB|latenc(y|ies)|calls?|points?|rows?|files?) "
        r"an? (call|rank|message|event|vertex|line|row|run|step|node|pass|sample)\b"
    ),
}
_COMPILED = {name: re.compile(pattern) for name, pattern in _PATTERNS.items()}
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z*`\[(0-9λρΔ“])")
_ITEM = re.compile(r"^\s*([-*]|\d+\.) ")
_IN_C = re.compile(
    r'R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\[^']*|[^'\\\n])'"
    r"|(?P<line>//[/!<]*(?P<said>[^\n]*))|(?P<block>/\*.*?\*/)",
    re.DOTALL,
)
"""Strings, whose content is no comment, and comments."""
_C = (".c", ".h", ".cpp", ".hpp")
_NOT_PROSE = ("```", "|", "#", "<!--", "![")


def sentences(text: str) -> Iterator[str]:
    """The sentences of one paragraph."""
    for sentence in _SENTENCE.split(re.sub(r"\s+", " ", text).strip()):
        if len(sentence.split()) >= SHORTEST_WORDS:
            yield sentence


def flags(sentence: str) -> list[str]:
    """The habits that a sentence shows; empty where it shows none."""
    found = [name for name, pattern in _COMPILED.items() if pattern.search(sentence)]
    if len(sentence.split()) > LONGEST_WORDS:
        found.append(f"over {LONGEST_WORDS} words")
    if len(re.findall(r"[;:](?=\s)", sentence)) > 1:
        found.append("two colons or semicolons")
    return found


def paragraphs(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each paragraph: of Markdown, Python's strings, or comments of C and C++."""
    read = {".py": _of_python, ".md": _of_markdown, **dict.fromkeys(_C, _of_c)}
    yield from read[path.suffix](path.read_text(encoding="utf-8"))


def _of_python(text: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            for part in re.split(r"\n\s*\n", node.value):
                yield node.lineno, part


def _of_c(text: str) -> Iterator[tuple[int, str]]:
    lines: list[str] = []
    begun = last = 0
    for found in _IN_C.finditer(text):
        number = text.count("\n", 0, found.start()) + 1
        if found["block"]:
            for part in re.split(r"\n[ *]*\n", found["block"][2:-2]):
                yield number, re.sub(r"\n\s*\*?\s?", " ", part).strip(" *!<")
        elif found["line"]:
            before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
            goes_on = number == last + 1 and not before.strip() and found["said"].strip()
            if lines and not goes_on:
                yield begun, " ".join(lines)
                lines = []
            begun, last = begun if lines else number, number
            lines.append(found["said"].strip())
    yield begun, " ".join(lines)


def _of_markdown(text: str) -> Iterator[tuple[int, str]]:
    lines: list[str] = []
    begun, code = 0, False
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.lstrip().startswith("```"):
            code = not code
        prose = not code and line.strip() != "" and not line.lstrip().startswith(_NOT_PROSE)
        if lines and (not prose or _ITEM.match(line)):
            yield begun, " ".join(lines)
            lines = []
        if prose:
            begun = begun if lines else number
            lines.append(_ITEM.sub("", line, count=1).strip())


def count(path: Path) -> tuple[int, int]:
    """The number of sentences of a file, and of flagged ones."""
    read = [flags(sentence) for _, text in paragraphs(path) for sentence in sentences(text)]
    return len(read), sum(bool(found) for found in read)


def listed() -> Iterator[str]:
    """The files that are counted, as git knows them."""
    command = ["git", "-C", str(ROOT), "ls-files", "--", *READ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    for name in done.stdout.split():
        if name.endswith((".md", ".py", *_C)) and (ROOT / name).is_file():
            yield name


def kept() -> dict[str, int]:
    """The counts that may not rise, by file."""
    rows = (line.split("\t") for line in KEPT.read_text(encoding="utf-8").splitlines())
    return {name: int(number) for number, name in rows}


def main() -> int:
    """Checks all files, lists the sentences of some, or lowers the counts."""
    arguments = sys.argv[1:]
    if arguments and arguments != ["--renew"]:
        return show([Path(name) for name in arguments])
    limits = kept()
    counts = {name: count(ROOT / name) for name in listed()}
    if arguments:
        lowered = {name: min(hit, limits.get(name, hit)) for name, (_, hit) in counts.items()}
        rows = [f"{hit}\t{name}\n" for name, hit in sorted(lowered.items()) if hit]
        KEPT.write_text("".join(rows), encoding="utf-8")
        return 0
    risen = False
    for name, (total, hit) in counts.items():
        limit = limits.get(name, int(total * NEW_FILE_SHARE))
        if hit > limit:
            risen = True
            sys.stdout.write(
                f"{name}: {hit} flagged sentences, {limit} before: tools/check-prose.py {name}\n"
            )
    return int(risen)


def show(paths: list[Path]) -> int:
    """Prints each flagged sentence with its line and its habits, and how many there are."""
    total = hit = 0
    for path in paths:
        for line, text in paragraphs(path):
            for sentence in sentences(text):
                total += 1
                if found := flags(sentence):
                    hit += 1
                    sys.stdout.write(f"{path}:{line}: [{', '.join(found)}] {sentence}\n")
    sys.stdout.write(f"{total} sentences, {hit} flagged ({hit / max(total, 1):.0%})\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

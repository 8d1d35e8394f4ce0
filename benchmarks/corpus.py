"""Makes the transcripts that are timed: the same for the same arguments, on every machine."""

from __future__ import annotations

import random

WORDS = (  # noqa: SIM905
    "the of energy battery cell market system report value method result study data level power "
    "grid cost storage research figure model wind price demand station line wave sensor"
).split()
MARKERS = ("[{}]", "[{},{}]", "[{}][{}]", "[^{}]", "[{}].")
DENSITIES = {"low": 0.005, "middle": 0.03, "high": 0.12}
"""Markers a word."""
SOURCES = 8
"""Sources a turn."""


def transcript(size: int, density: float, *, citeproc: bool = False, seed: int = 1) -> str:
    """A transcript of about `size` bytes; with `citeproc`, its markers as citeproc has them."""
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    turns = ["---\ntitle: Timed\n---\n"]
    length = 0
    while length < size:
        turn = _turn(len(turns), density, citeproc, chance)
        turns.append(turn)
        length += len(turn.encode())
    return "\n".join(turns)


def _turn(number: int, density: float, citeproc: bool, chance: random.Random) -> str:
    def text(words: int) -> str:
        return _text(words, density, citeproc, chance)

    parts = [f"::: {{.turn}}\n::: {{.prompt}}\nWhat of question {number}?\n:::"]
    for position in range(6):
        if position % 3 == 1:
            parts.append(f"## {text(4)}")
        parts.append(text(60))
    parts.append("\n".join(f"- {text(12)}" for _ in range(5)))
    rows = "\n".join(f"| {text(3)} | {text(3)} |" for _ in range(4))
    parts.append(f"| a | b |\n|---|---|\n{rows}")
    parts.append(f"```python\nvalue = data[{number % 9}]\n```")
    parts.append("" if citeproc else _sources(number))
    return "\n\n".join(parts) + "\n:::\n"


def _sources(number: int) -> str:
    entries = "\n".join(
        f"- index: {index}\n  title: Source {index} of turn {number}\n"
        f"  url: https://example.org/{number}/{index}"
        for index in range(1, SOURCES + 1)
    )
    return f"```sources\n{entries}\n```"


def _text(words: int, density: float, citeproc: bool, chance: random.Random) -> str:
    written = []
    for _ in range(words):
        written.append(chance.choice(WORDS))
        draw = chance.random()
        if draw < density:
            written.append(_marker(citeproc, chance))
        elif draw < density + 0.02:
            written.append(f"**{chance.choice(WORDS)} {chance.choice(WORDS)}**")
        elif draw < density + 0.03:
            written.append(f"`{chance.choice(WORDS)}[1]`")
    return " ".join(written)


def _marker(citeproc: bool, chance: random.Random) -> str:
    pattern = chance.choice(MARKERS)
    numbers = [chance.randint(1, SOURCES) for _ in range(pattern.count("{}"))]
    if citeproc:
        return "[" + "; ".join(f"@s{number}" for number in numbers) + "]"
    return pattern.format(*numbers)


def references() -> str:
    """The bibliography of the citeproc transcripts, as CSL JSON."""
    entries = ",".join(
        f'{{"id":"s{index}","type":"webpage","title":"Source {index}",'
        f'"URL":"https://example.org/{index}"}}'
        for index in range(1, SOURCES + 1)
    )
    return f"[{entries}]"

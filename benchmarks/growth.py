"""How the filter's own time and memory grow with a document: each shape once, and ten times it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

FILTER = Path(sys.executable).parent / "cite-filter"
_WATCH = (
    "import resource, subprocess, sys\n"
    "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
)


class Use(NamedTuple):
    """What a run of the filter took."""

    seconds: float
    peak: int
    """Bytes of memory."""
    read: int
    """Bytes of JSON."""


def string(text: str) -> dict[str, Any]:
    return {"t": "Str", "c": text}


SPACE = {"t": "Space"}


def para(inlines: list[Any]) -> dict[str, Any]:
    return {"t": "Para", "c": inlines}


def sources(count: int) -> dict[str, Any]:
    entries = "\n".join(
        f"- index: {n}\n  title: Source {n}\n  url: https://example.org/{n}"
        for n in range(1, count + 1)
    )
    return {"t": "CodeBlock", "c": [["", ["sources"], []], entries]}


def division(name: str, blocks: list[Any]) -> dict[str, Any]:
    return {"t": "Div", "c": [["", [name], []], blocks]}


def words(count: int, every: int = 30) -> list[Any]:
    found: list[Any] = []
    for n in range(count):
        found += [string(f"word[{n % 9 + 1}]" if n % every == 0 else "word"), SPACE]
    return found


def table(rows: int) -> dict[str, Any]:
    def cell(text: str) -> list[Any]:
        blocks = [{"t": "Plain", "c": [string(text)]}]
        return [["", [], []], {"t": "AlignDefault"}, 1, 1, blocks]

    def row(n: int) -> list[Any]:
        return [["", [], []], [cell(f"{n}"), cell(f"value[{n % 9 + 1}]")]]

    columns = [[{"t": "AlignDefault"}, {"t": "ColWidthDefault"}]] * 2
    nothing = [["", [], []], []]
    body = [["", [], []], 0, [], [row(n) for n in range(rows)]]
    return {"t": "Table", "c": [["", [], []], [None, []], columns, nothing, [body], nothing]}


def nested(depth: int) -> list[Any]:
    blocks = [para(words(30))]
    for _ in range(depth):
        blocks = [{"t": "BlockQuote", "c": blocks}, para(words(3))]
    return blocks


SHAPES: dict[str, Callable[[int], list[Any]]] = {
    "10,000 / 100,000 markers": lambda n: [
        *(para(words(100, every=5)) for _ in range(500 * n)),
        sources(9),
    ],
    "1,000 / 10,000 sources": lambda n: [para(words(1_000)), sources(1_000 * n)],
    "one paragraph of 0.5 / 5 MB": lambda n: [para(words(100_000 * n)), sources(9)],
    "a table of 2,000 / 20,000 rows": lambda n: [table(2_000 * n), sources(9)],
    "200 / 2,000 turns": lambda n: [
        division("turn", [para(words(300)), sources(9)]) for _ in range(200 * n)
    ],
    "quotations 50 / 500 deep": lambda n: [*nested(50 * n), sources(9)],
    "0.1 / 1 MB of [": lambda n: [para([string("[" * 100_000 * n)]), sources(9)],
    "0.1 / 1 MB of [1": lambda n: [para([string("[1" * 50_000 * n)]), sources(9)],
    "0.1 / 1 MB of [1,": lambda n: [para([string("[1," * 33_000 * n)]), sources(9)],
    "0.1 / 1 MB of [1]": lambda n: [para([string("[1]" * 33_000 * n)]), sources(9)],
    "a number of 6,000 / 60,000 digits": lambda n: [
        para([string("[" + "1" * 6_000 * n + "]")] * 20),
        sources(9),
    ],
}


def use(blocks: list[Any], runs: int) -> Use:
    document = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": blocks}
    data = json.dumps(document, separators=(",", ":"), check_circular=False).encode()
    took = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run([FILTER, "html"], input=data, capture_output=True, check=True)
        took.append(time.perf_counter() - begin)
    command = [sys.executable, "-c", _WATCH, FILTER, "html"]
    done = subprocess.run(command, input=data, capture_output=True, check=True)
    unit = 1 if sys.platform == "darwin" else 1024
    return Use(median(took), int(done.stdout) * unit, len(data))


def print_growth(runs: int) -> None:
    """The table: seconds without those the filter needs for an empty document."""
    sys.setrecursionlimit(10_000)
    start = use([sources(1)], runs).seconds
    print("\n### Growth of the filter's own cost\n")
    print(f"Seconds beyond the {start:.3f} that it needs for a document of one line.\n")
    print("| | once | ten times | ratio | ratio of the JSON | peak MB | JSON, MB |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, shape in SHAPES.items():
        one, ten = (use(shape(n), runs) for n in (1, 10))
        ratio = (ten.seconds - start) / max(one.seconds - start, 0.001)
        print(
            f"| {name} | {one.seconds - start:.3f} | {ten.seconds - start:.3f} | {ratio:.1f} "
            f"| {ten.read / one.read:.1f} | {ten.peak / 1e6:.0f} | {ten.read / 1e6:.1f} |",
            flush=True,
        )

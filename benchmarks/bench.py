"""Times cite-filter beside its peers and prints a table: `make bench`.

Every row is measured in turn with the others, round after round (A B C A B C …), so that a machine
that slows down slows all alike; what is compared is the ratio to `--filter cat` within a round.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from cite_filter import __version__, pandoc
from corpus import DENSITIES, references, transcript
from growth import print_growth

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
SIZES = {"5 KB": 5_000, "100 KB": 100_000, "500 KB": 500_000, "5 MB": 5_000_000}
FILES = 500


@dataclass(frozen=True)
class Row:
    """One way to make HTML of a transcript."""

    name: str
    arguments: tuple[str, ...]
    source: str = "transcript"


def rows(folder: Path) -> list[Row]:
    noop = folder / "noop.py"
    noop.write_text(
        f"#!{sys.executable}\nimport panflute\npanflute.run_filter(lambda element, doc: None)\n"
    )
    cat = folder / "cat.sh"
    cat.write_text("#!/bin/sh\nexec cat\n")
    for script in (noop, cat):
        script.chmod(0o755)
    return [
        Row("pandoc alone", ()),
        Row("--filter cat", ("--filter", str(cat))),
        Row("cite-filter", ("--filter", str(BIN / "cite-filter"))),
        Row("Lua peer", ("--lua-filter", str(HERE / "peer.lua"))),
        Row("no-op panflute", ("--filter", str(noop))),
        Row("citeproc", ("--citeproc", "--bibliography", str(folder / "refs.json")), "citeproc"),
        Row("(cat, citeproc's reader)", ("--filter", str(cat)), "citeproc"),
    ]


def seconds(command: Sequence[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begin


def measure(folder: Path, size: int, density: float, runs: int) -> dict[str, list[float]]:
    """Seconds of each row, round by round."""
    paths = {"transcript": folder / "plain.md", "citeproc": folder / "cited.md"}
    readers = {"transcript": pandoc.READER, "citeproc": "markdown"}
    paths["transcript"].write_text(transcript(size, density))
    paths["citeproc"].write_text(transcript(size, density, citeproc=True))
    commands = {
        row.name: [
            pandoc.program(),
            *("-f", readers[row.source], "-t", "html", "--no-highlight", "-o", os.devnull),
            *row.arguments,
            str(paths[row.source]),
        ]
        for row in rows(folder)
    }
    measured: dict[str, list[float]] = {name: [] for name in commands}
    for round_ in range(runs + 1):
        for name, command in commands.items():
            took = seconds(command)
            if round_:  # the first round warms up
                measured[name].append(took)
    return measured


def table(folder: Path, sizes: Sequence[str], runs: int) -> None:
    for size in sizes:
        for name, density in DENSITIES.items():
            measured = measure(folder, SIZES[size], density, runs)
            cat = measured["--filter cat"]
            print(f"\n### {size}, {name} density\n")
            print("| | seconds | ratio to `--filter cat` |\n|---|---:|---:|")
            for row, took in measured.items():
                base = measured["(cat, citeproc's reader)"] if row == "citeproc" else cat
                ratio = median(a / b for a, b in zip(took, base, strict=True))
                print(f"| {row} | {median(took):.3f} | {ratio:.2f} |")
            print(memory(folder / "plain.md"))
            sys.stdout.flush()


def memory(path: Path) -> str:
    """The filter's own peak memory beside its input."""
    data = pandoc.run(["-f", pandoc.READER, "-t", "json"], path.read_bytes()).data
    program = (
        "import resource, subprocess, sys\n"
        f"command = [{str(BIN / 'cite-filter')!r}, 'html']\n"
        "subprocess.run(command, stdout=subprocess.DEVNULL, check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=data, capture_output=True, check=True
    )
    peak = int(done.stdout) * (1 if sys.platform == "darwin" else 1024)
    return (
        f"\nThe filter's peak memory: {peak / 1e6:.0f} MB for {len(data) / 1e6:.1f} MB of JSON, "
        f"{peak / len(data):.1f} times."
    )


def many(folder: Path, runs: int) -> None:
    """`cite build` of many files beside one Pandoc a file, two at a time."""
    source = folder / "many"
    source.mkdir()
    names = []
    for number in range(FILES):
        path = source / f"chat-{number:03}.md"
        path.write_text(transcript(5_000, DENSITIES["middle"], seed=number))
        names.append(str(path))
    listing = folder / "names"
    listing.write_text("\n".join(names))
    reader = f"{pandoc.program()} -f {pandoc.READER} -s -t html"
    cite = [str(BIN / "cite"), "build", *names, "--out-dir", str(folder / "built")]
    commands = {
        "xargs -P2 pandoc": ["sh", "-c", f"xargs -P2 -I% {reader} % -o %.html < {listing}"],
        "the same, --no-highlight": [
            "sh",
            "-c",
            f"xargs -P2 -I% {reader} --no-highlight % -o %.html < {listing}",
        ],
        "cite build --force": [*cite, "--force"],
        "cite build, nothing changed": cite,
    }
    measured: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            measured[name].append(seconds(command))
    print(f"\n### {FILES} transcripts of 5 KB to HTML\n")
    print(
        "Pandoc alone spends most of its time on looking for a highlighter for `sources` blocks.\n"
    )
    print("| | seconds | ratio to the first |\n|---|---:|---:|")
    for name, took in measured.items():
        pairs = zip(took, measured["xargs -P2 pandoc"], strict=True)
        print(
            f"| {name} | {median(took):.2f} | {median(a / b for a, b in pairs):.2f} |", flush=True
        )


def machine() -> str:
    processor = platform.processor() or platform.machine()
    version = subprocess.run([pandoc.program(), "--version"], capture_output=True, check=True)
    return (
        f"{platform.system()} on {processor}, {os.cpu_count()} processors, Python "
        f"{platform.python_version()}, {version.stdout.decode().splitlines()[0]}, "
        f"cite-filter {__version__}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="*", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-many", action="store_true")
    parser.add_argument("--no-growth", action="store_true")
    parsed = parser.parse_args()
    print("# Benchmarks\n")
    print(f"{time.strftime('%Y-%m-%d')}. {machine()}. Medians of {parsed.runs} rounds.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_CACHE_HOME"] = name
        (folder / "refs.json").write_text(references())
        table(folder, parsed.sizes, parsed.runs)
        if not parsed.no_many:
            many(folder, min(parsed.runs, 3))
    if not parsed.no_growth:
        print_growth(3)


if __name__ == "__main__":
    main()

"""`cite stats`: what integrity logs tell, as a table, as JSON, as a page.

Exit status: 0 nothing to warn of, 1 something was warned of, 2 a file is no log or cannot be read.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cite_filter.errors import CiteError

if TYPE_CHECKING:
    from cite_filter.integrity_entry import Entry
    from cite_filter.stats import Skipped


Say = Callable[[str, str], None]
"""Says a line, of a level such as WARNING, on standard error."""


def add_parser(commands: Any, say: Say) -> None:
    """Adds `cite stats` to the commands."""
    parser = commands.add_parser("stats", help="say how verified answers fare over time")
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="LOG", help="what cite verify --log wrote")
    add("--json", action="store_true", help="print JSON instead of a table")
    add("--html", type=Path, metavar="OUT", help="write a page with plots")
    add("--by", choices=("day", "week", "month"), default="week", help="the periods of time")
    add("--since", type=_day, metavar="DATE", help="leave out what was before: YYYY-MM-DD, in UTC")
    parser.set_defaults(command=lambda parsed: run(parsed, say))


def run(parsed: argparse.Namespace, say: Say) -> int:
    """Runs the command; returns its exit status. Raises CiteError where OUT cannot be written."""
    from cite_filter.build import write_atomically
    from cite_filter.stats import collect
    from cite_filter.stats_page import page
    from cite_filter.stats_table import print_stats
    from cite_filter.stats_warnings import warnings

    if parsed.html is not None:
        _keep_logs(parsed.html, parsed.files)
    logs = Logs(parsed.files, say)
    stats = collect(logs.entries(), parsed.by, parsed.since)
    found = list(warnings(stats)) if logs.are_read else []
    for skipped in logs.skipped:
        say("WARNING", str(skipped))
    for warning in found:
        say("WARNING", warning.message)
    if parsed.json:
        report = {
            "files": [str(path) for path in logs.files],
            **stats.to_json(),
            "warnings": [warning.to_json() for warning in found],
            "skipped": [skipped.to_json() for skipped in logs.skipped],
            "errors": [{"file": str(error.path), "error": str(error)} for error in logs.errors],
        }
        sys.stdout.write(json.dumps(report, indent=2) + "\n")
    elif logs.are_read:
        print_stats(stats)
    if parsed.html is not None and logs.are_read:
        lines = [*map(str, logs.errors), *map(str, logs.skipped)]
        text = page(stats, [*lines, *(warning.message for warning in found)], logs.files)
        write_atomically(parsed.html, text.encode("utf-8"))
    if logs.errors:
        return max(error.status for error in logs.errors)
    return 1 if found else 0


class Logs:
    """Some logs, and what reading them showed."""

    def __init__(self, files: Sequence[Path], say: Say) -> None:
        # The same log twice would count its answers twice.
        self.files = list({os.path.realpath(path): path for path in reversed(files)}.values())[::-1]
        self.say = say
        self.skipped: list[Skipped] = []
        self.errors: list[CiteError] = []

    @property
    def are_read(self) -> bool:
        """Whether at least one of them could be."""
        return len(self.errors) < len(self.files)

    def entries(self) -> Iterator[Entry]:
        """The entries of all logs. One that cannot be read is said, and stops no other."""
        for path in self.files:
            try:
                yield from self._of(path)
            except CiteError as error:
                self.say("ERROR", str(error))
                self.errors.append(error)

    def _of(self, path: Path) -> Iterator[Entry]:
        from cite_filter.integrity_log import Foreign, read
        from cite_filter.stats import Skipped

        skipped: Skipped | None = None
        good = False
        for item in read(path):
            if not isinstance(item, Foreign):
                good = True
                yield item
            elif skipped is None:
                skipped = Skipped(path, 1, [item.line], item.why)
            else:
                skipped = skipped.also(item.line)
        if skipped is not None and not good:
            place = skipped.first[0]
            raise CiteError(f"{skipped.why}; no line is one of an integrity log", path, place)
        if skipped is not None:
            self.skipped.append(skipped)


def _keep_logs(output: Path, files: Sequence[Path]) -> None:
    """Raises CiteError where the page would be written over a log."""
    for path in files:
        with suppress(OSError):
            if output.samefile(path):
                raise CiteError("is a log; write the page to another file", output)


def _day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{written!r} is no day like 2026-03-31") from None

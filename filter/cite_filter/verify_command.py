"""`cite verify`: compares structured answers with their sources, and says what does not hold."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cite_filter import source_text
from cite_filter.errors import CiteError

Say = Callable[[str, str], None]


def add_parser(commands: Any, most_bytes: Callable[[str], int], say: Say) -> None:
    """Adds `cite verify` to the commands."""
    parser = commands.add_parser("verify", help="compare structured answers with their sources")
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="ANSWER", help="a structured answer, JSON")
    add("--sources", type=Path, metavar="FILE", help="the sources, where the answer has none")
    add("-o", "--output", type=Path, metavar="OUT", help="write the verified answer as JSON")
    add("--json", action="store_true", help="print JSON instead of text")
    add("--log", type=Path, metavar="FILE", help="append the counts to an integrity log")
    add("--max-bytes", type=most_bytes, default=source_text.MOST_BYTES, metavar="N")
    parser.set_defaults(command=lambda parsed: run(parsed, say))


def run(parsed: argparse.Namespace, say: Say) -> int:
    """Verifies the files of the command line; returns the exit status."""
    from cite_filter import answer_files, integrity_log, verification
    from cite_filter.build import write_atomically
    from cite_filter.verify_text import print_answer

    _check_targets(parsed)
    status = 0
    printed: list[dict[str, Any]] = []
    for path in parsed.files:
        try:
            asked = answer_files.read(path, parsed.max_bytes, parsed.sources)
            verified = verification.verify(asked)
            if parsed.output is not None:
                write_atomically(parsed.output, answer_files.to_bytes(verified))
            if parsed.log is not None:
                integrity_log.append(parsed.log, verified, time=datetime.now(UTC))
        except CiteError as error:
            say("ERROR", str(error))
            printed.append({"file": str(path), "error": str(error)})
            status = 2
            continue
        printed.append({"file": str(path), **verified.to_json()})
        if not parsed.json:
            print_answer(path, verified)
        status = max(status, 0 if verified.integrity.is_clean else 1)
    if parsed.json:
        sys.stdout.write(json.dumps(printed, indent=2) + "\n")  # ASCII: a terminal is not steered
    return status


def _check_targets(parsed: argparse.Namespace) -> None:
    """Raises CiteError where a run would lose, or spoil, what it is given."""
    from cite_filter.targets import is_same, keep_input

    if parsed.output is not None and len(parsed.files) > 1:
        raise CiteError("-o names one file; use --json for several", parsed.output)
    given = [*parsed.files, *([parsed.sources] if parsed.sources else [])]
    for target in (parsed.output, parsed.log):
        if target is not None:
            keep_input(target, given)
    if parsed.output and parsed.log and is_same(parsed.output, parsed.log):
        raise CiteError("is the log; write to another file", parsed.output)

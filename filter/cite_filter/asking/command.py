"""`cite ask`: a question, its answer with every claim checked, and documents of it."""

from __future__ import annotations

import argparse
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cite_filter.errors import CiteError
from cite_filter.pandoc_ast import clean

if TYPE_CHECKING:
    from cite_filter.asking import Progress
    from cite_filter.verification import VerifiedAnswer

_COUNTRY = re.compile("[A-Za-z]{2}")
_LONGEST_NAME = 60
_MOST_PAGES = 10


def add_parser(commands: Any, formats: Callable[[str], list[str]]) -> None:
    """Adds `ask`; `formats` reads the value of `--to`."""
    parser = commands.add_parser("ask", help="answer a question from the web, and check the answer")
    add = parser.add_argument
    add("question", metavar="QUESTION")
    add("-o", "--output", type=Path, metavar="OUT.json", help="write the verified answer as JSON")
    add("--to", type=formats, action="extend", metavar="FORMAT[,…]", help="build documents, too")
    add("--log", type=Path, metavar="FILE", help="append the counts to an integrity log")
    add("--json", action="store_true", help="print JSON instead of a few lines")
    add("--model", metavar="NAME", help="the model to ask, if not ANTHROPIC_MODEL")
    add("--pages", type=_pages, default=5, metavar="N", help=f"pages to read, up to {_MOST_PAGES}")
    add("--country", type=_country, default="US", metavar="XX", help="where to search from")
    parser.set_defaults(command=command)


def _pages(written: str) -> int:
    if not written.isascii() or not written.isdigit() or not 1 <= int(written[:4]) <= _MOST_PAGES:
        raise argparse.ArgumentTypeError(f"{written!r} is no number from 1 to {_MOST_PAGES}")
    return int(written)


def _country(written: str) -> str:
    if _COUNTRY.fullmatch(written) is None:
        raise argparse.ArgumentTypeError(f"{written!r} is no country, two letters such as US")
    return written.upper()


def command(parsed: argparse.Namespace) -> int:
    """Asks, prints and writes; the exit status is that of `cite verify`.

    0: clean. 1: something is wrong with the answer, or nothing could be checked. Raises CiteError.
    """
    from cite_filter.asking import ask, plain
    from cite_filter.asking.claude import Claude
    from cite_filter.asking.serply import Serply
    from cite_filter.verification import verify

    output = _output(parsed.output, parsed.question, parsed.to)
    _check_log(parsed.log, output)
    model = Claude.from_environment(parsed.model)
    search = Serply.from_environment(parsed.country)
    with _progress() as progress:
        asked = ask(parsed.question, search, model, pages=parsed.pages, progress=progress)
    for message in asked.messages:
        sys.stderr.write(f"[WARNING] cite: {clean(message)}\n")
    # An auditor asks who answered.
    verified = verify(replace(asked.answered, more={**asked.answered.more, "model": model.model}))
    # Printed first: a file that cannot be written must not lose what was paid for.
    sys.stdout.write(_json(verified) if parsed.json else plain.text(verified))
    sys.stdout.flush()
    status = 0 if verified.integrity.is_clean else 1
    if output is not None:
        from cite_filter.answer_files import to_bytes
        from cite_filter.build import write_atomically

        write_atomically(output, to_bytes(verified))
        if parsed.to:
            status = max(status, _build(output, parsed.to))
    if parsed.log is not None:
        from cite_filter import integrity_log

        integrity_log.append(parsed.log, verified, time=datetime.now(UTC))
    return status


def _output(given: Path | None, question: str, formats: Sequence[str] | None) -> Path | None:
    """Where the JSON goes; documents stand beside it. Raises CiteError, before anything is paid."""
    if given is None:
        return _free(_name(question), formats) if formats else None
    ending = given.suffix.lstrip(".").lower()
    if ending in ("html", "docx", "pdf", "epub", "md", "txt"):
        raise CiteError(
            f"-o names the JSON file; add --to {ending} for a document beside it", given
        )
    if not given.resolve().parent.is_dir() or given.is_dir():
        raise CiteError("is no place to write a file to; choose another", given)
    return given


def _check_log(log: Path | None, output: Path | None) -> None:
    """Raises CiteError for a log that cannot be one, before anything is paid."""
    if log is None:
        return
    if output is not None and log.resolve() == output.resolve():
        raise CiteError("is the answer; write the log to another file", log)
    if not log.resolve().parent.is_dir() or log.is_dir():
        raise CiteError("is no place to write a log to; choose another", log)


def _free(name: str, formats: Sequence[str]) -> Path:
    """A name that no file has yet, with the ending of JSON or of a document."""
    free, number = name, 1
    while any(Path(f"{free}.{ending}").exists() for ending in ("json", *formats)):
        number += 1
        free = f"{name}-{number}"
    return Path(f"{free}.json")


def _name(question: str) -> str:
    """A name for the files of a question: its letters and digits, without marks, in lower case."""
    plain = unicodedata.normalize("NFKC", question).lower()
    words = re.findall(r"[^\W_]+", plain)
    return "-".join(words)[:_LONGEST_NAME].strip("-") or "answer"


def _json(verified: VerifiedAnswer) -> str:
    import json

    return json.dumps(verified.to_json(), indent=2) + "\n"


def _build(answer: Path, formats: Sequence[str]) -> int:
    """Builds documents of a file exactly as `cite build` does; returns its exit status."""
    from cite_filter import cli

    return cli.main(
        ["build", "--to", ",".join(formats), f"--out-dir={answer.parent}", "--", str(answer)]
    )


@contextmanager
def _progress() -> Iterator[Progress]:
    """A function that is told what is being done; it draws a line on a terminal."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task("", total=None)

        def step(what: str, done: int, of: int) -> None:
            counted = f"{what} {done}/{of}" if of else what
            drawn.update(task, description=counted, completed=done, total=of or None)

        yield step

"""Runs Pandoc: bytes in, bytes out, its complaints as data."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cite_filter import templates
from cite_filter.errors import CiteError

READER = "gfm+fenced_divs+bracketed_spans-footnotes-superscript"
"""Reads what models write: lists without blank lines, `$5`, `@user`, `[^1]` stay what they are."""
_INSTALL = "install it with: pip install pypandoc_binary"


class Output(NamedTuple):
    """What a run of Pandoc gave."""

    data: bytes
    warnings: Sequence[str]
    """Its messages, a line each, without their level."""


@cache
def program() -> str:
    """The path of Pandoc: what `PYPANDOC_PANDOC` says, else pypandoc_binary's own, else PATH's.

    The same order as pypandoc's, without its search, which starts every candidate and logs a
    traceback for each that is missing. Raises CiteError where there is none.
    """
    named = os.environ.get("PYPANDOC_PANDOC")
    found = shutil.which(named) if named else _carried() or shutil.which("pandoc")
    if found is None:
        missing = f"PYPANDOC_PANDOC names no program: {named!r}" if named else "Pandoc is missing"
        raise CiteError(f"{missing}; {_INSTALL}")
    return found


def _carried() -> str | None:
    package = importlib.util.find_spec("pypandoc")
    if package is None or package.origin is None:
        return None
    return shutil.which("pandoc", path=str(Path(package.origin).parent / "files"))


def run(
    arguments: Sequence[str], data: bytes, *, sandbox: bool = True, folder: str | None = None
) -> Output:
    """Runs Pandoc on `data`, in `folder`. Raises CiteError with its own last word if it fails."""
    # The folder of our own templates is Pandoc's data folder: what a user has in theirs would get
    # into every document.
    own = ["--data-dir", str(templates.folder())]
    command = [program(), *(["--sandbox"] if sandbox else []), *own, *arguments]
    try:
        finished = subprocess.run(command, input=data, capture_output=True, check=False, cwd=folder)
    except OSError as error:
        raise CiteError(f"Pandoc cannot be run ({error.strerror}); {_INSTALL}") from None
    messages = _messages(finished.stderr)
    if finished.returncode:
        said = "; ".join(messages) or "it gave no reason"
        raise CiteError(f"Pandoc failed (exit status {finished.returncode}): {said}")
    return Output(finished.stdout, messages)


def _messages(stderr: bytes) -> list[str]:
    """One message a line: Pandoc indents the lines that go on with one."""
    messages: list[str] = []
    for line in stderr.decode("utf-8", "replace").splitlines():
        text = line.removeprefix("[WARNING] ").removeprefix("[INFO] ").strip()
        if line.startswith(" ") and messages:
            messages[-1] += " " + text
        elif text:
            messages.append(text)
    return messages

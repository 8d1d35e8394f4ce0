"""Runs Pandoc, the one that pypandoc finds: bytes in, bytes out, its complaints as data."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

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
    """The path of Pandoc. Raises CiteError where there is none."""
    import pypandoc

    try:
        found: str = pypandoc.get_pandoc_path()
    except OSError:
        raise CiteError(f"Pandoc is missing; {_INSTALL}") from None
    return found


def run(arguments: Sequence[str], data: bytes, *, sandbox: bool = True) -> Output:
    """Runs Pandoc on `data`. Raises CiteError with its own last word where it fails."""
    command = [program(), *(["--sandbox"] if sandbox else []), *arguments]
    try:
        finished = subprocess.run(command, input=data, capture_output=True, check=False)
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

"""`cite-filter`, the Pandoc filter: standard input to standard output."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from cite_filter import __version__, json_text
from cite_filter.linking import Result, link
from cite_filter.received import Received

_USAGE = """\
cite-filter turns the numbered citations of an exported AI chat into links to their sources.
It is a Pandoc filter; Pandoc runs it:

    pandoc --filter cite-filter chat.md -o chat.docx

Sources stand in the metadata (sources:) or in code blocks of the class sources; options in the
metadata (cite-filter:). To build whole reports without Pandoc's options, see cite --help.

  --help      this text
  --version   the version
"""
_DOCUMENT = b'"pandoc-api-version"'
# What any document with work for the filter holds: its keys and the class of its blocks.
_SIGNS = (b'"sources"', b'"cite-filter')

# From this many bytes on a document is linked block by block.
_LARGE = 200_000


class _InputError(Exception):
    """Standard input is not what Pandoc sends."""


def command() -> NoReturn:
    """The program: `main`, and an end that does not first take apart what the process held."""
    try:
        status = main()
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # whoever was to read the document is gone, and says why
        status = 1
    except OSError as error:
        status = _fail([f"the document cannot be read or written: {error.strerror}"])
    except KeyboardInterrupt:
        status = 130
    os._exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the filter; returns the exit status, 1 for an error."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if any(argument in ("-h", "--help") for argument in arguments):
        sys.stdout.write(_USAGE)
        return 0
    if "--version" in arguments:
        sys.stdout.write(f"cite-filter {__version__}\n")
        return 0
    if sys.stdin is None or sys.stdin.isatty():
        sys.stderr.write(_USAGE)
        return 1
    return _run(arguments[0] if arguments else "")


def _run(target: str) -> int:
    if sys.stdout is None:
        return _fail(["standard output is closed; the document has nowhere to go"])
    received = Received(sys.stdin.buffer)
    try:
        sent, errors = _filter(received, target)
    except _InputError as error:
        return _fail([str(error)])
    if errors:
        return _fail(errors)
    sys.stdout.buffer.write(sent)
    sys.stdout.buffer.flush()
    return 0


def _filter(received: Received, target: str) -> tuple[bytes, list[str]]:
    """The bytes to send on, and what makes the run fail in strict mode."""
    if not _has_work(received) and _DOCUMENT in received.whole():
        return received.whole(), []  # nothing to link: byte for byte what came
    # One tree is built and the process ends: nothing is garbage that could be collected.
    gc.disable()
    try:
        sent, result = _linked(received, target)
    except RecursionError:
        _report("WARNING", "the metadata is nested too deeply; the document is handed on unchanged")
        return received.whole(), []
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise _InputError(
            f"standard input is no Pandoc JSON ({error}); run: pandoc --filter cite-filter"
        ) from None
    if result.options.strict and result.unverified:
        return b"", list(result.warnings)
    for warning in result.warnings:
        _report("WARNING", warning)
    return (sent if result.changed else received.whole()), []


def _has_work(received: Received) -> bool:
    """Reads until something is found that the filter may have to do."""
    before = b""
    while not received.ended:
        chunk = before + received.more(0)
        if any(sign in chunk for sign in _SIGNS):
            return True
        before = chunk[-max(map(len, _SIGNS)) :]
    return False


def _linked(received: Received, target: str) -> tuple[bytes, Result]:
    """The linked document as bytes, and what was found."""
    if received.size < _LARGE:
        received.more(_LARGE - received.size)
    if received.size >= _LARGE:
        from cite_filter.stream import link_stream

        linked = link_stream(received, target)
        if linked is not None:
            return linked
    document = json_text.loads(received.whole().decode("utf-8", "surrogatepass"))
    if not isinstance(document, dict) or "blocks" not in document or "meta" not in document:
        raise ValueError("no blocks and meta in it")
    result = link(document, target)
    return json_text.dumps(result.document).encode("ascii") if result.changed else b"", result


def _fail(messages: Sequence[str]) -> int:
    for message in messages:
        _report("ERROR", message)
    return 1


def _report(level: str, message: str) -> None:
    """One line on standard error in Pandoc's form; pypandoc reads the level off its beginning."""
    line = f"[{level}] cite-filter: {message}\n"
    sys.stderr.buffer.write(line.encode("utf-8", "replace"))
    sys.stderr.buffer.flush()


if __name__ == "__main__":
    command()

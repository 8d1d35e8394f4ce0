"""`cite build`: from a transcript to documents. Read, source pass, Pandoc, link, disarm, write.

A structured answer is verified and rendered instead, by `answer_build`; all else is the same.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cite_filter import json_text, options, reading, source_text, untrusted
from cite_filter.check import Report, report
from cite_filter.errors import CiteError
from cite_filter.linking import Result, link
from cite_filter.pandoc_ast import Document
from cite_filter.source_text import SourceText
from cite_filter.writers import Settings, write

if TYPE_CHECKING:
    from cite_filter.answer_build import AnswerReport


class Prepared(NamedTuple):
    """What is to be written, and what was found."""

    documents: Mapping[str, Document]
    """For each format, harmless and with its metadata; formats may share one."""
    report: Report | AnswerReport
    said: list[str]


@dataclass(frozen=True, slots=True)
class Built:
    """What building one file gave."""

    report: Report | AnswerReport
    written: Sequence[Path]
    warnings: Sequence[str]
    made: Sequence[bytes] = ()
    """The documents, as they were written."""


def build(
    path: Path,
    targets: Mapping[str, Path],
    settings: Settings,
    *,
    text: str | None = None,
    messages: Sequence[str] = (),
    is_answer: bool = False,
    most_bytes: int = source_text.MOST_BYTES,
) -> Built:
    """Builds `path` into each format of `targets`. Raises CiteError; then nothing is written.

    `text` is the transcript that an importer made of the file, `messages` what it had to say.
    Every document is whole before the first is put in its place: a format that fails leaves the
    files of all formats as they were.
    """
    if is_answer:
        from cite_filter import answer_build

        documents, found, said = answer_build.prepare(path, targets, settings, most_bytes)
    else:
        source = source_text.of(path, text, messages, most_bytes=most_bytes)
        documents, found, said = _prepare(source, targets, settings)
    made: dict[Path, bytes] = {}
    for name, target in targets.items():
        try:
            made[target] = write(documents[name], name, settings, path, said)
        except CiteError as error:
            raise CiteError(error.message, path) from None
    for target, data in made.items():
        write_atomically(target, data)
    return Built(found, list(made), list(dict.fromkeys(said)), list(made.values()))


def _prepare(source: SourceText, targets: Iterable[str], settings: Settings) -> Prepared:
    """The transcript, linked. Raises CiteError."""
    read = json_text.dumps(with_metadata(reading.read(source), settings.metadata))
    results = {
        clean: link(
            json_text.loads(read), "gfm" if clean else "html", sources=source.document_sources
        )
        for clean in sorted({name == "md" for name in targets})
    }
    found, said = _findings(source, next(iter(results.values())), settings)
    for clean, result in results.items():
        folder = source.path.parent if settings.allow_resources else None
        said += untrusted.disarm(result.document, resources=folder, titles=not clean)
        with_metadata(result.document, [p for p in settings.metadata if not is_option(p)])
    return Prepared({name: results[name == "md"].document for name in targets}, found, said)


def _findings(source: SourceText, result: Result, settings: Settings) -> tuple[Report, list[str]]:
    """What was found, and what is to be said of it. Raises CiteError where strictness ends the run.

    Where there is something to find, the file is read once more for its lines.
    """
    if result.unverified and not source.is_made:
        document = with_metadata(reading.read(source, with_lines=True), settings.metadata)
        result = link(document, sources=source.document_sources)
    messages = [*source.warnings, *result.warnings]
    unverified = result.unverified or len(source.unresolved)
    if (settings.strict or result.options.strict) and unverified:
        raise CiteError(
            f"strict: {'; '.join(messages)}; mend the sources or build without --strict",
            source.path,
            status=1,
        )
    return report(source, result), messages


def is_option(pair: str) -> bool:
    return pair.startswith(options.KEY)


def with_metadata(document: Document, pairs: Sequence[str]) -> Document:
    """`document` with metadata from the command line, which Pandoc would take verbatim too."""
    for pair in pairs:
        key, _, value = pair.partition("=")
        truth = {"true": True, "false": False, "": True}.get(value)
        document["meta"][key] = (
            {"t": "MetaString", "c": value} if truth is None else {"t": "MetaBool", "c": truth}
        )
    return document


def write_atomically(target: Path, data: bytes) -> None:
    """Writes a file so that it is the old one or the new one, never half. Raises CiteError.

    What a link leads to is written, not the link; a pipe or a device is written into.
    """
    temporary: Path | None = None
    try:
        target = target.resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}")
        with temporary.open("xb") as stream:
            stream.write(data)
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    except (OSError, RuntimeError) as error:  # a link that leads to itself
        raise _cannot_write(error, target) from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _cannot_write(error: Exception, target: Path) -> CiteError:
    why = getattr(error, "strerror", None) or "its link leads to itself"
    return CiteError(f"cannot be written ({why}); choose another place", target)


def to_json(built: Built) -> dict[str, Any]:
    """What was built, as plain data for `--report`."""
    return {
        **built.report.to_json(),
        "written": [str(path) for path in built.written],
        "warnings": list(built.warnings),
    }

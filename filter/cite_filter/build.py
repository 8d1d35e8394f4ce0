"""`cite build`: from a transcript to documents. Read, source pass, Pandoc, link, disarm, write."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cite_filter import archives, json_text, pandoc, pdf, reading, templates, transcript, untrusted
from cite_filter import pandoc_ast as ast
from cite_filter.check import Report, report
from cite_filter.errors import CiteError
from cite_filter.linking import Result, link
from cite_filter.pandoc_ast import Document
from cite_filter.transcript import Transcript

FORMATS: Mapping[str, str] = {
    "html": "html5",
    "docx": "docx",
    "pdf": "typst",
    "epub": "epub3",
    "md": "gfm",
    "txt": "plain",
}
"""Each format that is built, by the ending of its files, and Pandoc's writer for it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to build; from the command line, never from a document."""

    strict: bool = False
    allow_resources: bool = False
    pdf_engine: str | None = None
    fonts: Sequence[Path] = ()
    main_font: str | None = None
    paper: str | None = None
    metadata: Sequence[str] = ()
    """`KEY=VALUE` as for Pandoc's `-M`."""
    most_bytes: int = transcript.MOST_BYTES


@dataclass(frozen=True, slots=True)
class Built:
    """What building one file gave."""

    report: Report
    written: Sequence[Path]
    warnings: Sequence[str]


def build(path: Path, targets: Mapping[str, Path], settings: Settings) -> Built:
    """Builds `path` into each format of `targets`. Raises CiteError; then nothing is written.

    Every document is whole before the first is put in its place, so a format that fails leaves
    all files as they were.
    """
    source = transcript.read(path, most_bytes=settings.most_bytes)
    read = json_text.dumps(_with_metadata(reading.read(source), settings.metadata))
    results: dict[bool, Result] = {}
    messages: list[str] = []
    made: dict[Path, bytes] = {}
    for name, target in targets.items():
        clean = name == "md"
        if clean not in results:
            results[clean] = _linked(read, FORMATS[name], source, settings, messages)
        try:
            made[target] = _write(results[clean], name, settings, path, messages)
        except CiteError as error:
            raise CiteError(error.message, path) from None
    for target, data in made.items():
        write_atomically(target, data)
    found = report(source, next(iter(results.values())))
    return Built(found, list(made), list(dict.fromkeys(messages)))


def _with_metadata(document: Document, pairs: Sequence[str]) -> Document:
    """`document` with metadata from the command line, which Pandoc would take verbatim too."""
    for pair in pairs:
        key, _, value = pair.partition("=")
        truth = {"true": True, "false": False, "": True}.get(value)
        document["meta"][key] = (
            {"t": "MetaString", "c": value} if truth is None else {"t": "MetaBool", "c": truth}
        )
    return document


def _linked(
    read: str, writer: str, source: Transcript, settings: Settings, messages: list[str]
) -> Result:
    """The document linked and made harmless."""
    result = link(json_text.loads(read), writer, sources=source.document_sources)
    if (settings.strict or result.options.strict) and result.unverified:
        raise CiteError(
            f"strict: {'; '.join(result.warnings)}; mend the sources or build without --strict",
            source.path,
        )
    messages += result.warnings
    messages += untrusted.disarm(result.document, resources=settings.allow_resources)
    return result


_TEMPLATES = {"html": "page.html", "epub": "book.html", "pdf": "report.typ"}
_TITLED = {"html": "pagetitle", "epub": "title"}
"""The formats that must have a title, and the key for the file's name where there is none."""
_BOOKS = uuid.UUID("0b8f5c1e-6d55-4d0e-9a3c-7d1f0b1c2a94")


# --- Writers -----------------------------------------------------------------------------------


def _write(result: Result, name: str, settings: Settings, path: Path, messages: list[str]) -> bytes:
    """The finished document in one format."""
    data = json_text.dumps(result.document).encode("ascii")
    arguments = ["-f", "json", "-t", FORMATS[name], "--standalone", *_arguments(name, settings)]
    if "title" not in result.document["meta"] and name in _TITLED:
        arguments += ["-M", f"{_TITLED[name]}={ast.clean(path.stem)}"]
    if name == "epub" and "identifier" not in result.document["meta"]:
        arguments += ["-M", f"identifier={uuid.uuid5(_BOOKS, data.decode('ascii')).urn}"]
    arguments += ["--lua-filter", str(templates.path("styles.lua"))]
    if name == "pdf" and settings.pdf_engine:
        return _pdf_by_engine(data, settings.pdf_engine, messages)
    output = pandoc.run([*arguments, "-o", "-"], data, sandbox=not settings.allow_resources)
    messages += [message for message in output.warnings if not _is_expected(message, name)]
    if name != "pdf":
        return archives.finish(output.data) if name in ("docx", "epub") else output.data
    made = pdf.compile_typst(output.data, tuple(settings.fonts))
    messages += made.warnings
    return made.data


def _is_expected(message: str, name: str) -> bool:
    """Whether Pandoc only says what anyone would expect: plain text shows a formula as TeX."""
    return name == "txt" and message.startswith("Could not convert TeX math")


def _arguments(name: str, settings: Settings) -> list[str]:
    """Pandoc's options for one format."""
    if name in _TEMPLATES:
        options = ["--mathml", "--template", str(templates.path(_TEMPLATES[name]))]
    else:
        options = []
    if name == "html" and settings.allow_resources:
        options.append("--embed-resources")
    if name == "docx":
        options += ["--reference-doc", str(templates.path("reference.docx"))]
    if name == "pdf":
        options += _page(settings)
    if name == "md":
        options.append("--wrap=preserve")
    return options


def _page(settings: Settings) -> list[str]:
    """The variables of the typst template; all of them plain names, for they end up in its code."""
    variables = [("fontfallback", name) for name in pdf.fallbacks(tuple(settings.fonts))]
    if settings.main_font:
        variables.append(("mainfont", settings.main_font))
    if settings.paper:
        variables.append(("papersize", settings.paper))
    return [part for key, value in variables for part in ("-V", f"{key}={value}")]


def _pdf_by_engine(data: bytes, engine: str, messages: list[str]) -> bytes:
    """The PDF of one of Pandoc's own engines, which must be installed."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "document.pdf"
        arguments = ["-f", "json", "--standalone", "--pdf-engine", engine, "-o", str(target)]
        messages += pandoc.run(arguments, data).warnings
        return target.read_bytes()


def write_atomically(target: Path, data: bytes) -> None:
    """Writes a file so that it is the old one or the new one, never half. Raises CiteError."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise CiteError(
            f"cannot be written ({error.strerror}); choose another folder", target
        ) from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise CiteError(
            f"cannot be written ({error.strerror}); choose another folder", target
        ) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def to_json(built: Built) -> dict[str, Any]:
    """What was built, as plain data for `--report`."""
    return {
        **built.report.to_json(),
        "written": [str(path) for path in built.written],
        "warnings": list(built.warnings),
    }

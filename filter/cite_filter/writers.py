"""The formats: a linked, harmless document to the bytes of a file, with the templates."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cite_filter import archives, json_text, pandoc, pdf, templates, untrusted
from cite_filter import pandoc_ast as ast
from cite_filter.errors import CiteError
from cite_filter.pandoc_ast import Document

FORMATS: Mapping[str, str] = {
    "html": "html5",
    "docx": "docx",
    "pdf": "typst",
    "epub": "epub3",
    "md": "gfm",
    "txt": "plain",
}
"""Each format that is built, by the ending of its files, and Pandoc's writer for it."""


_TEMPLATES = {"html": "page.html", "epub": "book.html", "pdf": "report.typ"}
_TITLED = {"html": "pagetitle", "epub": "title"}
"""The formats that must have a title, and the key for the file's name where there is none."""
_BOOKS = uuid.UUID("0b8f5c1e-6d55-4d0e-9a3c-7d1f0b1c2a94")


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


def write(
    document: Document, name: str, settings: Settings, path: Path, messages: list[str]
) -> bytes:
    """The transcript at `path`, linked to `document`, in one format; adds what is to be said.

    Raises CiteError.
    """
    data = json_text.dumps(document).encode("ascii")
    arguments = ["-f", "json", "--standalone"]
    if not (name == "pdf" and settings.pdf_engine):
        arguments += ["-t", FORMATS[name]]
    arguments += ["--lua-filter", str(templates.path("styles.lua"))]
    if "title" not in document["meta"] and name in _TITLED:
        arguments += ["-M", f"{_TITLED[name]}={ast.clean(path.stem)}"]
    if name == "epub" and "identifier" not in document["meta"]:
        arguments += ["-M", f"identifier={uuid.uuid5(_BOOKS, data.decode('ascii')).urn}"]
    if settings.allow_resources:
        arguments += ["--resource-path", str(path.parent.resolve())]
    arguments += _arguments(name, settings)
    if name == "pdf":
        return _pdf(arguments, data, settings, messages)
    output = pandoc.run([*arguments, "-o", "-"], data, sandbox=not settings.allow_resources)
    messages += [message for message in output.warnings if not _is_expected(message, name)]
    return archives.finish(output.data) if name in ("docx", "epub") else output.data


def _arguments(name: str, settings: Settings) -> list[str]:
    """Pandoc's options for one format."""
    options: list[str] = []
    if name in _TEMPLATES and not (name == "pdf" and settings.pdf_engine):
        options += ["--mathml", "--template", str(templates.path(_TEMPLATES[name]))]
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


def _pdf(arguments: list[str], data: bytes, settings: Settings, messages: list[str]) -> bytes:
    """The PDF by typst, or by one of Pandoc's own engines, which must be installed."""
    with tempfile.TemporaryDirectory() as folder:
        if settings.pdf_engine:
            target = Path(folder) / "document.pdf"
            arguments = [*arguments, *_engine(settings.pdf_engine), "-o", str(target)]
            output = pandoc.run(arguments, data, sandbox=False, folder=folder)
            messages += output.warnings
            return target.read_bytes()
        if settings.allow_resources:
            arguments = [*arguments, "--extract-media", "media"]
        sandbox = not settings.allow_resources
        output = pandoc.run([*arguments, "-o", "-"], data, sandbox=sandbox, folder=folder)
        try:
            made = pdf.compile_typst(output.data, folder, tuple(settings.fonts))
        except CiteError as error:
            if "label" not in error.message:
                raise
            # Pandoc's typst writer drops the identifiers of some elements that links lead to.
            document = json_text.loads(data.decode("ascii"))
            untrusted.unlink(document)
            data = json_text.dumps(document).encode("ascii")
            output = pandoc.run([*arguments, "-o", "-"], data, sandbox=sandbox, folder=folder)
            made = pdf.compile_typst(output.data, folder, tuple(settings.fonts))
            messages.append("links within the document written as text in the PDF")
    messages += [message for message in output.warnings if not _is_expected(message, "pdf")]
    messages += made.warnings
    return made.data


def _engine(engine: str) -> list[str]:
    """Pandoc's options for one of its own engines, with the template of what it reads."""
    name = Path(engine).stem
    if name in ("weasyprint", "wkhtmltopdf", "prince", "pagedjs-cli"):
        template = ["-t", "html5", "--mathml", "--template", str(templates.path("page.html"))]
    elif name == "typst":
        template = ["-t", "typst", "--template", str(templates.path("report.typ"))]
    else:
        template = []
    return [*template, "--pdf-engine", engine]


def _is_expected(message: str, name: str) -> bool:
    """Whether Pandoc only says what anyone would expect: plain text shows formulas as TeX."""
    if "Could not load translations" in message or "has no translation" in message:
        return True  # of words that no template uses
    return name == "txt" and message.startswith("Could not convert TeX math")

"""A transcript as Markdown text: its metadata, its turns by line, made ready for Pandoc."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cite_filter import fences, source_lists, source_pass
from cite_filter import pandoc_ast as ast
from cite_filter.errors import CiteError
from cite_filter.outline import outline
from cite_filter.pandoc_ast import Blocks, Node
from cite_filter.source_lists import Sources, SourcesError
from cite_filter.turns import Layout, Scopes, turn_has_block

MOST_BYTES = 50_000_000
UNRESOLVED = "[?]"
"""Stands in an imported text for a citation whose source the export did not hold."""
_LINE = re.compile(r"^line \d+: | \(line [\d, ]+\)")
_FORM = re.compile(
    r"^(?:(?:`{3,}|~{3,})[ \t]*sources[ \t]*$"
    r"|:{3,}[ \t]*(?:\{[^}\n]*\.)?turn\b"
    r"|(?:cite-filter|sources):)",
    re.M,
)


@dataclass(slots=True)
class SourceText:
    """One file, read and understood as far as lines can tell."""

    path: Path
    text: str
    """For Pandoc, after the source pass, with the lines of the file."""
    document_sources: Sources | None = None
    """The metadata's; an empty list where the file has no sources at all."""
    scopes: Scopes = field(default_factory=lambda: Scopes([], [], []))
    warnings: list[str] = field(default_factory=list)
    """What the source pass found, each with its line."""
    unresolved: list[int] = field(default_factory=list)
    """The lines with citations that an importer could not resolve, once for each."""
    is_made: bool = False
    """It is no file: an importer made it, and its lines are nobody's."""


def read(path: Path, *, most_bytes: int = MOST_BYTES) -> SourceText:
    """The transcript in a file. Raises CiteError for what cannot be read, with file and line."""
    return parse(read_text(path, most_bytes), path)


def is_transcript(text: str) -> bool:
    """Whether a text is in the form of transcripts: it has turns or sources of its own."""
    return _FORM.search(text) is not None


def of(
    path: Path, text: str | None, messages: Sequence[str], *, most_bytes: int = MOST_BYTES
) -> SourceText:
    """The transcript in a file, or in `text` that an importer made of the file.

    `messages` are what the importer had to say. Raises CiteError.
    """
    if text is not None:
        source = parse(text, path)
        source.is_made = True
        source.warnings = [*messages, *(_without_line(said) for said in source.warnings)]
        return source
    source = read(path, most_bytes=most_bytes)
    source.warnings += [
        f"line {line}: {UNRESOLVED} is a citation whose source was lost before the import"
        for line in source.unresolved
    ]
    return source


def _without_line(message: str) -> str:
    return _LINE.sub("", message)


def parse(text: str, path: Path) -> SourceText:
    """The transcript in `text`, which came from `path`. Raises CiteError."""
    lines = text.split("\n")
    body = _front_matter_end(lines)
    own = _document_sources(lines[: body - 1], path) if body else None
    kinds = fences.read(lines, body)
    found = outline(lines, kinds, body)
    _check_fences(kinds, found.blocks, path)
    layout = Layout(
        None if turn_has_block(found.blocks) else own, lambda block: _block_sources(block, path)
    )
    scopes = layout.add(found.blocks)
    _check_turns(kinds, scopes, path)
    _check_colons(lines, kinds, body, path)
    # Without sources and turns it is Markdown like any other, whose definitions are its own.
    is_transcript = own is not None or bool(scopes.turns)
    if own is None and not scopes.places:
        own = Sources()  # so that its markers are found unknown
    transcript = SourceText(path, text, own, scopes)
    if body and any(line.startswith("provenance:") for line in lines[:body]):
        transcript.unresolved = list(_unresolved(lines, kinds))
    if is_transcript:
        transcript.warnings = source_pass.definitions(lines, found, scopes.texts)
    source_pass.paragraphs(lines, found)
    source_pass.characters(lines, scopes.places)
    fences.close_safely(lines, kinds)
    transcript.text = "\n".join(lines)
    return transcript


def _unresolved(lines: list[str], kinds: list[fences.Line]) -> Iterator[int]:
    """The lines of an importer's signs for what is lost, bar those of the questions."""
    divisions: list[bool] = []
    for position, (line, kind) in enumerate(zip(lines, kinds, strict=False), start=1):
        if kind.kind == "open":
            divisions.append("prompt" in kind.classes)
        elif kind.kind == "close" and divisions:
            divisions.pop()
        elif kind.kind == "text" and not any(divisions):
            yield from [position] * line.count(UNRESOLVED)


def read_text(path: Path, most_bytes: int) -> str:
    """The text of a file, its lines ended by line feeds. Raises CiteError."""
    try:
        with path.open("rb") as stream:  # which may be a pipe and have no size
            data = stream.read(most_bytes + 1)
    except OSError as error:
        raise CiteError(f"cannot be read ({error.strerror}); check the name", path) from None
    if len(data) > most_bytes:
        raise CiteError(
            f"is more than the {most_bytes:,} bytes that are built; split it, or raise --max-bytes",
            path,
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CiteError(
            f"byte {data[error.start]:#04x} is no UTF-8; save the file as UTF-8", path, line
        ) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise CiteError("is empty; nothing to build", path)
    return text


def _front_matter_end(lines: list[str]) -> int:
    """The line after the metadata block, 0 without one."""
    if lines[0].rstrip() != "---" or len(lines) < 2 or not lines[1].strip():
        return 0
    for position in range(1, len(lines)):
        if lines[position].rstrip() in ("---", "..."):
            return position + 1
    return 0


def _document_sources(lines: list[str], path: Path) -> Sources | None:
    """The sources of the metadata block, verbatim; None where it has none."""
    try:
        node = source_lists.compose("\n".join(lines))  # the line "---" opens a YAML document
        fields: Mapping[str, Any] = {}
        if node is not None and node.id == "mapping":
            fields = source_lists.pairs(node)
        if "sources" not in fields:
            return None
        return _whole(source_lists.numbered(source_lists.entries_of(fields["sources"])))
    except SourcesError as error:
        raise CiteError(f"metadata: {error.message}", path, error.line) from None


def _block_sources(block: Node, path: Path) -> Sources:
    try:
        return _whole(source_lists.read_yaml(block["c"][1], after=block["line"]))
    except SourcesError as error:
        line = error.line or block["line"]
        raise CiteError(f"sources block: {error.message}", path, line) from None


def _whole(found: Sources) -> Sources:
    """`found`, unless it gives one number to two URLs."""
    for number, candidates in found.conflicts.items():
        first = candidates[0]
        other = next(source for source in candidates if source.url.strip() != first.url.strip())
        raise SourcesError(
            f"number {number} is given to {ast.clean(first.url)} on line {first.line} "
            f"and to {ast.clean(other.url)}; give each source a number of its own",
            other.line,
        )
    return found


def _check_fences(kinds: list[fences.Line], blocks: Blocks, path: Path) -> None:
    """Raises CiteError for a `sources` fence that opens no block: its turn would go unlinked."""
    seen = {block["line"] for block in ast.sources_blocks(blocks)}
    for position, kind in enumerate(kinds, start=1):
        if kind.opens_sources and position not in seen:
            raise CiteError(
                "this sources block is part of something else; close the code, list or HTML "
                "before it and leave a blank line",
                path,
                position,
            )


def _check_turns(kinds: list[fences.Line], scopes: Scopes, path: Path) -> None:
    """Raises CiteError for a turn inside a turn, and for blocks of one turn that disagree."""
    open_turns: list[bool] = []
    for position, kind in enumerate(kinds, start=1):
        if kind.kind == "open":
            if "turn" in kind.classes and any(open_turns):
                raise CiteError(
                    "this turn begins inside another; close the divs (:::) before it",
                    path,
                    position,
                )
            open_turns.append("turn" in kind.classes)
        elif kind.kind == "close":
            open_turns.pop()
    for place in scopes.places:
        try:
            _whole(place.turn.sources)
        except SourcesError as error:
            raise CiteError(f"sources block: {error.message}", path, error.line) from None


def _check_colons(lines: list[str], kinds: list[fences.Line], body: int, path: Path) -> None:
    """Raises CiteError, in a file of turns, for colons that close nothing: a turn ended early."""
    if not any("turn" in kind.classes for kind in kinds):
        return
    texts = [line for line, kind in zip(lines, kinds, strict=True) if kind.kind == "text"]
    if any(map(fences.may_open, texts)):
        return
    for position in range(body, len(lines)):
        if kinds[position].kind == "text" and fences.is_colons(lines[position]):
            message = "these colons close no div; a line of colons before them closed a turn early"
            raise CiteError(message, path, position + 1)

"""A transcript as Markdown text: its metadata, its turns by line, and the source pass.

The source pass does what no filter can: Pandoc's reader takes `[1]: …` for a definition of its
own, valid in the whole file, before a filter runs. A definition of a number that the turn knows
only repeats our list, and goes; one of any other number is made text, or it would turn markers
into links that nobody checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cite_filter import dollars, fences, sources
from cite_filter import pandoc_ast as ast
from cite_filter.errors import CiteError
from cite_filter.pandoc_ast import Blocks, Node
from cite_filter.sources import Sources, SourcesError
from cite_filter.turns import Layout, Scopes, Turn, turn_has_block

MOST_BYTES = 50_000_000
_DEFINITION = re.compile(r"\[\^?[1-9][0-9]*\]:")
_LABEL = re.compile(r"\^?([1-9][0-9]*)")
_LIST_ITEM = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")


@dataclass(frozen=True, slots=True)
class Definition:
    """A link definition with a number for a label, as the reader would take it."""

    number: str
    start: int
    """Its first line, from 0."""
    end: int
    """The line after it."""


@dataclass(slots=True)
class Transcript:
    """One file, read and understood as far as lines can tell."""

    path: Path
    text: str
    """For Pandoc, after the source pass; as many lines as the file."""
    document_sources: Sources | None = None
    """The metadata's; an empty list where the file has no sources at all."""
    scopes: Scopes = field(default_factory=Scopes)
    dropped: list[Definition] = field(default_factory=list)


def read(path: Path, *, most_bytes: int = MOST_BYTES) -> Transcript:
    """The transcript in a file. Raises CiteError for what cannot be read, with file and line."""
    return parse(_read_text(path, most_bytes), path)


def parse(text: str, path: Path) -> Transcript:
    """The transcript in `text`, which came from `path`. Raises CiteError."""
    lines = text.split("\n")
    body = _front_matter_end(lines)
    own = _document_sources(lines[: body - 1], path) if body else None
    kinds = fences.read(lines, body)
    blocks, definitions = _outline(lines, kinds, body)
    _check_fences(kinds, blocks, path)
    layout = Layout(
        None if turn_has_block(blocks) else own, lambda block: _block_sources(block, path)
    )
    scopes = layout.add(blocks)
    # Without sources and turns it is Markdown like any other, whose definitions are its own.
    is_transcript = own is not None or bool(scopes.turns)
    if own is None and not scopes.places:
        own = Sources()  # so that its markers are found unknown
    transcript = Transcript(path, text, own, scopes)
    if is_transcript:
        _drop_definitions(lines, definitions, scopes, transcript)
    fences.close_safely(lines, kinds)
    transcript.text = "\n".join(lines)
    return transcript


def _read_text(path: Path, most_bytes: int) -> str:
    try:
        size = path.stat().st_size
        if size > most_bytes:
            raise CiteError(
                f"is {size:,} bytes, more than the {most_bytes:,} that are built; "
                "split it, or raise --max-bytes",
                path,
            )
        data = path.read_bytes()
    except OSError as error:
        raise CiteError(f"cannot be read ({error.strerror}); check the name", path) from None
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
        node = sources.compose("\n".join(lines))  # the line "---" opens a YAML document
        fields: Mapping[str, Any] = {}
        if node is not None and node.id == "mapping":
            fields = sources.pairs(node)
        if "sources" not in fields:
            return None
        return _whole(sources.number(sources.entries_of(fields["sources"])))
    except SourcesError as error:
        raise CiteError(f"metadata: {error.message}", path, error.line) from None


def _block_sources(block: Node, path: Path) -> Sources:
    try:
        return _whole(sources.read_yaml(block["c"][1], after=block["line"]))
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


# --- The outline: the blocks that decide which sources serve what, with their lines ------------


def _outline(lines: list[str], kinds: list[fences.Line], body: int) -> tuple[Blocks, list[Node]]:
    """The text as Pandoc-like blocks, of which only containers, sources and definitions matter."""
    top: Blocks = []
    definitions: list[Node] = []
    stack = [top]
    start = body
    for position in range(body, len(lines) + 1):
        kind = kinds[position].kind if position < len(lines) else "close"
        if kind in ("text", "code"):
            continue
        stack[-1] += _segment(lines, start, position, definitions)
        start = position + 1
        if kind == "open":
            line = kinds[position]
            attributes = [["lang", line.language]] if line.language else []
            inner: Blocks = []
            division = {"t": "Div", "c": [["", list(line.classes), attributes], inner]}
            stack[-1].append({**division, "line": position + 1})
            stack.append(inner)
        elif len(stack) > 1:
            stack.pop()
    return top, definitions


def _segment(lines: list[str], start: int, end: int, definitions: list[Node]) -> Blocks:
    """The blocks of the lines between two fences of divs."""
    text = "\n".join(lines[start:end])
    suspect = dollars.SUSPECT.search(text) is not None
    if not suspect and "sources" not in text and not _DEFINITION.search(text):
        return []
    from markdown_it import MarkdownIt

    environment: dict[str, Any] = {}
    tokens = MarkdownIt("commonmark").enable("table").parse(text, environment)
    if suspect:
        _escape_prices(lines, start, tokens)
    blocks, containers = _containers(tokens, start, end)
    for definition in _definitions(environment, start):
        block = {"t": "Para", "c": [], "line": definition.start + 1, "definition": definition}
        container = _innermost(containers, definition.start)
        after = (i for i, other in enumerate(container) if other["line"] > definition.start + 1)
        container.insert(next(after, len(container)), block)
        definitions.append(block)
    return blocks


def _escape_prices(lines: list[str], start: int, tokens: list[Any]) -> None:
    """Escapes, in the paragraphs of a segment, the dollars that would begin a false formula."""
    for token in tokens:
        if token.type == "inline":
            first, last = start + token.map[0], start + token.map[1]
            lines[first:last] = dollars.escape("\n".join(lines[first:last])).split("\n")


def _containers(
    tokens: list[Any], start: int, end: int
) -> tuple[Blocks, list[tuple[int, int, Blocks]]]:
    """The containers and `sources` blocks of a parse, and every list of blocks with its lines."""
    top: Blocks = []
    spans = [(start, end, top)]
    stack = [top]
    for token in tokens:
        if token.type in ("blockquote_open", "list_item_open"):
            inner: Blocks = []
            first, last = token.map
            stack[-1].append({"t": "BlockQuote", "c": inner, "line": start + first + 1})
            spans.append((start + first, start + last, inner))
            stack.append(inner)
        elif token.type in ("blockquote_close", "list_item_close"):
            stack.pop()
        elif token.type == "fence":
            classes = token.info.split()[:1]
            code = ["", classes, []]
            line = start + token.map[0] + 1
            stack[-1].append({"t": "CodeBlock", "c": [code, token.content], "line": line})
    return top, spans


def _innermost(containers: list[tuple[int, int, Blocks]], line: int) -> Blocks:
    """The innermost list of blocks that spans a line: the last to begin before it."""
    return next(blocks for first, last, blocks in reversed(containers) if first <= line < last)


def _definitions(environment: Mapping[str, Any], start: int) -> Iterator[Definition]:
    found = list(environment.get("references", {}).items())
    found += [(double["label"], double) for double in environment.get("duplicate_refs", [])]
    for label, reference in found:
        number = _LABEL.fullmatch(label)
        if number is not None:
            first, last = reference["map"]
            yield Definition(number[1], start + first, start + last)


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


# --- The source pass --------------------------------------------------------------------------


def _drop_definitions(
    lines: list[str], definitions: list[Node], scopes: Scopes, transcript: Transcript
) -> None:
    turns: dict[int, Turn] = {id(text.block): text.turn for text in scopes.texts}
    for block in definitions:
        definition: Definition = block["definition"]
        turn = turns.get(id(block))  # None in a prompt
        if turn is not None and turn.sources.linkable(definition.number):
            _blank(lines, definition)
            transcript.dropped.append(definition)
        else:
            line = lines[definition.start]
            lines[definition.start] = line.replace("[", r"\[", 1)


def _blank(lines: list[str], definition: Definition) -> None:
    """Empties the lines of a definition, and a list item that holds nothing else."""
    for position in range(definition.start, definition.end):
        line = lines[position]
        first = position == definition.start
        before = line.partition("[")[0] if first else line[: len(line) - len(line.lstrip(" \t>"))]
        lines[position] = "" if _LIST_ITEM.fullmatch(before) else before.rstrip()

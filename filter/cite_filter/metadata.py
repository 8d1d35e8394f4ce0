"""Pandoc's metadata: back to the text that was written, where that is certain.

Readers parse metadata strings as Markdown, so a URL may arrive as dashes, quotations and
subscripts. It is turned back only where one text alone can have led to what arrived.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cite_filter.pandoc_ast import Inlines, Node
from cite_filter.source_lists import Entry, SourcesError

Meta = Mapping[str, Node]

# What `smart` makes of ASCII: a dash may have been a dash, or two hyphens. Nothing is guessed.
_AMBIGUOUS = frozenset("–—…‘’“”")
_FENCES = {"Subscript": "~", "Superscript": "^", "Strikeout": "~~"}


def text(value: Node) -> str:
    """What a metadata value says, as plain text."""
    kind: str = value["t"]
    content: Any = value.get("c")
    if kind == "MetaString":
        return str(content)
    if kind == "MetaBool":
        return "true" if content else "false"
    if kind == "MetaInlines":
        return _plain(content)
    if kind == "MetaBlocks":
        return "\n".join(_plain(block["c"]) for block in content if block["t"] in ("Para", "Plain"))
    return ""


def entries(value: Node) -> list[Entry]:
    """The entries of the metadata key `sources`. Raises SourcesError where they are no maps."""
    if value["t"] == "MetaList":
        return [_entry(item) for item in value["c"]]
    raise SourcesError("sources is no list: write one '- index: …' entry a source")


def _entry(item: Node) -> Entry:
    if item["t"] != "MetaMap":
        raise SourcesError("an entry is no map: give each source its index, title and url")
    fields: dict[str, str | None] = {}
    altered = False
    for key, value in item["c"].items():
        if key == "url":
            written = _verbatim(value)
            altered = written is None
            fields[key] = text(value) if written is None else written
        else:
            fields[key] = text(value) or None
    return Entry(fields, altered=altered)


def _verbatim(value: Node) -> str | None:
    """The very text of a metadata value, or None where more than one text leads to it."""
    if value["t"] == "MetaString":
        return str(value["c"])
    if value["t"] != "MetaInlines":
        return None
    inlines: Inlines = value["c"]
    if len(inlines) == 1 and inlines[0]["t"] == "Link":
        target: str = inlines[0]["c"][2][0]
        return target
    if len(inlines) == 1 and inlines[0]["t"] == "Code":
        code: str = inlines[0]["c"][1]
        return code
    return _written(inlines)


def _written(inlines: Inlines) -> str | None:
    """The text behind what a reader made of it; None where more than one text leads there."""
    pieces = [_piece(inline) for inline in inlines]
    if any(piece is None for piece in pieces):
        return None
    return "".join(piece for piece in pieces if piece is not None)


def _piece(inline: Node) -> str | None:
    kind: str = inline["t"]
    content: Any = inline.get("c")
    if kind == "Str":
        return None if not _AMBIGUOUS.isdisjoint(content) else str(content)
    if kind == "Space":
        return " "
    if kind == "Cite":
        return _written(content[1])
    if kind in _FENCES:
        inner = _written(content)
        return None if inner is None else _FENCES[kind] + inner + _FENCES[kind]
    return None


def _plain(inlines: Inlines) -> str:
    """The words of inlines, as a reader sees them."""
    return "".join(map(_word, inlines))


def _word(inline: Node) -> str:
    kind: str = inline["t"]
    content: Any = inline.get("c")
    if kind == "Str":
        return str(content)
    if kind in ("Space", "SoftBreak", "LineBreak"):
        return " "
    if kind in ("Code", "RawInline"):
        return str(content[1])
    if kind == "Math":
        return f"${content[1]}$"
    if kind == "Quoted":
        left, right = "‘’" if content[0]["t"] == "SingleQuote" else "“”"
        return left + _plain(content[1]) + right
    if kind in ("Cite", "Span", "Link", "Image"):
        return _plain(content[1])
    return _plain(content) if isinstance(content, list) and kind != "Note" else ""

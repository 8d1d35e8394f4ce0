"""Pandoc's document as parsed JSON: names for its types, its few constructors, its text.

The rules work on the JSON itself, as Pandoc sends it, and build elements only where a citation
stands. Types: https://hackage.haskell.org/package/pandoc-types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

Node = dict[str, Any]
"""A block, an inline or a metadata value: `{"t": type, "c": content}`."""
Inlines = list[Node]
Blocks = list[Node]
Document = dict[str, Any]
"""`{"pandoc-api-version": […], "meta": {…}, "blocks": […]}`."""

# Inlines that hold inlines, with the place of the inner list in their content.
# Not entered: Code, Math, RawInline (verbatim), Link (a link already), Image (its text is a
# description), Cite (citeproc's). A Note holds blocks and is entered as such.
INLINE_CHILDREN: dict[str, int | None] = {
    "Emph": None,
    "Quoted": 1,
    "SmallCaps": None,
    "Span": 1,
    "Strikeout": None,
    "Strong": None,
    "Subscript": None,
    "Superscript": None,
    "Underline": None,
}

_ATTRIBUTES_FIRST = ("Span", "Div", "CodeBlock", "Code", "Link", "Image", "Table", "Figure")

# Control characters, bidirectional controls, surrogates, and what XML may not hold: never shown, so
# never passed on.
_UNSHOWN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def string(text: str) -> Node:
    return {"t": "Str", "c": text}


def space() -> Node:
    return {"t": "Space"}


def link(inlines: Inlines, url: str, title: str = "", classes: tuple[str, ...] = ()) -> Node:
    return {"t": "Link", "c": [["", list(classes), []], inlines, [url, title]]}


def superscript(inlines: Inlines) -> Node:
    return {"t": "Superscript", "c": inlines}


def anchor(identifier: str, inlines: Inlines) -> Node:
    """A Span to link to: the typst, docx and odt writers drop the identifier of a Link."""
    return {"t": "Span", "c": [[identifier, [], []], inlines]}


def division(classes: tuple[str, ...], blocks: Blocks) -> Node:
    return {"t": "Div", "c": [["", list(classes), []], blocks]}


def shown(text: str) -> str:
    """`text` without characters that cannot be shown, or change how what follows is shown."""
    return _UNSHOWN.sub("", text)


@lru_cache
def clean(text: str) -> str:
    """`text` on one line, without characters that cannot be shown."""
    return " ".join(shown(text).split())


def words(text: str) -> Inlines:
    """`text` as inlines that a line may break between: text, never parsed."""
    inlines: Inlines = []
    for word in clean(text).split(" "):
        if inlines:
            inlines.append(space())
        if word:
            inlines.append(string(word))
    return inlines


def classes_of(block: Node) -> list[str]:
    """The classes of a Div or a CodeBlock."""
    classes: list[str] = block["c"][0][1]
    return classes


def attribute(node: Node, key: str) -> str | None:
    """The value of an attribute of a Div, or None."""
    return next((value for name, value in node["c"][0][2] if name == key), None)


def is_division(block: Node, name: str) -> bool:
    return block["t"] == "Div" and name in classes_of(block)


def is_sources_block(block: Node) -> bool:
    """Whether `block` is a code block whose info string is `sources`."""
    return block["t"] == "CodeBlock" and classes_of(block)[:1] == ["sources"]


def sources_blocks(blocks: Blocks) -> list[Node]:
    """The `sources` blocks at any depth."""
    found: list[Node] = []
    stack = [blocks]
    while stack:
        for block in stack.pop():
            if is_sources_block(block):
                found.append(block)
            stack += child_blocks(block)
    return found


def child_blocks(block: Node) -> list[Blocks]:
    """The lists of blocks that `block` holds directly."""
    kind: str = block["t"]
    content: Any = block.get("c")
    if kind == "BlockQuote":
        return [content]
    if kind == "Div":
        return [content[1]]
    if kind == "BulletList":
        return list(content)
    if kind == "OrderedList":
        return list(content[1])
    if kind == "DefinitionList":
        return [blocks for _, definitions in content for blocks in definitions]
    if kind == "Figure":
        return [content[1][1], content[2]]
    if kind == "Table":
        return [content[1][1], *(cell[4] for cell in _cells(content))]
    return []


def child_inlines(block: Node) -> list[Inlines]:
    """The lists of inlines that `block` holds directly."""
    kind: str = block["t"]
    content: Any = block.get("c")
    if kind in ("Para", "Plain"):
        return [content]
    if kind == "Header":
        return [content[2]]
    if kind == "LineBlock":
        return list(content)
    if kind == "DefinitionList":
        return [term for term, _ in content]
    return []


def _cells(table: list[Any]) -> Iterator[list[Any]]:
    _, _, _, head, bodies, foot = table
    rows = [*head[1], *(row for body in bodies for part in body[2:4] for row in part), *foot[1]]
    return (cell for row in rows for cell in row[1])


def inner_inlines(inline: Node) -> Inlines | None:
    """The inlines inside `inline`, or None where it holds none or may not be entered."""
    kind = inline["t"]
    if kind not in INLINE_CHILDREN:
        return None
    place = INLINE_CHILDREN[kind]
    inlines: Inlines = inline["c"] if place is None else inline["c"][place]
    return inlines


def inner_lists(node: Node) -> list[list[Node]]:
    """The lists of blocks and of inlines that a block or an inline holds directly, all of them."""
    kind = node["t"]
    if kind == "Note":
        blocks: Blocks = node["c"]
        return [blocks]
    if kind in ("Link", "Image", "Cite"):
        inlines: Inlines = node["c"][1]
        return [inlines]
    within = inner_inlines(node)
    if within is not None:
        return [within]
    return [*child_blocks(node), *child_inlines(node)]


def attributes_of(node: Node) -> list[Any] | None:
    """The attributes of an element (identifier, classes, pairs), or None where it has none."""
    kind = node["t"]
    if kind in _ATTRIBUTES_FIRST:
        attributes: list[Any] = node["c"][0]
        return attributes
    if kind == "Header":
        of_header: list[Any] = node["c"][1]
        return of_header
    return None

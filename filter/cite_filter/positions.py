"""Where elements stand in the source: what Pandoc's extension `sourcepos` reports, as plain lines.

The extension wraps every inline in a Span and every block in a Div. `unwrap` takes the wrappers
away and leaves each element its line, under the key `line`, which no writer reads.
"""

from __future__ import annotations

import re

from cite_filter import pandoc_ast as ast
from cite_filter.pandoc_ast import Blocks, Document, Node

_LINE = re.compile(r"(?:[^@]*@)?([0-9]+):")
_WRAPPERS = ("Span", "Div")


def unwrap(document: Document) -> None:
    """Takes the wrappers out of a document read with `sourcepos`, in place."""
    blocks: Blocks = document["blocks"]
    lists: list[list[Node]] = [blocks]
    while lists:
        nodes = lists.pop()
        nodes[:] = _unwrapped(nodes)
        for node in nodes:
            lists += ast.inner_lists(node)


def _unwrapped(nodes: list[Node]) -> list[Node]:
    result: list[Node] = []
    stack: list[tuple[Node, int | None]] = [(node, None) for node in reversed(nodes)]
    while stack:
        node, line = stack.pop()
        wrapper = _is_wrapper(node)
        line = _line(node) or line
        if wrapper:
            stack += [(inner, line) for inner in reversed(node["c"][1])]
            continue
        if line is not None:
            node["line"] = line
        result.append(node)
    return result


def _is_wrapper(node: Node) -> bool:
    """Whether Pandoc made the element for its position alone; a text may write the attribute."""
    if node["t"] not in _WRAPPERS:
        return False
    identifier, classes, pairs = node["c"][0]
    return not identifier and not classes and [key for key, _ in pairs] == ["wrapper", "data-pos"]


def _line(node: Node) -> int | None:
    """The line an element begins on, taken off its attributes."""
    attributes = ast.attributes_of(node)
    if attributes is None:
        return None
    position = next((value for key, value in attributes[2] if key == "data-pos"), None)
    if position is None:
        return None
    attributes[2] = [pair for pair in attributes[2] if pair[0] != "data-pos"]
    found = _LINE.match(position)
    return int(found[1]) if found else None

"""Links of the text that look like citations: labelled with a number, leading elsewhere."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from cite_filter import pandoc_ast as ast
from cite_filter.pandoc_ast import Inlines
from cite_filter.turns import Turn

# A link's text that looks like a citation; four digits are a year.
_LABEL = re.compile(
    r"[\[({^]{0,3}([1-9][0-9]{0,2})(?:\s?[,;\u2013-]\s?\^?[1-9][0-9]{0,2})*[\])}^]{0,3}"
)
_LONGEST_LABEL = 24
"""Inlines that a label that is a number can have."""
_SWALLOWED = re.compile(r"\[\^?([1-9][0-9]{0,2})$")


def is_number(inlines: Inlines) -> str | None:
    """The number that is the whole text of a link, as a citation's is; None for any other text.

    However it is written: raised, in code, as `¹` or `①`, in brackets, the first of several.
    """
    texts: list[str] = []
    stack = list(reversed(inlines))
    while stack:
        node = stack.pop()
        kind: str = node["t"]
        content: Any = node.get("c")
        if kind in ("Str", "Space"):
            texts.append(content if kind == "Str" else " ")
        elif kind in ("Code", "Math"):
            texts.append(content[1])
        elif kind != "RawInline":
            stack += reversed(ast.inner_inlines(node) or [])
        if len(texts) > _LONGEST_LABEL:
            return None
    label = _LABEL.fullmatch(unicodedata.normalize("NFKC", "".join(texts)).strip())
    return label[1] if label else None


def note_foreign(link: ast.Node, turn: Turn) -> None:
    """Notes down a link that looks like a citation and leads elsewhere than to its source."""
    attributes, inlines, (url, _) = link["c"]
    number = None if "citation" in attributes[1] else is_number(inlines)
    if number is None and (swallowed := _SWALLOWED.search(url)):
        number = swallowed[1]  # a bare URL took the marker behind it
    if number is None:
        return
    source = turn.sources.by_number.get(number)
    if source is None or source.url != url:
        line = inlines[0].get("line", link.get("line")) if inlines else link.get("line")
        turn.foreign.setdefault(number, []).append(line)

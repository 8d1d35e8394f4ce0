"""Notes that are a model's copy of a source: a footnote that only says where a number leads."""

from __future__ import annotations

from cite_filter.pandoc_ast import Inlines, Node, inner_inlines
from cite_filter.sources import Sources


def cited_source(note: Node, sources: Sources) -> str | None:
    """The number of the one source that a Note names by its exact URL, if it names one alone.

    A note of several blocks is the reader's own, whatever it names.
    """
    blocks = note["c"]
    if not sources.by_number or len(blocks) != 1 or blocks[0]["t"] not in ("Para", "Plain"):
        return None
    named = set(_addresses(blocks[0]["c"]))
    numbers = [key for address in named for key in sources.by_url.get(address, ())]
    if len(numbers) != 1 or not sources.linkable(numbers[0]):
        return None
    return numbers[0]


def _addresses(inlines: Inlines) -> list[str]:
    """The targets of links and the words that may be URLs."""
    found: list[str] = []
    stack = list(reversed(inlines))
    while stack:
        inline = stack.pop()
        if inline["t"] == "Link":
            if "citation" not in inline["c"][0][1]:
                found.append(inline["c"][2][0])
        elif inline["t"] == "Str":
            word = inline["c"]
            found += [word, word.rstrip(".,;")]
        else:
            stack += reversed(inner_inlines(inline) or [])
    return found

"""Raw HTML that keeps what stands between its tags: links and code that Pandoc does not parse."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cite_filter.pandoc_ast import Node

# Between these a marker is part of a link already, or is code.
_KEEPING = re.compile(r"<(/?)(a|code|kbd|pre|samp|script|style|textarea)(?=[\s/>])", re.I)
_RAISING = re.compile(r"<(/?)(sup)(?=[\s>])", re.I)
_RAW = ("RawInline", "RawBlock")


def keeps(block: Node) -> bool:
    """Whether raw HTML has a tag that keeps what stands up to its closing tag."""
    return _KEEPING.search(block["c"][1]) is not None


def protected(nodes: Sequence[Node]) -> frozenset[int]:
    """The positions in `nodes` between a tag that keeps what it holds and its closing one."""
    return _between(nodes, _KEEPING)


def raised(nodes: Sequence[Node]) -> frozenset[int]:
    """The positions in `nodes` that raw tags raise."""
    return _between(nodes, _RAISING)


def _between(nodes: Sequence[Node], tags: re.Pattern[str]) -> frozenset[int]:
    if not any(node["t"] in _RAW for node in nodes):
        return frozenset()
    opened: dict[str, list[int]] = {}
    depth_change = [0] * (len(nodes) + 1)
    for position, node in enumerate(nodes):
        if node["t"] not in _RAW or not node["c"][0].startswith("html"):
            continue
        for slash, name in tags.findall(node["c"][1]):
            starts = opened.setdefault(name.lower(), [])
            if not slash:
                starts.append(position)
            elif starts:
                depth_change[starts.pop()] += 1
                depth_change[position] -= 1
    depth, inside = 0, set()
    for position in range(len(nodes)):
        depth += depth_change[position]
        if depth > 0:
            inside.add(position)
    return frozenset(inside)

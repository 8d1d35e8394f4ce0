"""Conversations as trees: every edit and every retry is a branch, and one of them was shown."""

from __future__ import annotations

from collections.abc import Mapping


def branch(parents: Mapping[str, str], leaf: str) -> list[str]:
    """The nodes from the root to `leaf`; a parent that is missing, or that makes a ring, ends it.

    >>> branch({"a": "", "b": "a", "c": "a"}, "c")
    ['a', 'c']
    """
    found: dict[str, None] = {}
    node = leaf
    while node in parents and node not in found:
        found[node] = None
        node = parents[node]
    return list(reversed(found))


def leaves(parents: Mapping[str, str]) -> list[str]:
    """The nodes at which a branch ends, in order."""
    inner = set(parents.values())
    return [node for node in parents if node not in inner]


def newest(parents: Mapping[str, str], dates: Mapping[str, str | None]) -> str:
    """The leaf of the latest date, the last of several; empty where there is none.

    What retries and edits were made, the last was seen last.
    """
    found = list(enumerate(leaves(parents)))
    return max(found, key=lambda leaf: (dates.get(leaf[1]) or "", leaf[0]), default=(0, ""))[1]

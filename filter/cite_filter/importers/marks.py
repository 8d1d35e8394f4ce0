"""Marks that products put into a text of Markdown, and where they stand in its prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cite_filter.prose import OPAQUE, mask


def in_prose(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The matches of `pattern` that stand in no code, mathematics, tag, URL or link.

    What a match is made of, brackets say, makes no structure here: `[^1_2](so)` is no link.
    """
    found = [match for match in pattern.finditer(text) if match.end() > match.start()]
    if not found:
        return
    pieces: list[str] = []
    done = 0
    for match in found:
        pieces += [text[done : match.start()], _plain(match)]
        done = match.end()
    masked = mask("".join([*pieces, text[done:]]))
    for match in found:
        if OPAQUE not in masked[match.start() : match.end()]:
            yield match


def _plain(match: re.Match[str]) -> str:
    """As many characters, which end a URL and begin nothing."""
    length = match.end() - match.start()
    return "<" * (length - 1) + ">" if length > 1 else match[0]

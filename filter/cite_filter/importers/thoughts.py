"""Thoughts that a text holds between tags, `<think>…</think>`: no part of the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cite_filter.prose import OPAQUE, mask_code

_NAME = r"(?:seed:)?(?:think(?:ing)?|reasoning)"
_THOUGHT = re.compile(rf"\s*(?:<{_NAME}(?:\s[^<>]*)?>|◁think▷|\[THINK\])", re.I)
_TAG = re.compile(
    rf"<(?P<closes>/)?{_NAME}(?:\s[^<>]*)?>|◁(?P<closes_too>/)?think▷|\[(?P<closes_as_well>/)?THINK\]",
    re.I,
)
_LONG = 40
"""Characters from which what stands between two tags is a thought, and no talk of the tags."""
_SPACE = re.compile(r"\s*")


def end_of_thoughts(text: str) -> int:
    r"""Where the answer begins, behind the thoughts that a text begins with.

    >>> end_of_thoughts("<think>So <think>it</think> is.</think>\n\nYes."), end_of_thoughts("Yes.")
    (41, 0)
    """
    end = _behind_orphan(text)
    while opening := _THOUGHT.match(text, end):
        end = end_of_element(text, opening.end(), _TAG)
        space = _SPACE.match(text, end)[0]  # type: ignore[index] # it may be empty
        end += space.rfind("\n") + 1 or len(space)  # an indented line stays one
    return end


def later_thoughts(text: str) -> Iterator[tuple[int, int]]:
    """The thoughts within a text, outside code: those that end, and are no mere talk of tags."""
    position = 0
    masked = ""
    while opening := _THOUGHT.search(text, position):
        start = opening.end() - len(opening[0].lstrip())
        end = end_of_element(text, opening.end(), _TAG)
        position = opening.end()
        inside = text[opening.end() : end]
        is_long = len(inside) > _LONG or "\n" in inside or start == text.rfind("\n", 0, start) + 1
        masked = masked or mask_code(text)
        ends = any(map(_closes, _TAG.finditer(text, opening.end())))
        if is_long and ends and masked[start] != OPAQUE:
            yield start, end
            position = end


def _behind_orphan(text: str) -> int:
    """Behind the tag that ends a thought whose beginning stood in the prompt; else the start."""
    first = _TAG.search(text)
    if first is None or not _closes(first) or mask_code(text)[first.start()] == OPAQUE:
        return 0
    return first.end() + len(_SPACE.match(text, first.end())[0])  # type: ignore[index]


def _closes(tag: re.Match[str]) -> bool:
    return any(tag.groupdict().values())


def end_of_element(text: str, start: int, tags: re.Pattern[str]) -> int:
    """Where the element ends whose content begins at `start`, with all elements within it.

    `tags` finds its tags; in one that closes it, a group with a name takes part. Where an opening
    tag within it is only spoken of, the last closing tag ends it, else the end of the text: rather
    a word too little than a thought too much.
    """
    depth, last = 1, len(text)
    for tag in tags.finditer(text, start):
        if not _closes(tag):
            depth += 1
        else:
            depth -= 1
            last = tag.end()
            if not depth:
                break
    return last

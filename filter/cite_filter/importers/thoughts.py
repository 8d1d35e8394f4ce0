"""Thoughts that a text holds between tags, `<think>…</think>`: no part of the answer."""

from __future__ import annotations

import re

_THOUGHT = re.compile(r"\s*<think(?:ing)?(?:\s[^<>]*)?>", re.I)
_TAG = re.compile(r"<(?P<closes>/)?think(?:ing)?(?:\s[^<>]*)?>", re.I)
_SPACE = re.compile(r"\s*")


def end_of_thoughts(text: str) -> int:
    r"""Where the answer begins, behind the thoughts that a text begins with.

    >>> end_of_thoughts("<think>So <think>it</think> is.</think>\n\nYes."), end_of_thoughts("Yes.")
    (41, 0)
    """
    end = 0
    while opening := _THOUGHT.match(text, end):
        end = end_of_element(text, opening.end(), _TAG)
        space = _SPACE.match(text, end)[0]  # type: ignore[index] # it may be empty
        end += space.rfind("\n") + 1 or len(space)  # an indented line stays one
    return end


def end_of_element(text: str, start: int, tags: re.Pattern[str]) -> int:
    """Where the element ends whose content begins at `start`, with all elements within it.

    `tags` finds its tags; in one that closes it, the group `closes` takes part. Where an opening
    tag within it is only spoken of, the last closing tag ends it, else the end of the text: rather
    a word too little than a thought too much.
    """
    depth, last = 1, len(text)
    for tag in tags.finditer(text, start):
        if tag["closes"] is None:
            depth += 1
        else:
            depth -= 1
            last = tag.end()
            if not depth:
                break
    return last

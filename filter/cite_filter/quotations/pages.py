"""Whether what was read is the page that was asked for, and not a wall before it."""

from __future__ import annotations

import re

_WALL = re.compile(
    r"enable javascript|javascript is (?:disabled|required)|checking (?:if the site|your browser)|"
    r"verify(?:ing)? (?:that )?you are (?:a )?human|are you a robot|captcha|access denied|"
    r"\b(?:401|403|404|429|5\d\d)\b.{0,40}\b(?:error|unauthorized|forbidden|not found|too many)|"
    r"\b(?:page|url) (?:was |could )?not (?:be )?found|too many requests|"
    r"accept (?:all )?cookies|before you continue|partners use cookies|just a moment",
    re.I | re.S,
)
_LONGEST_WALL = 1200
"""Characters that such a page has at most; a longer one says it about something else."""


def is_readable(text: str) -> bool:
    """Whether `text` is something to look in: not empty, no bot wall, error or consent page.

    >>> is_readable("Just a moment... Checking your browser"), is_readable("A moment is a force.")
    (False, True)
    """
    stripped = text[: _LONGEST_WALL * 4].strip()
    if not any(character.isalnum() for character in stripped):
        return any(character.isalnum() for character in text)
    return len(stripped) > _LONGEST_WALL or _WALL.search(stripped) is None

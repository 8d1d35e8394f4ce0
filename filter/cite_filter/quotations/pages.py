"""Whether what was read is the page that was asked for, and not a wall before it."""

from __future__ import annotations

import re

# What stands at the beginning of the page of an error.
_ERROR = re.compile(
    r"\W*(?:(?:http|error|status)\W{1,3})?(?:code\W{1,2})?(?:4[0-9]{2}|5[0-9]{2})\b\W{0,4}"
    r"(?:$|error\b|bad request|unauthori[sz]ed|forbidden|not found|page not found|gone\b|too many|"
    r"internal server|bad gateway|service (?:temporarily )?unavailable|gateway time-?out)|"
    r"\W*(?:(?:this )?page (?:you requested )?(?:could )?(?:was )?not (?:be )?found|not found|"
    r"internal server error|bad gateway|service (?:temporarily )?unavailable|access denied|"
    r"seite nicht gefunden|page introuvable|página no encontrada|pagina non trovata|"
    r"страница не найдена|ページが見つかりません|页面不存在)\W*(?:$|\n)",
    re.I | re.M,
)
# What a wall asks for; nobody writes it of anything else.
_DEMAND = re.compile(
    r"(?:please )?enable javascript (?:and cookies )?to|"
    r"javascript is (?:disabled|required) in your|"
    r"checking (?:if the site|your browser)|verify(?:ing)? (?:that )?you are (?:a )?human|"
    r"(?:complete|solve) (?:the|this) captcha|confirm (?:that )?you are not a robot|"
    r"(?:you have|you've) been blocked|unusual traffic from your|accept (?:all )?cookies to|"
    r"^\W*before you continue|partners use cookies|^\W*just a moment\W*$|^\W*too many requests",
    re.I | re.M,
)
_TAG = re.compile(r"<[^<>]*+>")
_LONGEST_WALL = 1200
"""Characters that such a page has at most; a longer one says it about something else."""


def is_readable(text: str) -> bool:
    """Whether `text` is something to look in: not empty, no bot wall, error or consent page.

    >>> is_readable("502 Bad Gateway\\nnginx"), is_readable("Of 512 patients 3 saw an error.")
    (False, True)
    """
    begun = _TAG.sub("\n", text.lstrip()[: 4 * _LONGEST_WALL]).strip()
    if not any(character.isalnum() for character in begun):
        return any(character.isalnum() for character in text)
    if len(begun) > _LONGEST_WALL:
        return True
    return _ERROR.match(begun) is None and _DEMAND.search(begun) is None

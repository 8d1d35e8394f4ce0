"""Whether what was read is the page that was asked for, and not a wall before it."""

from __future__ import annotations

import re

_REASONS = (
    r"error|bad request|unauthori[sz]ed|forbidden|(?:page )?not found|gone|too many requests|"
    r"internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out"
)
# The first line of the page of an error, with nothing else on it.
_ERROR = re.compile(
    rf"\W*(?:title\W+)?(?:(?:http|error|status|code)\W{{1,3}}){{0,3}}(?:4[0-9]{{2}}|5[0-9]{{2}})\b"
    rf"\W*(?:{_REASONS})?\W*(?:nginx\W*)?(?:\n|\Z)|"
    r"\W*(?:sorry\W+)?(?:the |this )?(?:page|url) (?:you (?:requested|are looking for) )?"
    r"(?:could not be found|was not found|cannot be found|doesn.t exist|not found)\W*(?:\n|\Z)|"
    r"\W*(?:internal server error|bad gateway|service (?:temporarily )?unavailable|access denied|"
    r"seite nicht gefunden|zugriff verweigert|page introuvable|accès refusé|página no encontrada|"
    r"acceso denegado|pagina non trovata|страница не найдена|доступ запрещ[её]н|"
    r"ページが見つかりません|页面不存在|访问被拒绝|페이지를 찾을 수 없습니다|"
    r"الصفحة غير موجودة)\W*(?:\n|\Z)",
    re.I,
)
# What a wall asks for, in a line of its own.
_DEMAND = re.compile(
    r"^\W*(?:please )?(?:enable|turn on|activate) (?:js|javascript)\b|"
    r"^\W*javascript is (?:not available|disabled|required)\b|"
    r"^\W*checking (?:if the site|your browser)|"
    r"^\W*(?:please )?(?:verify|confirm) (?:that )?you are (?:a )?(?:human|not a robot)\W*$|"
    r"^\W*verifying (?:that )?you are (?:a )?human|(?:complete|solve) (?:the|this) captcha\b|"
    r"^\W*(?:sorry, )?you have been blocked\W*$|unusual traffic from your (?:computer )?network|"
    r"^\W*(?:please )?accept (?:all )?cookies\b|^\W*before you continue(?: to \w+)?\W*$|"
    r"\bpartners use cookies\b|^\W*just a moment\W*$|^\W*too many requests\W*$|"
    r"^\W*bitte (?:aktivieren sie|schalten sie) javascript|^\W*veuillez activer javascript|"
    r"^\W*(?:por favor )?(?:active|habilite) javascript|^\W*включите javascript|"
    r"javascriptを有効に|请启用\s?javascript",
    re.I | re.M,
)
_UNREAD = re.compile(r"<(script|style)\b[^<>]*+>.*?</\1\s*+>", re.I | re.S)
_TAG = re.compile(r"<[^<>]*+>")
_LONGEST_WALL = 1200
"""Characters that such a page has at most; a longer one says it about something else."""


def is_readable(text: str) -> bool:
    """Whether `text` is something to look in: not empty, no bot wall, error or consent page.

    >>> is_readable("502 Bad Gateway\\nnginx"), is_readable("Of 512 patients 3 saw an error.")
    (False, True)
    """
    begun = _TAG.sub("\n", _UNREAD.sub("", text.lstrip()[: 8 * _LONGEST_WALL])).strip()
    if not any(character.isalnum() for character in begun):
        return any(character.isalnum() for character in text)
    if len(begun) > _LONGEST_WALL:
        return True
    return _ERROR.match(begun) is None and _DEMAND.search(begun) is None

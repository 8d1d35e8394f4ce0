"""Where no quotation may begin or end: within a word, or a number with its sign and scale."""

from __future__ import annotations

import re
import unicodedata

from cite_filter.quotations.gaps import kind, without_markup
from cite_filter.quotations.operators import PREFIXES, SCALES
from cite_filter.quotations.visible import LITERAL, SHIELDED
from cite_filter.quotations.words import INVISIBLE, UNSEGMENTED, is_number

_SIGNS = "+-−–—±<>=≤≥≈~×*^/.,:#"
_WITHIN_NUMBERS = (".", ",", ":", "/")
_SPACES = re.compile(r"(?!\s*\n\s*\n)\s{2,}")
_GROUPING = frozenset("'’.,_٬")
"""What may part the thousands of a number."""
_JOINING = frozenset("×x*·⋅±/⁄÷+^~〜～–—−-:٫˙") | {"**"}
_LEADING = frozenset("<>≤≥≈~±=")
_OF_NUMBER = "%‰°′″^⁺⁻_٪‱"
_SCALES_OF_CJK = (
    *"万萬亿億兆만억조千百十割成", "分之", "个百分点", "個百分點", "パーセント", "ポイント",
)  # fmt: skip
_BEFORE_NUMBER = frozenset("·٫▼▲△▽№¬")
_PERCENT = ("per cent", "per mille", "pour cent", "pour mille", "por ciento", "por cento")
_OPENING = ("(", "[", "“", '"', "„", "«", "‘")
_GROUP = re.compile(r"[0-9]{3}(?![0-9])")
_FRACTION = re.compile(r"[0-9]{1,2}\s?[/⁄]\s?[0-9]|[¼-¾⅐-⅞]")
_HEAD = re.compile(r"[0-9]{1,3}\Z")


def signs(raw: str, before: str, behind: str, *, marked: bool) -> str:
    """What stands between two words without mark-up, reference markers and what is invisible."""
    plain = INVISIBLE.sub("", SHIELDED.sub("", raw))
    plain = _SPACES.sub(lambda run: "\n" if run[0].count("\n") == 1 else run[0][:1], plain)
    plain = "".join(c if c.isascii() else unicodedata.normalize("NFKC", c) for c in plain)
    plain = plain.lstrip("".join(c for c in plain if unicodedata.category(c)[0] == "M"))
    unmarked = without_markup(plain, kind(before[-1:]), kind(behind[:1]), marked=marked)
    return unmarked.translate(LITERAL)


def begins_within(word: str, sign: str, following: str) -> bool:
    """Whether a passage, `following`, would begin within a word or a number (U3).

    `word` is the word before it, `sign` what stands between them.
    """
    before, first = word[-1:], following[0]
    if not sign:
        return _of_one_word(before, first)
    if is_number(first):
        return _begins_within_number(word, sign, following)
    if sign == ")" and _is_cased(before) and _is_cased(first):
        return True  # (un)friendly
    if not before.isalnum() or sign[0] not in "-‐‑'’" or len(sign.rstrip()) > 1:
        return False
    if sign[0] in "'’":
        return _is_cased(before) and _is_cased(first)
    if sign != sign.rstrip():  # a word that a line break parts, or the end of a paragraph
        return sign.count("\n") < 2
    return word.lower() in PREFIXES


def _begins_within_number(word: str, sign: str, following: str) -> bool:
    if _is_grouped(word, sign, following):
        return True
    before, last = word[-1:], sign[-1]
    if before and is_number(before) and sign.strip() in _JOINING:
        return True
    if last.isspace():
        mark = sign.rstrip()[-1:]
        if not mark or (mark == "−" and before and is_number(before)):
            return False
        return mark in _LEADING or mark == "−" or unicodedata.category(mark) == "Sc"
    if before.isalnum() and sign in _OPENING:
        return False
    if last in "–—" and before.isalpha() and set(sign) <= set("–—"):
        return False  # a dash between clauses
    if last in _WITHIN_NUMBERS:
        return len(sign) == 1 and bool(before) and is_number(before)
    return last in _SIGNS or last in _BEFORE_NUMBER or unicodedata.category(last) in ("Sc", "Sm")


def ends_within(last: str, sign: str, behind: str) -> bool:
    """Whether a passage whose last word is `last` would end within a word or a number (U3).

    `behind` is what follows it, from a word on, `sign` what stands between them.
    """
    end, first = last[-1:], behind[:1]
    if is_number(end) and _ends_within_number(last, sign, behind):
        return True
    if not sign:
        return _of_one_word(end, first)
    if not first:
        return False
    if sign == "(" and _is_cased(end) and _is_cased(first):
        return True  # care(less)
    tight = len(sign) == 1 or (sign.count("\n") == 1 and len(sign.rstrip()) == 1)
    if not tight or sign[0] not in "-‐‑'’":
        return False
    return sign[0] in "-‐‑" or (_is_cased(end) and _is_cased(first))


def _ends_within_number(last: str, sign: str, behind: str) -> bool:
    first = behind[:1]
    if sign and _is_of_number(sign.lstrip()[:1]) and len(sign) - len(sign.lstrip()) < 2:
        return True
    if not first:
        return False
    if behind.startswith(_SCALES_OF_CJK) and not sign.strip():
        return True
    if is_number(first):
        is_part = len(sign) == 1 and (sign in _SIGNS or sign in "⁄'’")
        is_fraction = sign.isspace() and _FRACTION.match(behind) is not None
        return is_part or is_fraction or sign.strip() in _JOINING or _is_grouped(last, sign, behind)
    word = re.match(r"[^\W\d_]+", behind)
    is_scale = word is not None and word[0].lower() in SCALES
    is_scale = is_scale or behind[:12].lower().startswith(_PERCENT)
    return is_scale and len(sign) == 1 and sign.isspace()


def _is_grouped(head: str, sign: str, tail: str) -> bool:
    """Whether two runs of digits are the thousands of one number, and what follows them."""
    parts = sign in _GROUPING or (sign.isspace() and len(sign) < 3 and sign.count("\n") < 2)
    if not parts or not _GROUP.match(tail):
        return False
    digits = _HEAD.search(head)
    return digits is not None and not head[: digits.start()][-1:].isalnum()


def _is_of_number(sign: str) -> bool:
    """Whether `sign` behind a digit is of the number: a unit, a currency."""
    if not sign:
        return False
    if sign in _OF_NUMBER or unicodedata.category(sign) == "Sc":
        return True
    return any(map(str.isalnum, unicodedata.normalize("NFKC", sign)))


def _of_one_word(one: str, other: str) -> bool:
    if not one or not other:
        return False
    if is_number(one) and is_number(other):
        return True
    if UNSEGMENTED.match(one) or UNSEGMENTED.match(other):
        return False
    return _is_letter(one) and _is_letter(other)


def _is_cased(character: str) -> bool:
    """Whether a character is of a script that has apostrophes within words."""
    return character.lower() != character.upper()


def _is_letter(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"

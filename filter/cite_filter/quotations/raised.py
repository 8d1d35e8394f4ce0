"""Raised and lowered text: powers and indices keep their place, notes may be left out (S18, U9)."""

from __future__ import annotations

import html
import re

from cite_filter.quotations.references import LABEL, is_behind_word, shield

_ELEMENT = re.compile(
    r"<(?P<name>su[bp])\b[^<>]*+>(?P<held>(?:(?!</?su[bp]\b).){0,2000}?)</(?P=name)\s*+>",
    re.I | re.S,
)
_TAGS = re.compile(r"<[^<>]*+>")
_TAGS_BEFORE = re.compile(r"(?:<[^<>]*+>)+\Z")
_LOCAL = re.compile(r"href\s*=\s*[\"']?[^\"'>\s]*#", re.I)
_SIGN = re.compile("[†‡]{1,4}(?![†‡])|[⁰¹²³⁴-⁹]{1,3}(?!\\w)")
_UP = str.maketrans("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ")
_DOWN = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_POWERS = frozenset(("2", "3", "4", "²", "³", "⁴"))
"""Numbers that a word may be raised to; no word is raised to 1, or to 12."""
_PUNCTUATION = frozenset('.,;:?”"»。，？')
"""Behind these a raised number is a note; behind `)` or `!` it may be a power."""


def of_element(text: str, at: int) -> tuple[int, int, str] | None:
    """`<sup>` or `<sub>` at a place: from where to where, and what is seen of it."""
    element = _ELEMENT.match(text, at)
    if element is None:
        return None
    held = element["held"]
    inner = html.unescape(_TAGS.sub("", held)).strip()
    before = _TAGS_BEFORE.sub("", text[max(0, at - 80) : at])
    is_up = element["name"].lower() == "sup"
    if is_up and _is_note(inner, held, before):
        return at, element.end(), shield(f"[{inner.strip('[]()')}]")
    table = _UP if is_up else _DOWN
    if inner and all(ord(character) in table for character in inner):
        return at, element.end(), inner.translate(table)
    joins = before[-1:].isdigit() and bool(inner) and inner.lower() not in _ENDINGS
    return at, element.end(), f"{'^' if is_up else '_'}({inner})" if joins else inner


_ENDINGS = frozenset(("st", "nd", "rd", "th", "er", "re", "e", "ère", "ème", "è", "o", "a", "os"))
"""What ordinal numbers end in."""


def _is_note(inner: str, held: str, before: str) -> bool:
    label = inner.strip("[]() ")
    if not label or LABEL.fullmatch(label) is None:
        return False
    if inner[0] == "[" or _LOCAL.search(held):
        return True
    if before[-1:].isdigit():
        return False
    if inner[0] == "(" or "<a" in held.lower() or before[-1:] in _PUNCTUATION:
        return True
    return label not in _POWERS and not label.isalpha() and is_behind_word(before, len(before), 4)


def of_sign(text: str, at: int) -> tuple[int, int, str] | None:
    """A raised number, or a dagger, that marks a note: from where to where, and what it becomes."""
    sign = _SIGN.match(text, at)
    if sign is None:
        return None
    is_dagger = sign[0][0] in "†‡"
    is_word = is_behind_word(text, at, 3 if is_dagger else 4) and sign[0] not in _POWERS
    if not is_word and (not at or text[at - 1] not in _PUNCTUATION):
        return None
    return at, sign.end(), shield(sign[0])

"""Reference markers of a source, `[12]`, `[3, 5–7]`, `[^n]`: a quotation may leave them out.

They are written in private characters, so that nothing of them is a letter or a digit of the text.
What may be content (a year, an index, an interval) is none.
"""

from __future__ import annotations

import re

_SHIELD = 0xE100
_SIGNS = "†‡⁰¹²³⁴⁵⁶⁷⁸⁹【】–—"
SHIELDED = re.compile("[\ue100-\ue1ff]++")
# A target: no space and no parenthesis but balanced ones, with a title.
TARGET = (
    r"\((?:<[^<>\n]*+>|(?:[^()\s\\]|\\.|\([^()\s]*+\))*+)"
    r"(?:\s++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?\s*+\)"
)
# One that leads to a place of a page, as a link to a note does.
_LOCAL = rf"(?=\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?#){TARGET}"
NUMBERS = r"\s?\^?[1-9][0-9]{0,2}(?:\s?[,;–—-]\s?\^?[1-9][0-9]{0,2})*\s?"
_NEEDED = r"(?:citation|clarification|verification|page|better source)(?: |&nbsp;|\xa0)needed"
_WORDS = rf"(?:note|nb) [0-9]{{1,3}}|{_NEEDED}"
_NUMBER = re.compile(rf"(\[{NUMBERS}\])(?:{_LOCAL}|(?!\())", re.I)
_PHRASE = re.compile(rf"(\[(?:{_WORDS})\])(?:{TARGET})?", re.I)
_LETTER = re.compile(rf"(\[[a-z]\])(?:{_LOCAL}|(?=[\s.,;:)]|\Z))", re.I)
_NOTE = re.compile(r"(\[\^[\w-]{1,40}\])(?!:)")
_LINKED = re.compile(rf"\[\\?\[((?:{NUMBERS}|[a-z]|{_WORDS}))\\?\]\]{TARGET}", re.I)
_CORNERED = re.compile(r"【[0-9]{1,3}(?:†[^】\n]{0,40})?】")
LABEL = re.compile(rf"{NUMBERS}|[a-z]|{_WORDS}", re.I)
_PUNCTUATION = frozenset(".,;:!?)]”’\"'。，、；：！？」』）")


def of_bracket(text: str, at: int) -> tuple[int, int, str] | None:
    """The marker that begins at `at`: from where to where, and what stands for it."""
    linked = _LINKED.match(text, at)
    if linked is not None:
        return at, linked.end(), shield(f"[{linked[1]}]")
    found = _NOTE.match(text, at) or _PHRASE.match(text, at)
    if found is not None:
        return at, found.end(), shield(found[1])
    cornered = _CORNERED.match(text, at)
    if cornered is not None:
        return at, cornered.end(), shield(cornered[0])
    number = _NUMBER.match(text, at)
    if number is not None:
        is_linked = number.end() > number.end(1)
        if is_linked or not text[at - 1 : at].isnumeric():
            return at, number.end(), shield(number[1])
    letter = _LETTER.match(text, at)
    if letter is not None and (letter.end() > letter.end(1) or is_behind_word(text, at, 3)):
        return at, letter.end(), shield(letter[1])
    return None


def is_behind_word(text: str, at: int, length: int) -> bool:
    """Whether so many letters, or punctuation, stand right before a place."""
    before = text[max(0, at - length) : at]
    if before[-1:] in _PUNCTUATION:
        return bool(before)
    return len(before) == length and before.isalpha()


def shield(marker: str) -> str:
    """`marker` in private characters."""
    return "".join(_private(character) for character in marker)


def _private(character: str) -> str:
    if ord(character) < 0x80:
        return chr(_SHIELD + ord(character))
    return chr(_SHIELD + 0x80 + _SIGNS.find(character)) if character in _SIGNS else _private("*")


def unshield(text: str) -> str:
    """`text` with its markers as they were written."""
    return SHIELDED.sub(lambda run: "".join(map(_public, run[0])), text)


def _public(character: str) -> str:
    code = ord(character) - _SHIELD
    return chr(code) if code < 0x80 else _SIGNS[(code - 0x80) % len(_SIGNS)]


LITERAL = {0xE200 + code: chr(code) for code in range(0x80)}
"""For `translate`: signs of code, which are no mark-up, back to what they are."""


def literal(code: str) -> str:
    """Code with its signs in private characters, so that none is taken for mark-up."""
    return "".join(
        chr(0xE200 + ord(c)) if ord(c) < 0x80 and not c.isalnum() and not c.isspace() else c
        for c in code
    )

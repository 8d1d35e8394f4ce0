"""A text as its words, folded, and the gaps between them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from cite_filter.quotations.letters import letters

# S3, and S4: soft hyphens with the break behind them.
SOFT_HYPHEN = r"\u00ad(?!(?<=[0-9]\u00ad)\s*[0-9])[^\S\n]*(?:\n(?!\s*\n)[^\S\n]*)?"
"""With the line break behind it; between digits it is a hyphen."""
INVISIBLE = re.compile(
    rf"{SOFT_HYPHEN}|[\u200b-\u200f\u061c\u202a-\u202e\u2060-\u2069\ufeff\u034f\u180b-\u180e"
    r"\ufe00-\ufe0f\U000e0000-\U000e01ef]+"
)
_TURKISH = re.compile("[ğşĞŞİ]")
_LONG_SPACE = re.compile(r"\s{3,}")
SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
CJK = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
UNSEGMENTED = re.compile(CJK.pattern[:-1] + "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff]")
"""Scripts that write no spaces between words."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as its words and the gaps between them."""

    words: str
    """All letters and digits, folded, with case and accents."""
    gaps: dict[int, str]
    """What stands before a letter, as written, by the count of letters before it."""
    edges: dict[int, tuple[str, str]]
    """For each gap the characters before and behind it."""
    marked: bool
    """Whether the gaps may have mark-up."""


def compact(text: str) -> str:
    """`text` without long runs of space: every pattern behind this one takes linear time."""
    return _LONG_SPACE.sub(lambda run: "\n" if "\n" in run[0] else " ", text)


def fold(text: str, *, turkish: bool = False, marked: bool = True) -> Folded:
    """The words and gaps of a visible text; `marked` says whether it may have mark-up."""
    text = compact(text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", INVISIBLE.sub("", text)).translate(_WRITTEN)
    words: list[str] = []
    gaps: dict[int, str] = {}
    edges: dict[int, tuple[str, str]] = {}
    count = last = 0
    before = ""
    for match in word_pattern(text.isascii()).finditer(text):
        word = match[0]
        if match.start() > last or not count:
            gaps[count] = text[last : match.start()]
            edges[count] = before, word[0]
            before = "" if SPACE.search(gaps[count]) else before
        words.append(_fold_word(word, turkish, is_number(before) if before else False))
        count += len(word) if word.isascii() else len(letters(word))
        before, last = word[-1], match.end()
    gaps[count] = text[last:]
    edges[count] = before, ""
    return Folded("".join(words), gaps, edges, marked)


class _Written(dict[int, str]):
    """For `translate`: signs that are written words, such as ㎞ and №, as these (S14)."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = unicodedata.normalize("NFKC", character)
        is_sign = not character.isalnum() and any(map(str.isalnum, folded))
        self[code] = folded if is_sign else "’" if character == "ʼ" else character
        return self[code]


_WRITTEN = _Written()


@cache
def word_pattern(ascii_only: bool) -> re.Pattern[str]:
    if ascii_only:
        return re.compile("[A-Za-z0-9]+")
    marks = [chr(c) for c in range(0x300, 0x20000) if unicodedata.category(chr(c))[0] == "M"]
    inside = "".join(c for c in marks if not INVISIBLE.match(c))
    return re.compile(
        rf"[^\W_][^\W_{inside}]*(?:[{inside}]+[^\W_]*)*".replace(f"_{inside}]*", "_]*")
    )


def is_turkish(text: str) -> bool:
    """Whether `text` has letters of Turkish or Azeri, where ı and i are two."""
    return _TURKISH.search(text) is not None


@lru_cache(maxsize=65536)
def _fold_word(word: str, turkish: bool, behind_number: bool) -> str:
    if word.isascii():
        return word
    folded = ""
    for character in word:
        before = folded[-1:] or ("0" if behind_number else "")
        folded += _fold_character(character, before, turkish)
    return unicodedata.normalize("NFC", folded)


_SPELT = {"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ß": "ss", "ẞ": "SS", "ſ": "s"}


def _fold_character(character: str, before: str, turkish: bool) -> str:
    """S12 to S14, S25 to S27, without what U9 forbids."""
    if character.isascii():
        return character
    if character == "ı":
        return character if turkish else "i"
    if character in _SPELT:
        return _SPELT[character]
    tag = unicodedata.decomposition(character).partition(" ")[0]
    if not tag.startswith("<") or tag in ("<fraction>", "<circle>"):
        return character
    if tag in ("<super>", "<sub>") and (before.isdigit() or before in RAISED):
        return character
    folded = unicodedata.normalize("NFKC", character)
    is_digit = tag in ("<wide>", "<font>", "<sub>", "<super>")
    return folded if is_digit or not (before.isdigit() and folded[0].isdigit()) else character


RAISED = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")


def is_number(character: str) -> bool:
    """Whether a character is of a number: a digit, a fraction, but no word of Chinese."""
    return character.isdigit() or (character.isnumeric() and not CJK.match(character))

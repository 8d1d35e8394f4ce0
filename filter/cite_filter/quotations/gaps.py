"""The ways to read what stands between two words: white space, punctuation, mark-up, markers."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from cite_filter.quotations.visible import LITERAL, SHIELDED, unshield
from cite_filter.quotations.words import CJK, RAISED, SPACE, is_number

BROKEN = re.compile("[-\u2010\u2011][ \t]*\r?[\n\u2028\u2029\x0c][ \t\x0c]*")
_MARKS = '"“”„‟«»＂″〝〞'
QUOTATION_MARKS = frozenset(_MARKS + "'‘’‚‛‹›")
_FOLDED = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u00ad\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "–—―⸺⸻─"), "—"),
    **dict.fromkeys(map(ord, "'‘’‚‛ʼ＇′‹›"), "'"),
    **dict.fromkeys(map(ord, _MARKS), '"'),
    ord("…"): "...",
    ord("﹘"): "—",
}
_KEPT = frozenset("⁺⁻⁼⁽⁾₊₋₌₍₎´¨¯¸˘˙˚˛˜˝")
_DASHES = re.compile(r"\s*(?:—+|-{2,})\s*")
_DASH_BETWEEN_SPACES = re.compile(r"(?<=\s)-(?=\s)")
_ELLIPSIS = re.compile(r"\s*\.(?:\s?\.){2,}\s*")
_BULLETS = re.compile(r"\n[ \t]*[•▪◦‣][ \t]+")
_MARKUP = re.compile(
    r"""\\(?P<escaped>[!-/:-@\[-`{-~])
    | (?<=\n)[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*(?=\n)  # rules, underlines
    | (?<=\n)[ \t]*\|?(?:[ \t]*:?-{3,}:?[ \t]*\|)+[ \t:-]*(?=\n)
    | (?<=\n)[ \t]*(?:\#{1,6}|[•▪◦‣·])[ \t]+
    | (?<=\s)\#{1,6}(?=[ \t]*\n)
    | (?P<hard>\\(?=\n))
    | (?P<ticks>`+)
    | (?P<strike>~~)
    | (?P<star>\*{1,3}|_{1,3})
    | (?P<bar>\|)""",
    re.X,
)


def readings(
    gap: str,
    edges: tuple[str, str],
    *,
    inside: bool = False,
    quoted: bool = False,
    marked: bool = True,
) -> frozenset[str]:
    """The ways to read what stands between the characters `edges`, either of which may be none.

    Reference markers of a source may be left out, those of a quotation (`quoted`) not. `marked`
    says whether there may be mark-up, `inside` whether a quotation mark is open before the gap.

    >>> sorted(readings("-\\n", ("e", "v")))
    ['', '-', '- ']
    """
    return _readings(gap, kind(edges[0]), kind(edges[1]), inside, quoted, marked)


def kind(character: str) -> str:
    if not character:
        return ""
    if character in RAISED or "₀" <= character <= "₉":
        return "²"
    if is_number(character):
        return "0"
    if CJK.match(character):
        return "字"
    if character.lower() == character.upper():
        return "x"
    return "A" if character.isupper() else "a"


@lru_cache(maxsize=16384)
def _readings(
    gap: str, before: str, behind: str, inside: bool, quoted: bool, marked: bool
) -> frozenset[str]:
    found: set[str] = set()
    for text in [unshield(gap)] if quoted else with_and_without_markers(gap):
        if before in _LETTERS and behind in ("a", "x") and BROKEN.fullmatch(text):
            found |= {"", "-", "- "}
            continue
        if text[:1] in ("'", "’") and BROKEN.fullmatch(text[1:]):
            found.add("'")
        if before and behind and BROKEN.fullmatch(text):
            found |= {"-", "- "}  # 10-⏎12, COVID-⏎19
        for form in {text, without_markup(text, before, behind, marked=marked)}:
            found.add(plain(form, before, behind, inside))
    if before == behind == "0" and "-" in found and "−" not in gap:
        found.add("—")  # 10-12, 10–12
    return frozenset(found)


def with_and_without_markers(gap: str) -> list[str]:
    """S18."""
    if SHIELDED.search(gap) is None:
        return [gap]
    without = re.sub(rf"(\s*){SHIELDED.pattern}(\s*)", _joined, gap)
    return [unshield(gap), without]


def _joined(match: re.Match[str]) -> str:
    """The space that a marker leaves: that behind it; that before it would stand before a comma."""
    behind = match[2]
    if not behind and match[1] and match.end() == len(match.string):
        behind = match[1]
    return behind


def without_markup(gap: str, before: str, behind: str, *, marked: bool = True) -> str:
    """S16, and mark-up within the quotation (S17); of a text without, the bullets of its lists."""
    if gap.isspace():
        return gap
    if not marked:
        return _BULLETS.sub("\n", gap)
    if not before:
        gap = "\n" + gap  # the beginning is that of a line

    def seen(match: re.Match[str]) -> str:
        if match["escaped"]:
            return match["escaped"]
        start, end = match.span()
        left = gap[start - 1] if start else before
        right = gap[end] if end < len(gap) else behind
        if match["star"]:
            return match[0] if _is_sign(match[0], left, right) else ""
        if match["strike"]:
            return match[0] if not left.strip() and not right.strip() else ""
        if match["bar"]:
            tight = left.strip() and right.strip()
            return match[0] if tight else " "
        return " " if match[0][:1].isspace() or match[0].strip()[:1] in "-•▪◦‣·#|=" else ""

    return _MARKUP.sub(seen, gap)


def _is_sign(mark: str, left: str, right: str) -> bool:
    """Whether `*` or `_` between two characters is no mark-up: alone, or within a word."""
    if not left.strip() and not right.strip():
        return bool(left and right)
    within = left in _ALNUM and right in _ALNUM and left != "" and right != ""
    if not within:
        return False
    if "0" in (left, right) and len(mark) < 3:
        return True
    return mark == "*"  # p_i is an index that was lowered (S27)


_ALNUM = frozenset("aAx0")
_LETTERS, _WORDS = frozenset("aAx"), frozenset("aA0")


_BESIDE_OPERATORS = re.compile(r"\s*([<>=≤≥±×≈])\s*")
_BEFORE_UNIT = re.compile(r"^ ([%‰°€$£¥₽₹₩])(?!\Z)")


def plain(gap: str, before: str, behind: str, inside: bool) -> str:
    """A gap in one way of writing it: S1, S2, S6 to S11, S14, S23, S28.

    Whether a space stands beside `<` or before `%` is typography, too.
    """
    if not gap:
        return ""
    gap = gap.translate(LITERAL)
    text = _without_space_in_guillemets(SPACE.sub(" ", gap), before, behind)
    text = text.replace("``", '"').translate(_FOLDED).replace("''", '"')
    if text == "'" and before in _WORDS and behind in _WORDS and behind != "0":
        return text  # an apostrophe
    if before == "0" and text[0] in "'\"" and not inside:
        text = ("′" if text[0] == "'" else "″") + text[1:]
    if not text.isascii():
        text = "".join(_fold_sign(c) for c in text)
    if text.endswith("−") and behind == "0":
        text = text[:-1] + "-"
    if behind != "0" or not text.endswith("- "):
        text = _DASH_BETWEEN_SPACES.sub("—", text)
    text = _ELLIPSIS.sub("…", _DASHES.sub("—", text))
    text = text.replace("'", '"')
    text = _BESIDE_OPERATORS.sub(r"\1", text)
    if before == "0":
        text = _BEFORE_UNIT.sub(r"\1", text)
    if "字" in (before, behind):
        text = text.replace(" ", "")
    return text


_OPENING = re.compile(r"(?P<before>^|[\s(\[—–])(?P<mark>[«‹])\s+")
_CLOSING = re.compile(r"\s+(?P<mark>[»›])(?=[\s.,;:!?)\]…—–-]|$)")


def _without_space_in_guillemets(gap: str, before: str, behind: str) -> str:
    """S6: French sets spaces within its quotation marks; German turns the marks round."""
    if "«" not in gap and "»" not in gap and "‹" not in gap and "›" not in gap:
        return gap
    if not before or gap[0] not in "«‹":
        gap = _OPENING.sub(r"\g<before>\g<mark>", gap)
    if not behind or gap[-1] not in "»›":
        gap = _CLOSING.sub(r"\g<mark>", gap)
    return gap


@lru_cache(maxsize=4096)
def _fold_sign(character: str) -> str:
    if character.isascii() or character in _KEPT:
        return character
    folded = unicodedata.normalize("NFKC", character)
    return character if folded.startswith(" ") else folded

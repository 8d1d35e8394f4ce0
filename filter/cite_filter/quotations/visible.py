"""What a reader sees of a source: its text without mark-up, with the way back to every character.

Tags, comments, link targets and the like go, entities are decoded once. Reference markers such as
`[12]` stay, written in private characters (`shield`): they are no letters of the text, and a
quotation may have them or leave them out.
"""

from __future__ import annotations

import html
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache

from cite_filter.answers import Form

_SHIELD = 0xE100
SHIELDED = re.compile("[\ue100-\ue17f]+")
_BLOCK = (
    "address|article|aside|blockquote|body|br|caption|center|dd|details|dialog|div|dl|dt|fieldset|"
    "figcaption|figure|footer|form|h[1-6]|head|header|hgroup|hr|html|li|main|nav|ol|option|p|pre|"
    "section|select|summary|table|tbody|td|tfoot|th|thead|title|tr|ul"
)
_INLINE = (
    "a|abbr|acronym|b|bdi|bdo|big|button|cite|code|data|del|dfn|em|font|i|img|input|ins|kbd|label|"
    "link|mark|meta|nobr|q|rp|rt|ruby|s|samp|small|span|strike|strong|sub|sup|svg|time|tt|u|var|wbr"
)
# A target: no space and no parenthesis but balanced ones, with a title.
_TARGET = (
    r"\((?:<[^<>\n]*+>|(?:[^()\s\\]|\\.|\([^()\s]*+\))*+)"
    r"(?:\s++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?\s*+\)"
)
# One that leads to a place of a page, as a link to a note does.
_LOCAL = rf"(?=\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?\#){_TARGET}"
_NUMBERS = r"\s?\^?[0-9]{1,4}(?:\s?[,;–—-]\s?\^?[0-9]{1,4})*\s?"
_NEEDED = r"(?:citation|clarification|verification|page|better source)(?:\ |&nbsp;|\xa0)needed"
_MARKERS = rf"""
  (?P<linked>\[\\?\[[^\[\]\n]{{1,30}}\\?\]\]{_TARGET})
| (?P<marker>\[{_NUMBERS}\](?:{_LOCAL}|(?!\())
  | \[(?:(?:note|nb)\ [0-9]{{1,3}}|{_NEEDED})\](?:{_TARGET})? | (?<=\w)\[[a-z]\](?=[\s.,;:)]|\Z)
  | \[\^[\w-]{{1,40}}\](?!:) | \[[a-z]\]\(\#[^()\s]*+\) | 【[0-9]{{1,3}}[^】\n]{{0,40}}】)
| (?P<raised>(?<=[^\W\d_]{{4}})[⁰¹²³⁴-⁹]{{1,3}}(?!\w) | (?<=\w)[†‡]+)
| (?P<private>[\ue100-\ue17f]+)
"""
_HTML = r"""
| (?P<hidden><!--.*?(?:-->|\Z) | <(?P<element>script|style|template)\b.*?(?:</(?P=element)\s*>|\Z))
| (?P<reference><sup\b[^<>]*+>(?=\s*(?:[\[(]|&\#91;|<a\b|<span\b))(?:(?!</?sup\b).){0,400}</sup\s*>)
| (?P<powered><sup\b[^<>]*+>\s*(?P<power>[0-9+−-]{1,4})\s*</sup\s*>)
| (?P<unseen><(?P<name>[a-z][a-z0-9]*)\b[^<>]*?(?:\shidden(?=[\s>=/])|display\s*:\s*none)[^<>]*+>
    .*?(?:</(?P=name)\s*>|\Z))
| (?P<tag></?(?:(?P<block>BLOCK)|NAMES)ATTRIBUTES>)
| (?P<entity>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});)
"""
_MARKDOWN = rf"""
| (?P<begun>\n[ ]{{0,3}}(?:(?:>[ ]?)+|[-+*][ ]+(?=[0-9])))
| (?P<autolink><https?://[^\s<>]++>)
| (?P<target>\]{_TARGET})
| (?P<opening>!?\[(?=!\[|[^\[\]]{{0,300}}+\]\(|[^\[\]]{{0,300}}+\]\[\^?[0-9]))
| (?P<closing>\](?=\[\^?[0-9]))
"""
_RAISED_DIGITS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
_WORD_BEFORE = re.compile(r"[^\W\d_]+\Z")
_UNIT_WORDS = """
inch inches foot feet yard yards mile miles acre meter meters metre metres kilometer kilometre
kilometers kilometres centimeter centimetre mètre mètres metro metros metri zoll fuß
"""
_UNITS = frozenset(_UNIT_WORDS.split())
"""Words that may have a power."""
_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")


_FIRST = re.compile("[][<&!【†‡⁰¹²³⁴-⁹\n\ue100-\ue17f]")
"""The characters that all of these begin with."""


@cache
def _pattern(form: Form) -> re.Pattern[str]:
    names = {"markdown": _INLINE, "html": "[a-z][a-z0-9:-]*+"}
    # In Markdown, `a <b and c> d` is no tag: attributes have values.
    attributes = {"markdown": r"(?:\s[^<>]*?=[^<>]*+|\s*+/?)", "html": r"(?=[\s/>])[^<>]*+"}
    parts = _MARKERS
    if form != "text":
        tags = _HTML.replace("BLOCK", _BLOCK).replace("NAMES", names[form])
        parts = "(?!)" + tags.replace("ATTRIBUTES", attributes[form]) + "|" + parts
    if form == "markdown":
        parts += _MARKDOWN
    return re.compile(parts, re.X | re.S | re.I)


class Visible:
    """The visible text of a source."""

    __slots__ = ("_from", "_text_ends", "_text_starts", "_to", "text")

    def __init__(self, text: str, form: Form) -> None:
        # For each place that differs: its extent in `self.text`, and that in the source's text.
        self._text_starts, self._text_ends = array("L"), array("L")
        self._from, self._to = array("L"), array("L")
        parts: list[str] = []
        last = length = 0
        for match in _marked(text, _pattern(form)):
            for start, end, seen in _replacements(match):
                parts += (text[last:start], seen)
                length += start - last
                self._text_starts.append(length)
                length += len(seen)
                self._text_ends.append(length)
                self._from.append(start)
                self._to.append(end)
                last = end
        self.text = "".join([*parts, text[last:]]) if parts else text

    def source_start(self, position: int) -> int:
        """Where in the source's text a passage begins that begins at `position` of this one."""
        place = bisect_right(self._text_starts, position) - 1
        if place < 0:
            return position
        if position < self._text_ends[place]:
            return self._from[place]
        return self._to[place] + position - self._text_ends[place]

    def source_end(self, position: int) -> int:
        """Where in the source's text a passage ends that ends before `position` of this one."""
        place = bisect_left(self._text_starts, position) - 1
        if place < 0:
            return position
        if position <= self._text_ends[place] and self._text_ends[place] > self._text_starts[place]:
            return self._to[place]
        return self._to[place] + position - self._text_ends[place]


def _marked(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The matches of `pattern`, tried only where one may begin: five times as fast as a search."""
    place = _FIRST.search(text)
    while place is not None:
        match = pattern.match(text, place.start())
        if match is not None:
            yield match
        place = _FIRST.search(text, place.end() if match is None else match.end())


def _replacements(match: re.Match[str]) -> list[tuple[int, int, str]]:
    """What to put in the place of `match`, with extents in the source's text."""
    start, end, written = match.start(), match.end(), match[0]
    kind = match.lastgroup
    if match["private"]:
        return [(start, end, "\ufffd" * len(written))]
    if match["marker"]:
        label = re.match(r"\[[^\]]*\]|【[^】]*】", written)
        return [(start, end, shield(label[0] if label else written))]
    if match["linked"]:
        label = re.search(r"[^\[\]\\]+", written)
        return [(start, end, shield(f"[{label[0] if label else ''}]"))]
    groups = match.groupdict()
    if groups.get("reference"):
        label = re.search(r"[0-9]+", re.sub(r"<[^<>]*>|&#9[13];", "", written))
        return [(start, end, shield(f"[{label[0] if label else '*'}]"))]
    if groups.get("powered"):
        if match["power"].isdigit() and _is_behind_word(match.string, start):
            return [(start, end, shield(f"[{match['power']}]"))]
        return [(start, end, match["power"].translate(_RAISED))]
    if match["raised"]:
        if written[0] in _RAISED_DIGITS and not _is_behind_word(match.string, start):
            return []
        return [(start, end, shield("*" * len(written)))]
    if groups.get("entity"):
        seen = html.unescape(written)
        return [(start, end, seen)] if seen != written else []
    if groups.get("begun"):
        return [(start, end, "\n")] if _is_one_of_several(match.string, start, end) else []
    if groups.get("tag"):
        return [(start, end, "\n" if match["block"] else "")]
    if groups.get("autolink"):
        return [(start, start + 1, ""), (end - 1, end, "")]
    return [(start, end, " " if kind in ("hidden", "element", "unseen", "name") else "")]


def _is_behind_word(text: str, start: int) -> bool:
    """Whether a raised number is a note's, and no power: behind a word that is no unit."""
    word = _WORD_BEFORE.search(text[max(0, start - 40) : start])
    return word is not None and len(word[0]) > 3 and word[0].lower() not in _UNITS


def _is_one_of_several(text: str, start: int, end: int) -> bool:
    """Whether the line before one that begins with `>` or a bullet, or that behind it, does so too.

    Alone it may be an operator or a sign that a line break has brought there.
    """
    mark = text[start:end].strip()[0]
    before = text[text.rfind("\n", 0, start) + 1 : start][:4]
    following = text.find("\n", end)
    behind = text[following + 1 : following + 5] if following >= 0 else ""
    return any(line.lstrip(" ").startswith(mark) for line in (before, behind))


def shield(marker: str) -> str:
    """`marker` in private characters: nothing of it is a letter or a digit."""
    return "".join(chr(_SHIELD + ord(c)) if ord(c) < 0x80 else chr(_SHIELD + 0x2A) for c in marker)


def unshield(text: str) -> str:
    """`text` with its markers as they were written, in ASCII."""
    return SHIELDED.sub(lambda run: "".join(chr(ord(c) - _SHIELD) for c in run[0]), text)

"""What of a source's text is mark-up, from its beginning to its end, and what is seen in its place.

A light reader, for the way back to every character must stay known, and a source may have a million
of them. What it takes for mark-up that is none is lost to quotations; so where in doubt it is text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from cite_filter.answers import Form
from cite_filter.quotations import raised, references

_BLOCK_NAMES = """
address article aside blockquote body br caption center dd details dialog div dl dt fieldset
figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html li main nav ol option
p pre section select summary table tbody td tfoot th thead title tr ul
"""
_BLOCK = frozenset(_BLOCK_NAMES.split())
_INLINE_NAMES = """
a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label
link mark meta nobr q rp rt ruby s samp small span strike strong sub sup svg time tt u var wbr
"""
_INLINE = frozenset(_INLINE_NAMES.split())
_VOID_NAMES = """
area base br col embed hr html body img input link meta source wbr
"""
_VOID = frozenset(_VOID_NAMES.split())
"""Elements that hold nothing, and those that hold all."""
_SWITCHES_NAMES = """
hidden disabled checked selected open async defer controls loop muted nowrap reversed inert
required readonly multiple download ismap compact itemscope allowfullscreen autofocus
"""
_SWITCHES = frozenset(_SWITCHES_NAMES.split())
"""Attributes without a value."""
_TAG = re.compile(
    r"<(?P<slash>/?)(?P<name>[a-z][a-z0-9:-]*+)"
    r"(?P<attributes>(?:\s++[^\s\"'<>/=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?+)*+)"
    r"\s*+/?+>",
    re.I,
)
_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?")
_DECLARATION = re.compile(r"(?:\A|;)\s*([\w-]+)\s*:\s*([^;!]*?)\s*(?=;|!|\Z)")
_UNREAD = re.compile(r"<(script|style|template)(?=[\s>/])[^<>]*+>", re.I)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_TARGET = re.compile(rf"\]{references.TARGET}")
_LABEL = r"(?:[^\[\]]{1,300}+|\[[^\[\]]{0,40}+\]){0,8}+"
_OPENING = re.compile(rf"!?\[(?=!\[|{_LABEL}\](?:\(|\[\^?[0-9]))")
_CLOSING = re.compile(r"\](?=\[\^?[0-9])")
_AUTOLINK = re.compile(r"<https?://[^\s<>]++>", re.I)
_RUN = re.compile("[†‡⁰¹²³⁴-⁹]++")
_CODE = re.compile(r"(`{1,3})(?!`)([^`\n]{1,1000}+(?:\n[^`\n]{1,1000}+)?)\1(?!`)")
_CODE_SIGN = re.compile(r"[^\w\s]|_", re.A)
_FENCE = re.compile(r"\n[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n`]*")
_LINE = re.compile(r"\n[ ]{0,3}(?:(?P<quotation>(?:>[ ]?)+)|(?P<bullet>[-*+])[ \t]+)")
_ROW = re.compile(r"\n[ ]{0,3}\|[^\n`\[<&!]*(?=\|[ ]*(?:\n|\Z))\|")
"""A row of a table that has no other mark-up."""
_BAR = re.compile(r"(?<!\\)\|")
_CLAUSE_ENDS = tuple(".:;!?…。：；！？")
_FIRST = re.compile("[][<&!【†‡⁰¹²³⁴-⁹`\n\ue100-\ue2ff]")
"""The characters that all of these begin with."""
_FIRST_OF_TEXT = re.compile("[\\[【†‡⁰¹²³⁴-⁹\ue100-\ue2ff]")
_MOST_LOOKS = 20_000
"""Tags looked at in one text for the ends of what is hidden."""
_OPEN_ENDED = frozenset(("p", "li", "td", "th", "tr", "dt", "dd", "option"))
"""Elements that the next of their name ends."""

Replacement = tuple[int, int, str]
"""Where in the text, from and to, and what is seen there."""


class Found(NamedTuple):
    """A piece of mark-up."""

    end: int
    """Where reading goes on."""
    replacements: list[Replacement]


class Markup:
    """The mark-up of one text."""

    def __init__(self, text: str, form: Form) -> None:
        self.text = text
        self.form = form
        self._unclosed: set[str] = set()  # elements, and comments, that nothing closes
        self._looks = _MOST_LOOKS
        self._begun = (0, "")  # the line that last began with a mark, and the mark

    def replacements(self) -> Iterator[Replacement]:
        """What to put in the place of mark-up, in order."""
        first = _FIRST_OF_TEXT if self.form == "text" else _FIRST
        position = 0
        if self.form == "markdown" and self.text[:1] in (*"->*+|`~", " "):
            found = self._line(-1)
            if found is not None:
                yield from found.replacements
                position = found.end
        place = first.search(self.text, position)
        while place is not None:
            found = self._at(place.start())
            if found is not None:
                yield from found.replacements
            place = first.search(self.text, place.end() if found is None else found.end)

    def _at(self, at: int) -> Found | None:
        """The mark-up that begins at a place."""
        character = self.text[at]
        if "\ue100" <= character <= "\ue2ff":
            return Found(at + 1, [(at, at + 1, "\ufffd")])  # those are ours
        if character in "†‡⁰¹²³⁴⁵⁶⁷⁸⁹":
            run = _RUN.match(self.text, at)
            passed = Found(run.end() if run else at + 1, [])
            return self._marker(raised.of_sign(self.text, at)) or passed
        is_markdown = self.form == "markdown"
        if is_markdown and self.text[at - 1 : at] == "\\" and character not in "\n":
            return None
        if character in "[【":
            found = self._marker(references.of_bracket(self.text, at))
            return found or (self._bracket(at) if is_markdown else None)
        if character == "<":
            return self._tag(at)
        if character == "&":
            return self._entity(at)
        if not is_markdown:
            return None
        if character == "\n":
            return self._line(at)
        if character == "`":
            code = _CODE.match(self.text, at)
            return Found(code.end(), list(self._literal(*code.span(2)))) if code else None
        return self._bracket(at)

    def _literal(self, start: int, end: int) -> Iterator[Replacement]:
        """The signs of code between two places: none of them is mark-up."""
        for place in _CODE_SIGN.finditer(self.text, start, end):
            yield place.start(), place.end(), references.literal(place[0])

    def _marker(self, found: tuple[int, int, str] | None) -> Found | None:
        return None if found is None else Found(found[1], [found])

    def _bracket(self, at: int) -> Found | None:
        opening = _OPENING.match(self.text, at) or _CLOSING.match(self.text, at)
        found = opening or _TARGET.match(self.text, at)
        return None if found is None else Found(found.end(), [(at, found.end(), "")])

    def _entity(self, at: int) -> Found | None:
        found = _ENTITY.match(self.text, at)
        seen = html.unescape(found[0]) if found else ""
        if found is None or seen == found[0]:
            return None
        return Found(found.end(), [(at, found.end(), seen)])

    # --- Tags ----------------------------------------------------------------------------------

    def _tag(self, at: int) -> Found | None:
        if self.text.startswith("<!--", at):
            empty = _EMPTY_COMMENT.match(self.text, at)
            if empty is not None:
                return Found(empty.end(), [(at, empty.end(), " ")])
            return self._until(at, at + 4, "-->", _COMMENT_END)
        unread = _UNREAD.match(self.text, at)
        if unread is not None:
            name = unread[1].lower()
            return self._until(at, unread.end(), name, _CLOSES[name])
        found = raised.of_element(self.text, at)
        if found is not None:
            return Found(found[1], [found])
        tag = _TAG.match(self.text, at)
        if tag is None or not self._is_tag(tag):
            link = _AUTOLINK.match(self.text, at) if self.form == "markdown" else None
            if link is None:
                return None
            return Found(link.end(), [(at, at + 1, ""), (link.end() - 1, link.end(), "")])
        name = tag["name"].lower()
        end = self._hidden(tag, name) if tag["attributes"] and not tag["slash"] else None
        if end is not None:
            return Found(end, [(at, end, " ")])
        seen = "\n" if name in _BLOCK else ""
        if name in ("sup", "sub") and not tag["slash"] and self.text[at - 1 : at].isalnum():
            seen = "^" if name == "sup" else "_"  # of a form that is not read: apart, at least
        return Found(tag.end(), [(at, tag.end(), seen)])

    def _until(self, at: int, start: int, name: str, closes: re.Pattern[str]) -> Found | None:
        """From `at` to what closes it; in HTML to the end, where nothing does."""
        close = None if name in self._unclosed else closes.search(self.text, start)
        if close is None:
            self._unclosed.add(name)
            if self.form != "html":
                return None
        end = len(self.text) if close is None else close.end()
        return Found(end, [(at, end, " ")])

    def _is_tag(self, tag: re.Match[str]) -> bool:
        """Whether it is one of HTML, and not `a <b and c> d`."""
        name = tag["name"].lower()
        if self.form == "markdown" and name not in _BLOCK and name not in _INLINE:
            return False
        return all(
            (value and not key[0].isdigit())
            or key.lower() in _SWITCHES
            or (not key.isalnum() and (key[0].isalpha() or key[0] in "@:_*#"))
            for key, value in _ATTRIBUTE.findall(tag["attributes"])
        )

    def _hidden(self, tag: re.Match[str], name: str) -> int | None:
        """The end of an element that no browser shows; None for one that is shown."""
        held = tag["attributes"].lower()
        if name in _VOID or name in self._unclosed:
            return None
        if "hidden" not in held and "display" not in held:
            return None
        attributes = {
            key.lower(): value.strip("\"'") for key, value in _ATTRIBUTE.findall(tag["attributes"])
        }
        hidden = attributes.get("hidden", "until-found") != "until-found"
        hidden = hidden and attributes["hidden"].lower() != "until-found"
        styles = dict(_DECLARATION.findall(attributes.get("style", "").lower()))
        if not hidden and styles.get("display") != "none":
            return None
        depth = 1
        for other in islice(_TAG.finditer(self.text, tag.end()), self._looks):
            self._looks -= 1
            if other["name"].lower() == name:
                if depth == 1 and not other["slash"] and name in _OPEN_ENDED:
                    return other.start()
                depth += -1 if other["slash"] else 1
                if not depth:
                    return other.end()
        self._unclosed.add(name)
        return None

    # --- Lines of Markdown ---------------------------------------------------------------------

    def _line(self, at: int) -> Found | None:
        """A fence, or the mark that a line begins with; `at` is the line break before it."""
        text = self.text if at >= 0 else "\n" + self.text[:400]
        start = max(at, 0)
        fence = _FENCE.match(text, start)
        if fence is not None:
            return self._fence(at, fence["fence"], fence.end() - (at < 0))
        row = _ROW.match(text, start)
        if row is not None:
            shift = int(at < 0)
            if not any(map(str.isalnum, row[0])):  # the rule below the heads
                return Found(row.end() - shift, [(start, row.end() - shift, "\n")])
            found = _BAR.finditer(self.text, start + 1 - shift, row.end() - shift)
            bars = [(bar.start(), bar.end(), " ") for bar in found]
            return Found(row.end() - shift, bars if shift else [(start, start + 1, "\n"), *bars])
        line = _LINE.match(text, start)
        if line is None:
            return None
        mark = ">" if line["quotation"] else line["bullet"]
        before_number = text[line.end() : line.end() + 1].isdigit()
        if before_number and at < 0 and not self._has_second(mark):
            return None  # a quotation that begins with a sign
        if at >= 0 and not self._may_begin(at, mark, before_number):
            return None  # U1, U2: a sign, or an operator, that a line break has brought there
        self._begun = at + 1, mark
        end = line.end() - (at < 0)
        return Found(end, [(start, end, "\n" if at >= 0 else "")])

    def _has_second(self, mark: str) -> bool:
        """Whether the second line of the text begins with a mark, too."""
        second = self.text.partition("\n")[2][:4]
        return second.lstrip(" ").startswith(mark)

    def _may_begin(self, at: int, mark: str, before_number: bool) -> bool:
        """Whether a list or a block quotation may begin, or go on, behind the line before."""
        before = self.text.rfind("\n", 0, at) + 1
        if self._begun == (before, mark):
            return True
        line = self.text[max(before, at - 200) : at].strip()
        if before_number:
            return not line.strip("> ") or (mark != ">" and line.endswith(":"))
        return not line.strip("> ") or line.endswith(_CLAUSE_ENDS)

    def _fence(self, at: int, fence: str, end: int) -> Found:
        """A block of code: its fences go, and nothing in it is mark-up."""
        start = max(at, 0)
        opening = (start, end, "\n" if at >= 0 else "")
        close = self.text.find("\n" + fence, end)
        if close < 0:
            return Found(len(self.text), [opening, *self._literal(end, len(self.text))])
        line_end = self.text.find("\n", close + 1)
        line_end = len(self.text) if line_end < 0 else line_end
        return Found(line_end, [opening, *self._literal(end, close), (close, line_end, "")])


_EMPTY_COMMENT = re.compile("<!--(?:-?>)")
_COMMENT_END = re.compile("--!?>")
_CLOSES = {name: re.compile(rf"</{name}\s*+>", re.I) for name in ("script", "style", "template")}

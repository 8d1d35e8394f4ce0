"""Tags, comments and what no browser shows, in HTML and in the HTML of Markdown."""

from __future__ import annotations

import re
from itertools import islice

from cite_filter.answers import Form
from cite_filter.quotations import raised
from cite_filter.quotations.pieces import Found

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
_AUTOLINK = re.compile(r"<https?://[^\s<>]++>", re.I)
_MOST_LOOKS = 20_000
"""Tags looked at in one text for the ends of what is hidden."""
_OPEN_ENDED = frozenset(("p", "li", "td", "th", "tr", "dt", "dd", "option"))
"""Elements that the next of their name ends."""
_EMPTY_COMMENT = re.compile("<!--(?:-?>)")
_COMMENT_END = re.compile("--!?>")
_CLOSES = {name: re.compile(rf"</{name}\s*+>", re.I) for name in ("script", "style", "template")}


class Tags:
    """The tags of one text."""

    def __init__(self, text: str, form: Form) -> None:
        self.text = text
        self.form = form
        self._unclosed: set[str] = set()  # elements, and comments, that nothing closes
        self._looks = _MOST_LOOKS

    def at(self, at: int) -> Found | None:
        """What begins with `<` at a place."""
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
        hidden = attributes.get("hidden", "until-found").lower() != "until-found"
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

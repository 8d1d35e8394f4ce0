"""What of a source's text is mark-up, from its beginning to its end, and what is seen in its place.

A light reader, for the way back to every character must stay known, and a source may have a million
of them. What it takes for mark-up that is none is lost to quotations; so where in doubt it is text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from cite_filter.answers import Form
from cite_filter.quotations import raised, references
from cite_filter.quotations.lines import Lines
from cite_filter.quotations.pieces import Found, Replacement, of_code
from cite_filter.quotations.tags import Tags

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_TARGET = re.compile(rf"\]{references.TARGET}")
_LABEL = r"(?:[^\[\]]{1,300}+|\[[^\[\]]{0,40}+\]){0,8}+"
_OPENING = re.compile(rf"!?\[(?=!\[|{_LABEL}\](?:\(|\[\^?[0-9]))")
_CLOSING = re.compile(r"\](?=\[\^?[0-9])")
_RUN = re.compile("[†‡⁰¹²³⁴-⁹]++")
_CODE = re.compile(r"(`{1,3})(?!`)([^`\n]{1,1000}+(?:\n[^`\n]{1,1000}+)?)\1(?!`)")
_FIRST = re.compile("[][<&!【†‡⁰¹²³⁴-⁹`\n\ue100-\ue2ff]")
"""The characters that all of these begin with."""
_FIRST_OF_TEXT = re.compile("[\\[【†‡⁰¹²³⁴-⁹\ue100-\ue2ff]")


class Markup:
    """The mark-up of one text."""

    def __init__(self, text: str, form: Form, *, is_passage: bool = False) -> None:
        self.text = text
        self.form = form
        self._tags = Tags(text, form)
        self._lines = Lines(text, is_passage=is_passage)

    def replacements(self) -> Iterator[Replacement]:
        """What to put in the place of mark-up, in order."""
        first = _FIRST_OF_TEXT if self.form == "text" else _FIRST
        position = 0
        if self.form == "markdown" and self.text[:1] in (*"->*+|`~", " "):
            found = self._lines.at(-1)
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
            return self._tags.at(at)
        if character == "&":
            return self._entity(at)
        if not is_markdown:
            return None
        if character == "\n":
            return self._lines.at(at)
        if character == "`":
            code = _CODE.match(self.text, at)
            return Found(code.end(), [*of_code(self.text, *code.span(2))]) if code else None
        return self._bracket(at)

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

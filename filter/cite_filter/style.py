"""How the filter's own elements are built for one target format: markers and anchors."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import count
from typing import NamedTuple

from cite_filter import pandoc_ast as ast
from cite_filter.options import Options
from cite_filter.pandoc_ast import Inlines, Node
from cite_filter.source_lists import NumberedSource
from cite_filter.turns import Turn

_RAISED_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_PARENTHESES = re.compile(r"[()]")
# An entity, which a reader turns into a character; a column of a table.
_CHANGED_IN_URL = re.compile(r"&#?\w+;|\|")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_BARE_URL = re.compile(r"://|www\.|@", re.I)
# What may stand between angle brackets, or be its own label, without an escape.
_AUTOLINK = re.compile(r"[\w:/?&=%.~+@,;!'()#-]+", re.A)
# What may mean something in a word of Markdown, or at its beginning in a line.
_SPECIAL = re.compile(r"[\\&:$~^=@#*_`<>\[\]{}|]|www\.|^[-+]|^\d+[.)]", re.I | re.A)
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_LONGEST_TITLE = 300
_MARKDOWN = ("markdown", "gfm", "commonmark")


class Style(NamedTuple):
    """The options as they apply to one target format."""

    options: Options
    clean: bool
    """A format of the Markdown family: classes, identifiers and divs would come out as raw HTML."""
    taken: Container[str] = ()
    """Identifiers of the document's own, never to be made again."""

    @property
    def to_list(self) -> bool:
        return self.options.target == "list" and self.options.list != "none" and not self.clean

    @property
    def collapses(self) -> bool:
        return self.options.space == "collapse"

    def classes(self, *names: str) -> tuple[str, ...]:
        return () if self.clean else names

    def identifier(self, turn: Turn, part: str, number: str) -> str:
        """An identifier that no other element has: one doubled label ends a typst run."""
        base = f"turn-{turn.number}-{part}-{number}"
        if base not in self.taken:
            return base
        if base not in turn.identifiers:
            free = (f"{base}-{suffix}" for suffix in count(2))
            turn.identifiers[base] = next(name for name in free if name not in self.taken)
        return turn.identifiers[base]

    def marker(
        self, numbers: Sequence[str], turn: Turn, *, raised: bool, anchored: bool
    ) -> Inlines:
        """The links for `numbers`, raised unless `raised` says that they stand raised already."""
        links: Inlines = []
        for number in numbers:
            if links:
                links.append(ast.space())
            links.append(self._link(number, turn, raised=raised, anchored=anchored))
        if raised or self.options.marker == "unicode":
            return links
        return [ast.superscript(links)]

    def _link(self, number: str, turn: Turn, *, raised: bool, anchored: bool) -> Node:
        source, label = turn.sources.by_number[number], number
        if self.options.marker == "unicode" and not raised:
            label = number.translate(_RAISED_DIGITS)
        title = ast.clean(source.title)
        if len(title) > _LONGEST_TITLE:  # it stands at each marker; the list has it whole
            title = title[:_LONGEST_TITLE] + "…"
        if self.clean:
            return self.to_source([ast.string(label)], source)
        if not self.to_list:
            return ast.link([ast.string(label)], source.url, title, ("citation",))
        entry = "#" + self.identifier(turn, "source", number)
        link = ast.link([ast.string(label)], entry, title, ("citation",))
        if not anchored or number in turn.anchored:
            return link
        turn.anchored.add(number)
        return ast.anchor(self.identifier(turn, "citation", number), [link])

    def to_source(self, inlines: Inlines, source: NumberedSource) -> Node:
        """A plain link to a source."""
        return self.to_url(inlines, source.url)

    def to_url(self, inlines: Inlines, url: str) -> Node:
        """A plain link of strings and spaces to `url`.

        Pandoc's Markdown writers escape no URL: one that would read back as another is written
        here, in the angle brackets and with the escapes of CommonMark.
        """
        if not self.clean:
            return ast.link(inlines, url)
        label = "".join(inline.get("c", " ") for inline in inlines)
        if _reads_back(url) and (label != url or _AUTOLINK.fullmatch(url)):
            return ast.link(inlines, url)
        target = _ENTITY.sub("&amp;", url).replace("|", r"\|")
        return {"t": "RawInline", "c": ["markdown", f"[{_escaped(label)}](<{target}>)"]}

    def words(self, text: str) -> Inlines:
        """`text` as inlines: text, also where a reader of Markdown makes links of bare URLs."""
        inlines = ast.words(text)
        if not self.clean:
            return inlines
        return [_as_text(inline) if _is_bare_url(inline) else inline for inline in inlines]


def exact_markdown(text: str) -> Inlines:
    """`text` as inlines of which Markdown gives back every character.

    Pandoc's writer leaves backslashes, entities, `:smile:` and `~` as they are, which then mean
    something.
    """
    return [
        _as_text(inline) if inline["t"] == "Str" and _SPECIAL.search(inline["c"]) else inline
        for inline in ast.words(text)
    ]


def _is_bare_url(inline: Node) -> bool:
    return inline["t"] == "Str" and _BARE_URL.search(inline["c"]) is not None


def _as_text(inline: Node) -> Node:
    return {"t": "RawInline", "c": ["markdown", _escaped(inline["c"])]}


def _escaped(text: str) -> str:
    """`text` as Markdown that is read as `text`."""
    return _PUNCTUATION.sub(r"\\\g<0>", text)


def _reads_back(url: str) -> bool:
    """Whether a bare URL in a Markdown link is read as the very same URL."""
    depth = 0
    for parenthesis in _PARENTHESES.findall(url):
        depth += 1 if parenthesis == "(" else -1
        if depth < 0:
            return False
    return depth == 0 and _CHANGED_IN_URL.search(url) is None


def for_format(options: Options, target: str) -> Style:
    """The style for Pandoc's writer `target`, as a filter is told it."""
    return Style(options, target.startswith(_MARKDOWN))

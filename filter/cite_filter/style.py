"""How the filter's own elements are built for one target format: markers and anchors."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from cite_filter import pandoc_ast as ast
from cite_filter.options import Options
from cite_filter.pandoc_ast import Inlines, Node
from cite_filter.sources import Source
from cite_filter.turns import Turn

_RAISED_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MARKDOWN = ("markdown", "gfm", "commonmark")


@dataclass(frozen=True, slots=True)
class Style:
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
        base = identifier = f"turn-{turn.number}-{part}-{number}"
        suffix = 1
        while identifier in self.taken:
            suffix += 1
            identifier = f"{base}-{suffix}"
        return identifier

    def marker(
        self, numbers: Sequence[str], turn: Turn, *, raised: bool, anchored: bool
    ) -> Inlines:
        """The links for `numbers`, raised unless `raised` says that they stand raised already."""
        links: Inlines = []
        for number in numbers:
            if links:
                links.append(ast.SPACE)
            links.append(self._link(turn.sources.by_number[number], number, turn, anchored))
        if raised or self.options.marker == "unicode":
            return links
        return [ast.superscript(links)]

    def _link(self, source: Source, number: str, turn: Turn, anchored: bool) -> Node:
        label = number
        if self.options.marker == "unicode":
            label = number.translate(_RAISED_DIGITS)
        title = ast.clean(source.title)
        if not self.to_list:
            return ast.link([ast.string(label)], source.url, title, self.classes("citation"))
        entry = "#" + self.identifier(turn, "source", number)
        link = ast.link([ast.string(label)], entry, title, self.classes("citation"))
        if not anchored or number in turn.anchored:
            return link
        turn.anchored.add(number)
        return ast.anchor(self.identifier(turn, "citation", number), [link])


def for_format(options: Options, target: str, taken: Container[str] = ()) -> Style:
    """The style for Pandoc's writer `target`, as a filter is told it."""
    return Style(options, target.startswith(_MARKDOWN), taken)

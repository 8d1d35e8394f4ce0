"""The inlines that the document of an answer is made of.

All that a model or a source wrote becomes text here, built element by element: no reader of Pandoc
ever sees it, so nothing in it is markup.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cite_filter import pandoc_ast as ast
from cite_filter import urls
from cite_filter.answer_words import Words
from cite_filter.options import Options
from cite_filter.pandoc_ast import Blocks, Inlines, Node
from cite_filter.style import Style, exact_markdown
from cite_filter.verification import VerifiedAnswer

_LONGEST_ADDRESS = 300
"""Characters that are shown of an address that is no link."""
_LTR = [["dir", "ltr"]]
SEPARATOR: Inlines = [ast.space(), ast.string("·"), ast.space()]


@dataclass(frozen=True, slots=True)
class Writing:
    """An answer, and how its document is written."""

    verified: VerifiedAnswer
    words: Words
    language: str | None
    target: str
    """Pandoc's writer."""
    numbers: dict[str, int] = field(default_factory=dict)
    """The number of each source, by its URL."""

    @classmethod
    def of(
        cls, verified: VerifiedAnswer, words: Words, language: str | None, target: str
    ) -> Writing:
        """The answer, its sources numbered in their order."""
        writing = cls(verified, words, language, target)
        for number, source in enumerate(verified.sources, start=1):
            writing.numbers.setdefault(source.source.url, number)
        return writing

    @property
    def is_markdown(self) -> bool:
        """The target has no title of its own, and makes links of what looks like one."""
        return self._style.clean

    @property
    def has_places(self) -> bool:
        """The target has places that links within the document can lead to."""
        return not self.is_markdown and self.target != "plain"

    @property
    def _style(self) -> Style:
        return Style(Options(), self.target.startswith(("gfm", "commonmark", "markdown")))

    def text(self, text: str) -> Inlines:
        """Text that a model or a source wrote, isolated: it may run in another direction."""
        return [_span((), self._words(text), [["dir", "auto"]])]

    def _words(self, text: str) -> Inlines:
        return exact_markdown(text) if self.is_markdown else ast.words(text)

    def quoted(self, *passages: str) -> Node:
        """A quotation in the source's characters, between the marks of the document's language."""
        inlines = [ast.string(self.words.open)]
        for position, passage in enumerate(passages):
            if position:
                inlines += [ast.space(), ast.string("[…]"), ast.space()]
            inlines += self._words(passage)
        return _span(("quoted",), [*inlines, ast.string(self.words.close)], [["dir", "auto"]])

    def source(self, url: str) -> Inlines:
        """The number and the host of a retrieved source, as a link if it may be one."""
        return self._link("{}", url, url)

    def passage(self, url: str, link: str | None) -> Inlines:
        """The number and the host of a source, as a link that opens it at a quotation."""
        if link is None or not urls.is_linkable(link):
            return self.source(url)
        return self._link(self.words.passage, url, link)

    def _link(self, name: str, url: str, target: str) -> Inlines:
        number, host = self.numbers.get(url), urls.host(url)
        label = "" if number is None else f"[{number}]"
        if host is None:
            return [*ast.words(label), ast.space(), *self.address(url)]
        if self.is_markdown:
            shown = filled(name, [ast.string(f"{label} {host}".strip())])
        else:
            shown = filled(name, ltr(f"{label}\u00a0{host}".strip("\u00a0")))
        return [self._style.to_url(shown, target)]

    def whole(self, url: str) -> Inlines:
        """The whole URL of a retrieved source, as a link if it may be one."""
        if not urls.is_linkable(url):
            return self.address(url)
        return [_span((), [self._style.to_url([ast.string(url)], url)], _LTR)]

    def address(self, url: str) -> Inlines:
        """An address as code, which nothing makes a link of, with the host it would lead to."""
        shown = urls.visible(url)
        if len(shown) > _LONGEST_ADDRESS:
            shown = shown[:_LONGEST_ADDRESS] + "…"
        code: Node = _span((), [{"t": "Code", "c": [["", [], []], shown]}], _LTR)
        host = urls.host(url)
        if host is None or host in url.lower():
            return [code]
        return [code, ast.space(), *ltr(f"({host})")]

    def listed(self, parts: list[Inlines]) -> Inlines:
        """The parts of a list."""
        comma = _pieces(self.words.comma)
        joined: Inlines = []
        for part in parts:
            joined += [*comma, *part] if joined else part
        return joined

    def to_claim(self, number: int) -> Inlines:
        """The name of a claim, leading to it where there is a place to lead to."""
        name = ast.words(self.words.claim.format(number))
        return [ast.link(name, f"#{claim_place(number)}")] if self.has_places else name


def claim_place(number: int) -> str:
    """The identifier of a claim."""
    return f"claim-{number}"


def filled(template: str, *parts: str | Inlines) -> Inlines:
    """A phrase with its holes filled: by plain words of ours, or by inlines."""
    first, *rest = template.split("{}")
    inlines = _pieces(first)
    for part, after in zip(parts, rest, strict=True):
        inlines += _pieces(part) if isinstance(part, str) else part
        inlines += _pieces(after)
    return inlines


def ltr(text: str) -> Inlines:
    """A host, a date, a fraction of ours: from left to right in every language."""
    return [_span((), [ast.string(text)], _LTR)]


def _pieces(phrase: str) -> Inlines:
    """Words with the spaces at their ends kept."""
    inlines = ast.words(phrase) if phrase.strip() else []
    before = [ast.space()] if phrase[:1] == " " else []
    after = [ast.space()] if inlines and phrase[-1:] == " " else []
    return [*before, *inlines, *after]


def badge(text: str, name: str) -> Node:
    """A few words in a frame; `name` is the class."""
    return _span(("badge", name), ast.words(text))


def strong(inlines: Inlines) -> Node:
    return {"t": "Strong", "c": inlines}


def paragraph(*inlines: Inlines) -> Node:
    return {"t": "Para", "c": [inline for part in inlines for inline in part]}


def heading(text: str) -> Node:
    return {"t": "Header", "c": [2, ["", [], []], ast.words(text)]}


def bullets(items: list[Inlines]) -> Node:
    return {"t": "BulletList", "c": [[{"t": "Plain", "c": item}] for item in items]}


def division(name: str, blocks: Blocks, *more: str, identifier: str = "") -> Node:
    return {"t": "Div", "c": [[identifier, [name, *more], []], blocks]}


def _span(classes: tuple[str, ...], inlines: Inlines, pairs: list[list[str]] | None = None) -> Node:
    return {"t": "Span", "c": [["", list(classes), pairs or []], inlines]}

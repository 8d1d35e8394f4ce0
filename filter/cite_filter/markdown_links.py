"""Markdown in, Markdown out, without Pandoc: for a chat window that shows an answer as it comes.

The rules are the filter's own (`markers`, `inlines`); here they work on the text itself, and
`prose` says where in it a marker can stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cite_filter import fences, source_pass
from cite_filter import pandoc_ast as ast
from cite_filter.flat import Flat
from cite_filter.inlines import Context, edits
from cite_filter.markers import LINE_BREAK
from cite_filter.options import Options
from cite_filter.outline import outline
from cite_filter.prose import OPAQUE, paragraphs
from cite_filter.source_list import TITLES
from cite_filter.source_lists import Entry, Sources, numbered
from cite_filter.style import for_format
from cite_filter.turns import Text, Turn

if TYPE_CHECKING:
    from cite_filter.sources import Source

# What stands before the text of a paragraph: signs of quotations, lists, headings, tasks.
_PREFIX = re.compile(
    r"[ \t]*+(?:(?:[-*+]|[0-9]{1,9}[.)]|\[[ xX]\])[ \t]++[ \t>]*+|>[ \t]*+)*+(?:#{1,6}[ \t]++)?+"
)
_HARD_BREAK = re.compile(r"(?: {2,}|\\)\n")
_ESCAPED = re.compile(r"\\([(\[\])])")
_QUOTATION = re.compile(r"(?<=[\n\ufdd1])[ \t]*+(?:>[ \t]*+)++")
# A bare URL, as readers that make links of them see one.
_URL = re.compile(r"(?<![^\s*_~(])(?:https?://|www\.)[^\s<]*", re.I)
_LAST_WORD = re.compile(r"(\S*)(?:https?://|www\.)\S*\Z", re.I)
_MARKUP = re.compile(r"[\\`*_\[\]<>$~^&{}|]")


def link_citations(markdown: str, sources: Iterable[Source]) -> tuple[str, list[int]]:
    """The text with its citations as links, and the numbers that it cites, ascending.

    A marker becomes `[¹](url)`; a definition that only repeats a source goes. Without sources the
    very same text comes back. Sources of one number and different URLs are unknown.
    """
    known = _checked(sources)
    if not known.by_number:
        return markdown, []
    turn = Turn(1, "document", known)
    style = for_format(Options(marker="unicode"), "gfm")
    text = _passed(markdown, turn)
    pieces: list[str] = []
    done = 0
    for start, flat, line_start in _paragraphs(text):
        for edit in edits(flat, Context(turn, line_start=line_start), style):
            before = text[done : start + edit.start]
            if flat.text[: edit.start].endswith(("!", "$")):
                before = f"{before[:-1]}\\{before[-1]}"  # it would begin an image, a formula
            pieces += [_parted(before), *map(_written, edit.inlines)]
            done = start + edit.end
    return "".join([*pieces, text[done:]]), sorted(map(int, turn.cited))


def render_sources(
    sources: Iterable[Source], cited: Iterable[int] | None = None, *, language: str = "en"
) -> str:
    """The list of the sources that are cited, as Markdown; of all where `cited` is None or empty.

    Nothing where there are none.
    """
    known = _checked(sources)
    style = for_format(Options(), "gfm")
    wanted = {str(number) for number in cited or ()}
    items = []
    for source in known.in_order():
        if wanted and str(source.number) not in wanted:
            continue
        label = ast.string(f"[{source.number}]")
        if source.is_linkable:
            label = style.to_source([label], source)
        title = "".join(map(_written, style.words(source.label)))
        items.append(f"- {_written(label)} {title}")
    heading = TITLES.get(language.lower(), TITLES["en"])
    return f"_{heading}_\n\n" + "\n".join(items) + "\n" if items else ""


def _checked(sources: Iterable[Source]) -> Sources:
    return numbered(
        [
            Entry({"index": str(source.number), "title": source.title, "url": source.url})
            for source in sources
        ]
    )


def _passed(markdown: str, turn: Turn) -> str:
    """The text after the source pass: no definition is left, no price or URL takes a marker."""
    lines = markdown.split("\n")
    found = outline(lines, fences.read(list(lines))[: len(lines)], 0)
    texts = [Text(block, [], turn, False) for block in found.attempts]
    source_pass.definitions(lines, found, texts)
    source_pass.paragraphs(lines, found)
    return "\n".join(lines)


def _paragraphs(text: str) -> Iterator[tuple[int, Flat, bool]]:
    """Each paragraph as a flat text, with its place, and whether it begins a line.

    The signs of containers are white space.
    """
    for start, masked, is_paragraph in paragraphs(text):
        prefix = _PREFIX.match(masked)
        behind = prefix.end() if prefix else 0
        flat = _HARD_BREAK.sub(
            lambda spaces: OPAQUE * (len(spaces[0]) - 1) + LINE_BREAK, masked[behind:]
        )
        if ">" in masked[:behind]:
            flat = _QUOTATION.sub(lambda signs: " " * len(signs[0]), flat)
        for url in _URL.finditer(text, start + behind, start + behind + len(flat)):
            # What the source pass has not kept apart is part of the URL.
            first, last = url.start() - start - behind, url.end() - start - behind
            flat = flat[:first] + OPAQUE * (last - first) + flat[last:]
        for sign in _ESCAPED.finditer(text, start + behind, start + behind + len(flat)):
            # A character all the same, to the markers beside it.
            at = sign.start() - start - behind
            pair = sign[1] + OPAQUE if sign[1] in "([" else OPAQUE + sign[1]
            flat = flat[:at] + pair + flat[at + 2 :] if flat[at] == OPAQUE else flat
        node = ast.string(flat)
        yield start + behind, Flat(flat, [0, len(flat)], {}, [node], frozenset()), is_paragraph


def _parted(text: str) -> str:
    """What comes before a link, so that the link does not become part of it."""
    word = _LAST_WORD.search(text)
    is_link = word is not None and word[1].endswith(("](", "](<")) and text.endswith(")")
    if word is None or is_link or text.endswith(">"):
        return text
    return f"{text}<!---->"  # it would be part of the URL


def _written(node: ast.Node) -> str:
    """What the style makes, as Markdown."""
    if node["t"] == "Space":
        return " "
    if node["t"] == "Str":
        return _escaped(node["c"])
    if node["t"] == "RawInline":
        raw: str = node["c"][1]
        return raw
    _, inlines, (url, _) = node["c"]
    return f"[{_escaped(''.join(inline['c'] for inline in inlines))}]({url})"


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", text)

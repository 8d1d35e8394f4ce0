"""The outline of a transcript: the blocks that decide which sources serve what, with their lines.

They have the shape of Pandoc's blocks, so that `turns` lays both out by the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cite_filter import fences
from cite_filter.pandoc_ast import Blocks, Node

# A line that may be read as the definition of a marker: `[1]: …`, `[^2]: …`, `[1, 2]: …`, in any
# digits, behind the signs of quotations and lists. Possessive, to be read once.
_ATTEMPT = re.compile(
    r"^([ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)]|\[[ xX]\])[ \t]++[ \t>]*+)*+)"
    r"\[([\s*_^]*+[\d\u00b2\u00b3\u00b9\u2070-\u2079\u2460-\u2473]"
    r"[\^\d,;\s*_\u00b2\u00b3\u00b9\u2070-\u2079\u2460-\u2473\u2013\u2014-]*+)\]:",
    re.M,
)
_VERBATIM = ("fence", "code_block", "html_block")
_PARAGRAPHS = re.compile(r"\$|://|www\.", re.I)


class Attempt(NamedTuple):
    """What a reader may take for the definition of a marker."""

    label: str
    start: int
    """Its first line, from 0."""
    end: int
    """The line after it."""
    is_definition: bool
    """CommonMark takes it for one. Pandoc may also where CommonMark does not."""
    prefix: str
    """What stands before it on its line: signs of quotations and lists."""


@dataclass(slots=True)
class Outline:
    """What of a text matters for its scopes, and the places that the source pass looks at."""

    blocks: Blocks = field(default_factory=list)
    attempts: list[Node] = field(default_factory=list)
    """Paragraphs among the blocks, each with its Attempt under the key `attempt`."""
    paragraphs: list[tuple[int, int]] = field(default_factory=list)
    """Lines of text that is read as Markdown, where a dollar or a URL stands in it."""


def outline(lines: list[str], kinds: list[fences.Line], body: int) -> Outline:
    """The outline of the lines from `body` on."""
    result = Outline()
    stack = [result.blocks]
    start = body
    for position in range(body, len(lines) + 1):
        kind = kinds[position].kind if position < len(lines) else "close"
        if kind in ("text", "code"):
            continue
        stack[-1] += _segment(lines, start, position, result)
        start = position + 1
        if kind == "open":
            line = kinds[position]
            attributes = [["lang", line.language]] if line.language else []
            inner: Blocks = []
            division = {"t": "Div", "c": [["", list(line.classes), attributes], inner]}
            stack[-1].append({**division, "line": position + 1})
            stack.append(inner)
        elif len(stack) > 1:
            stack.pop()
    return result


def _segment(lines: list[str], start: int, end: int, result: Outline) -> Blocks:
    """The blocks of the lines between two fences of divs."""
    text = "\n".join(lines[start:end])
    attempts = list(_ATTEMPT.finditer(text))
    looked_at = _PARAGRAPHS.search(text) is not None
    if not attempts and not looked_at and "sources" not in text:
        return []
    from markdown_it import MarkdownIt

    environment: dict[str, Any] = {}
    tokens = MarkdownIt("commonmark").enable("table").disable("inline").parse(text, environment)
    if looked_at:
        paragraphs = [token.map for token in tokens if token.type == "inline" and token.map]
        result.paragraphs += sorted({(start + first, start + last) for first, last in paragraphs})
    blocks, containers = _containers(tokens, start, end)
    verbatim = {
        start + line
        for token in tokens
        if token.type in _VERBATIM and token.map
        for line in range(token.map[0], token.map[1])
    }
    open_: list[tuple[int, int, Blocks]] = []
    rest = iter([*containers, (end + 1, end + 1, [])])
    following = next(rest)
    for attempt in _attempts(text, attempts, environment, start):
        while following[0] <= attempt.start:
            open_.append(following)
            following = next(rest)
        while open_[-1][1] <= attempt.start:
            open_.pop()
        if attempt.start in verbatim:
            continue
        block = {"t": "Para", "c": [], "line": attempt.start + 1, "attempt": attempt}
        open_[-1][2].append(block)
        result.attempts.append(block)
    for _, _, held in containers:
        held.sort(key=_line)
    return blocks


def _line(block: Node) -> int:
    line: int = block["line"]
    return line


def _attempts(
    text: str, found: list[re.Match[str]], environment: dict[str, Any], start: int
) -> Iterator[Attempt]:
    definitions = {map_[0]: map_[1] for map_ in _maps(environment)}
    line = position = 0
    for match in found:
        line += text.count("\n", position, match.start())
        position = match.start()
        end = definitions.get(line)
        label = " ".join(match[2].split())
        yield Attempt(label, start + line, start + (end or line + 1), end is not None, match[1])


def _maps(environment: dict[str, Any]) -> Iterator[list[int]]:
    """The lines, first and after the last, of all definitions of a parse."""
    yield from (reference["map"] for reference in environment.get("references", {}).values())
    yield from (reference["map"] for reference in environment.get("duplicate_refs", []))


def _containers(
    tokens: list[Any], start: int, end: int
) -> tuple[Blocks, list[tuple[int, int, Blocks]]]:
    """The containers and `sources` blocks of a parse, and every list of blocks with its lines."""
    top: Blocks = []
    spans = [(start, end, top)]
    stack = [top]
    for token in tokens:
        if token.type in ("blockquote_open", "list_item_open"):
            inner: Blocks = []
            first, last = token.map
            stack[-1].append({"t": "BlockQuote", "c": inner, "line": start + first + 1})
            spans.append((start + first, start + last, inner))
            stack.append(inner)
        elif token.type in ("blockquote_close", "list_item_close"):
            stack.pop()
        elif token.type == "fence":
            classes = token.info.split()[:1]
            code = ["", classes, []]
            line = start + token.map[0] + 1
            stack[-1].append({"t": "CodeBlock", "c": [code, token.content], "line": line})
    return top, spans

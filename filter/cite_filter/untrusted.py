"""Makes an untrusted document harmless to open: no script, no request, no file of this machine.

A transcript holds what a model, or a page it read, chose to write. Pandoc passes raw HTML, any
link target and any attribute on. Here raw HTML becomes what it means (`<br>`, `<sub>` …) or text,
images become links to them, a link that is neither a web page's nor the document's own becomes
text, and of attributes only classes, identifiers, `lang` and `dir` stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from cite_filter import metadata, urls
from cite_filter import pandoc_ast as ast
from cite_filter.lookalikes import is_number
from cite_filter.pandoc_ast import Blocks, Document, Inlines, Node

# Standard metadata that describes the document. Everything else may reach a template or a
# writer that reads files or raw code from it (header-includes, css, bibliography, …).
METADATA = frozenset(
    {
        *("title", "subtitle", "author", "date", "lang", "dir", "abstract", "abstract-title"),
        *("keywords", "subject", "description", "category", "rights", "publisher"),
        *("identifier", "creator", "contributor"),
    }
)
# Attributes that stay, with the values they may have.
_ATTRIBUTES = {
    "lang": re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8})*", re.I | re.A),
    "dir": re.compile(r"ltr|rtl|auto"),
}
# Pandoc's typst writer puts the first class of a code block into code as it is.
_CLASS = re.compile(r"[a-z0-9][\w+.#-]*", re.I | re.A)
_IDENTIFIER = re.compile(r"\w(?:[\w.:-]*\w)?")
# The classes that have the looks of a verified answer; only its own document may have them.
_OF_ANSWERS = frozenset(
    {
        *("summary", "tally", "claim", "claim-label", "badge", "quotation", "quoted", "finding"),
        *("remark", "uncovered", "retrieved", "integrity", "hashes"),
    }
)
_RESERVED = frozenset({"title-block-header", "abstract-title", "TOC", "toc-title"})
"""Identifiers of the templates' own."""
# What no XML, so no EPUB and no DOCX, may hold.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_TEXTS = {"Str": None, "Code": 1, "CodeBlock": 1, "Math": 1}
"""Elements with text, and its place in their content."""
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)\s*/?>", re.I)
_COMMENT = re.compile(r"\s*+(?:<!--(?:(?!-->).)*+-->\s*+)+", re.S)
_MEANING = {
    "b": "Strong",
    "del": "Strikeout",
    "em": "Emph",
    "i": "Emph",
    "s": "Strikeout",
    "strong": "Strong",
    "sub": "Subscript",
    "sup": "Superscript",
    "u": "Underline",
}
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)
_IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"})
_MAILTO = re.compile(r"mailto:[\w.!$'*+/=^`{|}~-]+@[a-z0-9.-]+", re.I | re.A)


def disarm(
    document: Document,
    *,
    resources: Path | None = None,
    titles: bool = True,
    is_answer: bool = False,
) -> list[str]:
    """Makes `document` harmless, in place; returns a message for each kind of thing that changed.

    With `resources`, images of the web and in that folder stay. Without `titles`, links lose
    theirs, which Pandoc's Markdown writers do not escape. The looks of an answer are for a document
    that was made of one.
    """
    return _Disarm(document, resources, titles, is_answer).run()


def unlink(document: Document) -> None:
    """Makes text of all links within the document, in place."""
    lists: list[list[Node]] = [document["blocks"]]
    while lists:
        for node in lists.pop():
            if node["t"] == "Link" and node["c"][2][0].startswith("#"):
                span = _span(node["c"][1])
                node.clear()
                node.update(span)
            lists += ast.inner_lists(node)


class _Disarm:
    def __init__(
        self, document: Document, resources: Path | None, titles: bool, is_answer: bool
    ) -> None:
        self.document = document
        self.unused = frozenset() if is_answer else _OF_ANSWERS
        self.resources = resources
        self.titles = titles
        self.identifiers = set(_RESERVED)
        self.suffixes: dict[str, int] = {}
        self.links: list[Node] = []
        self.images: int = 0

    def run(self) -> list[str]:
        meta: dict[str, Any] = self.document["meta"]
        meta.pop("provenance", None)  # an importer's note, for readers of the transcript
        dropped = sorted(key for key in meta if key not in METADATA)
        for key in dropped:
            del meta[key]
        for key, value in list(meta.items()):
            self._metadata(value)
            if key == "title" and not metadata.text(value).strip():
                del meta[key]
        self._tree([self.document["blocks"]])
        dangling = self._unlink_dangling()
        return list(self._messages(dropped, dangling))

    def _messages(self, dropped: list[str], dangling: list[str]) -> Iterator[str]:
        if dropped:
            yield f"metadata not used: {', '.join(map(ast.clean, dropped))}"
        if self.images:
            why = "; --allow-resources loads images"
            if self.resources is not None:
                why = ", not found in the folder of the transcript"
            yield f"{self.images} image(s) written as links{why}"
        if dangling:
            yield f"links to no place in the document written as text: {', '.join(dangling)}"

    def _metadata(self, value: Node) -> None:
        stack = [value]
        while stack:
            node = stack.pop()
            kind: str = node["t"]
            content: Any = node.get("c")
            if kind in ("MetaInlines", "MetaBlocks"):
                self._tree([content], shown=True)
            elif kind == "MetaString":
                node["c"] = ast.shown(content)
            elif kind == "MetaList":
                stack += content or []
            elif kind == "MetaMap":
                stack += (content or {}).values()

    def _tree(self, lists: list[list[Node]], *, shown: bool = False) -> None:
        """Goes through lists of blocks or inlines and all they hold.

        With `shown`, text loses the characters that change the direction of what follows.
        """
        while lists:
            nodes = lists.pop()
            nodes[:] = self._nodes(nodes)
            for node in nodes:
                self._attributes(node)
                _clean_text(node, shown=shown)
                if node["t"] == "Math" and not self.titles and "`" in node["c"][1]:
                    _make_code(node)
                lists += ast.inner_lists(node)

    def _nodes(self, nodes: list[Node]) -> list[Node]:
        """`nodes` without what is dangerous on this level."""
        result: list[Node] = []
        opened: list[tuple[str, int]] = []
        for node in nodes:
            kind = node["t"]
            if kind == "RawInline" and node["c"][0] != "markdown":  # that is the filter's own
                self._raw_inline(node, result, opened)
            elif kind == "RawBlock":
                result += _raw_block(node["c"][1])
            elif kind == "Image" and not self._may_load(node["c"][2][0]):
                self.images += 1
                result += self._link(ast.link(*_of_image(node)))
            elif kind == "Link":
                result += self._link(node)
            else:
                result.append(node)
        return result

    def _raw_inline(self, node: Node, result: Inlines, opened: list[tuple[str, int]]) -> None:
        written = node["c"][1]
        tag = _TAG.fullmatch(written)
        name = tag[2].lower() if tag else ""
        if name == "br":
            result.append({"t": "LineBreak"})
        elif _COMMENT.fullmatch(written):
            return
        elif tag and name in _MEANING and not tag[1]:
            opened.append((name, len(result)))
            result.append(ast.string(written))
        elif tag and opened and opened[-1][0] == name:
            _, start = opened.pop()
            inside = result[start + 1 :]
            meaning = "Span" if name == "sup" and _has_foreign_number(inside) else _MEANING[name]
            result[start:] = [_span(inside) if meaning == "Span" else {"t": meaning, "c": inside}]
        else:
            result.append(ast.string(written))

    def _may_load(self, target: str) -> bool:
        """Whether an image may be loaded: of the web, or a file in the transcript's folder."""
        if self.resources is None:
            return False
        if urls.is_linkable(target):
            return True
        if _SCHEME.match(target) or target.startswith(("/", "\\", "#")):
            return False
        folder = self.resources.resolve()
        path = (folder / unquote(target)).resolve()
        return path.is_relative_to(folder) and path.suffix.lower() in _IMAGES and path.is_file()

    def _link(self, node: Node) -> Inlines:
        """A link that may stay, or its text and its target as text."""
        target, title = node["c"][2]
        node["c"][2] = [target, ast.clean(title) if self.titles else ""]
        if target.startswith("#"):
            self.links.append(node)
            return [node]
        if urls.is_linkable(target) or _MAILTO.fullmatch(target):
            return [node]
        inlines: Inlines = node["c"][1]
        shown = ast.clean(target)
        if not shown or (len(inlines) == 1 and inlines[0].get("c") == target):
            return [_span(inlines)]
        return [_span(inlines), ast.space(), ast.string(f"({shown})")]

    def _attributes(self, node: Node) -> None:
        attributes = ast.attributes_of(node)
        if attributes is None:
            return
        identifier, classes, pairs = attributes
        attributes[0] = self._unique(identifier) if _IDENTIFIER.fullmatch(identifier) else ""
        attributes[1] = [
            name for name in classes if _CLASS.fullmatch(name) and name not in self.unused
        ]
        if node["t"] == "Span" and "citation" in classes:
            attributes[1].remove("citation")  # the looks of one that was verified
        attributes[2] = [
            [key, value]
            for key, value in pairs
            if key in _ATTRIBUTES and _ATTRIBUTES[key].fullmatch(value)
        ]

    def _unique(self, identifier: str) -> str:
        """`identifier`, or with a number where it is taken: doubled ones break EPUB and typst."""
        unique, suffix = identifier, self.suffixes.get(identifier, 1)
        while unique in self.identifiers:
            suffix += 1
            unique = f"{identifier}-{suffix}"
        self.suffixes[identifier] = suffix
        self.identifiers.add(unique)
        return unique

    def _unlink_dangling(self) -> list[str]:
        """Makes links to identifiers that do not exist spans: they end a typst run."""
        dangling: list[str] = []
        for node in self.links:
            target: str = node["c"][2][0]
            if target[1:] not in self.identifiers:
                dangling.append(ast.clean(target))
                span = _span(node["c"][1])
                node.clear()
                node.update(span)
        return dangling


def _span(inlines: Inlines) -> Node:
    return {"t": "Span", "c": [["", [], []], inlines]}


def _has_foreign_number(inlines: Inlines) -> bool:
    """Whether raising `inlines` would give a link of the text the looks of a citation."""
    stack = list(inlines)
    while stack:
        node = stack.pop()
        if node["t"] == "Link" and "citation" not in node["c"][0][1] and is_number(node["c"][1]):
            return True
        for inner in ast.inner_lists(node):
            stack += inner
    return False


def _make_code(node: Node) -> None:
    """Makes code of a formula: Pandoc's gfm writer sets formulas between back-ticks as they are."""
    text = node["c"][1]
    node.clear()
    node.update({"t": "Code", "c": [["", [], []], f"${text}$"]})


def _clean_text(node: Node, *, shown: bool) -> None:
    """Takes out of the text of an element what files cannot hold, or must not show."""
    if node["t"] not in _TEXTS:
        return
    place = _TEXTS[node["t"]]
    text: str = node["c"] if place is None else node["c"][place]
    clean = _NO_XML.sub("\ufffd", ast.shown(text) if shown else text)
    if clean == text:
        return
    if place is None:
        node["c"] = clean
    else:
        node["c"][place] = clean


def _raw_block(written: str) -> Blocks:
    """A block of raw HTML as the text it is; nothing for a comment."""
    if _COMMENT.fullmatch(written):
        return []
    return [{"t": "CodeBlock", "c": [["", ["html"], []], written.rstrip("\n")]}]


def _of_image(node: Node) -> tuple[Inlines, str]:
    _, description, (target, _) = node["c"]
    return description or [ast.string(ast.clean(target))], target

"""The promises of `docs/format.md`, section 6, on generated documents."""

from __future__ import annotations

import copy
import json
from typing import Any

from cite_filter import link
from cite_filter import pandoc_ast as ast
from cite_filter.pandoc_ast import Inlines, Node
from cite_filter.source_lists import Sources, read_yaml
from conftest import many
from hypothesis import given
from hypothesis import strategies as st

URLS = {str(n): f"https://{n}.example/" for n in (1, 2, 3)}
KNOWN = read_yaml(
    "\n".join(f"- {{title: T{n}, url: '{url}'}}" for n, url in URLS.items())
    + "\n- {title: Four, url: 'javascript:four'}"
)

PIECES = [
    *("[1]", "[2, 3]", "[1,3]", "[^1]", "[9]", "[4]", "[1, 9]", "[", "]", "(", "!", "^", ":", ","),
    *("a", "1", "0", "١", "[x]", "[1](", "][1]", "\ufdd0", "\ufdd1", "\u200b", "\n", " "),
]


def documents_of(pieces: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Documents whose text is made of `pieces`."""
    text = st.lists(st.sampled_from(pieces), min_size=1, max_size=4).map("".join)
    leaf = st.one_of(text.map(ast.string), text.map(ast.string), _breaks, _verbatim(text))
    runs = st.recursive(
        st.lists(leaf, min_size=1, max_size=8),
        lambda inner: st.lists(leaf | _inline(inner), min_size=1, max_size=6),
        max_leaves=12,
    )
    paragraphs = runs.map(lambda run: {"t": "Para", "c": run})
    headers = runs.map(lambda run: {"t": "Header", "c": [1, ["", [], []], run]})
    blocks = st.recursive(
        st.lists(paragraphs | headers, min_size=1, max_size=4),
        lambda inner: st.lists(paragraphs | _block(inner), min_size=1, max_size=3),
        max_leaves=8,
    )
    return blocks.map(lambda held: {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": held})


_breaks = st.sampled_from(["Space", "SoftBreak", "LineBreak"]).map(lambda kind: {"t": kind})


def _verbatim(text: st.SearchStrategy[str]) -> st.SearchStrategy[Node]:
    return st.one_of(
        text.map(lambda t: {"t": "Code", "c": [["", [], []], t]}),
        text.map(lambda t: {"t": "Math", "c": [{"t": "InlineMath"}, t]}),
        st.sampled_from(["<a>", "</a>", "<b>", "<code>", "</code>", "[1]"]).map(
            lambda t: {"t": "RawInline", "c": ["html", t]}
        ),
    )


def _inline(inner: st.SearchStrategy[Inlines]) -> st.SearchStrategy[Node]:
    kinds = st.sampled_from(["Emph", "Strong", "Superscript", "Strikeout"])
    return st.one_of(
        st.tuples(kinds, inner).map(lambda pair: {"t": pair[0], "c": pair[1]}),
        inner.map(lambda inlines: {"t": "Span", "c": [["", [], []], inlines]}),
        inner.map(lambda inlines: ast.link(inlines, "https://other.example/")),
        inner.map(lambda inlines: {"t": "Note", "c": [{"t": "Para", "c": inlines}]}),
    )


def _block(inner: st.SearchStrategy[list[Node]]) -> st.SearchStrategy[Node]:
    classes = st.sampled_from(["turn", "prompt", "note"])
    return st.one_of(
        inner.map(lambda blocks: {"t": "BlockQuote", "c": blocks}),
        inner.map(lambda blocks: {"t": "BulletList", "c": [blocks]}),
        st.tuples(classes, inner).map(lambda pair: ast.division((pair[0],), pair[1])),
    )


documents = documents_of(PIECES)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "cite-filter-marker": st.just({"t": "MetaString", "c": "unicode"}),
        "cite-filter-space": st.just({"t": "MetaString", "c": "keep"}),
        "cite-filter-target": st.just({"t": "MetaString", "c": "list"}),
    },
)


def linked(
    document: dict[str, Any], sources: Sources | None, target: str = "html"
) -> dict[str, Any]:
    result: dict[str, Any] = link(copy.deepcopy(document), target, sources=sources).document
    return result


def undone(document: dict[str, Any]) -> str:
    """The document with its list dropped and each link as its label, without raising, white space
    and the signs that a marker is written with."""
    drawn = json.dumps(_undo(document["blocks"]), ensure_ascii=False)
    return "".join(character for character in drawn if character not in '[],"^ \\n')


def _undo(nodes: list[Node]) -> list[Any]:
    result: list[Any] = []
    for node in nodes:
        kind: str = node["t"]
        content: Any = node.get("c")
        if kind == "Superscript":  # ours or the document's
            result += _undo(content)
        elif label := _label(node):
            result.append(label)
        elif kind == "Str":
            result.append(content)
        elif "Break" not in kind and kind != "Space" and not _is_list(node):
            result.append([kind, _undo_content(content)])
    return result


def _undo_content(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    if content and all(isinstance(item, dict) and "t" in item for item in content):
        return _undo(content)
    return [_undo_content(item) for item in content]


def _label(node: Node) -> str:
    """The label of a citation link; nothing for any other node."""
    if node["t"] == "Link" and node["c"][0][1] == ["citation"]:
        return str(node["c"][1][0]["c"])
    return ""


def _is_list(node: Node) -> bool:
    return ast.is_division(node, "sources-list")


@given(documents)
def test_identity(document: dict[str, Any]) -> None:
    assert linked(document, None) == document


@given(documents, OPTIONS)
def test_idempotence(document: dict[str, Any], options: dict[str, Any]) -> None:
    document["meta"].update(options)
    once = linked(document, KNOWN)
    assert linked(once, None) == once


@given(documents)
def test_the_same_sources_again_change_nothing_in_the_text(document: dict[str, Any]) -> None:
    document["meta"]["cite-filter-list"] = {"t": "MetaString", "c": "none"}
    once = linked(document, KNOWN)
    once["meta"]["cite-filter-list"] = {"t": "MetaString", "c": "none"}
    assert _links(linked(once, KNOWN)) == _links(once)


@given(documents, OPTIONS)
@many(300)
def test_nothing_is_invented(document: dict[str, Any], options: dict[str, Any]) -> None:
    document["meta"].update(options)
    for label, target in _links(linked(document, KNOWN)):
        number = label.translate(str.maketrans("¹²³", "123"))
        assert target in (URLS[number], f"#turn-1-source-{number}")


def _links(document: dict[str, Any]) -> list[tuple[str, str]]:
    """(label, target) of every citation."""
    found: list[tuple[str, str]] = []
    stack: list[Any] = [document["blocks"]]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if value.get("t") == "Link" and value["c"][0][1] == ["citation"]:
                found.append((value["c"][1][0]["c"], value["c"][2][0]))
            stack += value.values()
        elif isinstance(value, list):
            stack += value
    return found


@given(documents_of([piece for piece in PIECES if piece != ":"]))
@many(300)
def test_conservation(document: dict[str, Any]) -> None:
    assert undone(linked(document, KNOWN)) == undone(document)

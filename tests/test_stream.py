"""A document taken block by block comes out as one taken whole, and any depth comes through."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from cite_filter import json_text, link, received, stream
from cite_filter.linking import Result
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from test_filter import SOURCES, run_filter, to_json
from test_properties import PIECES, documents_of

YAML = ["- url: https://1.example/", "- {index: 2, url: 'https://2.example/'}", "broken: [", ""]
OWN = {
    "t": "MetaList",
    "c": [{"t": "MetaMap", "c": {"url": {"t": "MetaString", "c": "https://1.example/"}}}],
}
HTML = ["<pre>", "</pre>", "<details>", "<a>"]


def compact(document: Any) -> bytes:
    """As Pandoc writes it."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def in_parts(data: bytes, step: int = 100_000) -> tuple[bytes, Result] | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(received, "STEP", step)
        return stream.link_stream(received.Received(io.BytesIO(data)), "html")


extras = st.one_of(
    st.sampled_from(YAML).map(lambda text: {"t": "CodeBlock", "c": [["", ["sources"], []], text]}),
    st.sampled_from(HTML).map(lambda text: {"t": "RawBlock", "c": ["html", text]}),
    st.sampled_from(YAML).map(
        lambda text: {
            "t": "Div",
            "c": [
                ["", ["turn"], []],
                [
                    {"t": "Para", "c": [{"t": "Str", "c": "[1][2]"}]},
                    {"t": "CodeBlock", "c": [["", ["sources"], []], text]},
                ],
            ],
        }
    ),
    st.just({"t": "Div", "c": [["", ["sources-list"], []], []]}),
    st.just(
        {"t": "Para", "c": [{"t": "Str", "c": "[^1]:"}, {"t": "Space"}, {"t": "Str", "c": "x"}]}
    ),
)


@given(
    documents_of(PIECES),
    st.lists(extras, max_size=5),
    st.randoms(),
    st.booleans(),
    st.integers(1, 500),
)
@many(400)
def test_in_parts_as_whole(
    document: dict[str, Any], extra: list[Any], chance: Any, own: bool, step: int
) -> None:
    for block in extra:
        document["blocks"].insert(chance.randint(0, len(document["blocks"])), block)
    if own:
        document["meta"]["sources"] = OWN
    data = compact(document)
    whole = link(json.loads(data), "html")
    parts = in_parts(data, step)
    if parts is None:
        return
    sent, result = parts
    assert result.changed == whole.changed
    assert list(result.warnings) == list(whole.warnings)
    assert result.cited == whole.cited
    if result.changed:
        assert json.loads(sent) == whole.document


SPLIT = st.sampled_from(
    ["[", "1", "]", "[^", "^", "^1", "1]", "]:", ":", "[^1]", "x\n[^1]: y", "", "x", "[1", ",", "2"]
)


@given(
    st.lists(st.lists(SPLIT, min_size=1, max_size=6), min_size=1, max_size=4), st.integers(1, 500)
)
@many(400)
def test_words_in_pieces_come_out_as_they_do_whole(texts: list[list[str]], step: int) -> None:
    """As another filter before this one may leave them."""
    blocks: list[Any] = [
        {"t": "Para", "c": [{"t": "Str", "c": piece} for piece in pieces]} for pieces in texts
    ]
    sources = "- url: https://1.example/\n- url: https://2.example/"
    blocks.append({"t": "CodeBlock", "c": [["", ["sources"], []], sources]})
    data = compact({"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": blocks})
    whole = link(json.loads(data), "html")
    parts = in_parts(data, step)
    assert parts is not None
    assert json.loads(parts[0]) == whole.document
    assert list(parts[1].warnings) == list(whole.warnings)


def test_a_large_document_goes_in_parts() -> None:
    turn = "::: {.turn}\n\nFact [1] [9] — ü 你.\n\n```sources\n- url: https://1.example/\n```\n\n:::\n\n"
    data = to_json(turn * 700, "gfm+fenced_divs")
    assert len(data) > 200_000
    assert in_parts(data) is not None
    done = run_filter(data, "html")
    assert json.loads(done.stdout) == link(json.loads(data), "html").document
    assert done.stderr.count(b"\n") == 700


def test_half_a_surrogate_pair_in_a_large_document() -> None:
    data = to_json(
        "HALF [1]\n\n" + "word " * 20_000 + "\n\n```sources\n- url: https://1.example/\n```\n"
    )
    done = run_filter(data.replace(b"HALF", b"\\ud800"), "html")
    assert json.loads(done.stdout)["blocks"][0]["c"][0]["c"] == "\ud800"


@pytest.mark.parametrize("size", [1, 40_000])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"t":"BlockQuote","c":[', "]}"),
        ('{"t":"BulletList","c":[[', "]]}"),
        ('{"t":"Div","c":[["",[],[]],[', "]]}"),
        ('{"t":"Para","c":[{"t":"Emph","c":[', None),
        ('{"t":"Para","c":[{"t":"Span","c":[["",[],[]],[', None),
    ],
    ids=["quotes", "lists", "divs", "emphasis", "spans"],
)
def test_any_depth_is_linked(before: str, after: str | None, size: int) -> None:
    depth = 5_000
    if after is None:
        inner = before.removeprefix('{"t":"Para","c":[')
        closing = "]]}" if "Span" in before else "]}"
        nested = f'{{"t":"Para","c":[{inner * depth}{{"t":"Str","c":"[1]"}}{closing * depth}]}}'
    else:
        nested = before * depth + '{"t":"Para","c":[{"t":"Str","c":"[1]"}]}' + after * depth
    filler = json.dumps({"t": "Para", "c": [{"t": "Str", "c": "x"}] * size}, separators=(",", ":"))
    meta = json.dumps({"sources": OWN}, separators=(",", ":"))
    text = f'{{"pandoc-api-version":[1,23,1],"meta":{meta},"blocks":[{nested},{filler}]}}'
    done = run_filter(text.encode(), "html")
    assert done.returncode == 0, done.stderr[-300:]
    assert b'"https://1.example/"' in done.stdout
    assert b"citation" in done.stdout
    assert done.stdout.count(b'"BlockQuote"') == text.count('"BlockQuote"')


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_deep_json_is_json(value: Any) -> None:
    assert json_text.loads_deep(json.dumps(value)) == value
    assert json.loads(json_text.dumps_deep(value)) == value


@pytest.mark.parametrize("text", ["", "[", "]", "[]]", "{]", '{"a":1', "1 2", "[1", "x"])
def test_what_is_no_json_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        json_text.loads_deep(text)


def test_sources_at_the_end_of_a_large_text_serve_it_all() -> None:
    text = SOURCES.replace("sources:", "other:") + "Fact [1].\n\n" + "word " * 30_000
    data = to_json(text + "\n\n```sources\n- url: https://end.example/\n```\n")
    document = json.loads(run_filter(data, "html").stdout)
    assert "https://end.example/" in json.dumps(document["blocks"][0])

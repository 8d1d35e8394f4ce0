"""Stored transcripts: their JSON, their Markdown, and back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cite_filter import reading, source_text
from cite_filter.fields import InvalidData
from cite_filter.linking import link
from cite_filter.sources import Source, ToolCallRecord
from cite_filter.transcripts import Transcript, Turn
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from test_schemas import schema

ONE = Source(1, "One", "https://1.example/")

PIECES = st.sampled_from(
    [
        *("Fact [1].", "[2]", ":::", "::: {.turn}", "::: prompt", "\\:::", "> :::", "- ::: {.x}"),
        *("```sources", "```sources-of-text", "```", "~~~", "````", "- url: https://evil.example/"),
        *("<!--", "-->", "<pre>", "<script>", "</script>", "<div>", "# A", "---", "***", "1. a"),
        *("    code", "\t:::", "$x$", "[1]: https://evil.example/", "*Tools: x*", "x: y", "…你🌊"),
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.just(""), st.text(max_size=6)), max_size=8).map("\n".join)
LINES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
URLS = st.sampled_from(
    ["https://1.example/", "https://2.example/a_(b)?c=d#e", "file:a b.pdf", "x'y\"z"]
)
SOURCES = st.lists(st.tuples(LINES, URLS), max_size=3).map(
    lambda found: [Source(n, title, url) for n, (title, url) in enumerate(found, start=1)]
)
TAGS = st.none() | st.sampled_from(["en", "de", "zh-Hant"])
DATES = st.none() | st.just("2025-09-01T10:00:00Z")
CALLS = st.lists(
    st.sampled_from(["web_search", "fetch", "*x*", "a, b"]), unique=True, max_size=2
).map(lambda names: [ToolCallRecord(name) for name in names])
TURNS = st.builds(
    Turn, answer=TEXTS, prompt=TEXTS, sources=SOURCES, tool_calls=CALLS, language=TAGS, date=DATES
)
TRANSCRIPTS = st.builds(
    Transcript,
    turns=st.lists(TURNS, max_size=3),
    title=LINES,
    language=TAGS,
    date=DATES,
    provenance=st.dictionaries(st.sampled_from(["format", "file", "id"]), LINES),
)


def lines_of(text: str) -> list[str]:
    """The lines that a reader sees, without empty ones.

    Where no end closes what an answer opens and never closes, its fences and tags are escaped.
    """
    lines = re.split(r"\r\n|\r|\n", text)
    return [re.sub(r"\\(?=`{3}|~{3}|<)", "", line) for line in lines if line.strip()]


@given(TRANSCRIPTS)
@many(150)
def test_markdown_and_back_loses_nothing(transcript: Transcript) -> None:
    text = transcript.to_markdown()
    back = Transcript.from_markdown(text)
    assert back.to_markdown() == text
    assert back.title.split() == transcript.title.split()
    assert (back.language, back.date) == (transcript.language, transcript.date)
    assert len(back.turns) == len(transcript.turns)
    for new, old in zip(back.turns, transcript.turns, strict=True):
        assert lines_of(new.prompt)[: len(lines_of(old.prompt))] == lines_of(old.prompt)
        assert lines_of(new.answer)[: len(lines_of(old.answer))] == lines_of(old.answer)
        assert new.all_sources == old.all_sources
        assert [call.tool for call in new.tool_calls] == [call.tool for call in old.tool_calls]
        assert (new.language, new.date) == (old.language, old.date)


@given(st.lists(TURNS, min_size=1, max_size=3))
@many(40)
def test_pandoc_sees_the_turns_and_the_sources_that_were_stored(turns: list[Turn]) -> None:
    """And no source that an answer or a question wrote itself."""
    text = Transcript(turns).to_markdown()
    source = source_text.parse(text, Path("x.md"))
    result = link(reading.read(source), sources=source.document_sources)
    with_sources = [turn for turn in turns if turn.all_sources]
    found = [turn for turn in result.turns if turn.sources.by_number or turn.sources.conflicts]
    assert len(found) == len(with_sources)
    for seen, stored in zip(found, with_sources, strict=True):
        urls = {str(source.number): source.url for source in stored.all_sources}
        assert {number: known.url for number, known in seen.sources.by_number.items()} == urls


@given(TRANSCRIPTS)
@many(50)
def test_json_and_back_loses_nothing(transcript: Transcript) -> None:
    stored = json.loads(json.dumps(transcript.to_json()))
    jsonschema.validate(stored, schema("transcript"))
    assert Transcript.from_json(stored).to_json() == stored


def test_fields_that_are_not_known_stay() -> None:
    source = {"index": 1, "title": "T", "url": "x", "accessed": "2025", "deep": {"a": [1]}}
    call = {"tool": "s", "sources": [source], "duration": 3}
    stored = {"turns": [{"answer": "a", "model": "m", "tool_calls": [call]}], "owner": None, "v": 2}
    assert Transcript.from_json(stored).to_json() == stored


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "the file: []; expected an object"),
        ({}, "turns: missing; expected a list"),
        ({"turns": {}}, "turns: {}; expected a list"),
        ({"turns": ["x"]}, 'turns[0]: "x"; expected an object'),
        ({"turns": [{}]}, "turns[0].answer: missing; expected text"),
        ({"turns": [{"answer": 3}]}, "turns[0].answer: 3; expected text"),
        (
            {"turns": [{"answer": "", "sources": [{"index": "1", "url": "x"}]}]},
            'turns[0].sources[0].index: "1"; expected a whole number from 1 on',
        ),
        (
            {"turns": [{"answer": "", "tool_calls": [{"tool": "t", "sources": [{"index": 1}]}]}]},
            "turns[0].tool_calls[0].sources[0].url: missing; expected text",
        ),
        (
            {"turns": [{"answer": "", "sources": [{"index": 1, "url": " "}]}]},
            "turns[0].sources[0].url: empty; expected the address of the source",
        ),
        (
            {"turns": [], "provenance": {"a": 1}},
            'provenance: {"a": 1}; expected an object of texts',
        ),
        ({"turns": [], "title": ["x" * 99]}, f'title: ["{"x" * 58}…; expected text'),
    ],
)
def test_what_is_no_transcript_says_where_and_what(data: Any, said: str) -> None:
    with pytest.raises(InvalidData) as raised:
        Transcript.from_json(data)
    assert str(raised.value) == said
    assert not jsonschema.Draft202012Validator(schema("transcript")).is_valid(data)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("words", "line 1: text outside the turns"),
        ("::: {.x}\n:::\n", "line 1: a div that is no turn"),
        ("\n::: {.turn}\nx\n", "line 2: a turn that does not end"),
        ("---\ntitle: x\n", "line 1: metadata that does not end"),
        ("---\na: [\n---\n", "invalid YAML"),
        ("---\ntitle: [x]\n---\n", 'metadata.title: ["x"]; expected text'),
        ("---\n- x\n---\n", 'metadata: ["x"]; expected an object'),
        ("::: {.turn}\n```sources\n- x\n```\n:::\n", "line 3: an entry is no map"),
    ],
)
def test_what_is_no_transcript_in_markdown_says_the_line(text: str, said: str) -> None:
    with pytest.raises(InvalidData, match=re.escape(said)):
        Transcript.from_markdown(text)


def test_the_line_of_the_tools_may_be_left_out_and_the_sources_never() -> None:
    call = ToolCallRecord("web_search", sources=[ONE])
    transcript = Transcript([Turn("Fact [1].", tool_calls=[call, call])])
    assert transcript.to_markdown().count("*Tools: web\\_search*") == 1
    without = transcript.to_markdown(tools=False)
    assert "Tools" not in without
    assert "url: https://1.example/" in without


def test_the_title_is_text_for_pandoc() -> None:
    title = "A *b* [c](d) <e> $f$ `g` \\ : # {h} 'i' \"j\""
    text = Transcript([Turn("x")], title).to_markdown()
    document = reading.read(source_text.parse(text, Path("x.md")))
    inlines = document["meta"]["title"]["c"]
    assert "".join(node.get("c", " ") for node in inlines) == title
    assert Transcript.from_markdown(text).title == title

"""Cohere: offsets that are checked by what the stretch says."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter.importers import Refused, cohere
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B = "https://example.org/a", "https://example.com/b?x=(1)"
TEXT = "🌊 Tides rise. 潮汐每天。 כן."


def _document(**fields: str) -> dict[str, Any]:
    return {"type": "document", "id": "doc:0", "document": {"id": "doc:0", **fields}}


def _citation(said: str, *sources: Any, shift: int = 0, text: str = TEXT) -> dict[str, Any]:
    start = text.index(said) + shift
    return {
        "start": start,
        "end": start + len(said),
        "text": said,
        "sources": list(sources),
        "type": "TEXT_CONTENT",
    }


def _response(*citations: Any, **more: Any) -> dict[str, Any]:
    content = [{"type": "thinking", "thinking": "private"}, {"type": "text", "text": TEXT}]
    for citation in citations:
        citation["content_index"] = 1
    message = {"role": "assistant", "content": content, "citations": list(citations)}
    return {"id": "1", "message": message, "finish_reason": "COMPLETE", **more}


def test_pages_and_documents() -> None:
    data = _response(
        _citation("Tides rise", _document(url=A, title="One"), _document(title="notes.pdf")),
        _citation("潮汐", _document()),
        messages=[{"role": "user", "content": "Why?"}],
    )
    (turn,) = turns(cohere, data)
    assert turn.prompt == "Why?"
    assert turn.answer == "🌊 Tides rise[1][2]. 潮汐[3]每天。 כן."
    assert [(source.title, source.url) for source in turn.all_sources] == [
        ("One", A),
        ("notes.pdf", "file:notes.pdf"),
        ("doc:0", "file:doc:0"),
    ]


def test_offsets_in_another_unit_or_wrong() -> None:
    utf_16 = _response(_citation("Tides", _document(url=A), shift=1))
    assert turns(cohere, utf_16)[0].answer == TEXT.replace("Tides", "Tides[1]")
    wrong = _response(
        _citation("כן", _document(url=A), shift=-7),
        {**_citation("i", _document(url=B)), "start": 0, "end": 1},
    )
    result = read(turns(cohere, wrong)[0])
    assert result == (TEXT, [(TEXT.index("כן") + 2, A)], [B])
    assert messages(cohere, wrong) == [
        "turn 1: this export does not say where 1 source is cited; listed only"
    ]


def test_what_a_tool_returned_is_a_source_only_where_it_is_a_page() -> None:
    page = {"type": "tool", "id": "t:0", "tool_output": {"url": B, "title": "Two"}}
    bare = {"type": "tool", "id": "t:1", "tool_output": {"temperature": 3}}
    data = _response(_citation("Tides rise", page, bare))
    assert "rise[1]<!-- -->[?]." in turns(cohere, data)[0].answer


def test_each_text_counts_for_itself() -> None:
    citation = {**_citation("Two", _document(url=A), text="Two."), "content_index": 1}
    content = [{"type": "text", "text": "One. "}, {"type": "text", "text": "Two."}]
    message = {"role": "assistant", "content": content, "citations": [citation]}
    data = {"message": message, "finish_reason": "COMPLETE"}
    assert turns(cohere, data)[0].answer == "One. Two[1]."


def test_plans_and_thoughts_are_not_cited() -> None:
    data = _response({**_citation("Tides", _document(url=A)), "type": "PLAN"})
    assert read(turns(cohere, data)[0]) == (TEXT, [], [])


def test_the_first_version() -> None:
    data = {
        "chat_history": [
            {"role": "USER", "message": "Why?"},
            {"role": "CHATBOT", "message": "So."},
        ],
        "message": "And?",
        "response": {
            "text": TEXT,
            "generation_id": "g",
            "citations": [{"start": 2, "end": 7, "text": "Tides", "document_ids": ["web_0", "x"]}],
            "documents": [{"id": "web_0", "url": A, "title": "One"}, {"id": "web_1", "url": B}],
        },
    }
    found = turns(cohere, data)
    assert [turn.prompt for turn in found] == ["Why?", "And?"]
    assert found[1].answer == TEXT.replace("Tides", "Tides[1][2]")
    assert [source.url for source in found[1].all_sources] == [A, "file:x"]


@pytest.mark.parametrize(
    "data",
    [
        {"message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"},
        {"text": "x", "citations": [A]},
        {"message": {"content": "x", "citations": [{"url": A}]}},
        "# Prose",
    ],
)
def test_what_is_none_of_it(data: Any) -> None:
    assert not cohere.recognises(export(data))


def test_nothing_said() -> None:
    with pytest.raises(Refused):
        imported(cohere, {"message": {}, "finish_reason": "COMPLETE"})


def test_nothing_breaks_it() -> None:
    tool = {"type": "tool", "id": "t", "tool_output": {"url": B}}
    survives(cohere, _response(_citation("Tides", _document(url=A), tool)))


CLAIM = st.text(st.sampled_from("ab é潮🌊א."), min_size=1, max_size=6).map(str.strip).filter(bool)


@many(50)
@given(st.lists(st.tuples(CLAIM, st.lists(st.integers(0, 3), max_size=3)), min_size=1, max_size=6))
def test_what_went_in_comes_out(claims: list[tuple[str, list[int]]]) -> None:
    text, wanted, citations = "", set(), []
    for claim, numbers in claims:
        start, text = len(text), text + claim
        urls = [f"https://example.org/{n}" for n in numbers]
        wanted |= {(len(text), url) for url in urls}
        sources = [_document(url=url) for url in urls]
        citations.append({"start": start, "end": len(text), "text": claim, "sources": sources})
        text += " "
    message = {"role": "assistant", "content": text, "citations": citations}
    (turn,) = turns(cohere, {"message": message, "finish_reason": "COMPLETE"})
    result = read(turn)
    assert (result.text, set(result.cites), result.listed) == (text, wanted, [])

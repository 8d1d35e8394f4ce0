"""Google's interfaces: byte offsets, chunks by position, streams, files, AI Studio."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cite_filter.importers import Refused, gemini
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

TEXT = "Tides 🌊 rise twice. 潮汐。 המים עולים. End."
A, B = "https://example.org/a", "https://example.com/b?x=1&y=(2)"


def _segment(text: str, said: str, part: int = 0) -> dict[str, Any]:
    start = len(text[: text.index(said)].encode())
    segment = {"startIndex": start, "endIndex": start + len(said.encode()), "text": said}
    if part:
        segment["partIndex"] = part
    return {key: value for key, value in segment.items() if value != 0}


def _response(text: str | list[str], supports: list[Any], chunks: list[Any]) -> dict[str, Any]:
    texts = [text] if isinstance(text, str) else text
    return {
        "candidates": [
            {
                "content": {"parts": [{"text": one} for one in texts], "role": "model"},
                "finishReason": "STOP",
                "groundingMetadata": {"groundingChunks": chunks, "groundingSupports": supports},
            }
        ]
    }


def _support(segment: dict[str, Any], *indices: int) -> dict[str, Any]:
    return {"segment": segment, "groundingChunkIndices": list(indices)}


def _web(url: str, title: str = "") -> dict[str, Any]:
    return {"web": {"uri": url, "title": title}}


CHUNKS = [_web(A, "a.example"), _web(B, "a.example"), _web("https://example.net/unused")]


def test_offsets_are_bytes_and_indices_begin_at_0() -> None:
    supports = [
        _support(_segment(TEXT, "Tides 🌊 rise twice."), 0),
        _support(_segment(TEXT, "潮汐。"), 0, 1),
        _support(_segment(TEXT, "המים עולים."), 1),
    ]
    (turn,) = turns(gemini, _response(TEXT, supports, CHUNKS))
    assert turn.answer == "Tides 🌊 rise twice.[1] 潮汐。[1][2] המים עולים.[2] End."
    assert [source.url for source in turn.all_sources] == [A, B]


def test_offsets_that_do_not_fit_the_text_give_way_to_the_text() -> None:
    wrong = {"startIndex": 3, "endIndex": 9, "text": "潮汐。"}
    twice = {"startIndex": 3, "endIndex": 9, "text": "i"}
    data = _response(TEXT, [_support(wrong, 0), _support(twice, 1)], CHUNKS)
    result = read(turns(gemini, data)[0])
    assert (result.text, result.listed) == (TEXT, [B])
    assert result.cites == [(TEXT.index("潮汐。") + 3, A)]


def test_code_points_where_only_those_fit() -> None:
    start = TEXT.index("End")
    data = _response(
        TEXT, [_support({"startIndex": start, "endIndex": start + 4, "text": "End."}, 0)], CHUNKS
    )
    assert turns(gemini, data)[0].answer == TEXT + "[1]"


def test_each_part_counts_for_itself_and_thoughts_are_not_shown() -> None:
    data = _response(["ignored", "潮 One.", " Two."], [], CHUNKS)
    candidate = data["candidates"][0]
    candidate["content"]["parts"][0]["thought"] = True
    candidate["groundingMetadata"]["groundingSupports"] = [
        _support(_segment("潮 One.", "潮 One.", 1), 0),
        _support(_segment(" Two.", "Two.", 2), 1),
    ]
    assert turns(gemini, data)[0].answer == "潮 One.[1] Two.[2]"


def test_the_events_of_a_stream_are_one_answer_and_its_supports_count_over_all() -> None:
    events: list[dict[str, Any]] = [
        {
            "responseId": "r",
            "candidates": [{"content": {"parts": [{"text": text}]}, "groundingMetadata": {}}],
        }
        for text in (TEXT[:7], TEXT[7:14], TEXT[14:])
    ]
    events[-1]["candidates"][0]["groundingMetadata"] = {
        "groundingChunks": CHUNKS,
        "groundingSupports": [_support(_segment(TEXT, "潮汐。"), 1)],
    }
    lines = "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in events)
    for saved in (lines, events, "\n".join(map(json.dumps, events))):
        (turn,) = turns(gemini, saved)
        assert read(turn) == (TEXT, [(TEXT.index("潮汐。") + 3, B)], [])


def test_snake_case_and_the_request_beside_it() -> None:
    data = {
        "contents": [
            {"role": "user", "parts": [{"text": "How?"}]},
            {"role": "model", "parts": [{"text": "So."}]},
            {"parts": [{"text": "And?"}]},
        ],
        "candidates": [
            {
                "content": {"parts": [{"text": "潮汐。", "thought": None}]},
                "grounding_metadata": {
                    "grounding_chunks": [_web(A)],
                    "grounding_supports": [
                        {
                            "grounding_chunk_indices": [0],
                            "segment": {"start_index": None, "end_index": 9, "text": "潮汐。"},
                        }
                    ],
                },
            }
        ],
    }
    found = turns(gemini, data)
    assert [(turn.prompt, turn.answer) for turn in found] == [
        ("How?", "So."),
        ("And?", "潮汐。[1]"),
    ]


def test_files_without_supports_are_listed_and_it_is_said() -> None:
    chunks = [
        {"retrievedContext": {"title": "notes.pdf", "text": "…"}},
        {
            "retrievedContext": {
                "title": "Paris",
                "customMetadata": [{"key": "source_url", "stringValue": A}],
            }
        },
        {"retrievedContext": {"text": "nameless"}},
    ]
    data = _response(TEXT, [], chunks)
    assert read(turns(gemini, data)[0]) == (TEXT, [], ["file:notes.pdf", A])
    assert messages(gemini, data) == [
        "turn 1: this export does not say where 2 sources are cited; listed only"
    ]


def test_an_index_of_no_chunk_is_no_source() -> None:
    data = _response(TEXT, [_support(_segment(TEXT, "End."), 9, -1, 0)], CHUNKS)
    (turn,) = turns(gemini, data)
    assert turn.answer.endswith("End.[1]<!-- -->[?][?]")
    assert messages(gemini, data) == [
        "turn 1: 2 citations have no source in this export; shown as [?]"
    ]


def _interaction(text: str, annotations: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "object": "interaction",
        "steps": [
            {"type": "user_input", "content": [{"type": "text", "text": "Why?"}]},
            {"type": "thought", "summary": [{"type": "text", "text": "secret"}]},
            {
                "type": "model_output",
                "content": [{"type": "text", "text": text, "annotations": annotations}],
            },
        ],
        **more,
    }


def _annotation(text: str, said: str, url: str) -> dict[str, Any]:
    start = len(text[: text.index(said)].encode())
    end = start + len(said.encode())
    return {"type": "url_citation", "start_index": start, "end_index": end, "url": url}


def test_interactions_count_bytes_and_begin_between_words() -> None:
    inside = {"start_index": 0, "end_index": 3, "url": B}
    data = _interaction(TEXT, [_annotation(TEXT, "潮汐。", A), inside])
    (turn,) = turns(gemini, data)
    assert turn.prompt == "Why?"
    assert read(turn) == (TEXT, [(TEXT.index("潮汐。") + 3, A)], [B])


def test_interactions_may_cover_what_the_text_cites_by() -> None:
    text = "Ebbe 🌊 — so [cite: 1, 2]. Flut [cite: 7]. `[cite: 1]` [cite: 3, 4]"
    marks = [_annotation(text, "[cite: 1, 2]", url) for url in (A, B)]
    data = _interaction(text, [*marks, _annotation(text, "[cite: 3, 4]", B)])
    assert turns(gemini, data)[0].answer == (
        "Ebbe 🌊 — so [1][2]. Flut [?]. `[cite: 1]` [2]<!-- -->[?]"
    )
    assert "2 citations" in messages(gemini, data)[0]


def test_interactions_as_they_were_at_first() -> None:
    item = {"type": "text", "text": TEXT, "annotations": [{"end_index": 5, "source": A}]}
    data = {"object": "interaction", "input": "Why?", "outputs": [{"type": "thought"}, item]}
    (turn,) = turns(gemini, data)
    assert (turn.prompt, turn.answer) == ("Why?", TEXT.replace("Tides", "Tides[1]"))


STUDIO = {
    "chunkedPrompt": {
        "chunks": [
            {"text": "¿Qué?", "role": "user"},
            {"text": "hidden", "role": "model", "isThought": True},
            {
                "text": TEXT,
                "role": "model",
                "parts": [{"text": TEXT[:4]}, {"text": TEXT[4:]}],
                "grounding": {
                    "corroborationSegments": [
                        {
                            "index": len(TEXT[: TEXT.index(" המים")].encode()),
                            "uri": "https://www.google.com/url?sa=E&q=https%3A%2F%2Fexample.org%2Fa",
                            "footnoteNumber": 1,
                        },
                        {"index": 8, "footnoteNumber": 2},
                        {"index": len(TEXT.encode()), "footnoteNumber": 9},
                    ],
                    "groundingSources": [
                        {"referenceNumber": 1, "uri": "unused", "title": "One"},
                        {"referenceNumber": 2, "uri": B, "title": "Two"},
                        {"referenceNumber": 3, "uri": "https://example.net/read"},
                    ],
                },
            },
        ]
    },
    "systemInstruction": {"text": "private"},
}


def test_ai_studio() -> None:
    (one,) = imported(gemini, STUDIO)
    (turn,) = one.transcript.turns
    assert turn.prompt == "¿Qué?"
    assert turn.answer == TEXT.replace("潮汐。", "潮汐。[1]") + "[?]"
    assert [(source.title, source.url) for source in turn.all_sources] == [("One", A), ("Two", B)]
    assert any("google.com/url" in message for message in one.messages)


@pytest.mark.parametrize("data", ["# Prose", "data: {", [1], {"candidates": []}, {"choices": []}])
def test_what_is_none_of_it(data: Any) -> None:
    assert not gemini.recognises(export(data))


def test_a_response_that_says_nothing() -> None:
    with pytest.raises(Refused):
        imported(gemini, {"candidates": [{"content": {}}]})


@pytest.mark.parametrize(
    "data",
    [
        _response(TEXT, [_support(_segment(TEXT, "End."), 0)], [*CHUNKS, {"retrievedContext": {}}]),
        _interaction(TEXT, [_annotation(TEXT, "潮汐。", A)]),
        STUDIO,
    ],
)
def test_nothing_breaks_it(data: Any) -> None:
    survives(gemini, data)


WORDS = st.lists(
    st.text(st.sampled_from("ab é潮汐🌊אב."), min_size=1, max_size=6).filter(
        lambda text: text == text.strip() and not text.startswith(".")
    ),
    min_size=1,
    max_size=8,
)


@many(50)
@given(st.data(), WORDS)
def test_what_went_in_comes_out(data: st.DataObject, words: list[str]) -> None:
    text = " ".join(words)
    supports, wanted, place = [], set(), 0
    urls = [f"https://example.org/{n}" for n in range(3)]
    for word in words:
        numbers = data.draw(st.lists(st.integers(0, 2), max_size=3))
        start = len(text[:place].encode())
        segment = {"startIndex": start, "endIndex": start + len(word.encode()), "text": word}
        supports.append(_support(segment, *numbers))
        place += len(word)
        wanted |= {(place, urls[number]) for number in numbers}
        place += 1
    (turn,) = turns(gemini, _response(text, supports, [_web(url) for url in urls]))
    result = read(turn)
    assert result.text == text
    assert set(result.cites) == wanted
    assert not result.listed


def test_thoughts_of_a_request_are_neither_asked_nor_answered() -> None:
    secret = {"text": "SECRET", "thought": True}
    request = {
        "contents": [
            {"role": "user", "parts": [secret, {"text": "Why?"}]},
            {"role": "model", "parts": [secret, {"functionCall": {}}]},
            {"role": "user", "parts": [{"text": "And?"}]},
            {"role": "model", "parts": [secret, {"text": "So."}]},
            {"role": "user", "content": "Then?"},
        ]
    }
    data = {"request": request, "response": _response("End.", [], [])}
    found = [(turn.prompt, turn.answer) for turn in turns(gemini, data)]
    assert found == [("Why?\n\nAnd?", "So."), ("Then?", "End.")]


@pytest.mark.parametrize(
    ("chunk", "answer"),
    [
        (
            {
                "text": "SECRET Up.",
                "parts": [{"text": "SECRET ", "thought": True}, {"text": "Up."}],
            },
            "Up.",
        ),
        ({"text": "Up.", "parts": [{"text": "U"}]}, "Up."),
        ({"parts": [{"text": "U"}, {"text": "p."}]}, "Up."),
    ],
)
def test_thoughts_among_the_parts_of_a_chunk_are_not_shown(
    chunk: dict[str, Any], answer: str
) -> None:
    chunks = [{"role": "user", "text": "Why?"}, {"role": "model", **chunk}]
    (turn,) = turns(gemini, {"chunkedPrompt": {"chunks": chunks}})
    assert (turn.prompt, turn.answer) == ("Why?", answer)

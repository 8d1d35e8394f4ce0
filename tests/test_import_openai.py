"""OpenAI's interfaces and those of its shape: spans, units, links that are in the text already."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cite_filter.importers import Refused, openai
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B = "https://example.org/a", "https://example.com/b_(c)?x=1"


def _span(text: str, said: str, unit: str = "utf-32-le") -> tuple[int, int]:
    width = {"utf-32-le": 4, "utf-16-le": 2, "utf-8": 1}[unit]
    start = len(text[: text.index(said)].encode(unit)) // width
    return start, start + len(said.encode(unit)) // width


def _citation(span: tuple[int, int] | None, url: str, title: str = "") -> dict[str, Any]:
    places = {"start_index": span[0], "end_index": span[1]} if span else {}
    return {"type": "url_citation", "url": url, "title": title, **places}


def _message(text: str, *annotations: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": list(annotations)}
    return {"type": "message", "role": "assistant", "content": [part]}


def _response(text: str, *annotations: Any, **more: Any) -> dict[str, Any]:
    search = {
        "type": "web_search_call",
        "action": {"sources": [{"type": "url", "url": "https://example.net/read"}]},
    }
    output = [{"type": "reasoning", "summary": []}, search, _message(text, *annotations)]
    return {"object": "response", "created_at": 1750000000, "output": output, **more}


def _completion(text: str, *annotations: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "annotations": list(annotations)}
    return {"object": "chat.completion", "choices": [{"message": message}], **more}


INLINE = f"🌊 Tides. ([example.org]({A}?utm_source=openai)) 潮汐 ([example.com]({B}))\n\nEnd."


@pytest.mark.parametrize("unit", ["utf-32-le", "utf-16-le", "utf-8"])
def test_the_link_in_the_text_gives_way_to_the_marker_whatever_the_unit(unit: str) -> None:
    first = _span(INLINE, f"([example.org]({A}?utm_source=openai))", unit)
    second = _span(INLINE, f"([example.com]({B}))", unit)
    data = _response(INLINE, _citation(first, A, "One"), _citation(second, B))
    (turn,) = turns(openai, data)
    assert turn.answer == "🌊 Tides. [1] 潮汐 [2]\n\nEnd."
    assert [(source.title, source.url) for source in turn.all_sources] == [("One", A), ("", B)]
    assert turn.date == "2025-06-15T15:06:40Z"


def test_a_claim_before_the_link_stays() -> None:
    text = f"So. Tides rise ([example.org]({A})). More."
    span = _span(text, f"Tides rise ([example.org]({A}))")
    assert (
        turns(openai, _response(text, _citation(span, A)))[0].answer == "So. Tides rise [1]. More."
    )


def test_a_link_in_a_sentence_stays_and_so_does_one_to_another_page() -> None:
    text = f"As [The Gazette]({A}) says ([example.org]({A}))."
    spans = [_span(text, f"[The Gazette]({A})"), _span(text, f"([example.org]({A}))")]
    data = _response(text, _citation(spans[0], A), _citation(spans[1], B))
    assert turns(openai, data)[0].answer == (
        f"As [The Gazette]({A})[1] says ([example.org]({A}))[2]."
    )


def test_words_in_parentheses_stay() -> None:
    text = f"Tides ([The Gazette]({A}))."
    data = _response(text, _citation(_span(text, f"([The Gazette]({A}))"), A))
    assert turns(openai, data)[0].answer == f"Tides ([The Gazette]({A}))[1]."


def test_parentheses_around_a_span_go_with_it() -> None:
    text = f"Tides ([example.org]({A}))."
    for said in (f"[example.org]({A})", f"([example.org]({A})"):
        data = _response(text, _citation(_span(text, said), A))
        assert turns(openai, data)[0].answer == "Tides [1]."


def test_without_a_link_the_marker_stands_behind_the_span() -> None:
    text = "Tides rise. 潮汐每天。 End."
    data = _response(text, _citation(_span(text, "Tides rise. "), A), _citation((22, 5), B))
    (turn,) = turns(openai, data)
    assert turn.answer == "Tides rise.[1] 潮汐每天。 End."
    assert read(turn).listed == [B]
    assert messages(openai, data) == [
        "turn 1: this export does not say where 1 source is cited; listed only"
    ]


def test_offsets_within_words_are_not_believed() -> None:
    result = read(turns(openai, _response("Tides rise.", _citation((0, 3), A)))[0])
    assert result == ("Tides rise.", [], [A])


def test_parts_count_for_themselves() -> None:
    data = _response("One 🌊.", _citation((0, 6), A))
    data["output"].append(_message("Two.", _citation((0, 4), B)))
    assert turns(openai, data)[0].answer == "One 🌊.[1]\n\nTwo.[2]"


def test_files_are_sources_and_sandboxes_are_not() -> None:
    text = "From the notes."
    data = _response(
        text,
        {"type": "file_citation", "index": len(text), "file_id": "f1", "filename": "notes.pdf"},
        {"type": "container_file_citation", "file_id": "f2", "filename": "plot.png"},
        {"type": "file_path", "file_id": "f3", "index": 3},
    )
    assert read(turns(openai, data)[0]) == (text, [(len(text), "file:notes.pdf")], [])


def test_nested_fields_of_completions() -> None:
    text = "Tides rise. End."
    inner = {"start_index": 0, "end_index": 11, "url": A, "title": "One"}
    data = _completion(text, {"type": "url_citation", "url_citation": inner})
    assert turns(openai, data)[0].answer == "Tides rise.[1] End."


def test_indices_that_are_all_zero_or_missing_are_none() -> None:
    inner = {"start_index": 0, "end_index": 0, "url": A, "title": ""}
    nested = {"type": "url_citation", "url_citation": inner}
    for data in (_completion("Tides.", nested), _response("Tides.", _citation(None, A))):
        assert read(turns(openai, data)[0]) == ("Tides.", [], [A])


def test_numbers_that_are_links_become_markers() -> None:
    text = f"Tides[[1]]({A})[[2]]({B}). `[[1]]({A})`"
    data = _response(text, _citation(_span(text, f"[[1]]({A})"), A, "One"), _citation(None, B))
    (turn,) = turns(openai, data)
    assert turn.answer == f"Tides[1][2]. `[[1]]({A})`"
    assert [source.url for source in turn.all_sources] == [A, B]


def test_what_leaked_is_lost_and_it_is_said() -> None:
    data = _completion("Ti\ue206des \ue200cite\ue202turn0search0\ue201 rise\ue203 \ue206twice.")
    assert turns(openai, data)[0].answer == "Tides [?] rise twice."
    assert messages(openai, data) == [
        "turn 1: 1 citation has no source in this export; shown as [?]"
    ]


def test_the_request_beside_it() -> None:
    request = [
        {"role": "system", "content": "private"},
        {"role": "user", "content": [{"type": "text", "text": "Why?"}]},
        {"role": "assistant", "content": "So."},
        {"role": "tool", "content": "result"},
        {"role": "user", "content": "And?"},
    ]
    completion = _completion("Then.")
    for data in (
        {**completion, "messages": request},
        {"request": {"messages": request}, "response": completion},
        {"request": {"body": {"messages": request}}, "response": {"body": completion}},
        {"input": request, "response": _response("Then.")},
    ):
        found = turns(openai, data)
        assert [(turn.prompt, turn.answer) for turn in found] == [
            ("Why?", "So."),
            ("And?", "Then."),
        ]
    assert turns(openai, {"input": "Why?", **_response("So.")})[0].prompt == "Why?"


def test_a_list_of_items_is_one_conversation() -> None:
    items = [
        {"role": "user", "content": "One?"},
        {"type": "web_search_call", "action": {}},
        _message("Yes.", _citation((0, 4), A)),
        {"role": "user", "content": "Two?"},
        _message("No.", _citation((0, 3), B)),
    ]
    (one,) = imported(openai, items)
    assert imported(openai, {"messages": items}) == [one]
    assert [(turn.prompt, turn.answer) for turn in one.transcript.turns] == [
        ("One?", "Yes.[1]"),
        ("Two?", "No.[1]"),
    ]


def test_streams() -> None:
    done = {"type": "response.completed", "response": _response("Yes.", _citation((0, 4), A))}
    begun = {"type": "response.created", "response": _response("")}
    delta = {"type": "response.output_text.delta", "delta": "Yes."}
    lines = "".join(f"event: x\ndata: {json.dumps(event)}\n\n" for event in (begun, delta, done))
    assert turns(openai, lines)[0].answer == "Yes.[1]"
    pieces: list[Any] = [
        {"content": "Ye"},
        {"content": "s."},
        {"annotations": [_citation((0, 4), A)]},
    ]
    chunks = [{"object": "chat.completion.chunk", "choices": [{"delta": one}]} for one in pieces]
    lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    assert turns(openai, lines)[0].answer == "Yes.[1]"


def test_it_is_said_where_nothing_is_cited() -> None:
    assert messages(openai, _completion("Yes.")) == ["this export holds no citations"]


@pytest.mark.parametrize(
    "data",
    [
        _completion("Yes [1].", citations=[A]),
        _completion("Yes [1].", search_results=[]),
        {"choices": [{"message": {"content": [{"type": "reference", "reference_ids": [1]}]}}]},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Yes."}]},
        [{"role": "user", "content": "Why?"}],
        {"candidates": []},
        "# Prose",
    ],
)
def test_what_is_of_others(data: Any) -> None:
    assert not openai.recognises(export(data))


def test_a_response_that_says_nothing() -> None:
    with pytest.raises(Refused):
        imported(openai, {"object": "response", "output": []})


@pytest.mark.parametrize(
    "data",
    [
        _response(INLINE, _citation((9, 20), A), {"type": "file_citation", "index": 3}),
        _completion("x", {"type": "url_citation", "url_citation": {"url": A}}, messages=[{}]),
        [{"role": "user", "content": "Why?"}, _message("Yes.", _citation((0, 4), A))],
    ],
)
def test_nothing_breaks_it(data: Any) -> None:
    survives(openai, data)


CLAIM = st.text(st.sampled_from("ab é潮汐🌊אב"), min_size=1, max_size=8).map(str.strip).filter(bool)


@many(50)
@given(
    st.lists(st.tuples(CLAIM, st.integers(0, 2), st.booleans()), min_size=1, max_size=6),
    st.sampled_from(["utf-32-le", "utf-16-le"]),
)
def test_what_went_in_comes_out(claims: list[tuple[str, int, bool]], unit: str) -> None:
    # A link behind all that is wider in one unit than in the other tells which it is.
    claims = [*claims, ("end", 0, True)]
    text, plain, annotations, wanted = "", "", [], set()
    for claim, number, inline in claims:
        url = f"https://example.org/{number}"
        text, plain = f"{text}{claim}", f"{plain}{claim}"
        written = f" ([example.org]({url}))" if inline else ""
        start = len((text[: -len(claim)] if not inline else text + " ").encode(unit))
        text, plain = text + written, plain + (" " if inline else "")
        width = 4 if unit == "utf-32-le" else 2
        annotations.append(_citation((start // width, len(text.encode(unit)) // width), url))
        wanted.add((len(plain), url))
        text, plain = f"{text}. ", f"{plain}. "
    (turn,) = turns(openai, _response(text, *annotations))
    result = read(turn)
    assert result.text.strip() == plain.strip()
    assert set(result.cites) == wanted

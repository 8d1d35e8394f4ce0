"""Responses of Anthropic's Messages API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cite_filter.importers import Refused, anthropic
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B = "https://a.example/?q=潮汐&b=(2)", "https://b.example/"


def _page(url: Any, title: Any = "") -> dict[str, Any]:
    return {
        "type": "web_search_result_location",
        "url": url,
        "title": title,
        "cited_text": "said",
        "encrypted_index": "x",
    }


def _place(title: Any, said: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "char_location", "document_title": title, "cited_text": said, **more}


def _text(text: str, *citations: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, "citations": list(citations) or None}


def _found(*urls: str) -> list[dict[str, Any]]:
    results = [{"type": "web_search_result", "url": url, "title": "Found"} for url in urls]
    return [
        {"type": "server_tool_use", "name": "web_search", "input": {"query": "tides"}},
        {"type": "web_search_tool_result", "tool_use_id": "t", "content": results},
    ]


def _fetched(url: str, title: str, text: str) -> dict[str, Any]:
    source = {"type": "text", "media_type": "text/plain", "data": text}
    document = {"type": "document", "source": source, "title": title}
    return {
        "type": "web_fetch_tool_result",
        "content": {"type": "web_fetch_result", "url": url, "content": document},
    }


def _said(*blocks: dict[str, Any], stop: str | None = "end_turn") -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [*blocks], "stop_reason": stop}


def test_a_cited_block_is_the_claim() -> None:
    blocks = [
        _text("By far:\n\n- "),
        _text("🌊 潮汐 \n", _page(A, "Tides"), _page(B)),
        _text("- x"),
    ]
    (turn,) = turns(anthropic, _said(*_found(A, "https://c.example"), *blocks))
    assert turn.answer == "By far:\n\n- 🌊 潮汐[1][2] \n- x"
    assert [(s.title, s.url) for s in turn.sources] == [("Tides", A), ("", B)]


def test_blocks_join_without_a_gap_and_a_tool_parts_paragraphs() -> None:
    first, rest = _text("I look."), [_text("גאות", _page(A)), _text("(so) "), _text("[3].")]
    (turn,) = turns(anthropic, _said(first, *_found(A), *rest))
    assert read(turn).text.replace("<!-- -->", "") == "I look.\n\nגאות(so) [3]."
    assert read(turn).cites == [(13, A)]


def test_one_source_twice_in_a_block_is_one_marker_and_white_space_is_no_claim() -> None:
    blocks = [_text("Up."), _text("\n\n", _page(A)), _text("Down.", _page(A, "x"), _page(A, "y"))]
    assert turns(anthropic, _said(*blocks))[0].answer == "Up.[1]\n\nDown.[1]"


def test_no_marker_breaks_code_or_falls_out_of_a_table() -> None:
    table = "| a | b |\n|---|---|\n| c | d |\n"
    blocks = [_text("```\nx\n```\n", _page(A)), _text("\n" + table, _page(B))]
    (turn,) = turns(anthropic, _said(*blocks))
    assert "```\n\n|" in turn.answer
    assert "| d[1] |" in turn.answer
    assert read(turn).listed == [A]


def test_a_citation_that_names_nothing_is_lost_and_counted() -> None:
    data = _said(_text("Up. ", _page(None), _page(A)), _text("Down.", {"type": "new_location"}))
    assert turns(anthropic, data)[0].answer == "Up.[1]<!-- -->[?] Down.[?]"
    assert messages(anthropic, data) == [
        "turn 1: 2 citations have no source in this export; shown as [?]"
    ]


@pytest.mark.parametrize("kind", ["char_location", "page_location", "content_block_location"])
def test_documents_have_but_a_title(kind: str) -> None:
    cited = [
        {**_place("Notes.pdf"), "type": kind},
        {**_place(None, document_index=2), "type": kind},
    ]
    (turn,) = turns(anthropic, _said(_text("Up.", *cited)))
    assert [source.url for source in turn.sources] == ["file:Notes.pdf", "file:Document 3"]


def test_search_results_of_the_request_name_a_page_or_a_file() -> None:
    cited = [
        {"type": "search_result_location", "source": source, "title": title}
        for source, title in [(A, "Tides"), ("shelf 3", "Notes")]
    ]
    (turn,) = turns(anthropic, _said(_text("Up.", *cited)))
    assert [source.url for source in turn.sources] == [A, "file:Notes"]


@pytest.mark.parametrize(
    ("title", "said", "url"),
    [
        ("Tides", "they rise", A),
        ("", "they fall", B),
        ("", "both", None),
        ("Tides", "made up", None),
        ("Other", "made up", "file:Other"),
    ],
)
def test_a_fetched_page_is_found_by_its_title_and_text(title: str, said: str, url: Any) -> None:
    pages = [_fetched(A, "Tides", "both: they rise"), _fetched(B, "Ebb", "both: they fall")]
    data = _said(*pages, _text("Up.", _place(title, said, document_index=0)))
    (turn,) = turns(anthropic, data)
    assert [source.url for source in turn.sources] == ([url] if url else [])
    assert turn.answer == ("Up.[1]" if url else "Up.[?]")


def test_a_fetched_page_that_is_not_cited_is_no_source() -> None:
    assert not turns(anthropic, _said(_fetched(A, "Tides", "x"), _text("Up.")))[0].sources


def test_a_list_of_messages_is_a_conversation() -> None:
    chat = [
        {"role": "user", "content": "One?"},
        _said(_text("I look."), {"type": "tool_use", "name": "x"}, stop="tool_use"),
        {"role": "user", "content": [{"type": "tool_result", "content": "secret"}]},
        {"role": "assistant", "content": [_text("Up.", _page(A))]},
        {"role": "user", "content": [{"type": "text", "text": "Two?"}]},
        {"role": "assistant", "content": "Down."},
    ]
    found = turns(anthropic, chat)
    assert [(turn.prompt, turn.answer) for turn in found] == [
        ("One?", "I look.\n\nUp.[1]"),
        ("Two?", "Down."),
    ]
    asked = {"system": "secret", "messages": chat[:-1]}
    both = turns(anthropic, {"request": asked, "response": _said(_text("Down."))})
    assert [turn.answer for turn in both] == ["I look.\n\nUp.[1]", "Down."]
    assert "secret" not in str(both)


def test_responses_one_a_line_are_turns_of_their_own() -> None:
    batch = [{"custom_id": n, "result": {"message": _said(_text(f"{n}."))}} for n in "ab"]
    found = turns(anthropic, "\n".join(map(json.dumps, batch)))
    assert [turn.answer for turn in found] == ["a.", "b."]


def test_content_alone() -> None:
    (turn,) = turns(anthropic, {"content": [_text("Up."), _text("Down.", _page(A))]})
    assert turn.answer == "Up.Down.[1]"


def _stream(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The events that send a message, two characters at a time."""
    found: list[dict[str, Any]] = [{"type": "message_start", "message": {"role": "assistant"}}]
    for index, block in enumerate(message["content"]):
        empty = {**block, "text": "", "citations": []} if block["type"] == "text" else block
        found.append({"type": "content_block_start", "index": index, "content_block": empty})
        deltas = [{"type": "citations_delta", "citation": c} for c in block.get("citations") or []]
        text = block.get("text", "")
        deltas += [{"type": "text_delta", "text": text[n : n + 2]} for n in range(0, len(text), 2)]
        found += [{"type": "content_block_delta", "index": index, "delta": d} for d in deltas]
        found.append({"type": "content_block_stop", "index": index})
    return [*found, {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}]


@pytest.mark.parametrize("form", ["events", "lines", "list"])
def test_a_stream(form: str) -> None:
    sent = _stream(_said(*_found(A), _text("🌊 Up. ", _page(A), _page(B)), _text("Down.")))
    data: Any = sent
    if form == "events":
        data = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in sent)
    elif form == "lines":
        data = "\n".join(map(json.dumps, sent))
    (turn,) = turns(anthropic, data)
    assert turn.answer == "🌊 Up.[1][2] Down."


@pytest.mark.parametrize(
    "data",
    [
        {"role": "assistant", "content": [{"type": "text", "text": "Up."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ""}]},
        {"choices": [{"message": {"role": "assistant", "content": "Up."}}]},
        [{"role": "user", "content": "?"}, {"role": "assistant", "content": "Up."}],
        [],
        None,
        "text",
    ],
)
def test_what_is_none_of_it(data: Any) -> None:
    assert not anthropic.recognises(export(data))


def test_a_message_that_says_nothing() -> None:
    with pytest.raises(Refused):
        imported(anthropic, _said(*_found(A), _text(" ")))


def test_nothing_breaks_it() -> None:
    page = _fetched(A, "Tides", "they rise")
    message = _said(*_found(A), page, _text("Up.", _page(A), _place("Tides", "rise")))
    survives(anthropic, message)
    survives(anthropic, [{"role": "user", "content": "?"}, message])
    survives(anthropic, _stream(message))


BLOCKS = st.lists(
    st.tuples(
        st.text(st.sampled_from("ab é潮汐🌊אב.( "), max_size=6),
        st.lists(st.sampled_from([A, B]), max_size=3),
    ),
    min_size=1,
    max_size=6,
)


@many(50)
@given(BLOCKS, st.booleans())
def test_what_went_in_comes_out(blocks: list[tuple[str, list[str]]], streamed: bool) -> None:
    blocks = [("Begin.", []), *blocks]
    text, wanted = "", set()
    for block, urls in blocks:
        text += block
        wanted |= {(len(text.rstrip()), url) for url in urls}
    message = _said(*(_text(block, *map(_page, urls)) for block, urls in blocks))
    (turn,) = turns(anthropic, _stream(message) if streamed else message)
    result = read(turn)
    parted = "<!-- -->"
    before = [len(result.text[:place].replace(parted, "")) for place, _ in result.cites]
    assert result.text.replace(parted, "") == text
    assert {(place, url) for place, (_, url) in zip(before, result.cites, strict=True)} == wanted
    assert not result.listed

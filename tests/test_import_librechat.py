"""LibreChat's export: marks spelled out in six characters or not, sources beside the answer."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter.importers import Refused, librechat
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B, C = "https://example.org/a", "https://example.com/b?x=(1)&y=潮", "https://example.net/c"
OPEN, CLOSE, CITE = "\\ue200", "\\ue201", "\\ue202"
TREE = "the export does not say which branch was shown; the newest is taken"


def _search(turn: Any, **lists: list[Any]) -> dict[str, Any]:
    found = {
        name: [{"link": url, "title": f"Title {n}"} for n, url in enumerate(urls)]
        for name, urls in lists.items()
    }
    return {"type": "web_search", "web_search": {"turn": turn, **found}}


def _message(key: str, parent: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "messageId": key,
        "parentMessageId": parent,
        "isCreatedByUser": key.startswith("q"),
        "text": text,
        **more,
    }


def _chat(text: str, *attachments: Any, **more: Any) -> dict[str, Any]:
    said = [
        _message("q", "0000", "Q?"),
        _message("a", "q", text, attachments=list(attachments), **more),
    ]
    return {"conversationId": "c-1", "title": "Tides", "messages": said}


def test_a_conversation() -> None:
    text = f"🌊 المد {CITE}turn0search1. 潮汐 {OPEN}{CITE}turn0search0 {CITE}turn0news0{CLOSE}。"
    (one,) = imported(
        librechat,
        _chat(text, _search(0, organic=[A, B], topStories=[C]), createdAt="2025-06-15T15:06:40.5Z"),
    )
    (turn,) = one.transcript.turns
    assert (turn.prompt, turn.answer) == ("Q?", "🌊 المد [1]. 潮汐 [2][3]。")
    assert [(s.url, s.title) for s in turn.all_sources] == [
        (B, "Title 1"),
        (A, "Title 0"),
        (C, "Title 0"),
    ]
    assert turn.date == "2025-06-15T15:06:40Z"
    assert (one.transcript.title, one.transcript.provenance) == ("Tides", {"id": "c-1"})
    assert one.messages == []


def test_private_use_characters_themselves() -> None:
    text = "\ue203A claim\ue204 \ue202turn0search0 \ue200\ue202turn0ref0\ue201 \ue206end"
    assert (
        turns(librechat, _chat(text, _search(0, organic=[A], references=[B])))[0].answer
        == "A claim [1] [2] end"
    )


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("search", "organic"),
        ("news", "topStories"),
        ("image", "images"),
        ("video", "videos"),
        ("ref", "references"),
    ],
)
def test_each_kind_has_its_list(kind: str, name: str) -> None:
    attachments = _search(0, **{name: [A]}), _search(1, **{name: [B, C]})
    (turn,) = turns(librechat, _chat(f"x {CITE}turn1{kind}1", *attachments))
    assert [s.url for s in turn.all_sources] == [C]


def test_files() -> None:
    found = {"file_search": {"turn": 2, "sources": [{"fileName": "notes.pdf"}]}}
    (turn,) = turns(librechat, _chat(f"x {CITE}turn2file0", found))
    assert [s.url for s in turn.all_sources] == ["file:notes.pdf"]


def test_what_nothing_resolves() -> None:
    text = f"x {CITE}turn0search9 y {OPEN}{CITE}turn0search0{CITE}turn1search0{CLOSE}"
    data = _chat(text, _search(0, organic=[A]), _search(None, organic=[B]))
    assert turns(librechat, data)[0].answer.replace("<!-- -->", "") == "x [?] y [1][?]"
    assert [s.url for s in turns(librechat, data)[0].all_sources] == [A]
    assert messages(librechat, data) == [
        "turn 1: 2 citations have no source in this export; shown as [?]"
    ]


def test_two_searches_of_one_number_are_in_doubt() -> None:
    data = _chat(
        f"x {CITE}turn0search0 {CITE}turn0search1",
        _search(0, organic=[A, B]),
        _search(0, organic=[A, C]),
    )
    assert turns(librechat, data)[0].answer == "x [1] [?]"


def test_a_result_without_a_url_keeps_its_place() -> None:
    search = _search(0, organic=[A, B])
    search["web_search"]["organic"][0] = None
    assert read(turns(librechat, _chat(f"x {CITE}turn0search1", search))[0]).cites == [(2, B)]


def test_what_is_no_page_is_no_source() -> None:
    (turn,) = turns(librechat, _chat(f"x {CITE}turn0search0", _search(0, organic=["file:///x"])))
    assert turn.answer == "x [?]"


def test_a_message_that_comes_twice_is_read_once() -> None:
    data = _chat("Answer.")
    data["messages"][0]["children"] = [data["messages"][1].copy(), {"text": "No key"}]
    assert [turn.answer for turn in turns(librechat, data)] == ["Answer."]


def test_code_that_speaks_of_marks_stays() -> None:
    text = f"Write `{CITE}turn0search0` or {CITE}turn0search0."
    assert (
        turns(librechat, _chat(text, _search(0, organic=[A])))[0].answer
        == f"Write `{CITE}turn0search0` or [1]."
    )


def test_no_token_is_carried_into_the_next_turn() -> None:
    data = _chat(f"x {CITE}turn0search0", _search(0, organic=[A]))
    data["messages"] += [_message("q2", "a", "And?"), _message("a2", "q2", f"y {CITE}turn0search0")]
    assert [turn.answer for turn in turns(librechat, data)] == ["x [1]", "y [?]"]


def test_parts_without_thoughts() -> None:
    parts = [
        {"type": "think", "think": "SECRET"},
        {"type": "text", "text": {"value": "One."}},
        {"type": "tool_call", "tool_call": {"args": "SECRET"}},
        {"type": "text", "text": "Two."},
    ]
    assert turns(librechat, _chat("SECRET", content=parts))[0].answer == "One.\n\nTwo."
    assert turns(librechat, _chat(":::thinking\nSECRET\n:::\n\nText."))[0].answer == "Text."


def test_the_newest_branch_of_a_list_and_of_a_tree() -> None:
    data = _chat("Discarded.")
    data["messages"].append(_message("b", "q", "Shown."))
    assert [turn.answer for turn in turns(librechat, data)] == ["Shown."]
    assert messages(librechat, data) == [TREE]
    question, *answers = data["messages"]
    tree = {"messages": [{**question, "children": answers}]}
    assert [turn.answer for turn in turns(librechat, tree)] == ["Shown."]
    answers[0]["createdAt"] = "2025-06-15T15:06:40Z"
    assert [turn.answer for turn in turns(librechat, tree)] == ["Discarded."]


def test_a_list_without_parents_is_one_branch() -> None:
    data = _chat("Answer.")
    for message in data["messages"]:
        del message["parentMessageId"]
    assert [(turn.prompt, turn.answer) for turn in turns(librechat, data)] == [("Q?", "Answer.")]


def test_errors_are_no_answers() -> None:
    with pytest.raises(Refused):
        imported(librechat, _chat("Broken", error=True))


@pytest.mark.parametrize(
    "data", [{}, [], None, {"messages": [{"role": "user"}]}, {"messages": 3}, "messages"]
)
def test_what_is_none_of_it(data: Any) -> None:
    assert not librechat.recognises(export(data))


def test_nothing_breaks_it() -> None:
    data = _chat(f"x {CITE}turn0search0", _search(0, organic=[A], topStories=[B]))
    question, answer = data["messages"]
    survives(librechat, {**data, "messages": [{**question, "children": [answer]}]})
    survives(librechat, data)


WORDS = st.lists(
    st.sampled_from(["tide", "潮汐", "🌊", "المد", "גאות", "é", "👩‍🚀", "[1]", "`a[0]`"]),
    min_size=1,
    max_size=4,
).map(" ".join)


@many(50)
@given(
    st.lists(st.tuples(WORDS, st.lists(st.sampled_from([A, B, C]), max_size=3, unique=True))),
    st.booleans(),
)
def test_what_went_in_comes_out(claims: list[tuple[str, list[str]]], spelled: bool) -> None:
    signs = [OPEN, CLOSE, CITE] if spelled else ["\ue200", "\ue201", "\ue202"]
    text, plain = "Tides. ", "Tides. "
    wanted: list[tuple[int, str]] = []
    for claim, urls in claims:
        plain += claim
        wanted += [(len(plain), url) for url in urls]
        tokens = "".join(f"{signs[2]}turn3search{[A, B, C].index(url)}" for url in urls)
        text += claim + (f"{signs[0]}{tokens}{signs[1]}" if len(urls) > 1 else tokens) + ". "
        plain += ". "
    (turn,) = turns(librechat, _chat(text, _search(3, organic=[A, B, C])))
    found = read(turn)
    assert (found.text.strip(), found.cites, found.listed) == (plain.strip(), wanted, [])

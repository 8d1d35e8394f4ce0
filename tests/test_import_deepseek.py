"""DeepSeek's export: `[citation:N]` is the result whose `cite_index` is N, in the same message."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter.importers import Refused, chatgpt, deepseek
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B, C = "https://example.org/a", "https://example.com/b?x=(1)&y=潮", "https://example.net/c"
TREE = "the export does not say which branch was shown; the newest is taken"


def _result(url: str, number: Any, title: str = "") -> dict[str, Any]:
    return {"url": url, "title": title, "cite_index": number}


def _node(key: str, parent: str | None, *fragments: Any, **more: Any) -> dict[str, Any]:
    date = {"inserted_at": "2025-06-15T23:06:40.123000+08:00"}
    return {
        "id": key,
        "parent": parent,
        "children": [],
        "message": {"fragments": list(fragments), **date, **more},
    }


def _said(kind: str, content: str) -> dict[str, Any]:
    return {"type": kind, "content": content}


def _chat(text: str, *results: Any) -> list[dict[str, Any]]:
    search = {"type": "SEARCH", "results": list(results)}
    mapping = {
        "root": {"id": "root", "parent": None, "children": ["1"], "message": None},
        "1": _node("1", "root", _said("REQUEST", "Q?")),
        "2": _node("2", "1", search, _said("THINK", "SECRET"), _said("RESPONSE", text)),
    }
    about = {"id": "c-1", "title": "Tides", "inserted_at": "2025-06-15T23:06:40+08:00"}
    return [{**about, "mapping": mapping}]


def test_a_conversation() -> None:
    text = "🌊 المد[citation:3][citation:1]。潮汐[citation:3]"
    (one,) = imported(
        deepseek, _chat(text, _result(A, 1), _result(B, None), _result(C, 3, "Three"))
    )
    (turn,) = one.transcript.turns
    assert (turn.prompt, turn.answer) == ("Q?", "🌊 المد[1][2]。潮汐[1]")
    assert [(s.url, s.title) for s in turn.all_sources] == [(C, "Three"), (A, "")]
    assert turn.date == one.transcript.date == "2025-06-15T15:06:40Z"
    assert one.transcript.provenance == {"id": "c-1"}
    assert one.messages == []


def test_several_numbers_in_one_mark() -> None:
    (turn,) = turns(
        deepseek,
        _chat("x [citation:1, 2] y [citation:2，citation:1]", _result(A, 1), _result(B, 2)),
    )
    assert turn.answer == "x [1][2] y [2][1]"


def test_what_nothing_resolves() -> None:
    data = _chat(
        "x[citation:2] `[citation:1]` [3]", _result(A, None), _result(B, 1), _result(C, "2")
    )
    (turn,) = turns(deepseek, data)
    assert turn.answer == "x[?] `[citation:1]` [3]"
    assert turn.all_sources == []
    assert messages(deepseek, data) == [
        "turn 1: 1 citation has no source in this export; shown as [?]"
    ]


def test_two_results_of_one_number_are_in_doubt() -> None:
    (turn,) = turns(deepseek, _chat("x[citation:1]", _result(A, 1), _result(B, 1)))
    assert (turn.answer, turn.all_sources) == ("x[?]", [])


def test_what_is_no_page_is_no_source() -> None:
    (turn,) = turns(deepseek, _chat("x[citation:1]", _result("javascript:x", 1)))
    assert turn.answer == "x[?]"


def test_numbers_of_the_text_are_its_own() -> None:
    (turn,) = turns(deepseek, _chat("[1] x[citation:1]", _result(A, 1)))
    assert read(turn).cites == [(5, A)]


def test_no_number_is_carried_into_the_next_turn() -> None:
    data = _chat("x[citation:1]", _result(A, 1))
    data[0]["mapping"]["3"] = _node("3", "2", _said("REQUEST", "And?"))
    data[0]["mapping"]["4"] = _node("4", "3", _said("RESPONSE", "y[citation:1]"))
    assert [turn.answer for turn in turns(deepseek, data)] == ["x[1]", "y[?]"]


def test_the_newest_branch() -> None:
    data = _chat("Shown.")
    data[0]["mapping"]["0"] = _node("0", "1", _said("RESPONSE", "Last."))
    assert [turn.answer for turn in turns(deepseek, data)] == ["Last."]
    data[0]["mapping"]["0"]["message"]["inserted_at"] = "2025-06-15T22:06:40+08:00"
    assert [turn.answer for turn in turns(deepseek, data)] == ["Shown."]
    assert messages(deepseek, data) == [TREE]


def test_thoughts_stay_out() -> None:
    assert "SECRET" not in imported(deepseek, _chat("A."))[0].transcript.to_markdown()


def test_a_file_without_answers_is_refused() -> None:
    with pytest.raises(Refused):
        imported(deepseek, _chat(""))


@pytest.mark.parametrize(
    "data",
    [{}, [], None, [{"mapping": {"1": {"message": {"author": {}, "content": {}}}}}], "fragments"],
)
def test_what_is_none_of_it(data: Any) -> None:
    assert not deepseek.recognises(export(data))


def test_chatgpt_takes_none_of_it() -> None:
    assert not chatgpt.recognises(export(_chat("A.")))


def test_nothing_breaks_it() -> None:
    survives(deepseek, _chat("x[citation:1]", _result(A, 1), _result(B, 2)))


WORDS = st.lists(
    st.sampled_from(["tide", "潮汐", "🌊", "المد", "גאות", "é", "👩‍🚀", "[1]", "`[citation:1]`"]),
    min_size=1,
    max_size=4,
).map(" ".join)


@many(50)
@given(st.lists(st.tuples(WORDS, st.lists(st.sampled_from([A, B, C]), max_size=3, unique=True))))
def test_what_went_in_comes_out(claims: list[tuple[str, list[str]]]) -> None:
    text, plain = "Tides. ", "Tides. "
    wanted: list[tuple[int, str]] = []
    for claim, urls in claims:
        plain += claim
        wanted += [(len(plain), url) for url in urls]
        text += claim + "".join(f"[citation:{[A, B, C].index(url) * 2}]" for url in urls) + ". "
        plain += ". "
    results = [_result(url, n * 2) for n, url in enumerate([A, B, C])]
    (turn,) = turns(deepseek, _chat(text, *reversed(results)))
    found = read(turn)
    assert (found.text.strip(), found.cites, found.listed) == (plain.strip(), wanted, [])

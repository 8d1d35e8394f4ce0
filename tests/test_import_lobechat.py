"""LobeChat: numbers by position, for one message; topics are conversations."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter.importers import Refused, lobechat
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B = "https://example.org/a", "https://example.com/b?x=(1)"


def _message(role: str, content: str, *urls: str | None, **more: Any) -> dict[str, Any]:
    pages = [{"url": url, "title": "T"} if url else {} for url in urls]
    search = {"search": {"citations": pages, "searchQueries": ["q"]}} if urls else {}
    return {"role": role, "content": content, "sessionId": "s", "topicId": "t", **search, **more}


def _export(*written: Any) -> dict[str, Any]:
    topics = [{"id": "t", "title": "Tides"}]
    return {
        "version": 7,
        "exportType": "sessions",
        "state": {"messages": list(written), "sessions": [], "topics": topics},
    }


def test_numbers_are_positions_and_what_is_not_cited_is_no_source() -> None:
    text = "潮汐 🌊 [2]. כן [^1], [1, 9], x[1], `a[2]`."
    data = _export(
        _message("user", "Why?"), _message("assistant", text, A, B, "https://c.example/")
    )
    (turn,) = turns(lobechat, data)
    assert turn.prompt == "Why?"
    assert turn.answer == text.replace("x[1]", "x[<!-- -->1]")
    assert [(source.number, source.url) for source in turn.all_sources] == [(1, A), (2, B)]
    assert messages(lobechat, data) == [
        "turn 1: 1 citation has no source in this export; left as written"
    ]


def test_a_page_without_address_or_title_keeps_its_position() -> None:
    data = _export(_message("assistant", "One [1], two [2].", None, B))
    assert read(turns(lobechat, data)[0]).cites == [(len("One [1], two "), B)]


def test_numbers_hold_for_one_message() -> None:
    data = _export(
        _message("assistant", "One [1].", A),
        _message("assistant", "Two [1]."),
        _message("assistant", "Three [1].", B),
    )
    found = [[source.url for source in turn.all_sources] for turn in turns(lobechat, data)]
    assert found == [[A], [], [B]]


def test_topics_are_conversations_in_the_order_in_which_they_were_written() -> None:
    data = _export(
        _message("assistant", "Second.", createdAt=1750000000900),
        _message("user", "First?", createdAt=1750000000100),
        _message("tool", "private"),
        _message("assistant", "Other.", topicId=None, createdAt="2025-06-15T15:06:40.000Z"),
    )
    one, other = imported(lobechat, data)
    assert (one.transcript.title, other.transcript.title) == ("Tides", "")
    assert [(turn.prompt, turn.answer) for turn in one.transcript.turns] == [("First?", "Second.")]
    assert one.transcript.date == other.transcript.date == "2025-06-15T15:06:40Z"


def test_the_whole_database() -> None:
    held = {"messages": [_message("assistant", "One [1].", A)], "topics": []}
    data = {"mode": "postgres", "schemaHash": "x", "data": held}
    assert read(turns(lobechat, data)[0]).cites == [(4, A)]


@pytest.mark.parametrize("data", [{"state": {"messages": []}}, {"messages": []}, [], "# Prose"])
def test_what_is_none_of_it(data: Any) -> None:
    assert not lobechat.recognises(export(data))


def test_settings_alone() -> None:
    with pytest.raises(Refused):
        imported(lobechat, _export())


def test_nothing_breaks_it() -> None:
    survives(lobechat, _export(_message("assistant", "One [1].", A, createdAt=1750000000100)))


CLAIM = st.text(st.sampled_from("ab é潮🌊א."), min_size=2, max_size=6).map(str.strip).filter(bool)


@many(50)
@given(st.lists(st.tuples(CLAIM, st.lists(st.integers(1, 4), max_size=3)), min_size=1, max_size=6))
def test_what_went_in_comes_out(claims: list[tuple[str, list[int]]]) -> None:
    urls = [f"https://example.org/{n}" for n in range(1, 5)]
    text, plain, wanted = "", "", set()
    for claim, numbers in claims:
        plain += f"{claim} "
        text += f"{claim} " + "".join(f"[{n}]" for n in numbers)
        wanted |= {(len(plain), urls[n - 1]) for n in numbers}
        text, plain = f"{text}; ", f"{plain}; "
    (turn,) = turns(lobechat, _export(_message("assistant", text, *urls)))
    result = read(turn)
    assert (result.text, set(result.cites), result.listed) == (plain, wanted, [])

"""Exports of claude.ai."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter.importers import Refused, claude_ai
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, messages, read, survives, turns

ROOT = "00000000-0000-4000-8000-000000000000"
A, B = "https://a.example/?q=潮汐&b=(2)", "https://b.example/"


def _units(text: str, unit: str) -> int:
    return len(text) if unit == "code points" else len(text.encode("utf-16-le")) // 2


def _cite(text: str, claim: str, url: str, unit: str = "code points") -> dict[str, Any]:
    start = text.index(claim)
    return {
        "start_index": _units(text[:start], unit),
        "end_index": _units(text[: start + len(claim)], unit),
        "details": {"type": "web_search_citation", "url": url},
    }


def _text(text: str, *citations: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": text, "citations": list(citations)}


def _results(*found: tuple[str, str]) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "tool_use_id": None,
        "content": [{"type": "knowledge", "url": url, "title": title} for url, title in found],
    }


def _artifact(name: str, content: str, *citations: Any, **more: Any) -> dict[str, Any]:
    value: dict[str, Any] = {"id": name, "type": "text/markdown", "content": content}
    value["md_citations"] = list(citations)
    return {"type": "tool_use", "id": None, "name": "artifacts", "input": {**value, **more}}


def _said(sender: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"sender": sender, "content": list(blocks), "text": "flat, and not to be used", **more}


def _asked(*blocks: dict[str, Any]) -> list[dict[str, Any]]:
    messages = [_said("human", _text("How?")), _said("assistant", *blocks)]
    return [{"name": "Tides", "created_at": "2025-09-01T10:00:00.5Z", "chat_messages": messages}]


@pytest.mark.parametrize("unit", ["code points", "utf-16"])
def test_the_unit_is_the_one_in_which_claims_are_whole_words(unit: str) -> None:
    text = "🌊 High water reaches 12 m 🌙, and more."
    data = _asked(_text(text, _cite(text, "High water reaches 12 m 🌙", A, unit)))
    (turn,) = turns(claude_ai, data)
    assert turn.answer == "🌊 High water reaches 12 m 🌙[1], and more."
    assert turn.sources[0].url == A


@pytest.mark.parametrize("unit", ["code points", "utf-16"])
def test_right_to_left_and_no_spaces(unit: str) -> None:
    text = "🌊 潮汐每天两次，גאות ושפל."
    citations = [_cite(text, "潮汐每天两次", A, unit), _cite(text, "גאות ושפל", B, unit)]
    (turn,) = turns(claude_ai, _asked(_text(text, *citations)))
    assert turn.answer == "🌊 潮汐每天两次[1]，גאות ושפל[2]."


def test_offsets_count_within_their_block_and_a_span_may_have_two_sources() -> None:
    text = "High. Low. "
    blocks = [_text("Before. "), _text(text, _cite(text, "Low", A), _cite(text, "Low", B))]
    (turn,) = turns(claude_ai, _asked(*blocks, _text("(More.)")))
    assert turn.answer == "Before. High. Low[1][2]. (More.)"


def test_titles_are_those_of_the_results_of_the_message() -> None:
    text = "Low."
    found = _results((A, "Tides\n[and] more"), (B, "Retrieved only"))
    (turn,) = turns(claude_ai, _asked(found, _text(text, _cite(text, "Low", A))))
    assert [(s.title, s.url) for s in turn.sources] == [("Tides [and] more", A)]


def test_a_flat_url_and_numbers_that_are_taken() -> None:
    text = "By [1] and x[2]."
    cite = {**_cite(text, "and x[2]", ""), "details": None, "url": A}
    (turn,) = turns(claude_ai, _asked(_text(text, cite)))
    assert turn.answer == "By [1] and x[2][3]."


@pytest.mark.parametrize("offsets", [(90, 95), (None, 3), (3, 1), (-3, -1), (0, 2), ("0", "3")])
def test_a_place_that_is_none_leaves_its_source_in_the_list(offsets: tuple[Any, Any]) -> None:
    cite = {"start_index": offsets[0], "end_index": offsets[1], "details": {"url": A}}
    data = _asked(_text("Tides rise.", cite))
    assert read(turns(claude_ai, data)[0]) == ("Tides rise.", [], [A])
    assert messages(claude_ai, data) == [
        "turn 1: 1 citation has no valid place in this export; its source is listed"
    ]


def test_a_citation_without_a_url_is_shown_as_lost() -> None:
    text = "Tides rise. "
    data = _asked(_text(text, _cite(text, "Tides rise", "")))
    assert turns(claude_ai, data)[0].answer == "Tides rise[?]. "
    assert messages(claude_ai, data) == [
        "turn 1: 1 citation has no source in this export; shown as [?]"
    ]


def test_what_stands_between_texts_parts_paragraphs() -> None:
    thought = {"type": "thinking", "thinking": "secret"}
    blocks = [thought, _text("I look."), _results(), _text("High"), {"type": "token_budget"}]
    (turn,) = turns(claude_ai, _asked(*blocks, _text(" and low.")))
    assert turn.answer == "I look.\n\nHigh and low."
    assert (turn.prompt, turn.date) == ("How?", None)


def test_the_thread_ends_with_the_last_message_and_retries_are_left_out() -> None:
    thread = [
        _said("human", _text("One?"), uuid="1", parent_message_uuid=ROOT),
        _said("assistant", _text("Discarded."), uuid="2", parent_message_uuid="1"),
        _said("assistant", _text("Kept."), uuid="3", parent_message_uuid="1"),
        _said("human", _text("Two?"), uuid="4", parent_message_uuid="3"),
        _said("assistant", _text("Last."), uuid="5", parent_message_uuid="4"),
    ]
    found = turns(claude_ai, [{"chat_messages": thread}])
    assert [(turn.prompt, turn.answer) for turn in found] == [("One?", "Kept."), ("Two?", "Last.")]
    for message in thread:
        del message["parent_message_uuid"]
    assert [turn.answer for turn in turns(claude_ai, [{"chat_messages": thread}])] == [
        "Discarded.\n\nKept.",
        "Last.",
    ]


def test_old_messages_have_only_a_text() -> None:
    thread = [{"sender": "human", "text": "How?"}, {"sender": "assistant", "text": "So."}]
    (turn,) = turns(claude_ai, {"chat_messages": thread})
    assert (turn.prompt, turn.answer) == ("How?", "So.")


REPORT = "# Tides 🌊\n\nThe Moon pulls.\n\n| a | 🌙 b |\n|---|---|\n| Fundy | 16 m |\n"


def _of_report(claim: str, url: str) -> dict[str, Any]:
    cite = _cite(REPORT, claim, "", "utf-16")
    return {**cite, "url": url, "title": "Label", "metadata": {"preview_title": "The title"}}


def test_a_report_counts_in_utf_16() -> None:
    report = _artifact("r", REPORT, _of_report("The Moon pulls", A), _of_report("16 m", B))
    (turn,) = turns(claude_ai, _asked(_text("I look."), report, _results(), _text("Ready.")))
    assert read(turn).text == f"I look.\n\n{REPORT}\nReady."
    assert "The Moon pulls[1].\n" in turn.answer
    assert "| 16 m[2] |\n" in turn.answer
    assert turn.sources[0].title == "The title"


def test_the_last_version_of_a_report_stands_where_it_was_made() -> None:
    thread = [
        _said("human", _text("One?")),
        _said("assistant", _text("Done."), _artifact("r", REPORT, _of_report("16 m", A))),
        _said("human", _text("Two?")),
        _said("assistant", _artifact("r", "Again.", command="rewrite"), _text("Done.")),
    ]
    found = turns(claude_ai, [{"chat_messages": thread}])
    assert [turn.answer.strip() for turn in found] == ["Done.", "Again.\n\nDone."]
    assert not found[0].sources


def test_an_update_changes_a_stretch_and_moves_what_is_behind_it() -> None:
    cited = [_of_report("The Moon pulls", A), _of_report("16 m", B)]
    change = {"id": "r", "command": "update", "old_str": "Fundy", "new_str": "Fundy 🌊"}
    update = {"type": "tool_use", "name": "artifacts", "input": change}
    (turn,) = turns(claude_ai, _asked(_artifact("r", REPORT, *cited), update))
    assert "pulls[1]." in turn.answer
    assert "| Fundy 🌊 | 16 m[2] |" in turn.answer
    change |= {"old_str": "16 m |", "new_str": "17 m |"}
    (turn,) = turns(claude_ai, _asked(_artifact("r", REPORT, *cited), update))
    assert "| Fundy | 17 m |" in turn.answer
    assert read(turn).listed == [B]


def test_an_artifact_of_another_kind_is_left_out_and_named() -> None:
    code = _artifact("c", "x = 1", type="application/vnd.ant.code", title="x.py")
    data = _asked(_text("See x."), code)
    assert turns(claude_ai, data)[0].answer == "See x."
    assert messages(claude_ai, data) == [
        "turn 1: the artifact 'x.py' is no Markdown; it is left out"
    ]


@pytest.mark.parametrize("data", [{}, [], None, 3, [{"mapping": {}}], [[]], "chat_messages"])
def test_what_is_none_of_it(data: Any) -> None:
    assert not claude_ai.recognises(export(data))


def test_nothing_breaks_it() -> None:
    text = "Tides rise."
    blocks = [_results((A, "A")), _text(text, _cite(text, "rise", A))]
    survives(claude_ai, _asked(*blocks, _artifact("r", REPORT, _of_report("16 m", A))))


WORDS = st.lists(
    st.sampled_from(["tide", "潮汐", "🌊", "المد", "גאות", "e\u0301t\u00e9", "👩‍🚀", "12 m"]),
    min_size=1,
    max_size=4,
).map(" ".join)


@many(50)
@given(st.lists(st.tuples(WORDS, st.sets(st.sampled_from([A, B]))), min_size=1), st.booleans())
def test_what_went_in_comes_out(claims: list[tuple[str, set[str]]], report: bool) -> None:
    unit = "utf-16" if report else "code points"
    text, citations, wanted = "", [], set()
    for claim, urls in claims:
        start = len(text)
        text += claim
        for url in sorted(urls):
            start_index, end_index = _units(text[:start], unit), _units(text, unit)
            citations.append({"start_index": start_index, "end_index": end_index, "url": url})
            wanted.add((len(text), url))
        text += ". "
    block = _artifact("r", text, *citations) if report else _text(text, *citations)
    (turn,) = turns(claude_ai, _asked(block))
    result = read(turn)
    assert result.text.strip() == text.strip()
    assert set(result.cites) == wanted
    assert not result.listed


@pytest.mark.parametrize("blocks", [[], [{"type": "thinking", "thinking": "SECRET"}]])
def test_an_answer_without_text_is_none_and_an_export_of_such_is_refused(blocks: list[Any]) -> None:
    handed_in = export(_asked(*blocks))
    assert claude_ai.recognises(handed_in)
    with pytest.raises(Refused, match="has an answer"):
        list(claude_ai.transcripts(handed_in))


def test_an_old_message_has_only_a_text() -> None:
    data = _asked()
    for message in data[0]["chat_messages"]:
        del message["content"]
    assert [turn.answer for turn in turns(claude_ai, data)] == ["flat, and not to be used"]

"""Sessions of Codex."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cite_filter.importers import Refused, codex
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B = "https://a.example/潮汐?a=1&b=(2)", "https://b.example/"
SEARCH = {"type": "web_search_call", "status": "completed", "action": {"type": "search"}}
META = {"type": "session_meta", "payload": {"id": "s", "timestamp": "2025-11-25T10:00:00Z"}}


def _item(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text}]
    payload = {"type": "message", "role": role, "content": content}
    return {"type": "response_item", "timestamp": "2025-11-25T10:00:01.5Z", "payload": payload}


def _event(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": kind, **more}}


def _session(*lines: dict[str, Any]) -> str:
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in [META, *lines])


def _searched(text: str) -> str:
    search = {"type": "response_item", "payload": SEARCH}
    return _session(_item("user", "How?"), search, _item("assistant", text))


def test_links_are_citations_where_the_web_was_searched() -> None:
    text = f"Up ([a.example]({A}?utm_source=openai)), as [b]({B}) says, in [x](src/x.py)."
    (turn,) = turns(codex, _searched(text))
    shown = f"Up , as [b]({B}) says, in [x](src/x.py)."
    assert read(turn) == (shown, [(3, A)], [B])
    (turn,) = turns(codex, _session(_item("user", "How?"), _item("assistant", text)))
    assert (turn.answer, turn.sources) == (text, ())


def test_an_answer_is_taken_once() -> None:
    lines = [
        _item("user", "<environment_context>secret</environment_context>"),
        _item("user", "How?"),
        _event("user_message", message="How?"),
        _event("agent_message", message="Up."),
        _item("assistant", "Up."),
        _event("agent_reasoning", text="secret"),
        _event("user_message", message="# Context\nsecret\n## My request for Codex:\nAnd then?\n"),
        _event("agent_message", message="Down."),
    ]
    found = turns(codex, _session(*lines))
    assert [(turn.prompt, turn.answer) for turn in found] == [
        ("How?", "Up."),
        ("And then?", "Down."),
    ]


def test_questions_without_events() -> None:
    lines = [
        _item("developer", "secret"),
        _item("user", "# AGENTS.md instructions for x\n\nsecret"),
        _item("user", "<user_instructions>\nsecret\n</user_instructions>\n"),
        _item("user", "<b>How?"),
        _item("assistant", "Up."),
    ]
    del lines[-1]["payload"]["type"]
    (one,) = imported(codex, _session(*lines))
    (turn,) = one.transcript.turns
    assert (turn.prompt, turn.answer, turn.date) == ("<b>How?", "Up.", "2025-11-25T10:00:01Z")
    assert one.transcript.provenance == {"id": "s"}
    assert one.transcript.date == "2025-11-25T10:00:00Z"


def test_what_was_taken_back_is_left_out() -> None:
    lines = [_item("user", "One?"), _item("assistant", "Up."), _item("user", "Two?")]
    lines += [_item("assistant", "Discarded."), _event("thread_rolled_back", num_turns=1)]
    lines += [_item("user", "Three?"), _item("assistant", "Down.")]
    assert [turn.prompt for turn in turns(codex, _session(*lines))] == ["One?", "Three?"]


def test_leaked_marks_are_lost_and_files_and_numbers_stay() -> None:
    data = _searched("Up \ue200cite\ue202turn0search0\ue201 \ue206and 【F:x.py†L1】 [1].")
    assert turns(codex, data)[0].answer == "Up [?] and 【F:x.py†L1】 [1]."
    assert messages(codex, data) == [
        "turn 1: 1 citation has no source in this export; shown as [?]"
    ]


@pytest.mark.parametrize("data", [[], {}, None, "x", '{"type": "message"}\n{}', {"type": "x"}])
def test_what_is_none_of_it(data: Any) -> None:
    assert not codex.recognises(export(data))


def test_a_session_without_answers() -> None:
    with pytest.raises(Refused):
        imported(codex, _session(_item("user", "How?")))


def test_nothing_breaks_it() -> None:
    for line in _searched(f"Up ([a]({A})).").split("\n")[1:]:
        survives(codex, json.loads(line))


WORDS = st.lists(st.sampled_from(["tide", "潮汐", "🌊", "المد", "גאות"]), min_size=1).map(" ".join)


@many(50)
@given(st.lists(st.tuples(WORDS, st.lists(st.sampled_from([A, B]), unique=True)), min_size=1))
def test_what_went_in_comes_out(claims: list[tuple[str, list[str]]]) -> None:
    text, bare, wanted = "", "", set()
    for claim, urls in claims:
        bare += f"{claim} "
        wanted |= {(len(bare), url) for url in urls}
        links = "".join(f"([{claim}]({url}))" for url in urls)
        text += f"{claim} {links}. "
        bare += ". "
    (turn,) = turns(codex, _searched(text))
    result = read(turn)
    assert result.text == bare
    assert set(result.cites) == wanted
    assert not result.listed

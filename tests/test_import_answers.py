"""Answers on their way into transcripts: thoughts, indices, citations without a place."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter.importers import openai
from cite_filter.importers.answers import Answer, Cited, citing
from cite_filter.importers.chats import Chat
from cite_filter.importers.thoughts import end_of_thoughts
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import messages, read, turns

A, B = "https://a.example", "https://b.example"


# --- Thoughts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "thoughts",
    [
        "<think>SECRET</think>\n\n",
        "\n <THINKING>\nSECRET\n\nSECRET</thinking>",
        "<think>a</think>\n<think>SECRET</think>",
        "<think>a <think>b</think> SECRET</think> ",
        '<think duration="3">SECRET</think>\n',
    ],
)
def test_thoughts_at_the_beginning_are_no_answer(thoughts: str) -> None:
    assert thoughts[end_of_thoughts(thoughts) :] == ""
    text = "Up 🌊 and <think>said</think>."
    assert (thoughts + text)[end_of_thoughts(thoughts + text) :] == text


@pytest.mark.parametrize("text", ["", "Up.", "`<think>` is a tag", "<thinker>x", "a <think>b"])
def test_what_is_no_thought_stays(text: str) -> None:
    assert end_of_thoughts(text) == 0


def test_a_thought_that_speaks_of_the_tag_ends_at_the_last_one() -> None:
    text = "<think>The tag <think> is SECRET.</think>\nUp."
    assert text[end_of_thoughts(text) :] == "Up."


def test_a_thought_that_was_cut_off_is_no_answer() -> None:
    chat = Chat()
    chat.ask("Why?")
    chat.answer(Answer("<think>SECRET"))
    assert chat.turns == []


def test_code_behind_a_thought_stays_code() -> None:
    text = "<think>a</think>\n\n    code"
    assert text[end_of_thoughts(text) :] == "    code"


@many(50)
@given(st.text("a🌊潮 .", max_size=9), st.text("ab🌊潮", min_size=1), st.data())
def test_places_behind_thoughts_stay(thought: str, text: str, data: st.DataObject) -> None:
    before = f"<think>{thought}</think>\n"
    place = data.draw(st.integers(0, len(text)))
    answer = Answer(before + text)
    answer.cite(len(before) + place, len(before) + place, [Cited(A)])
    answer.cite(8, 8, [Cited(B)])
    answer.lose(7, 7)
    chat = Chat()
    chat.answer(answer)
    assert read(chat.turns[0]) == (text, [(place, A)], [])
    assert chat.messages == []


def test_what_only_a_thought_cites_by_number_is_no_source() -> None:
    answer = Answer("<think>So [1], [7].</think>Up [2].")
    answer.cite_by_number({1: Cited(A), 2: Cited(B)})
    turn = answer.turn()
    assert (turn.answer, [source.url for source in turn.all_sources]) == ("Up [2].", [B])
    assert answer.unresolved == 0


def test_the_answers_of_a_vendor_are_without_thoughts() -> None:
    text = "<think>MY SECRET</think>Tides rise."
    note = {"type": "url_citation", "url": A, "title": "", "start_index": 24, "end_index": 35}
    message: dict[str, Any] = {"role": "assistant", "content": text}
    message["annotations"] = [{"type": "url_citation", "url_citation": note}]
    (turn,) = turns(openai, {"choices": [{"message": message}]})
    assert read(turn).text == "Tides rise."
    assert [url for _, url in read(turn).cites] == [A]


# --- Indices -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Vitamin c[1] helps.",
        "Hepatitis b[1].",
        "It is 5 m[1] high.",
        "維生素 c[1]",
        "高 5 m[1]",
        "A lot[1].",
        'Vitamin c[1] is in `abc -c` and "c".',
        "Vitamin c[1], [c](x), c[link](x)",
        "- Plan b[1]",
    ],
)
def test_a_word_of_one_letter_is_cited(text: str) -> None:
    assert len(list(citing(text))) == 1
    answer = Answer(text)
    answer.cite_by_number({1: Cited(A)})
    turn = answer.turn()
    assert (turn.answer, [source.url for source in turn.all_sources]) == (text, [A])


@pytest.mark.parametrize(
    "text",
    [
        "🌊 x[1] in `code [1]`.",
        "The value x[1] is",
        "Here c[0] and c[1].",
        "Here c[i] and c[1].",
        "Here c[n - 1] and c[1].",
        "In `c = []` then c[1].",
        "In `c` then c[1].",
        "Then c[1].\n\n```\nc = 7\n```\n",
        "With $c$ then c[1].",
        "With \\(c + 1\\) then c[1].",
        "Well. c[1] is",
        "c[1] is",
        "所以 c[1]，`c[2]`",
    ],
)
def test_an_index_is_no_citation(text: str) -> None:
    assert list(citing(text)) == []
    answer = Answer(text, {1: Cited(A)})
    assert "[<!-- -->1]" in answer.turn().answer


# --- Citations without a place -------------------------------------------------------------------


def _said(text: str, *places: int) -> list[str]:
    chat = Chat()
    answer = Answer(text)
    for place in places:
        answer.cite(place, place, [Cited(A)])
    chat.answer(answer)
    return chat.messages


def test_citations_that_stand_nowhere_are_counted() -> None:
    code = "```\nx\n```"
    assert _said(code, 4) == [
        "turn 1: 1 citation stands where no marker can (code, a rule, HTML); "
        "its source is listed without a place"
    ]
    assert _said(f"Up.\n\n{code}\n", 3, 9, 10) == [
        "turn 1: 2 citations stand where no marker can (code, a rule, HTML); "
        "their sources are listed without a place"
    ]
    assert _said("Up.", 3) == []


def test_a_lost_citation_that_stands_nowhere_is_not_said_to_be_shown() -> None:
    chat = Chat()
    answer = Answer("```\nx\n```")
    answer.lose(4, 4)
    chat.answer(answer)
    assert chat.messages == ["turn 1: 1 citation has no source in this export; not shown"]


def test_messages_of_a_vendor_say_what_stands_nowhere() -> None:
    text = "```\nxyz\n```"
    note = {"type": "url_citation", "url": A, "title": "", "start_index": 4, "end_index": 7}
    message = {"role": "assistant", "content": text, "annotations": [note]}
    assert any("where no marker can" in one for one in messages(openai, [message]))

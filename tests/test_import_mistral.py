"""Mistral: references between texts, by the keys of a tool's result."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cite_filter.importers import Refused, mistral
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B = "https://example.org/a", "https://example.com/b?x=(1)"


def _tool(pages: Any) -> dict[str, Any]:
    return {"role": "tool", "name": "search", "content": json.dumps(pages)}


def _said(*parts: Any) -> dict[str, Any]:
    content = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "reference", "reference_ids": part}
        for part in parts
    ]
    return {"role": "assistant", "content": content}


PAGES = {"0": {"url": A, "title": "One"}, "1": {"url": B}, "2": {"title": "notes.pdf"}}


def test_ids_are_keys_of_the_result_be_they_numbers_or_text() -> None:
    data = [
        {"role": "system", "content": "private"},
        {"role": "user", "content": "Why?"},
        _tool(PAGES),
        _said("Tides 🌊 ", [0, "1"], "潮汐", ["2", 7, [], None], "."),
    ]
    (turn,) = turns(mistral, data)
    assert turn.prompt == "Why?"
    assert turn.answer == "Tides 🌊[1][2] 潮汐[3]<!-- -->[?][?][?]."
    assert [source.url for source in turn.all_sources] == [A, B, "file:notes.pdf"]
    assert messages(mistral, data) == [
        "turn 1: 3 citations have no source in this export; shown as [?]"
    ]


def test_keys_hold_for_one_question_and_must_not_contradict() -> None:
    question = {"role": "user", "content": "And?"}
    other = _tool({"0": {"url": B}, "1": {"url": B}})
    data = [_tool(PAGES), question, _said("One", [0]), question, _tool(PAGES), other]
    data.append(_said("Two", [0, 1]))
    found = [turn.answer for turn in turns(mistral, data)]
    assert found == ["One[?]", "Two[1]<!-- -->[?]"]


def test_a_list_has_no_keys() -> None:
    assert turns(mistral, [_tool([PAGES["0"]]), _said("One", [0])])[0].answer == "One[?]"


def test_references_that_carry_their_page() -> None:
    output = {
        "type": "message.output",
        "content": [
            {"type": "text", "text": "المد"},
            {"type": "tool_reference", "tool": "web", "url": A, "title": "One"},
            {"type": "tool_reference", "tool": "web"},
            {"type": "text", "text": "."},
        ],
    }
    data = {
        "object": "conversation.response",
        "inputs": "Why?",
        "outputs": [{"type": "tool.execution", "name": "web"}, output],
    }
    (turn,) = turns(mistral, data)
    assert (turn.prompt, turn.answer) == ("Why?", "المد[1]<!-- -->[?].")


def test_a_completion_and_its_request() -> None:
    completion = {"object": "chat.completion", "choices": [{"message": _said("One", [0])}]}
    request = {"messages": [{"role": "user", "content": "Why?"}, _tool(PAGES)]}
    (turn,) = turns(mistral, {"request": request, "response": completion})
    assert (turn.prompt, turn.answer) == ("Why?", "One[1]")


@pytest.mark.parametrize("data", [[{"role": "assistant", "content": "Yes."}], "# Prose", {}, [1]])
def test_what_is_none_of_it(data: Any) -> None:
    assert not mistral.recognises(export(data))


def test_nothing_said() -> None:
    with pytest.raises(Refused):
        imported(mistral, {"outputs": [{"type": "tool.execution"}]})


def test_nothing_breaks_it() -> None:
    survives(mistral, [_tool(PAGES), _said("One", [0])])
    survives(mistral, {"outputs": [{"type": "message.output", "content": [{"type": "text"}]}]})


CLAIM = st.text(st.sampled_from("ab é潮🌊א."), min_size=1, max_size=6).map(str.strip).filter(bool)


@many(50)
@given(st.lists(st.tuples(CLAIM, st.lists(st.integers(0, 3), max_size=3)), min_size=1, max_size=6))
def test_what_went_in_comes_out(claims: list[tuple[str, list[int]]]) -> None:
    pages = {str(n): {"url": f"https://example.org/{n}"} for n in range(4)}
    parts: list[Any] = []
    text, wanted = "", set()
    for claim, numbers in claims:
        text += claim
        wanted |= {(len(text), pages[str(n)]["url"]) for n in numbers}
        text += " "
        parts += [claim, numbers, " "]
    (turn,) = turns(mistral, [_tool(pages), _said(*parts)])
    result = read(turn)
    assert (result.text.rstrip(), set(result.cites)) == (text.rstrip(), wanted)
    assert not result.listed

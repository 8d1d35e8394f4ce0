"""LangChain: annotations in the units of who made the answer, in every form of a dump."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter.importers import Refused, langchain
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B = "https://example.org/a", "https://example.com/b?x=(1)"
TEXT = "🌊 Tides rise. 潮汐 כן."


def _citation(start: int | None, end: int | None, url: str, **more: Any) -> dict[str, Any]:
    places = {} if end is None else {"start_index": start, "end_index": end}
    return {"type": "citation", "url": url, **places, **more}


def _ai(text: str, *annotations: Any, provider: str = "openai") -> dict[str, Any]:
    block = {"type": "text", "text": text, "annotations": list(annotations)}
    reasoning = {"type": "reasoning", "reasoning": "private"}
    metadata = {"model_provider": provider}
    return {"type": "ai", "content": [reasoning, block], "response_metadata": metadata}


HUMAN = {"type": "human", "content": "Why?"}


def test_with_a_place_and_without() -> None:
    other = {"type": "non_standard_annotation", "value": {"url": B}}
    data = [HUMAN, _ai(TEXT, _citation(0, 13, A, title="One"), _citation(None, None, B), other)]
    (turn,) = turns(langchain, data)
    assert (turn.prompt, turn.answer) == ("Why?", TEXT.replace("rise.", "rise.[1]"))
    assert read(turn).listed == [B]
    assert "1 source is" in messages(langchain, data)[0]


def test_the_units_are_the_providers_where_both_fit() -> None:
    text = "潮汐。潮汐。潮汐。潮汐。潮汐。"
    found = [
        read(turns(langchain, _ai(text, _citation(0, 9, A), provider=provider))[0]).cites
        for provider in ("openai", "google_genai")
    ]
    assert found == [[(9, A)], [(3, A)]]


def test_links_of_the_model_give_way() -> None:
    text = f"Tides ([example.org]({A}?utm_source=openai))."
    data = _ai(text, _citation(6, len(text) - 1, f"{A}?utm_source=openai"))
    (turn,) = turns(langchain, data)
    assert (turn.answer, turn.all_sources[0].url) == ("Tides [1].", A)


def test_where_the_block_is_the_claim() -> None:
    blocks = [
        {"type": "text", "text": "So: "},
        {"type": "text", "text": "tides.", "annotations": [_citation(None, None, A)]},
        {
            "type": "text",
            "text": " Moon.",
            "citations": [
                {"type": "web_search_result_location", "url": B, "title": None},
                {"type": "char_location", "document_title": "notes.pdf"},
            ],
        },
    ]
    message = {
        "type": "ai",
        "content": blocks,
        "response_metadata": {"model_provider": "anthropic"},
    }
    (turn,) = turns(langchain, message)
    assert turn.answer == "So: tides.[1] Moon.[2][3]"
    assert [source.url for source in turn.all_sources] == [A, B, "file:notes.pdf"]


def test_every_form_of_a_dump() -> None:
    ai = _ai("Yes.", _citation(0, 4, A))
    plain = [{"type": "system", "content": "private"}, HUMAN, ai]
    nested = [{"type": message["type"], "data": message} for message in (HUMAN, ai)]
    names = ["langchain", "schema", "messages"]
    constructed = [
        {"lc": 1, "type": "constructor", "id": [*names, name], "kwargs": message}
        for name, message in (("HumanMessage", HUMAN), ("AIMessage", ai))
    ]
    for data in (plain, nested, constructed, {"messages": plain}, {"values": {"messages": plain}}):
        assert [(one.prompt, one.answer) for one in turns(langchain, data)] == [("Why?", "Yes.[1]")]
    assert turns(langchain, {"type": "ai", "content": "Yes."})[0].answer == "Yes."


@pytest.mark.parametrize(
    "data",
    [
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "x"}]},
        [{"type": "human"}, {"type": "ai", "content": None}],
        "# Prose",
    ],
)
def test_what_is_none_of_it(data: Any) -> None:
    assert not langchain.recognises(export(data))


def test_nothing_said() -> None:
    with pytest.raises(Refused):
        imported(langchain, HUMAN)


def test_nothing_breaks_it() -> None:
    survives(langchain, [HUMAN, _ai(TEXT, _citation(0, 13, A))])
    survives(langchain, {"type": "constructor", "id": ["AIMessage"], "kwargs": _ai("x")})


CLAIM = st.text(st.sampled_from("ab é潮🌊א."), min_size=1, max_size=6).map(str.strip).filter(bool)


@many(50)
@given(st.lists(st.tuples(CLAIM, st.lists(st.integers(0, 3), max_size=3)), min_size=1, max_size=6))
def test_what_went_in_comes_out(claims: list[tuple[str, list[int]]]) -> None:
    text, wanted, annotations = "", set(), []
    for claim, numbers in claims:
        start, text = len(text), text + claim
        for number in numbers:
            url = f"https://example.org/{number}"
            wanted.add((len(text), url))
            annotations.append(_citation(start, len(text), url))
        text += " "
    # A link, the only one, tells which unit it is.
    link = "([example.org](https://example.org/link))"
    annotations.append(_citation(len(text), len(text + link), "https://example.org/link"))
    wanted.add((len(text), "https://example.org/link"))
    (turn,) = turns(langchain, _ai(text + link, *annotations))
    result = read(turn)
    assert (result.text, set(result.cites), result.listed) == (text, wanted, [])

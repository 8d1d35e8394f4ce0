"""Vercel's AI SDK: sources without places; links of the text that lead to one have theirs."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter.importers import Refused, vercel
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B = "https://example.org/a", "https://example.com/b_(c)?x=1"


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _page(url: str, title: str | None = None) -> dict[str, Any]:
    return {"type": "source-url", "sourceId": "1", "url": url, "title": title}


def _said(*parts: Any) -> dict[str, Any]:
    return {"id": "a", "role": "assistant", "parts": list(parts)}


USER = {"id": "u", "role": "user", "parts": [_text("Why?"), {"type": "file", "url": "data:x"}]}


def test_sources_are_listed_and_it_is_said() -> None:
    document = {"type": "source-document", "filename": "notes.pdf", "title": "Notes"}
    reasoning = {"type": "reasoning", "text": "private"}
    system = {"role": "system", "parts": [_text("private")]}
    data = [
        system,
        USER,
        _said({"type": "step-start"}, reasoning, _text("潮汐 🌊"), _page(A), document),
    ]
    (turn,) = turns(vercel, data)
    assert (turn.prompt, read(turn)) == ("Why?", ("潮汐 🌊", [], [A, "file:notes.pdf"]))
    assert messages(vercel, data) == [
        "turn 1: this export does not say where 2 sources are cited; listed only"
    ]


def test_a_link_to_a_source_is_a_citation() -> None:
    text = f"כן ([example.org]({A}?utm_source=openai)), ([c.example](https://c.example/))."
    data = [_said(_text(text), _page(f"{A}?utm_source=openai", "One"), _page(B))]
    (turn,) = turns(vercel, data)
    assert turn.answer == "כן [1], ([c.example](https://c.example/))."
    assert [(source.title, source.url) for source in turn.all_sources] == [("One", A), ("", B)]
    assert "1 source is" in messages(vercel, data)[0]


def test_numbers_are_left_as_written() -> None:
    data = [_said(_text("Tides [1]."), _page(A))]
    (turn,) = turns(vercel, data)
    assert turn.answer == "Tides [1]."
    assert [source.number for source in turn.all_sources] == [2]
    assert "numbers in brackets" in messages(vercel, data)[1]


def test_texts_go_on_but_for_tools_between_them() -> None:
    tool = {"type": "tool-search", "output": "x"}
    data = {"title": "T", "messages": [_said(_text("On"), _text("e."), tool, _text("Two."))]}
    (one,) = imported(vercel, data)
    assert (one.transcript.title, one.transcript.turns[0].answer) == ("T", "One.\n\nTwo.")


def test_the_form_before() -> None:
    source = {"type": "source", "source": {"sourceType": "url", "id": "1", "url": A}}
    assert read(turns(vercel, [_said(_text("One."), source)])[0]).listed == [A]


@pytest.mark.parametrize(
    "data",
    [
        [{"role": "user", "parts": [{"text": "x"}]}],
        [{"role": "assistant", "content": "x"}],
        {"messages": 3},
        "# Prose",
    ],
)
def test_what_is_none_of_it(data: Any) -> None:
    assert not vercel.recognises(export(data))


def test_nothing_said() -> None:
    with pytest.raises(Refused):
        imported(vercel, [USER])


def test_nothing_breaks_it() -> None:
    survives(vercel, {"title": "T", "messages": [USER, _said(_text("One [1]."), _page(A, "One"))]})


CLAIM = st.text(st.sampled_from("ab é潮🌊א."), min_size=1, max_size=6).map(str.strip).filter(bool)


@many(50)
@given(st.lists(st.tuples(CLAIM, st.integers(0, 3) | st.none()), min_size=1, max_size=6))
def test_what_went_in_comes_out(claims: list[tuple[str, int | None]]) -> None:
    urls = [f"https://example.org/{n}" for n in range(4)]
    text, plain, wanted = "", "", set()
    for claim, number in claims:
        text, plain = f"{text}{claim} ", f"{plain}{claim} "
        if number is not None:
            text += f"([example.org]({urls[number]}))"
            wanted.add((len(plain), urls[number]))
        text, plain = f"{text}; ", f"{plain}; "
    (turn,) = turns(vercel, [_said(_text(text), *map(_page, urls))])
    result = read(turn)
    assert (result.text, set(result.cites)) == (plain, wanted)
    assert set(result.listed) == set(urls) - {url for _, url in wanted}

"""Grok's export: a tag names a card, the card is JSON as text, its titles stand elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cite_filter.importers import Refused, grok
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B, C = "https://example.org/a", "https://example.com/b?x=(1)&y=潮", "https://example.net/c"
TREE = "the export does not say which branch was shown; the newest is taken"


def _tag(card: str, *, line: str = "", kind: str = "citation") -> str:
    return (
        f'<grok:render card_id="{card}" card_type="{kind}_card" type="render_inline_{kind}">{line}'
        f'<argument name="citation_id">48</argument>{line}</grok:render>'
    )


def _card(name: str, url: str, key: str = "url") -> str:
    return json.dumps({"id": name, "type": "render_inline_citation", key: url})


def _response(key: str, parent: str | None, sender: str, text: str, **more: Any) -> dict[str, Any]:
    date = {"$date": {"$numberLong": "1750000000000"}}
    inner = {"_id": key, "sender": sender, "message": text, "create_time": date, **more}
    return {"response": {**inner, **({"parent_response_id": parent} if parent else {})}}


def _chat(text: str, *cards: Any, cited: Any = (), **more: Any) -> dict[str, Any]:
    answer = {"card_attachments_json": list(cards), "cited_web_search_results": list(cited), **more}
    return {
        "conversations": [
            {
                "conversation": {
                    "id": "c-1",
                    "title": "Tides",
                    "create_time": "2025-06-15T15:06:40.5Z",
                },
                "responses": [
                    _response("q", None, "human", "Q?"),
                    _response("a", "q", "ASSISTANT", text, **answer),
                ],
            }
        ]
    }


def test_a_conversation() -> None:
    text = (
        f"🌊 المد.{_tag('x', line=chr(10))} 潮汐{_tag('y')}。\n\n| a | b{_tag('x')} |\n|---|---|\n"
    )
    titles = [{"url": A, "title": "One", "preview": "…"}]
    read_only = [{"url": C, "title": "Read"}]
    data = _chat(
        text, _card("x", A), _card("y", B, "URL"), cited=titles, web_search_results=read_only
    )
    (one,) = imported(grok, data)
    (turn,) = one.transcript.turns
    assert (turn.prompt, turn.answer) == ("Q?", "🌊 المد.[1] 潮汐[2]。\n\n| a | b[1] |\n|---|---|")
    assert [(s.url, s.title) for s in turn.all_sources] == [(A, "One"), (B, "")]
    assert turn.date == one.transcript.date == "2025-06-15T15:06:40Z"
    assert one.transcript.provenance == {"id": "c-1"}
    assert one.messages == []


def test_what_is_cited_without_a_place_is_listed() -> None:
    (turn,) = turns(
        grok, _chat(f"x{_tag('x')}", _card("x", A), cited=[{"url": A}, {"url": B, "title": "Two"}])
    )
    assert (turn.answer, read(turn).listed) == ("x[1]", [B])


def test_a_card_that_is_missing_or_in_doubt_is_lost() -> None:
    text = f"x{_tag('x')} y{_tag('y')}"
    data = _chat(text, _card("y", A), _card("y", B), web_search_results=[{"url": C}] * 50)
    (turn,) = turns(grok, data)
    assert (turn.answer, turn.all_sources) == ("x[?] y[?]", [])
    assert messages(grok, data) == [
        "turn 1: 2 citations have no source in this export; shown as [?]"
    ]


def test_marks_of_the_older_form() -> None:
    both, one = (
        f'[](grok_render_citation_card_json={{"cardIds":["x","{other}"]}})' for other in "yz"
    )
    (turn,) = turns(grok, _chat(f"w{both} z{one}", _card("x", A), _card("y", B)))
    assert turn.answer.replace("<!-- -->", "") == "w[1][2] z[1][?]"


def test_all_cards_in_one_text() -> None:
    cards = json.dumps([json.loads(_card("x", A)), _card("y", B)])
    (turn,) = turns(grok, _chat(f"x{_tag('x')}{_tag('y')}", card_attachments_json=cards))
    assert turn.answer == "x[1][2]"


def test_pictures_are_left_out_and_counted() -> None:
    data = _chat(f"x{_tag('x', kind='image')}.", _card("x", A))
    assert turns(grok, data)[0].answer == "x."
    assert turns(grok, data)[0].all_sources == []
    assert messages(grok, data) == ["turn 1: 1 card that is no citation is left out"]


def test_calls_of_tools_and_thoughts_stay_out() -> None:
    text = "<xai:tool_usage_card>SECRET</xai:tool_usage_card>\nAnswer."
    (one,) = imported(grok, _chat(text, thinking_trace="SECRET", steps=["SECRET"]))
    assert one.transcript.turns[0].answer == "Answer."
    assert "SECRET" not in one.transcript.to_markdown()


def test_code_that_speaks_of_tags_stays() -> None:
    text = f"`{_tag('x')}`"
    assert turns(grok, _chat(text, _card("x", A)))[0].answer == text


def test_every_sender_but_a_human_answers() -> None:
    data = _chat("A.")
    data["conversations"][0]["responses"] += [
        _response("q2", "a", "Human", "And?"),
        _response("a2", "q2", "grok-4", "B."),
    ]
    assert [(turn.prompt, turn.answer) for turn in turns(grok, data)] == [
        ("Q?", "A."),
        ("And?", "B."),
    ]


def test_the_branch() -> None:
    data = _chat("Discarded.")
    one = data["conversations"][0]
    one["responses"].append(_response("b", "q", "assistant", "Shown."))
    assert [turn.answer for turn in turns(grok, data)] == ["Shown."]
    assert messages(grok, data) == [TREE]
    one["conversation"]["leaf_response_id"] = "a"
    assert [turn.answer for turn in turns(grok, data)] == ["Discarded."]
    assert messages(grok, data) == []


def test_responses_without_parents_stand_in_order() -> None:
    data = _chat("A.")
    del data["conversations"][0]["responses"][1]["response"]["parent_response_id"]
    assert [(turn.prompt, turn.answer) for turn in turns(grok, data)] == [("Q?", "A.")]


def test_no_card_is_carried_into_the_next_turn() -> None:
    data = _chat(f"x{_tag('x')}", _card("x", A))
    data["conversations"][0]["responses"].append(_response("b", "a", "assistant", f"y{_tag('x')}"))
    assert [turn.answer for turn in turns(grok, data)] == ["x[1]", "y[?]"]


def test_a_file_without_answers_is_refused() -> None:
    with pytest.raises(Refused):
        imported(grok, _chat(""))


@pytest.mark.parametrize(
    "data", [{}, [], None, {"conversations": [{"mapping": {}}]}, [{"conversation": {}}], "x"]
)
def test_what_is_none_of_it(data: Any) -> None:
    assert not grok.recognises(export(data))


def test_nothing_breaks_it() -> None:
    survives(grok, _chat(f"x{_tag('x')}", _card("x", A), cited=[{"url": B, "title": "Two"}]))


WORDS = st.lists(
    st.sampled_from(["tide", "潮汐", "🌊", "المد", "גאות", "é", "👩‍🚀", "[1]", "`a[0]`"]),
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
        text += claim + "".join(_tag(f"c{[A, B, C].index(url)}") for url in urls) + ". "
        plain += ". "
    cards = [_card(f"c{n}", url) for n, url in enumerate([A, B, C])]
    (turn,) = turns(grok, _chat(text, *cards))
    found = read(turn)
    assert (found.text.strip(), found.cites, found.listed) == (plain.strip(), wanted, [])

"""Where markers can be put into a text."""

from __future__ import annotations

import pytest
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.places import Places
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import read

A = "https://a.example"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Up|.", "Up[1]."),
        ("Up `a|b` and", "Up `ab`[1] and"),
        ("Up `ab`| and", "Up `ab`[1] and"),
        ("Up $a|b$ and", "Up $ab$[1] and"),
        ("Up [a|b](c) and", "Up [ab](c)[1] and"),
        ("See https://b.example/x|", "See https://b.example/x [1]"),
        ("See (https://b.example/x)|", "See (https://b.example/x)[1]"),
        ("Up \\|* and", "Up \\*[1] and"),
        ("Up \\|", "Up [1]\\"),
        ("| a | b |\n|---|---|\n| c | d |¦", "| a | b |\n|---|---|\n| c | d[1] |"),
        ("Up|(so)", "Up[1]<!-- -->(so)"),
    ],
)
def test_close_by(text: str, answer: str) -> None:
    sign = "¦" if "¦" in text else "|"
    place = text.index(sign)
    read_in = Answer(text.replace(sign, "", 1))
    read_in.cite(place, place, [Cited(A)])
    assert read_in.turn().answer == answer


@pytest.mark.parametrize(
    "text",
    ["```\nx|\n```", "```\nx\n```|", "    x|", "<div>\nx|\n</div>", "Up\n\n---|\n", "Up\n==|"],
)
def test_none(text: str) -> None:
    answer = Answer(text.replace("|", ""))
    answer.cite(text.index("|"), text.index("|"), [Cited(A)])
    assert read(answer.turn()) == (text.replace("|", "").strip("\n"), [], [A])


@many(50)
@given(st.text(st.sampled_from("a `$[]()|\n-#>\\*1!:潮🌊"), max_size=30), st.data())
def test_a_source_that_went_in_is_cited_or_listed(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    found = Places(text).near(place)
    assert found is None or 0 <= found <= len(text)
    answer = Answer(text)
    answer.cite(place, place, [Cited(A)])
    assert [source.url for source in answer.turn().sources] == [A]

r"""`\\( … \\)` and `\\[ … \\]` as dollars."""

from __future__ import annotations

import re
import time

import pytest
from cite_filter.importers import mathematics
from cite_filter.importers.answers import Answer, Cited
from conftest import many
from hypothesis import given
from hypothesis import strategies as st

A = "https://a.example"

_INLINE = re.compile(r"(?<!\\)\\\(((?:(?!\\\)|\n[ \t]*\n).)+?)\\\)", re.S)
_DISPLAY = re.compile(r"(?<!\\)\\\[((?:(?!\\\]|\n[ \t]*\n).)+?)\\\]", re.S)


def _expected(text: str) -> list[tuple[int, int, str]]:
    """The formulas by what the grammar says of them, in as many steps as it takes."""
    inline = [(*match.span(), "$") for match in _INLINE.finditer(text)]
    display = [
        (*match.span(), "$$")
        for match in _DISPLAY.finditer(text)
        if "\n" in match[1] or not re.fullmatch(r"[^\\^_=+<>{}|]*", match[1])
    ]
    found: list[tuple[int, int, str]] = []
    for one in sorted([*inline, *display]):
        if not found or one[0] >= found[-1][1]:
            found.append(one)
    return found


@many(300)
@given(st.lists(st.sampled_from(["\\(", "\\)", "\\[", "\\]", "\\", "\n", " ", "x", "=", "潮"])))
def test_the_formulas_are_those_of_the_grammar(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert list(mathematics.formulas(text)) == _expected(text)


@pytest.mark.parametrize("text", ["\\(a", "\\[a", "\\(a\n\n", "\\[\\(\n", "\\(\\]", "\\(a\n \n\\)"])
def test_what_is_never_closed_is_read_once(text: str) -> None:
    start = time.process_time()
    mathematics.convert(text * (200_000 // len(text)))
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"Formula \(x + y|\) holds.", "Formula $x + y$[1] holds."),
        (r"Formula \(|x + y\) holds.", "Formula $x + y$[1] holds."),
        (r"Formula \|(x + y\) holds.", "Formula $x + y$[1] holds."),
        (r"Formula |\(x + y\) holds.", "Formula [1]$x + y$ holds."),
        (r"Formula \(x\)|\(y\) holds.", "Formula $x$$y$[1] holds."),
        (r"By \[x = |y\].", "By $$x = y$$<!-- -->[1]."),
        ("By\n\\[\nx =| y\n\\]\nso.", "By\n$$\nx = y\n$$<!-- -->[1]\nso."),
        (r"No \[wor|ds\].", r"No \[wor[1]ds\]."),
        (r"No `\(x|\)` either.", r"No `\(x\)`[1] either."),
    ],
)
def test_a_marker_stands_behind_the_formula_that_is_cited(text: str, answer: str) -> None:
    read_in = Answer(text.replace("|", ""))
    read_in.cite(text.index("|"), text.index("|"), [Cited(A)])
    assert read_in.turn().answer == answer

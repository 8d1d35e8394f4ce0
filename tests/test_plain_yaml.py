"""The short way to read sources gives what a YAML parser gives, or nothing."""

from __future__ import annotations

import pytest
from cite_filter import plain_yaml
from cite_filter.source_lists import SourcesError, compose, entries_of
from conftest import many
from hypothesis import given
from hypothesis import strategies as st

SIGNS = st.sampled_from(
    [
        *(" ", ":", ": ", " #", "#", "'", "''", '"', "\\", "\\n", "-", "- ", "?", ",", "[", "]"),
        *(
            "{",
            "}",
            "&a",
            "*a",
            "!",
            "!!int",
            "|",
            ">",
            "%",
            "@",
            "`",
            "~",
            "null",
            "Null",
            "=",
            "<<",
        ),
        *(
            "yes",
            "1",
            "0x1",
            "1_0",
            "12:30",
            "2024-01-01",
            "...",
            "---",
            "\t",
            "\x85",
            "\xa0",
            "\u2028",
        ),
        *(
            "\ufeff",
            "\ufffe",
            "\U0001f600",
            "é",
            "你",
            "\x7f",
            "\x00",
            "\r",
            "\u202e",
            "https://1.example/?a=b#c",
        ),
    ]
)
SCALARS = st.lists(SIGNS | st.text(max_size=3), max_size=4).map("".join)
WRITTEN = st.one_of(
    SCALARS,
    SCALARS.map(lambda text: "x" + text),
    SCALARS.map(lambda text: f"'{text}'"),
    SCALARS.map(lambda text: f'"{text}"'),
)
ENTRIES = st.tuples(st.sampled_from(["1", "2", "007", "x", ""]) | SCALARS, WRITTEN, WRITTEN)
TEXTS = st.lists(ENTRIES.map(lambda entry: "- index: {}\n  title: {}\n  url: {}".format(*entry)))


@given(TEXTS.map("\n".join), st.sampled_from(["", "\n", "\n\n", "\n---\n"]))
@many(400)
def test_it_reads_as_a_parser_does(text: str, end: str) -> None:
    plain = plain_yaml.entries(text + end)
    if plain is None:
        return
    parsed = entries_of(compose(text + end))
    keys = ("index", "title", "url")
    assert plain == [tuple(entry.fields[key] for key in keys) for entry in parsed]
    assert [entry.line for entry in parsed] == [1 + plain_yaml.LINES * n for n in range(len(plain))]


@pytest.mark.parametrize(
    "title", ["One", "'A: b'", '"A: b"', "It''s", "'It''s'", "C# and https://x.example", "12:30"]
)
def test_the_usual_is_plain(title: str) -> None:
    text = f"- index: 1\n  title: {title}\n  url: https://1.example/\n"
    assert plain_yaml.entries(text * 3) is not None


@pytest.mark.parametrize("text", ["- url: x", "- index: 1\n  title: a: b\n  url: x", "x", "\n"])
def test_anything_else_is_left_to_a_parser(text: str) -> None:
    assert plain_yaml.entries(text) is None
    try:
        compose(text)
    except SourcesError:
        return

"""Numbering sources as an agent works."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from cite_filter.sources import (
    CITATION_PROMPT,
    Source,
    SourceList,
    ToolCallRecord,
    collect_sources,
    format_page,
    format_results,
)
from conftest import many
from hypothesis import given
from hypothesis import strategies as st

TIDES = {"title": "Tides", "url": "https://a.example/tides", "snippet": "Twice a day.\nAlways."}
MOON = {"title": "The\n Moon", "url": " https://b.example/ "}


def test_a_page_has_one_number() -> None:
    sources = SourceList()
    assert sources.add("One", " https://a.example/ ") == (1, Source(1, "One", "https://a.example/"))
    assert sources.add("Two", "https://b.example/")[0] == 2
    assert sources.add("One again", "https://a.example/\n") == (1, None)
    assert sources.add("Another", "https://a.example/#x")[0] == 3
    assert [source.number for source in sources] == [1, 2, 3]
    assert sources[1].url == "https://b.example/"


@pytest.mark.parametrize("url", ["", "  \n"])
def test_no_page_without_an_address(url: str) -> None:
    with pytest.raises(ValueError, match="URL"):
        SourceList().add("T", url)


def test_a_turn_goes_on_where_it_was_left() -> None:
    sources = SourceList([Source(7, "T", "https://a.example/")])
    assert sources.add("T", "https://a.example/") == (7, None)
    assert sources.add("U", "https://b.example/")[0] == 8


def test_results_are_printed_with_their_numbers() -> None:
    sources = SourceList()
    printed = format_results([TIDES, MOON], sources)
    assert printed == (
        "[1] Tides\n    https://a.example/tides\n    Twice a day.\n    Always.\n\n"
        "[2] The Moon\n    https://b.example/"
    )
    assert format_results([TIDES, MOON]) == printed
    assert format_results([MOON, TIDES], sources).startswith("[2] The Moon\n")
    assert len(sources) == 2


@pytest.mark.parametrize(
    "result", [{}, {"url": ""}, {"url": "javascript:x"}, {"url": None, "title": "T"}]
)
def test_what_cannot_be_linked_gets_no_number(result: dict[str, str]) -> None:
    sources = SourceList()
    assert not format_results([result], sources).startswith("[")
    assert not sources
    assert not format_page("T", result.get("url") or "", "x", sources=sources).startswith("[")
    assert not sources


def test_nothing_found_registers_nothing() -> None:
    sources = SourceList()
    assert format_results([], sources) == "No results."
    assert not sources


def test_a_page_is_printed_with_its_number_and_its_links_without() -> None:
    sources = SourceList([Source(1, "Tides", "https://a.example/tides")])
    links = [("The\nMoon", "https://b.example/")]
    printed = format_page("Moon", "https://c.example/", "Body.\n", links, sources)
    assert printed == (
        "[2] Moon\nURL: https://c.example/\n\nBody.\n\nLinks on page:\n- The Moon: https://b.example/"
    )
    assert format_page("", "https://d.example/x", "") == "[1] d.example\nURL: https://d.example/x"


def test_a_record_holds_what_its_call_added() -> None:
    sources = SourceList()
    calls = []
    for results in ([TIDES], [TIDES, MOON], []):
        before = len(sources)
        output = format_results(results, sources)
        calls.append(ToolCallRecord("web_search", {"q": "x"}, output, sources[before:]))
    assert [[source.number for source in call.sources] for call in calls] == [[1], [2], []]
    assert [source.number for source in collect_sources(reversed(calls))] == [1, 2]
    assert collect_sources([*calls, *calls]) == list(sources)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
keys = st.text().filter(lambda key: key not in ("tool", "input", "output", "sources"))


@given(st.dictionaries(keys, plain), st.text(min_size=1))
@many(50)
def test_fields_that_are_not_known_stay(more: dict[str, object], tool: str) -> None:
    stored = {"tool": tool, **more}
    record = ToolCallRecord.from_json(json.loads(json.dumps(stored)))
    assert record.sources == ()
    assert record.to_json() == stored


def test_the_prompt_speaks_of_numbers() -> None:
    assert "[3]" in CITATION_PROMPT
    assert "\n" not in CITATION_PROMPT


def test_it_needs_no_pandoc() -> None:
    code = "import cite_filter.sources, sys; print([m for m in sys.modules if 'pandoc' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pypandoc" not in done.stdout
    assert "cite_filter.pandoc'" not in done.stdout

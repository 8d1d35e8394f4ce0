"""The grammar of markers on flat text; the case files show it on documents."""

from __future__ import annotations

import pytest
from cite_filter.markers import LINE_BREAK, find


def roles(text: str, **options: bool) -> list[tuple[str, str]]:
    return [(text[m.start : m.end], m.role) for m in find(text, **options)]


def test_numbers_are_text_in_the_order_written() -> None:
    assert [m.numbers for m in find("[3,1], [^20]")] == [("3", "1"), ("20",)]


def test_a_definition_begins_a_line() -> None:
    assert roles("[1]: x") == [("[1]", "definition")]
    assert roles("[1]: x", line_start=False) == [("[1]", "marker")]
    assert roles("a\n[^1]:x") == [("[^1]", "definition")]
    assert roles(f"a{LINE_BREAK}[1]:") == [("[1]", "definition")]
    assert roles("a [1]: x") == [("[1]", "marker")]
    assert roles("[1, 2]: x") == [("[1, 2]", "marker")]


def test_no_marker_runs_over_a_hard_line_break() -> None:
    assert roles(f"[1,{LINE_BREAK}2]") == []


@pytest.mark.parametrize("unit", ["[", "[1", "[1,", "[1]", "[1](", "[^", "[1, ", "]["])
def test_a_megabyte_is_read_once(unit: str) -> None:
    sum(1 for _ in find(unit * (1_000_000 // len(unit))))


def test_a_number_may_have_any_length() -> None:
    digits = "9" * 60_000
    assert next(find(f"[{digits}]")).numbers == (digits,)

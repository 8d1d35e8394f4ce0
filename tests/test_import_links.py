"""Citations in the form of links."""

from __future__ import annotations

import pytest
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.links import Link, cite_links
from imports import Read, read

A, B = "https://a.example/潮汐?a=1&b=(2)", "https://b.example/"
LIST = f"\n\nSources:\n- [Tides]({A})\n- [Ebb]({B})\n"


def _read(text: str, *known: str) -> Read:
    def source(link: Link) -> Cited | None:
        return Cited(link.url, link.label) if link.url in (known or (A, B)) else None

    answer = Answer(text)
    cite_links(answer, source)
    return read(answer.turn())


@pytest.mark.parametrize(
    ("text", "shown", "cites"),
    [
        (f"Up ([Tides]({A})).", "Up .", [(3, A)]),
        (f"潮汐 🌊（so）([Tides]({A}), [Ebb]({B}))", "潮汐 🌊（so）", [(8, A), (8, B)]),
        (f"גאות ([a]({A}); [b]({B}) and [c]({A})).", "גאות .", [(5, A), (5, B)]),
        (f'Up ([Tides [1] of](<{A}> "title")).', "Up .", [(3, A)]),
        (f"Up ([Tides]({B}))(so).", "Up <!-- -->(so).", [(3, B)]),
    ],
)
def test_links_in_parentheses_of_their_own(
    text: str, shown: str, cites: list[tuple[int, str]]
) -> None:
    assert _read(text) == (shown, cites, [])


@pytest.mark.parametrize(
    "text",
    [f"Up, say [Tides]({A}).", f"Up (see [Tides]({A})).", f"Up ([Tides]({A}), p. 3)."],
)
def test_a_link_in_a_sentence_stays_and_is_listed(text: str) -> None:
    assert _read(text) == (text, [], [A])


@pytest.mark.parametrize(
    "text",
    [
        f"`([Tides]({A}))`",
        f"```\nx ([Tides]({A}))\n```",
        "Up ([Tides](https://c.example)).",
        "Up ([Tides](notes.md)).",
        f"![Tides]({A})",
        f"\\[Tides]({A})",
        "Sources:\n\nnone",
    ],
)
def test_what_is_no_citation(text: str) -> None:
    assert _read(text) == (text, [], [])


def test_of_two_links_one_that_is_no_source() -> None:
    text = f"Up ([Tides]({A}), [x](https://c.example))."
    assert _read(text) == (text, [], [A])


def test_escapes_in_a_link() -> None:
    found = _read(
        "Up ([a \\[b\\]](https://c.example/?a=1\\&b&amp;c_d)).", "https://c.example/?a=1&b&c_d"
    )
    assert found.cites == [(3, "https://c.example/?a=1&b&c_d")]


@pytest.mark.parametrize(
    "listed",
    [
        LIST,
        LIST.replace("Sources:", "## References"),
        LIST.replace("Sources:", "---\n\n**Sources:**\n"),
        LIST.replace("- ", "* "),
        f"\n\nSources:\n1. [Tides]({A})\n2. Ebb – {B}\n",
        f"\n\nSources: [Tides]({A}), [Ebb]({B})",
        f"\n\n来源：\n- {A}\n- <{B}>\n",
        f"\n\nSources\n\n[1] Tides: {A}\n\n[2] [Ebb]({B}).\n",
    ],
)
def test_the_list_at_the_end_is_taken_off(listed: str) -> None:
    assert _read("Up." + listed) == ("Up.", [], [A, B])
    assert _read(f"Up ([Tides]({A}))." + listed) == ("Up .", [(3, A)], [B])
    assert _read("Up." + listed, "https://c.example") == ("Up.", [], [A, B])


@pytest.mark.parametrize(
    "text",
    [f"Up.{LIST}\nAnd down.", f"Up.{LIST.replace('Ebb', 'x').replace(B + ')', B + ') says so')}"],
)
def test_a_list_that_is_more_than_one_stays(text: str) -> None:
    assert _read(text) == (text.strip("\n"), [], [A, B])


def test_a_numbered_list_stays_where_the_text_cites_its_numbers() -> None:
    text = f"Up [1].\n\nSources:\n1. [Tides]({A})\n2. [Ebb]({B})"
    assert _read(text) == (text, [], [A, B])


def test_a_url_within_a_url() -> None:
    archived = f"https://web.example/2020/{B}"
    assert _read(f"Up.\n\nSources:\n- Tides: {archived}").listed == [archived]


@pytest.mark.parametrize(
    "text", ["[" * 50_000, "Sources:\n" * 20_000, "Sources:\n" + "-" * 50_000, " -" * 50_000 + "x"]
)
def test_no_text_takes_long(text: str) -> None:
    assert not _read(text).listed

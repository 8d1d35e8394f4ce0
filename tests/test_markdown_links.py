"""Markdown in, Markdown out: what it writes, Pandoc reads into what the filter would have made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cite_filter import link, pandoc, source_text
from cite_filter.sources import Source, link_citations, render_sources
from conftest import read
from hypothesis import given, settings
from hypothesis import strategies as st

SOURCES = [
    Source(1, "One: *a* [b] <c>", "https://1.example/"),
    Source(2, "Two https://x.example/", "https://2.example/a_(b)"),
    Source(3, "", "https://3.example/"),
    Source(4, "Four", "javascript:four"),
]
ONE, TWO = "[¹](https://1.example/)", "[²](https://2.example/a_(b))"


def linked(text: str) -> str:
    return link_citations(text, SOURCES)[0]


@pytest.mark.parametrize(
    ("written", "drawn"),
    [
        ("Fact [1].", f"Fact{ONE}."),
        ("Fact[^1] and [1, 2].", f"Fact{ONE} and{ONE} {TWO}."),
        ("A [1][2] [3]", f"A{ONE} {TWO} [³](https://3.example/)"),
        ("A [9] [1, 9] [4] [1](x) ![1](x) [a][1]", None),
        ("`[1]` $x[1]$ ``a [1] ` b`` [see [1]](x) <https://x/[1]>", None),
        ("    code [1]\n\n```\n[1]\n```\n\n<pre>\n[1]\n</pre>", None),
        ("<kbd>[1]</kbd> <!-- [1] --> \\[1\\]", None),
        ("**Bold [1]** and *[1]*", f"**Bold{ONE}** and *{ONE}*"),
        ("# Head [1]", f"# Head{ONE}"),
        ("> A\n> [1] b", f"> A{ONE} b"),
        ("- A\n  [1]\n- [2] b", f"- A{ONE}\n- {TWO} b"),
        ("| a [1] | b |\n|---|---|\n| [2] | c |", f"| a{ONE} | b |\n|---|---|\n|{TWO} | c |"),
        ("A [1].\n\n[1]: https://1.example/\n", f"A{ONE}.\n\n\n"),
        ("A [9].\n\n[9]: https://9.example/\n", "A [9].\n\n\\[9]: https://9.example/\n"),
        ("🌊 你[1] שלום [2]", f"🌊 你{ONE} שלום{TWO}"),
        ("At https://x.example/ [1]", f"At https://x.example/<!---->{ONE}"),
        ("A  \n[1] b", f"A  \n{ONE} b"),
        ("A [1]\n    > [2] b", f"A{ONE}\n    >{TWO} b"),
        ("a [1]\\(b\\) \\[c\\][1]", None),
        ("So![1]", f"So\\!{ONE}"),
        ("From $5 [1] to $6 [2]", f"From $5{ONE} to $6{TWO}"),
    ],
)
def test_markers_in_prose_are_links(written: str, drawn: str | None) -> None:
    assert linked(written) == (written if drawn is None else drawn)


def test_it_says_what_is_cited() -> None:
    assert link_citations("A [2] [1, 9] [1] [4]", SOURCES)[1] == [1, 2]


@pytest.mark.parametrize("text", ["A [1] \\[1]", "", "[1]: x\r\n[^1]: y", "\ud800 [1]"])
def test_without_sources_the_very_same_comes_back(text: str) -> None:
    assert link_citations(text, []) == (text, [])


def test_a_url_that_would_be_read_as_another_is_written_so_that_it_is_not() -> None:
    text, _ = link_citations("A [1]", [Source(1, "T", "https://a.example/(x")])
    assert text == "A[¹](<https://a.example/(x>)"
    assert read(text, "commonmark")["blocks"][0]["c"][1]["c"][2][0] == "https://a.example/(x"


def test_the_list() -> None:
    assert render_sources(SOURCES, [1, 2, 3, 4]) == (
        "_Sources_\n\n"
        "- [\\[1\\]](https://1.example/) One: \\*a\\* \\[b\\] \\<c\\>\n"
        "- [\\[2\\]](https://2.example/a_(b)) Two https\\:\\/\\/x\\.example\\/\n"
        "- [\\[3\\]](https://3.example/) 3.example\n"
        "- \\[4\\] Four\n"
    )
    assert render_sources(SOURCES, [2], language="de").startswith("_Quellen_\n\n- [\\[2\\]]")
    assert render_sources(SOURCES).count("\n- ") == 4
    assert render_sources([]) == ""


def test_two_addresses_of_one_number_are_none() -> None:
    doubled = [Source(1, "A", "https://a.example/"), Source(1, "B", "https://b.example/")]
    assert link_citations("A [1]", doubled) == ("A [1]", [])


PIECES = st.sampled_from(
    [
        *("[1]", "[2]", "[^1]", "[1, 2]", "[9]", "[4]", "[1][2]", "word", "[", "]", "(", ")", "`"),
        *(
            " ",
            "\n",
            "\n\n",
            "*em [1]* ",
            "**b**",
            "- ",
            "> ",
            "# ",
            "1. ",
            "  ",
            "  \n",
            "你",
            "🌊",
        ),
        *("[1](x)", "[a](x)", "[a [1]](x)", "```\n", "\n\n| a |\n|---|\n| [1] |\n\n", "$x$ ", "x"),
        *("https://x.example/ ", "<b>", "</b>", "<code>[1]</code>", "<!-- [1] -->"),
    ]
)


ENTRIES = json.dumps([source.to_json() for source in SOURCES])


def words(value: Any) -> Any:
    """The document without what does not show: adjacent words as one, raw comments gone."""
    if isinstance(value, dict):
        if value.get("t") == "Header":  # its identifier is made of its text
            return {"t": "Header", "c": [value["c"][0], words(value["c"][2])]}
        return {key: words(held) for key, held in value.items()}
    if not isinstance(value, list):
        return value
    joined: list[Any] = []
    for item in map(words, value):
        if item == {"t": "RawInline", "c": ["html", "<!---->"]}:
            continue
        if isinstance(item, dict) and item.get("t") == "Str" and joined:
            before = joined[-1]
            if isinstance(before, dict) and before.get("t") == "Str":
                joined[-1] = {"t": "Str", "c": before["c"] + item["c"]}
                continue
        joined.append(item)
    return joined


@given(st.lists(PIECES, max_size=10).map("".join))
@settings(max_examples=150, derandomize=True)
def test_pandoc_reads_what_the_filter_would_have_made(text: str) -> None:
    """But for brackets that are escaped: here they are seen to be, in Pandoc's document no more."""
    options = "cite-filter: {marker: unicode, list: none}"
    front = f"---\n{options}\nsources: {ENTRIES}\n---\n\n"
    source = source_text.parse(front + text + "\n\nx\n", Path("x.md"))
    whole = read(source.text, pandoc.READER)
    expected = link(whole, "gfm", sources=source.document_sources).document["blocks"]
    written, cited = link_citations(text + "\n\nx\n", SOURCES)
    assert words(read(written, pandoc.READER)["blocks"]) == words(expected)
    assert set(cited) <= {1, 2, 3}

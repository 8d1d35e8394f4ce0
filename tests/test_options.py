"""Options: where they come from, what they do, what is said of those that are not known."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter import Options, link
from cite_filter.options import from_metadata
from cite_filter.source_lists import Sources
from conftest import read
from drawing import draw


def string(text: str) -> dict[str, Any]:
    return {"t": "MetaString", "c": text}


def drawn(known: Sources, text: str = "A [1] b.", target: str = "html", **flat: str) -> str:
    document = read(text, "gfm+fenced_divs-footnotes")
    for key, value in flat.items():
        document["meta"][f"cite-filter-{key}"] = string(value)
    return draw(link(document, target, sources=known).document["blocks"])


def test_defaults() -> None:
    assert from_metadata({}) == (Options(), [])


def test_a_flat_key_wins_over_the_map() -> None:
    meta = {
        "cite-filter": {"t": "MetaMap", "c": {"marker": string("unicode"), "heading": string("2")}},
        "cite-filter-marker": string("superscript"),
    }
    options, warnings = from_metadata(meta)
    assert (options.marker, options.heading, warnings) == ("superscript", 2, [])


@pytest.mark.parametrize("written", ["true", "True", "t", "YES"])
def test_truth_is_read_as_citeproc_reads_it(written: str) -> None:
    assert from_metadata({"cite-filter-strict": string(written)})[0].strict


@pytest.mark.parametrize(
    ("meta", "warning"),
    [
        (
            {"cite-filter-lst": string("all")},
            "unknown option 'cite-filter-lst'; allowed are title,",
        ),
        ({"cite-filter-list": string("some")}, "'some'; allowed is cited or all or none"),
        ({"cite-filter-heading": string("7")}, "'7'; allowed is a level from 0 to 6"),
        ({"cite-filter-host": string("maybe")}, "'maybe'; allowed is true or false"),
        ({"cite-filter": string("yes")}, "unknown option 'cite-filter'"),
    ],
)
def test_what_is_not_known_is_said_once(meta: dict[str, Any], warning: str) -> None:
    options, warnings = from_metadata(meta)
    assert options == Options()
    assert len(warnings) == 1
    assert warning in warnings[0]


def test_a_second_spelling_in_one_language(known: Sources) -> None:
    document = read("---\nlang: de-AT\n---\nA [1].", "gfm")
    assert "*Quellen*" in draw(link(document, "html", sources=known).document["blocks"])


def test_title(known: Sources) -> None:
    assert "*My Sources*" in drawn(known, title="My   Sources")


def test_reference_section_title_is_the_title(known: Sources) -> None:
    document = read("---\nreference-section-title: Read on\n---\nA [1].", "gfm")
    assert "*Read on*" in draw(link(document, "html", sources=known).document["blocks"])


def test_heading(known: Sources) -> None:
    assert "## Sources {.unnumbered .unlisted}" in drawn(known, heading="2")


def test_list_all_and_none(known: Sources) -> None:
    assert "[[3]]" in drawn(known, list="all")
    assert drawn(known, list="none") == "A⟨1⟩ b."


def test_host(known: Sources) -> None:
    assert "One (1.example)" in drawn(known, host="true")


def test_unicode_markers(known: Sources) -> None:
    assert drawn(known, "A [1, 2] b.", marker="unicode", list="none") == (
        "A‹¹→https://1.example/› ‹²→https://2.example/› b."
    )


def test_space_keep(known: Sources) -> None:
    assert drawn(known, space="keep", list="none") == "A ⟨1⟩ b."


def test_markers_that_lead_to_the_list_and_back(known: Sources) -> None:
    text = drawn_to_list(known, "# H [2]\n\nA [1] b [1].")
    assert text == (
        "# H⟨2→#turn-1-source-2⟩\n\n"
        "A⟨{#turn-1-citation-1}1→#turn-1-source-1⟩ b⟨1→#turn-1-source-1⟩.\n\n"
        "::: sources-list\n*Sources*\n\n"
        "- {#turn-1-source-1}[[1]](https://1.example/) One [↩](#turn-1-citation-1)\n"
        "- {#turn-1-source-2}[[2]](https://2.example/) Two\n:::"
    )


def drawn_to_list(known: Sources, text: str, target: str = "html") -> str:
    document = read(text, "gfm+fenced_divs-footnotes")
    document["meta"]["cite-filter-target"] = string("list")
    return draw(link(document, target, sources=known).document["blocks"])


def test_no_identifier_is_made_twice(known: Sources) -> None:
    text = drawn_to_list(known, "# Turn 1 source 1\n\nA [1].")
    assert "{#turn-1-source-1-2}" in text


def test_markdown_gets_neither_classes_nor_divs(known: Sources) -> None:
    for target in ("gfm", "markdown", "commonmark_x"):
        assert drawn_to_list(known, "A [1].", target) == (
            "A^[1](https://1.example/)^.\n\n*Sources*\n\n- [[1]](https://1.example/) One"
        )


def test_the_filters_own_keys_leave_the_metadata(known: Sources) -> None:
    document = read(
        "---\ncite-filter:\n  host: true\ncite-filter-list: all\ntitle: T\n---\nA [1].", "gfm"
    )
    assert list(link(document, "html", sources=known).document["meta"]) == ["title"]


def test_a_footnote_is_not_led_back_to(known: Sources) -> None:
    text = "A^[note [1]] b [1]."
    document = read(text, "markdown")
    document["meta"]["cite-filter-target"] = string("list")
    result = draw(link(document, "html", sources=known).document["blocks"])
    assert "note⟨1→#turn-1-source-1⟩" in result
    assert "b⟨{#turn-1-citation-1}1→#turn-1-source-1⟩" in result
    document = read("A^[note [1]] b.", "markdown")
    document["meta"]["cite-filter-target"] = string("list")
    assert "citation-1" not in draw(link(document, "html", sources=known).document["blocks"])


def test_the_caption_of_a_figure_is_entered(known: Sources) -> None:
    words = [{"t": "Str", "c": "Caption"}, {"t": "Space"}, {"t": "Str", "c": "[1]"}]
    image = {"t": "Image", "c": [["", [], []], words, ["x.png", ""]]}
    caption = [None, [{"t": "Plain", "c": list(words)}]]
    figure = {"t": "Figure", "c": [["", [], []], caption, [{"t": "Plain", "c": [image]}]]}
    document = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": [figure]}
    result = draw(link(document, "html", sources=known).document["blocks"])
    assert "Caption⟨1⟩" in result
    assert "![Caption [1]](x.png)" in result


def test_the_text_cannot_hold_what_stands_for_a_break_or_a_note(known: Sources) -> None:
    for sign in ("\ufdd0", "\ufdd1", "\ufdd2"):
        words = [{"t": "Str", "c": f"a{sign}[1]: b"}]
        document = {
            "pandoc-api-version": [1, 23, 1],
            "meta": {"cite-filter-list": string("none")},
            "blocks": [{"t": "Para", "c": words}],
        }
        result = draw(link(document, "html", sources=known).document["blocks"])
        assert result == f"a{sign}⟨1⟩: b"

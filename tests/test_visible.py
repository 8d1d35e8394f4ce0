"""What a reader sees of a source, its letters, and the way back to the source's characters."""

from __future__ import annotations

import pytest
from cite_filter.answers import Form
from cite_filter.quotations.letters import Letters, letters
from cite_filter.quotations.visible import LITERAL, Visible, shield, unshield
from hypothesis import given
from hypothesis import strategies as st

MARKED = st.lists(
    st.sampled_from(
        [
            *(
                "word",
                "Ärger",
                "ﬁne",
                "10.5",
                "한국",
                "日本語",
                "ก็",
                "e\u0301",
                " ",
                "\n",
                "*",
                "_",
            ),
            *("[12]", "[^n]", "[text](https://a.example/b)", "![a](b)", "[[3]](#c)", "<b>", "</b>"),
            *("<br>", "<!-- x -->", "<script>s</script>", "&amp;", "&#x41;", "&minus;", "<sup>2"),
            *(
                "</sup>",
                "<sup>[1]</sup>",
                "<https://a.example/>",
                "[",
                "]",
                "(",
                ")",
                "<",
                "&",
                "!",
            ),
            *("\ue131", "\x00", "\u200b", "½", "🙂", "【3†source】"),
        ]
    ),
    max_size=40,
).map("".join)
FORMS = st.sampled_from(["markdown", "html", "text"])


@pytest.mark.parametrize(
    ("text", "form", "seen"),
    [
        ("a <b>b</b> c<br>d", "markdown", "a b c\nd"),
        ("<p title='x'>a</p><script>no()</script>b", "html", "\na\n b"),
        ("<!-- no --> a <!-- and no end", "html", "  a  "),
        ("<script>no end", "html", " "),
        ("<script>no end", "markdown", "<script>no end"),
        ("a `<script>` is <!-- not closed", "markdown", "a `<script>` is <!-- not closed"),
        ("```\n<b>a</b>\n```\nb", "markdown", "\n<b>a</b>\nb"),
        ("x\n\n```py\n<b>\n```\n", "markdown", "x\n\n\n<b>\n"),
        ("a &lt; b &amp;amp; c &nosuch; &#65;", "markdown", "a < b &amp; c &nosuch; A"),
        ("a &lt; b", "text", "a &lt; b"),
        ("if a <b and c> d", "text", "if a <b and c> d"),
        ("a <note> b", "markdown", "a <note> b"),
        ("a <note> b", "html", "a  b"),
        ("if a <b and c> d", "markdown", "if a <b and c> d"),
        ("a <b class='x'>b</b><br/>c", "markdown", "a b\nc"),
        ("[text](https://a.example/x_(y) 'title') on", "markdown", "text on"),
        ("![an image](i.png)", "markdown", "an image"),
        ("[![alt](i.png)](https://a.example/) on", "markdown", "alt on"),
        ("see <https://a.example/> on", "markdown", "see https://a.example/ on"),
        ("[not a link] (at all)", "markdown", "[not a link] (at all)"),
        ("10<sup>2</sup> m", "html", "10² m"),
        ("the 10<sup>th</sup> of", "html", "the 10th of"),
    ],
)
def test_what_is_seen(text: str, form: Form, seen: str) -> None:
    assert Visible(text, form).text.translate(LITERAL) == seen


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("ab[12] b", "[12]"),
        ("ab[3, 5–7] b", "[3, 5-7]"),
        ("ab[^note] b", "[^note]"),
        ("ab[14](#fn) b", "[14]"),
        ("ab[[14]](#cite_note-14) b", "[14]"),
        ("ab[\\[14\\]](https://a.example/#c) b", "[14]"),
        ("ab<sup>[7]</sup> b", "[7]"),
        ('ab<sup id="r" class="reference"><a href="#n"><span>&#91;</span>7</a></sup> b', "[7]"),
        ("ab[citation needed] b", "[citation needed]"),
        ("ab【8†source】 b", None),
    ],
)
def test_reference_markers_are_no_letters(text: str, marker: str | None) -> None:
    seen = Visible(text, "markdown").text
    assert letters(seen) == "abb"
    if marker is not None:
        assert unshield(seen).replace("–", "-") == f"ab{marker} b"


def test_a_text_may_not_bring_shielded_characters_of_its_own() -> None:
    assert Visible(f"a{shield('[1]')}b", "text").text == "a\ufffd\ufffd\ufffdb"


@given(MARKED, FORMS)
def test_every_character_has_its_way_back(text: str, form: Form) -> None:
    visible = Visible(text, form)
    last = 0
    for position, character in enumerate(visible.text):
        start, end = visible.source_start(position), visible.source_end(position + 1)
        assert last <= start < end <= len(text)
        last = start
        if end - start == 1 and not "\ue100" <= character <= "\ue2ff" and character != "\ufffd":
            assert text[start] == character
    assert visible.source_end(len(visible.text)) <= len(text)


@given(st.text(st.characters(codec="utf-8")) | MARKED)
def test_letters_lead_back(text: str) -> None:
    held = Letters(text)
    assert held.key == letters(text) == "".join(map(letters, text))
    for position in range(len(held.key)):
        extent = held.extent(position, position + 1)
        if extent is not None:
            assert letters(text[slice(*extent)]) == held.key[position]
        assert held.at(position) < len(text)


def test_letters_of_long_texts_lead_back() -> None:
    text = "".join(f"Wort {number}, ﬁ. " for number in range(2000))
    held = Letters(text)
    for number in (0, 77, 1999):
        start = held.key.index(f"wort{number}fi")
        found = held.extent(start, start + len(f"wort{number}"))
        assert found is not None
        assert text[slice(*found)] == f"Wort {number}"


def test_half_a_ligature_is_no_extent() -> None:
    held = Letters("a ﬁsh")
    assert held.extent(2, 5) is None
    assert held.extent(1, 5) == (2, 5)
    assert held.extent(1, 2) is None

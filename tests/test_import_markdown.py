"""Answers as Markdown: the lists of sources they end in, and the ways in which they cite them."""

from __future__ import annotations

import re

import pytest
from cite_filter.importers import Imported, markdown
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.markdown_lists import blocks
from cite_filter.importers.source_headings import is_unmistakable, names_sources
from cite_filter.transcripts import Turn
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import Read, export, read

OWN_LIST = markdown.OWN_LIST

A, B, C = "https://example.org/潮汐?a=1&b=(2)", "https://example.com/b", "https://example.net/c"


def _imported(text: str) -> Imported:
    """What is made of a text, whether it is recognised or was said to be such a one."""
    (one,) = markdown.transcripts(export(text))
    return one


def _turns(text: str) -> list[Turn]:
    return list(_imported(text).transcript.turns)


def _messages(text: str) -> list[str]:
    return _imported(text).messages


def _one(text: str) -> Read:
    """The one answer of a text, read back."""
    (turn,) = _turns(text)
    return read(turn)


def _sources(text: str) -> list[tuple[int, str, str]]:
    (turn,) = _turns(text)
    return [(source.number, source.title, source.url) for source in turn.all_sources]


# --- Lists ---------------------------------------------------------------------------------------

_ENTRIES = {
    "[1] {url} - {title}": "drb",
    "[1] {title}. {url}": "after",
    "[1] {title}. {url}.": "full stop",
    "[1]: {url}": "colon",
    '[1]: {url} "{title}"': "definition",
    "[1]: {url} - {title}": "definition and dash",
    "[^1]: {url}": "footnote",
    "[^1^]: [{title}]({url})": "caret",
    "[1] {url}  ": "two spaces",
    "[1] [{title}]({url})": "link",
    "[1] [{title}](<{url}>)": "angle",
    "[1]({url}) {title}": "number linked",
    "[[1]]({url}) {title}": "number in two brackets",
    "1. [{title}]({url})": "ordered",
    "1. {title} - {url}": "ordered and dash",
    "1) {title}: {url}": "round",
    "1\\. {title}: {url}": "escaped dot",
    "(1) {title}. {url}.": "copilot",
    "- [1] {title} <{url}>": "bullet",
    "\\[1\\] {title} ({url})": "escaped",
    "【1】{title}：{url}。": "lenticular",
    "[1] **{title}** – {url}": "bold",
    "[1] {title}\n    {url}": "two lines",
    "[1] {title}\n{url}": "two lines, not indented",
    "1. {title}, [{url}]({url})": "google",
    "[ref_1] {title} {url}": "qwen",
}


@pytest.mark.parametrize("entry", _ENTRIES, ids=_ENTRIES.get)
@pytest.mark.parametrize(
    "title", ["The Moon [and Earth] | notes", "[2501.09554] 潮汐 — ים 🌊", "C++ a_b_c *x"]
)
@pytest.mark.parametrize("url", [A, B, "https://example.com/a_b*c/~d?e=f#g"])
def test_entries_of_lists(entry: str, title: str, url: str) -> None:
    written = entry.format(title=title, url=url)
    text = f"One 🌊[1].\n\n## References\n\n{written}\n"
    if written == f"[1]: {url}" or entry.startswith(("[1] {url}  ", "[^1]: {url}")):
        title = ""
    assert _sources(text) == [(1, title, url)]
    (turn,) = _turns(text)
    assert turn.answer == "One 🌊[1]."
    assert set(_messages(text)) <= {OWN_LIST}


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "# Sources",
            "## 7. References:",
            "**Works cited**",
            "References",
            "Sources:",
            "### Quellen",
        ),
        *(
            "参考文献：",
            "## 📚 資料來源",
            "__Bibliografía__",
            "المصادر:",
            "## מקורות",
            "**Источники**",
        ),
        *("Source: Conversation with Bing", "Kaynakça", "참고문헌", "## SOURCES CITED ##", "संदर्भ:"),
    ],
)
def test_headings_of_lists(heading: str) -> None:
    assert names_sources(heading)
    assert _one(f"One [1].\n\n{heading}\n[1] {B} - T\n") == ("One .", [(4, B)], [])


@pytest.mark.parametrize(
    "line", ["Source", "## Sourcery", "The sources:", "", "#", "1.", "x" * 999]
)
def test_what_is_no_heading_of_a_list(line: str) -> None:
    assert not names_sources(line)


def test_all_that_a_list_names_are_sources_and_none_else() -> None:
    text = f"One [2], [1, 3]. See [x]({C}).\n\n"
    text += f"### Sources\n\n[1] {A}\n\n[2] {B} - Two\n[3] {C}\n[4] {C}x\n"
    assert _sources(text) == [(1, "", A), (2, "Two", B), (3, "", C), (4, "", C + "x")]
    assert _one(text).cites == [(4, B), (6, A), (6, C)]
    assert _one(text).listed == [C + "x"]


def test_numbers_that_the_list_lacks_stay_and_are_counted() -> None:
    text = f"One[1][7] `[8]` $x[8]$ x[8] [2, 9], [They].\n\n## Sources\n[1] {A}\n[2] {B}\n"
    (turn,) = _turns(text)
    assert turn.answer.startswith("One[1][7] `[8]` $x[8]$ x[8] [2, 9], [They].")
    assert [said for said in _messages(text) if said != OWN_LIST] == [
        "turn 1: 2 citations have no source in this export; left as written"
    ]


def test_text_around_a_list_stays() -> None:
    text = f"One [1].\n\n## References\n\nFrom many papers.\n\n参考文献：\n[1] {A} - T\n"
    text += "\n## Annex\n\nTwo.\n"
    (turn,) = _turns(text)
    assert turn.answer == "One [1].\n\n## References\n\nFrom many papers.\n\n## Annex\n\nTwo."


@pytest.mark.parametrize(
    "entry",
    [
        *("[2] A book, 2020", f"[2] Two pages: {B} and {C}", "[2] [notes](notes.pdf)"),
        *(f"[2] {B} {'word ' * 200}", f"[2] {B}\n[2] {C}", "[2] javascript:alert(1)"),
        "[2] www.example.org",
    ],
)
def test_a_list_is_kept_where_an_entry_is_not_understood(entry: str) -> None:
    listed = f"## Sources\n\n[1] {A} - One\n{entry}\n[3] {C} - Three"
    text = f"One [1], [2], [3].\n\n{listed}\n"
    (turn,) = _turns(text)
    assert turn.answer == text.strip()
    assert [source.number for source in turn.all_sources] == [1, 3]
    unresolved, kept, *_ = _messages(text)
    assert unresolved == "turn 1: 1 citation has no source in this export; left as written"
    assert "of the list name no one URL; kept" in kept


def test_a_list_of_ones_is_counted_as_markdown_counts() -> None:
    text = f"One [2].\n\n## Sources\n1. [a]({A})\n1. [b]({B})\n"
    assert _sources(text) == [(1, "a", A), (2, "b", B)]


def test_a_list_of_another_kind_is_another_list() -> None:
    text = f"One [1].\n\n## Sources\n[1] {A}\n\n1. The next step.\n"
    (turn,) = _turns(text)
    assert turn.answer == "One [1].\n\n1. The next step."


def test_lists_in_code_are_code() -> None:
    code = f"```\n## Sources\n[1] {B}\n[1]: {B}\n```"
    text = f"One [1].\n\n{code}\n\n## Sources\n[1] {A}\n"
    (turn,) = _turns(text)
    assert turn.answer == f"One [1].\n\n{code}"
    assert read(turn).cites == [(4, A)]


def test_code_that_was_left_open_hides_no_list() -> None:
    text = f"One [1].\n\n```\ncode [1]\n``` [2]\n\n## Sources\n[1] {A}\n[2] {B}\n"
    (turn,) = _turns(text)
    assert [source.url for source in turn.all_sources] == [A, B]
    assert read(turn).cites == [(4, A), (25, B)]  # what was meant to end the code does


def test_tracking_goes_and_nothing_else_of_a_url() -> None:
    text = f'See ([x][1]).\n\n[1]: {A}&utm_source=chatgpt.com "T"\n'
    assert _sources(text) == [(1, "T", A)]
    text = "One [1].\n\n## Sources\n[1] https://example.org/a\\_b?c=1&amp;d=2 - T\n"
    assert _sources(text) == [(1, "T", "https://example.org/a_b?c=1&d=2")]


# --- What no list says ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [f"See {C} for a critique.", "See [C](https://example.net/c)", "> https://example.net/c"],
)
def test_an_entry_without_a_url_takes_none_of_the_text_behind_it(line: str) -> None:
    text = f"One [1].\n\nReferences\n[1] Smith, A book, Springer 2001.\n{line}\n"
    assert _sources(text) == []
    assert _one(text).text == text.strip()
    assert "1 citation has no source" in _messages(text)[0]


@pytest.mark.parametrize(
    "line", [B, f"<{B}>", f"URL: {B}", f"Available at: <{B}>", f"链接：{B}", f"  see {B}"]
)
def test_an_entry_goes_on_in_the_line_that_is_its_url(line: str) -> None:
    text = f"One [1].\n\nReferences\n[1] A book\n{line}\n\nWords.\n"
    assert [url for _, _, url in _sources(text)] == [B]
    assert _one(text).text == "One .\n\nWords."


@pytest.mark.parametrize("number", ["[1] ", "(1) ", "1) ", "1\\. ", "[1]: "])
def test_equal_numbers_of_several_sources_name_none(number: str) -> None:
    text = f"One [1] and [2].\n\n## References\n{number}{A}\n{number}{B}\n"
    assert _sources(text) == []
    assert _one(text).text == text.strip()
    assert number == "1) " or "2 citations have no source" in _messages(text)[0]


def test_ordered_lists_of_other_than_ones_are_not_counted_anew() -> None:
    text = f"One [2], [3].\n\n## References\n2. {A}\n2. {B}\n3. {C}\n"
    assert [(n, url) for n, _, url in _sources(text)] == [(3, C)]


def test_a_list_serves_nothing_behind_it() -> None:
    text = f"One [1].\n\nSources:\n[1] {A}\n\n# Second answer\n\nTwo [1], ([a][1]).\n"
    first, second = _turns(text)
    assert (first.answer, [s.url for s in first.all_sources]) == ("One [1].", [A])
    assert (second.answer, second.all_sources) == ("# Second answer\n\nTwo [1], ([a][1]).", [])
    assert _messages(text)[0] == (
        "turn 2: 2 citations have no source in this export; left as written"
    )


def test_a_list_serves_nothing_before_the_list_before_it() -> None:
    text = f"One [1] and [2].\n\nSources:\n[1] {A}\n\n"
    text += f"Two [1] [2].\n\nSources:\n[1] {A}\n[2] {B}\n"
    first, second = map(read, _turns(text))
    assert (first.text, first.cites) == ("One  and [2].", [(4, A)])
    assert [url for _, url in second.cites] == [A, B]
    assert "turn 1: 1 citation has no source" in _messages(text)[0]


def test_lists_one_behind_the_other_serve_the_same_text() -> None:
    text = f"One [1] [2].\n\n## Sources\n[1] {A}\n\n---\n\n## Literatur\n[2] {B}\n"
    (turn,) = _turns(text)
    assert [url for _, url in read(turn).cites] == [A, B]


def test_what_is_long_behind_a_list_is_another_answer() -> None:
    text = f"One [1].\n\n## Sources\n[1] {A}\n\n" + "Words. " * 999
    assert [len(turn.all_sources) for turn in _turns(text)] == [1, 0]


def test_a_list_resolves_no_labels_of_links() -> None:
    text = f"One ([a][1]), [1].\n\n## Sources\n[1] {A}\n"
    assert _one(text) == ("One ([a][1]), .", [(14, A)], [])
    assert "1 citation has no source" in _messages(text)[0]
    text = f"One ([a][1]).\n\n## Sources\n[1]: {A}\n"
    assert _one(text) == ("One .", [(4, A)], [])


@pytest.mark.parametrize("heading", ["", "## Sources\n"])
def test_a_url_in_angles_is_taken_whole(heading: str) -> None:
    text = f"One ([a][1]).\n\n{heading}[1]: <https://example.org/x y>\n"
    assert [url for _, _, url in _sources(text)] == ["https://example.org/x y"]


@pytest.mark.parametrize("heading", ["", "## Sources\n"])
@pytest.mark.parametrize("line", ['  "T, \\"t\\""', '"T, \\"t\\""', "    'T, \"t\"'"])
def test_a_title_in_the_next_line_is_the_title(heading: str, line: str) -> None:
    text = f"One ([a][1]), ([b][2]).\n\n{heading}[1]: {A}\n{line}\n[2]: {B}\n"
    (turn,) = _turns(text)
    assert turn.answer == "One [1], [2]."
    assert [source.url for source in turn.all_sources] == [A, B]
    assert "T, " in turn.all_sources[0].title


def test_what_stands_in_brackets_behind_an_entry_stays() -> None:
    text = f"One [1].\n\n## Sources\n[1] {A}\n(It is good.)\n"
    assert _one(text).text == "One .\n\n(It is good.)"


@pytest.mark.parametrize("heading", ["Reference", "Learn more"])
def test_lists_of_handbooks_are_no_sources(heading: str) -> None:
    assert names_sources(f"## {heading}")
    assert not is_unmistakable(f"## {heading}")
    text = f"Use [1] and [2].\n\n## {heading}\n1. [Install]({A})\n2. [Usage]({B})\n"
    assert (_one(text).text, _sources(text)) == (text.strip(), [])
    bracketed = text.replace("1. ", "[1] ").replace("2. ", "[2] ")
    assert [url for _, url in _one(bracketed).cites] == [A, B]


@pytest.mark.parametrize(
    "word",
    ["argv[1]", "sys.argv[1]", "my_names[1]", "myNames[1]", "$x[1]", "argv[0][1]", "`[1]`", "x[1]"],
)
def test_an_ordered_list_that_only_indices_cite_is_none(word: str) -> None:
    text = f"Use {word}.\n\n## References\n1. [Install]({A})\n"
    assert (_one(text).text, _sources(text)) == (text.strip(), [])


@pytest.mark.parametrize(
    "mark", ["day[1]", "day.[1]", "2020[1]", "潮汐[1]", "a[^1^]", "[[1]]", "[1](#r)", "[cite: 7]"]
)
def test_an_ordered_list_that_is_cited_is_one(mark: str) -> None:
    text = f"So {mark}.\n\n## References\n1. [a]({A})\n2. [b]({B})\n"
    assert [url for _, _, url in _sources(text)] == [A, B]


def test_an_ordered_list_of_which_less_than_half_is_cited_is_none() -> None:
    text = f"So [1].\n\n## References\n1. [a]({A})\n2. [b]({B})\n3. [c]({C})\n"
    assert (_one(text).text, _sources(text)) == (text.strip(), [])


@pytest.mark.parametrize(
    "note",
    [
        f"{A} says so, and I think it is.",
        f"{A}\n\n    Second paragraph.",
        f"{A}\n\n\tSecond paragraph.",
        f"{A}\nsays so.",
        f"{A} - T\n  and more.",
        f"[C]({C}) says so; [B]({B})",
    ],
)
def test_a_note_that_says_more_than_its_source_stays_a_note(note: str) -> None:
    text = f"One[^1].\n\n[^1]: {note}\n\nTwo.\n"
    assert (_turns(text)[0].answer, _sources(text)) == (text.strip(), [])
    assert not markdown.recognises(export(text))


@pytest.mark.parametrize("note", [B, f"{B} - T", f'{B} "T"', f"[T]({B})", f"<{B}> – T", f"{B}."])
def test_a_note_of_a_url_and_its_title_is_a_source(note: str) -> None:
    text = f"One[^1].\n\n[^1]: {note}\n\nTwo.\n"
    (turn,) = _turns(text)
    assert (turn.answer, turn.all_sources[0].url) == ("One[^1].\n\nTwo.", B)


# --- ChatGPT's copy button -----------------------------------------------------------------------


def test_references_in_brackets_are_citations() -> None:
    text = (
        "Tides 🌊. ([Site [x]][1]) 潮汐（[a][2]）。 Both ([a][1], [b][2]). `([a][1])`\n"
        "\n| a |\n|---|\n| b ([c][1]) |\n\n"
        f'[1]: {A} "One \\"1\\""\n[2]: <{B}>\n'
    )
    (turn,) = _turns(text)
    assert turn.answer == (
        "Tides 🌊. [1] 潮汐[2]。 Both [1][2]. `([a][1])`\n\n| a |\n|---|\n| b [1] |"
    )
    assert _sources(text) == [(1, 'One "1"', A), (2, "", B)]


def test_several_answers_in_one_file_have_each_their_numbers() -> None:
    text = (
        f"First ([a][1]).\n\n[1]: {A}\n\nSecond ([b][1]), ([b][2]).\n\n[1]: {B}\n[2]: {C}\n\n"
        "Third ([a][1]).\n"
    )
    found = [read(turn) for turn in _turns(text)]
    assert [one.cites for one in found] == [[(6, A)], [(7, B), (9, C)], []]
    assert [one.text.strip() for one in found] == ["First .", "Second , .", "Third ([a][1])."]


def test_what_an_answer_before_has_defined_contradicts_nothing() -> None:
    text = (
        f"One ([a][1]), ([b][2]).\n\n[1]: {A}\n[2]: {B}\n\nTwo ([c][1]).\n\n[1]: {C}\n\n"
        f"Still two ([a][2]).\n\n[2]: {A}\n"
    )
    found = [[url for _, url in read(turn).cites] for turn in _turns(text)]
    assert found == [[A, B], [C, A]]


def test_definitions_that_do_not_contradict_are_one_answer() -> None:
    text = f"One ([a][1]).\n\n[1]: {A}\n\nTwo ([a][1], [b][2]).\n\n[2]: {B}\n\nThree ([b][2]).\n"
    assert [url for _, url in _one(text).cites] == [A, A, B, B]


def test_links_and_pictures_keep_the_url_of_their_definition() -> None:
    text = f"See [the *page*][1], ![alt][2] ([x][1]), [They][3].\n\n[1]: {A}\n[2]: {B}\n"
    (turn,) = _turns(text)
    assert turn.answer == f"See [the *page*](<{A}>), ![alt]({B}) [1], [They][3]."
    text = f"One [1] and [they][1].\n\n## Sources\n[1] {A}\n"
    assert _one(text) == ("One  and [they][1].", [(4, A)], [])


def test_a_reference_that_nothing_defines_stays_and_is_counted() -> None:
    text = f"One ([a][1]), ([b][7]).\n\n[1]: {A}\n"
    assert _one(text).text == "One , ([b][7])."
    assert "1 citation has no source" in _messages(text)[0]


def test_definitions_of_names_stay() -> None:
    text = f"One ([a][1]) [docs].\n\n[1]: {A}\n\n[docs]: {B}\n"
    (turn,) = _turns(text)
    assert turn.answer == f"One [1] [docs].\n\n[docs]: {B}"


# --- Numbers in a dress --------------------------------------------------------------------------


def test_a_number_as_the_label_of_a_link() -> None:
    text = f'One [[1]]({A}), [2]({B} "Two"), [\\[3\\]]({C})[[1]]({A}) `[1](x)`.'
    assert _sources(text) == [(1, "", A), (2, "Two", B), (3, "", C)]
    assert _one(text) == ("One , ,  `[1](x)`.", [(4, A), (6, B), (8, C), (8, A)], [])


def test_a_link_is_its_own_source_whatever_the_list_says() -> None:
    text = f"One [1]({C}), [2](#ref2), [3](#ref3), [1].\n\n## Sources\n[1] {A}\n[2] {B}\n"
    result = _one(text)
    assert [url for _, url in result.cites] == [C, B, A]
    assert "[3](#ref3)" in result.text


@pytest.mark.parametrize("text", [f"In [2024]({A}) it was.", f"See [7]({A}).", "[1](page.md)"])
def test_a_number_that_is_a_word_stays_a_link(text: str) -> None:
    assert not markdown.recognises(export(text))


def test_a_number_that_a_link_has_is_given_to_no_other() -> None:
    text = f"One [[1]]({A}) but [[1]]({B}), [[4]]({C}), [2] and [4]."
    assert [(n, url) for n, _, url in _sources(text)] == [(1, A), (3, B), (5, C)]
    assert [url for _, url in _one(text).cites] == [A, B, C]


def test_carets_and_brackets() -> None:
    text = (
        "潮汐[^1^][^2^] a[^9^] b[[2]] c[[8]] d[ref_1] e[[ref_2]] f[ref_1, ref_2] [ref_7] `[^1^]`\n"
        f"\nSource: Conversation with Bing\n(1) One. {A}.\n(2) Two | x. {B}.\n"
    )
    (turn,) = _turns(text)
    assert turn.answer == ("潮汐[1][2] a[^9^] b[2] c[[8]] d[1] e[2] f[1][2] [ref_7] `[^1^]`")
    assert [said for said in _messages(text) if said != OWN_LIST] == [
        "turn 1: 3 citations have no source in this export; left as written"
    ]


def test_footnotes_of_urls_are_citations_and_notes_stay_notes() -> None:
    text = f"One[^1] two[^2] three[^3].\n\n[^1]: {A}\n\n[^2]: A note, see {B}.\n\n[^3]: [C]({C})\n"
    (turn,) = _turns(text)
    assert turn.answer == f"One[^1] two[^2] three[^3].\n\n[^2]: A note, see {B}."
    assert [(s.number, s.url) for s in turn.all_sources] == [(1, A), (3, C)]
    assert set(_messages(text)) <= {OWN_LIST}


def test_an_index_of_a_variable_is_no_marker_unless_it_is_replaced() -> None:
    answer = Answer("x[1] y[1] [1]", {1: Cited(A)})
    answer.replace(6, 9, "!")
    assert answer.turn().answer == "x[<!-- -->1] y! [1]"


# --- Marks that nothing resolves -----------------------------------------------------------------


def test_marks_of_gemini_cite_no_list() -> None:
    text = (
        "[cite_start]One.[cite: 1, 2] Two[cite: 4-6] [span_1](start_span)潮[span_1](end_span) [1]\n"
        f"\n```\nx [cite: 2]\n```\n\n**Works cited**\n\n1. One, accessed May 1, 2025, [{A}]({A})\n"
    )
    (turn,) = _turns(text)
    assert turn.answer == "One.[?] Two[?] 潮[?] [1]\n\n```\nx [cite: 2]\n```"
    assert read(turn).cites == []
    assert [(s.title, s.url) for s in turn.all_sources] == [("One, accessed May 1, 2025", A)]
    counted, said, *_ = _messages(text)
    assert counted == "turn 1: 3 citations have no source in this export; shown as [?]"
    assert "Gemini" in said


def test_marks_of_chatgpt_without_its_metadata() -> None:
    text = (
        "One \ue200cite\ue202turn0search0\ue202turn1news3\ue201 \ue203two\ue204 "
        '\ue200entity\ue202["place","Fundy","x"]\ue201 citeturn0search1turn2view0 '
        ":contentReference[oaicite:0]{index=0} 【4†source】 (recite)"
    )
    (turn,) = _turns(text)
    assert turn.answer == "One [?] two Fundy [?] [?] [?] (recite)"
    assert "4 citations have no source" in _messages(text)[0]


def test_old_citations_of_chatgpt_are_links() -> None:
    text = f"One[oai_citation:0‡Site]({A}) two [oai_citation:1‡x](sandbox:/y) three."
    assert _sources(text) == [(1, "Site", A)]
    assert _one(text) == ("One two [?] three.", [(3, A)], [])


# --- The whole file ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *("", "Text.", "A [link](https://example.org/) and [1].", "x[0] = [1, 2]"),
        f"[docs][1] and more.\n\n[1]: {A}\n",
        f"# Title\n\n## Sources\n\n1. [Text]({A})\n",
        f"One [1].\n\n## Sources\n[1] {A}\n",
        f"One [1](<{A}>).",
        f"One [2](<{A}>), [1](<{B}>).",
        f"One [[1]](<{A}>).",
        f"One ([a][1]).\n\n[1]: {A}\n",
        f"One [^1], [^1].\n\n[^1]: {A}\n",
        f"One [^1^].\n\n[^1]: {A}\n",
        f"One [1] [2].\n\n::: warning\nTwo.\n:::\n\n## Sources\n[1] {A}\n[2] {B}\n",
        f"---\ntitle: x\nbibliography: x.bib\n---\n\nOne [1] [1].\n\n## Sources\n[1] {A}\n",
        f"---\ntitle: The *x*\n---\n\nOne [1] [1].\n\n## Sources\n[1] {A}\n",
        f"---\nauthor: [a, b]\n---\n\nOne [1] [1].\n\n## Sources\n[1] {A}\n",
        f"% Title\n\nOne [1] [1].\n\n## Sources\n[1] {A}\n",
        f"argv[1] argv[2].\n\n## References\n1. [Install]({A})\n2. [Usage]({B})\n",
        f"A note[^1].\n\n[^1]: See {A}.\n",
        f"::: {{.turn}}\nOne [1].\n\n## Sources\n[1] {A}\n:::\n",
        f"One [1].\n\n```sources\n- url: {A}\n```\n\n## Sources\n[1] {A}\n",
        f"---\nsources:\n- url: {A}\n---\n\nOne [1].\n\n## Sources\n[1] {A}\n",
        f'{{"text": "One [[1]]({A})"}}',
        f'{{"text": "One [[1]]({A})"}}\n{{"text": "One [[1]]({A})"}}',
        f"<!DOCTYPE html>\n<p>One [[1]]({A})",
        "\ue200 icons \ue201",
    ],
)
def test_what_is_not_taken(text: str) -> None:
    assert not markdown.recognises(export(text))


_LIST = f"\n\n## Sources\n[1] {A}\n[2] {B}\n"


@pytest.mark.parametrize(
    "text",
    [
        *(f"One [1], [2].{_LIST}", f"One [[1]], [[2]].{_LIST}", f"One [^1^].{_LIST}"),
        *(f"One [ref_1].{_LIST}", f"One[^1][^2].{_LIST}", f"One [1](#a), [2](#b).{_LIST}"),
        f"One ([a][1]), ([b][2]).\n\n[1]: {A}\n[2]: {B}\n",
        f"One [1](<{A}>), [1](<{A}>), [2]({B}).",
        f"One [[1]](<{A}>), [[2]]({B}).",
        *("One.[cite: 1]", "[cite_start]One.[cite: 1, 2]", "One [span_1](end_span)"),
        *("One \ue200cite\ue202turn0search0\ue201.", "One citeturn0search1."),
        *(":contentReference[oaicite:0]{index=0}", "One 【4†source】.", "One【4:0†source】."),
        f"One[oai_citation:0‡Site](<{A}>).",
        f"---\ntitle: One\nauthor: x\nlang: de\n---\n\nOne [1], [2].{_LIST}",
        f"One [1], [2].\n\n```\n::: warning\n:::\n```{_LIST}",
        f"---\ntheme: x\n---\nOne ([a][1], [a][1]) ([a][1]).\n\n[1]: {B}?utm_source=chatgpt.com\n",
    ],
)
def test_what_is_taken(text: str) -> None:
    assert markdown.recognises(export(text))


def test_thoughts_cite_nothing() -> None:
    text = f"<think>\nSee [7] and [[1]].\n</think>\n\nOne [1], [2].{_LIST}"
    (turn,) = _turns(text)
    assert turn.answer.strip() == "One [1], [2]."
    assert [url for _, url in read(turn).cites] == [A, B]
    assert set(_messages(text)) <= {OWN_LIST}


def test_a_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    handed_in = export(f"One [1], [2].{_LIST}")
    assert markdown.recognises(handed_in)
    monkeypatch.setattr(markdown, "blocks", None)
    first, second = [list(markdown.transcripts(handed_in)) for _ in range(2)]
    assert first == second


def test_the_language_is_kept() -> None:
    for written, language in (("de-AT", "de-AT"), ("'}{'", None)):
        text = f"---\nlang: {written}\n---\n\nOne [1], [2].{_LIST}"
        assert _imported(text).transcript.language == language
        assert set(_messages(text)) <= {OWN_LIST}


def test_a_text_in_which_nothing_is_found_is_kept() -> None:
    (one,) = markdown.transcripts(export("Words.\n\n## Sources\n- [x](https://example.org/)\n"))
    (turn,) = one.transcript.turns
    assert (turn.answer, turn.all_sources) == (
        "Words.\n\n## Sources\n- [x](https://example.org/)",
        [],
    )
    assert one.messages == ["no citation of a form that is known was found; the text is kept"]


def test_a_list_that_nothing_cites_is_listed_where_one_says_so() -> None:
    (one,) = markdown.transcripts(export(f"Words.\n\n## Sources\n[1] [x]({A})\n"))
    (turn,) = one.transcript.turns
    assert (turn.answer, [s.url for s in turn.all_sources]) == ("Words.", [A])
    assert set(one.messages) <= {OWN_LIST}


def test_the_title_of_the_metadata_is_kept() -> None:
    text = (
        f"---\ntitle: 'A: b'\ndate: 2025-01-02\ntheme: x\n---\n\nOne [1].\n\n## Sources\n[1] {A}\n"
    )
    one = _imported(text)
    assert (one.transcript.title, one.transcript.date) == ("A: b", "2025-01-02")
    assert one.transcript.turns[0].answer == "One [1]."
    assert one.messages[-1:] == ["of the metadata only title, date and lang are kept"]


def test_windows_line_ends() -> None:
    text = f"One [1].\n\n## Sources\n[1] {A} - T\n[2] {B}\n"
    assert _turns(text.replace("\n", "\r\n")) == _turns(text)


def test_a_rule_at_the_top_is_no_metadata() -> None:
    text = f"---\n\nOne [1].\n\n---\n\n## Sources\n[1] {A}\n"
    (turn,) = _turns(text)
    assert turn.answer == "---\n\nOne [1].\n\n---"


# --- Properties ----------------------------------------------------------------------------------

_LETTERS = st.text(alphabet="ab潮🌊ש.,()!:| ", min_size=1, max_size=8).map(lambda s: f"ww{s}ww")
_PIECES = st.lists(
    st.tuples(_LETTERS, st.lists(st.integers(1, 4), max_size=3)), min_size=1, max_size=6
)
_FORMS = {
    "number": ("[{0}]", "\n\n## References\n\n", "[{0}] {1} - {2}\n"),
    "caret": ("[^{0}^]", "\n\nSource: Conversation with Bing\n", "({0}) {2}. {1}.\n"),
    "brackets": ("[[{0}]]", "\n\n**参考文献**\n\n", "{0}. [{2}]({1})\n"),
    "named": ("[ref_{0}]", "\n\nQuellen:\n", "[{0}]: {1}\n"),
    "pill": ("([Site][{0}])", "\n\n", '[{0}]: {1} "{2}"\n'),
    "link": ("[[{0}]]({1})", "\n\n## Sources\n", "[{0}] {2}: {1}\n"),
}


@many(50)
@given(_PIECES, st.sampled_from(sorted(_FORMS)))
def test_what_goes_in_comes_out(pieces: list[tuple[str, list[int]]], form: str) -> None:
    """Every (place, URL), the whole list, and the text without its marks."""
    mark, heading, entry = _FORMS[form]
    urls = {n: f"https://example.org/{n}?潮=(1)" for n in range(1, 5)}
    written, text, expected = "", "", []
    for words, cited in [("wow", [1, 2]), *pieces]:
        written += words + "".join(mark.format(n, urls[n]) for n in cited)
        text += words
        expected += [(len(text), urls[n]) for n in cited]
    listed = "".join(entry.format(n, url, f"T{n}") for n, url in urls.items())
    (turn,) = _turns(f"{written}{heading}{listed}")
    found = read(turn)
    parted = [(len(found.text[:at].replace("<!-- -->", "")), url) for at, url in found.cites]
    assert (found.text.replace("<!-- -->", ""), parted) == (text, expected)
    assert {source.url for source in turn.all_sources} == {*urls.values()}


_SHARDS = st.sampled_from(
    [
        *("[1]", "[1]:", "[^1]", "[[1]]", "(", ")", "[", "]", "](", "][1]", "\\", "`", "```", "$"),
        *("## Sources\n", "\n", "\n\n", " - ", "1. ", "https://example.org/a", "(2) ", "<", ">"),
        *("[cite: 1]", "[span_1](end_span)", "\ue200cite\ue202", "\ue201", "‡", "---\n", "x: y\n"),
        *("[oai_citation:0‡", "ref_1", "潮", "🌊", "!", "|", "\t", "    ", "[a][1]", "([a][1])"),
    ]
)


@many(50)
@given(st.lists(_SHARDS, max_size=20).map("".join))
def test_no_text_breaks_it_and_every_source_is_in_the_text(text: str) -> None:
    markdown.recognises(export(text))
    for one in markdown.transcripts(export(text)):
        one.transcript.to_markdown()
        for turn in one.transcript.turns:
            assert all(source.url in text for source in turn.all_sources)


@pytest.mark.parametrize(
    "shard",
    [
        *("[", "[a", "[1](", "([a][1]", "[[1]](http://", "## Sources\n", "[1] https://a.b \n"),
        *("## Sources\n1. https://a.b\n\nx\n\n", "[1]\n\n## Sources\n1. https://a.b\n\n"),
        *("[^1]: https://a.b x\n\n", "[1]: https://a.b\n'\n", "arr[1]", "[1] x\nURL: "),
    ],
)
def test_long_texts_are_read_once(shard: str) -> None:
    text = f"One [1].\n\n## Sources\n[1] {A}\n\n" + shard * (40_000 // len(shard))
    assert list(markdown.transcripts(export(text)))
    assert blocks(text)


def test_every_name_of_a_list_is_one() -> None:
    from cite_filter.importers import source_headings

    names = re.split(r"[|\n]", source_headings._NAMES.strip())
    assert all(names_sources(f"## {name}:") for name in names)


# --- Thoughts, names, notes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "thought",
    [
        "<think>Plan SECRET [1]\n\nSources:\n1. https://z.example/\n\nThen SECRET [1]</think>\n\n",
        "<think>SECRET\n\n[1]: https://z.example/\n</think>\n\n",
        "SECRET from a prompt\n</think>\n\n",
        "◁think▷SECRET◁/think▷",
        "[THINK]SECRET[/THINK]\n",
        "<seed:think>SECRET</seed:think>",
        "<reasoning>SECRET</reasoning>\n",
    ],
)
def test_a_thought_is_no_part_of_the_text(thought: str) -> None:
    text = thought + f"Hi [1] [2].\n\n## Sources\n[1] {A}\n[2] {B}\n"
    (turn,) = _turns(text)
    assert "SECRET" not in turn.answer
    assert [url for _, url in read(turn).cites] == [A, B]


def test_a_thought_within_the_text_goes_and_talk_of_tags_stays() -> None:
    text = f"Hi [1].\n<think>SECRET [2]\n</think>\nThere [2].\n\n## Sources\n[1] {A}\n[2] {B}\n"
    (turn,) = _turns(text)
    assert "SECRET" not in turn.answer
    assert len(read(turn).cites) == 2
    said = "Put it between <think> and </think>, as in `<think>x</think>` [1]."
    (turn,) = _turns(f"{said}\n\n## Sources\n[1] {A}\n")
    assert turn.answer == said


def test_a_list_and_definitions_that_disagree_are_kept_and_serve_nothing() -> None:
    text = f"A [1]. B [2].\n\n## Sources\n[1] {A}\n[2] {B}\n\n[1]: {C}\n[2]: {B}\n"
    (turn,) = _turns(text)
    assert {url for _, url in read(turn).cites} == {B}
    assert A in turn.answer
    assert C in turn.answer


@pytest.mark.parametrize(
    "entry",
    [
        "Smith. doi:10.1000/182 (preprint: https://pre.example/9)",
        "arXiv:1706.03762. https://code.example/f",
        "www.bar.example/paper. Publisher https://pub.example/",
    ],
)
def test_a_url_beside_the_name_of_something_else_is_no_source(entry: str) -> None:
    text = f"A [1], [2].\n\n## References\n[1] {entry}\n[2] Doe. {B}\n"
    (turn,) = _turns(text)
    assert {url for _, url in read(turn).cites} == {B}
    assert entry in turn.answer


def test_a_list_with_notes_is_kept_whole() -> None:
    rest = f"[1] {A}\n[2] {B}\n\n   Notes on two.\n\n[3] A book.\n"
    (turn,) = _turns(f"A [1] and [2].\n\n## References\n{rest}")
    assert rest.strip() in turn.answer

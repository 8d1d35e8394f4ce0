"""The source pass: definitions that Pandoc would eat, fences that would end too early."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cite_filter import link, pandoc, reading, source_text
from cite_filter.errors import CiteError
from conftest import read
from drawing import draw
from hypothesis import given
from hypothesis import strategies as st

BLOCK = "```sources\n- url: https://1.example/\n```\n"


def parse(text: str) -> source_text.SourceText:
    return source_text.parse(text, Path("chat.md"))


def drawn(text: str) -> str:
    source = parse(text)
    result = link(reading.read(source), "html", sources=source.document_sources)
    return draw(result.document["blocks"])


def turn(text: str) -> str:
    return f"::: {{.turn}}\n{text}\n\n{BLOCK}:::\n\n"


@pytest.mark.parametrize(
    "definition",
    [
        "[1]: https://1.example/",
        '[1]: https://1.example/?utm_source=chat "Title"',
        '[1]: http://www.1.example/\n"Title on its own line"',
        "[^1]: 1.example",
        "   [1]: https://1.example/",
        "- [1]: https://1.example/",
        "[1]: https://1.example/\n[1]: https://1.example/#x",
    ],
)
def test_a_duplicate_definition_of_a_known_number_goes(definition: str) -> None:
    source = parse(turn(f"Fact [1].\n\n{definition}"))
    result = drawn(turn(f"Fact [1].\n\n{definition}"))
    assert result == drawn(turn("Fact [1]."))
    assert source.warnings == []


def test_a_definition_that_contradicts_the_source_is_text_and_is_said() -> None:
    text = turn("Fact [1].\n\n[1]: https://other.example/ (Title)")
    assert "Fact⟨1⟩.\n\n[1]: [https://other.example/](https://other.example/) (Title)" in drawn(
        text
    )
    assert parse(text).warnings == [
        "line 4: the answer says that [1] is https://other.example/, "
        "but the source is https://1.example/"
    ]


WRONG = "https://wrong.example/"


@pytest.mark.parametrize(
    "hidden",
    [
        f"| a | b |\n|---|---|\n| x | y |\n[1]: {WRONG}",
        f"> [!NOTE]\n> [1]: {WRONG}",
        f"text\n\n[1, 2]: {WRONG}",
        f"text\n\n[1,2]: {WRONG}",
        f"text\n\n[^1, ^2]: {WRONG}",
        f"text\n\n[1,\n2]: {WRONG}",
        f"text\n\n[ 1 ]: {WRONG}",
        f"text\n\n[1-2]: {WRONG}",
        f"text\n\n[１]: {WRONG}",
        f"> - 1. [1]: {WRONG}",
        f"# H\n[1]: {WRONG}",
        f"<br>\n\n[1]: {WRONG}",
        f"```\ncode\n```\n[1]: {WRONG}",
        f"- a\n\n  [1]: {WRONG}",
        f"1. a\n\n   > [1]: {WRONG}",
        f"- [ ] [1]: {WRONG}",
        f"- [x] [ 2 ]: {WRONG}",
        "> " * 25 + f"[1]: {WRONG}",
        f"- ::: {{.note}}\n  [1]: {WRONG}\n  :::",
        f"> ::: {{.note}}\n> [1]: {WRONG}\n> :::",
        f'::: {{.note a="}}"}}\n[1]: {WRONG}\n:::',
    ],
)
def test_no_definition_turns_a_marker_into_its_link(hidden: str) -> None:
    other = "Second [1] [1, 2] [^1, ^2] [1-2] [１] [2]."
    source = parse(turn(f"First [1] [1, 2].\n\n{hidden}") + turn(other))
    document = reading.read(source)
    link(document, "html", sources=source.document_sources)
    for label in ("1", "2", "１", "1, 2", "1,2", "1-2", "^1, ^2"):
        words = json.dumps([{"t": "Str", "c": label}])
        assert f'{words}, ["{WRONG}' not in json.dumps(document)
    assert f'"{WRONG}"' not in json.dumps(_marker_links(document))


def _marker_links(value: Any) -> list[Any]:
    """The links of a document that are labelled with anything but their own URL."""
    if isinstance(value, dict):
        if value.get("t") == "Link" and value["c"][1] != [{"t": "Str", "c": value["c"][2][0]}]:
            return [value]
        return _marker_links(list(value.values()))
    if isinstance(value, list):
        return [found for item in value for found in _marker_links(item)]
    return []


@pytest.mark.parametrize(
    ("written", "drawn_"),
    [
        (
            "https://ok.example/report[1].",
            "[https://ok.example/report](https://ok.example/report)⟨1⟩.",
        ),
        ("(https://ok.example/a)[1]", "([https://ok.example/a](https://ok.example/a))⟨1⟩"),
        ("https://ok.example/a.[1] b", "[https://ok.example/a](https://ok.example/a).⟨1⟩ b"),
        ("https://ok.example/X_(Y)[1]", "[https://ok.example/X_(Y)](https://ok.example/X_(Y))⟨1⟩"),
        ("**https://ok.example/a**[1]", "**[https://ok.example/a](https://ok.example/a)**⟨1⟩"),
        ('"https://ok.example/a"[1]', '"[https://ok.example/a](https://ok.example/a)"⟨1⟩'),
        ("www.ok.example[1].", "[www.ok.example](http://www.ok.example)<!---->⟨1⟩."),
        ("[b](https://ok.example/a[1])", "[b](https://ok.example/a[1])"),
        ("https://ok.example/路[1][9]", "[https://ok.example/路](https://ok.example/路)⟨1⟩[9]"),
        ("[a](https://ok.example/a)[1]", "[a](https://ok.example/a)⟨1⟩"),
        ("<https://ok.example/a>[1]", "[https://ok.example/a](https://ok.example/a)⟨1⟩"),
        ("`https://ok.example/a[1]`", "`https://ok.example/a[1]`"),
    ],
)
def test_a_marker_behind_a_bare_url_is_no_part_of_it(written: str, drawn_: str) -> None:
    assert drawn_ in drawn(turn(f"See {written}"))


def test_lines_keep_their_numbers() -> None:
    text = "a [1]\n\n[1]: https://wrong.example/\n\nb\n\n" + BLOCK
    assert parse(text).text.count("\n") == text.count("\n")


def test_a_definition_of_an_unknown_number_is_text_and_leaks_nowhere() -> None:
    result = drawn(turn("One [1] [2].") + turn("Two [2].\n\n[2]: https://wrong.example/"))
    assert "One⟨1⟩ [2]." in result
    assert "Two [2]." in result
    assert "[2]: [https://wrong.example/](https://wrong.example/)" in result


def test_a_definition_in_a_prompt_is_text() -> None:
    prompt = "::: {.prompt}\nWhy?\n\n[1]: https://wrong.example/\n:::\n\n"
    result = drawn(turn(prompt + "Because [1]."))
    assert "Because⟨1⟩." in result
    assert "[1]: [https://wrong.example/]" in result


def test_a_turn_without_sources_keeps_its_definitions_as_text() -> None:
    result = drawn(turn("One [1].") + "::: {.turn}\nTwo [1].\n\n[1]: https://wrong.example/\n:::\n")
    assert "Two [1]." in result
    assert "[1]: [https://wrong.example/]" in result


def test_without_any_sources_a_document_is_plain_markdown() -> None:
    assert drawn("See [1].\n\n[1]: https://own.example/\n") == "See [1](https://own.example/)."


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_a_definition_in_code_is_code(fence: str) -> None:
    result = drawn(turn(f"Fact [1].\n\n{fence}\n[1]: https://kept.example/\n{fence}"))
    assert "[1]: https://kept.example/" in result


def test_indented_code_is_code() -> None:
    assert "[1]: https://kept.example/" in drawn(
        turn("Fact [1].\n\n    [1]: https://kept.example/")
    )


def test_other_definitions_stay_what_they_are() -> None:
    result = drawn(turn("A [link][x] [1].\n\n[x]: https://x.example/"))
    assert "A [link](https://x.example/)⟨1⟩." in result


def test_code_with_colons_does_not_end_a_turn() -> None:
    result = drawn(turn("A [1].\n\n```\n:::\n```\n\nB [1].") + turn("C [1]."))
    assert result.count("::: turn") == 2
    assert "```\n:::\n```" in result
    assert "B⟨1⟩." in result
    assert "C⟨1⟩." in result


def test_code_that_is_never_closed_does_not_eat_the_next_turn() -> None:
    result = drawn("::: {.turn}\nA\n\n```\ncode [1]\n:::\n\n" + turn("B [1]."))
    assert result.count("::: turn") == 2
    assert "B⟨1⟩." in result


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_fences_left_open_in_two_turns_do_not_pair(fence: str) -> None:
    first = f"::: {{.turn}}\nOne [1].\n\n{fence}\nfoo\n:::\n\n"
    second = turn("Two [1].")
    third = f"::: {{.turn}}\nIntro [1].\n\n{fence}\nbar\n:::\n\n"
    result = drawn(first + second + third)
    assert result.count("::: turn") == 3
    assert "One [1]." in result
    assert "Two⟨1⟩." in result
    assert "Intro [1]." in result


def test_code_left_open_in_a_prompt_ends_with_it() -> None:
    prompt = "::: {.prompt}\nWhat is\n\n```\ncode\n:::\n\n"
    result = drawn(turn(prompt + "That [1].\n\n```python\nx = 1\n```\n\nAnd [1]."))
    assert "That⟨1⟩." in result
    assert "And⟨1⟩." in result
    assert "```python\nx = 1\n```" in result


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_code_may_quote_a_turn(fence: str) -> None:
    quoted = f"{fence}\n::: {{.turn}}\nB [1].\n:::\n{fence}"
    result = drawn(turn(f"A [1].\n\n{quoted}\n\nC [1]."))
    assert "::: {.turn}\nB [1].\n:::" in result
    assert "C⟨1⟩." in result


def test_a_turn_inside_a_turn_is_an_error() -> None:
    text = "::: {.turn}\n::: note\nA [2].\n:::\n\n" + turn("B [1].\n\n:::")
    with pytest.raises(CiteError, match="begins inside another") as caught:
        parse(text)
    assert caught.value.line == 6


def test_two_blocks_of_one_turn_that_disagree_are_an_error() -> None:
    other = BLOCK.replace("1.example", "other.example")
    with pytest.raises(CiteError, match=r"number 1 is given to .* on line 5"):
        parse(turn(f"A [1].\n\n{BLOCK}\nB\n\n{other}".removesuffix("\n")))


@pytest.mark.parametrize("fence", ["~~~", "````"])
def test_code_left_open_never_swallows_the_sources_of_its_turn(fence: str) -> None:
    result = drawn(turn(f"A [1].\n\n{fence}\ncode") + turn("B [1]."))
    assert "A⟨1⟩." in result
    assert "B⟨1⟩." in result


@pytest.mark.parametrize(
    "code",
    [
        "- item\n\n  ```python\n  print(1)\n\nB [1]",
        "> ```python\n> print(1)\n\nB [1]",
        "A\n\n    ```\n    indented\n\nB [1]",
    ],
)
def test_code_ends_with_its_list_or_quotation(code: str) -> None:
    assert "B⟨1⟩" in drawn(f"{code}\n\n{BLOCK}")


def test_colons_that_close_nothing_are_an_error() -> None:
    text = "::: {.turn}\nA\n::::\nT0 [1]\n:::\n\n" + turn("B [1].")
    with pytest.raises(CiteError, match="close no div") as caught:
        parse(text)
    assert caught.value.line == 5


def test_code_left_open_before_the_sources_is_closed_there() -> None:
    result = drawn("A [1].\n\n```python\ncode [1]\n``` [1]\n\nmore\n\n" + BLOCK)
    assert "A⟨1⟩." in result
    assert "code [1]\n``` [1]" in result
    assert "::: sources-list" in result
    assert "A⟨1⟩." in drawn("A [1].\n\n```python\ncode\n" + BLOCK)


def test_a_sources_block_that_pandoc_does_not_see_is_an_error() -> None:
    for before in ("<div>\n", "````\ncode\n"):
        text = "A [1].\n\n" + before + BLOCK
        with pytest.raises(
            CiteError, match="this sources block is part of something else"
        ) as caught:
            parse(text)
        assert caught.value.line == text.split("\n").index("```sources") + 1


def test_a_transcript_may_quote_a_transcript() -> None:
    result = drawn("A [1].\n\n````markdown\n" + turn("B [1].") + "````\n\n" + BLOCK)
    assert "B [1]." in result
    assert "A⟨1⟩." in result
    assert result.count("::: sources-list") == 1


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_and_the_byte_order_mark(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "chat.md"
    path.write_bytes(b"\xef\xbb\xbf" + turn("Fact [1].").replace("\n", ending).encode())
    source = source_text.read(path)
    assert source.text == turn("Fact [1].")


def test_metadata_is_read_verbatim() -> None:
    url = "https://example.org/a--b/@c/*d*_e_^f^~g~"
    source = parse(f"---\nsources:\n- title: '*a* -- \"b\"'\n  url: {url}\n---\nFact [1].\n")
    assert source.document_sources is not None
    found = source.document_sources.by_number["1"]
    assert (found.url, found.title) == (url, '*a* -- "b"')


@pytest.mark.parametrize(
    "prices",
    [
        "between $6 [1] and $7–$8",
        "$5–$6 [1] and $7–$8",
        "prices of $5 [1], $6 and $7-$8 [1]",
        "$5 [1] or US$ [1]",
        "Das kostet $5 [1] bis 6 US$ [1].",
        "from $730 [1] to US$1,300 and $x$",
    ],
)
def test_prices_stay_prices(prices: str) -> None:
    result = drawn(turn(prices))
    for dollars in ("$5", "$6", "$7", "$8", "$730", "US$1,300", "US$"):
        assert result.count(dollars) == turn(prices).count(dollars)
    assert "[1]" not in result.replace("[[1]]", "")


@pytest.mark.parametrize(
    ("list_", "kept"),
    [
        ("> a [1]\n> - [1]: https://1.example/\n>\n> b [1]", "> a⟨1⟩\n\nb⟨1⟩"),
        ("- [1]: https://1.example/\n\n  more [1]", "- {<!---->}\n\nmore⟨1⟩"),
        ("a [1]\n\n- - - [1]: https://1.example/", "a⟨1⟩"),
        ("a [1]\n\n- [ ] [1]: https://1.example/", "a⟨1⟩"),
    ],
)
def test_what_stands_around_a_dropped_definition_stays(list_: str, kept: str) -> None:
    result = drawn(turn(list_))
    assert kept in result
    assert "\n---\n" not in result
    assert "```" not in result


# Lines that decide about structure, put together at random: the pass must agree with Pandoc.
LINES = [
    *("", "", "text [1] [2]", "[1]: https://w.example/", "[2]: https://w.example/", "- [1]: x"),
    *("> [1]: y", "```", "~~~~", "    [1]: z", "# H [1]", "[^1]: word", "- item [1]", "> q [1]"),
    *("::: {.turn}", "::: {.prompt}", ":::", "```sources", "- url: https://1.example/", "<!-- c"),
]


@given(st.lists(st.sampled_from(LINES), max_size=14))
def test_no_marker_ever_leads_where_a_definition_says(lines: list[str]) -> None:
    text = "\n".join(["::: {.turn}", "[1]", *lines, "", BLOCK])
    try:
        source = parse(text)
        document = reading.read(source)
    except CiteError:
        return
    link(document, "html", sources=source.document_sources)
    found = json.dumps(document)
    assert '[{"t": "Str", "c": "1"}], ["https://w.example/"' not in found
    assert '[{"t": "Str", "c": "2"}], ["https://w.example/"' not in found


def test_cite_build_and_the_filter_agree() -> None:
    text = turn("Fact [1] [2], `[1]`.") + turn("> Quoted [1].\n\n| a |\n|---|\n| [1] |")
    result = link(read(text, pandoc.READER), "html")
    assert draw(result.document["blocks"]) == drawn(text)


def test_no_character_of_a_source_is_composed() -> None:
    url = "https://a.example/e\u0301/\uf900?\u2126=\U0001f30a"
    text = f"Fact [1].\n\n```sources\n- url: {url}\n  title: 'e\u0301'\n  more: x\n```\n\nrest\n"
    source = parse(text)
    assert source.text.count("\n") == text.count("\n")
    result = link(reading.read(source))
    assert result.turns[0].sources.by_number["1"].url == url
    assert result.turns[0].cited == {"1"}


def test_a_definition_made_text_keeps_its_url_and_its_markers_apart() -> None:
    text = "[1]: https://9.example/[1]\n\n```sources\n- url: https://1.example/\n```\n"
    assert parse(text).text.startswith("\\[1]: <https://9.example/>[1]\n")

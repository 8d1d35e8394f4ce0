"""Reading sources: from YAML, verbatim, and from metadata that Pandoc parsed as Markdown."""

from __future__ import annotations

import pytest
from cite_filter import metadata
from cite_filter.source_lists import NumberedSource, SourcesError, numbered, read_yaml
from conftest import read


def one(text: str) -> NumberedSource:
    return next(iter(read_yaml(text).by_number.values()))


@pytest.mark.parametrize(
    ("written", "title"),
    [("yes", "yes"), ("2024-01-02", "2024-01-02"), ("1.50", "1.50"), ("'a \"b\"'", 'a "b"')],
)
def test_a_title_stays_the_text_that_was_written(written: str, title: str) -> None:
    assert one(f"- title: {written}\n  url: https://a.example/").title == title


@pytest.mark.parametrize("written", ["", "~", "null"])
def test_without_a_title_the_host_is_the_label(written: str) -> None:
    assert one(f"- title: {written}\n  url: https://a.example/").label == "a.example"


def test_further_keys_are_ignored() -> None:
    assert (
        one("- {url: 'https://a.example/', host: a, text: [1, {b: c}]}").url == "https://a.example/"
    )


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a: 1", "sources is no list: write one '- index: …' entry a source", 1),
        ("- a\n- b", "an entry is no map: give each source its index, title and url", 1),
        ("- title: x", "entry 1 has no url: give each source its index, title and url", 1),
        ("- url: ' '", "entry 1 has no url: give each source its index, title and url", 1),
        ("- {index: 0, url: x}", "index '0' is no whole number from 1 to 999999999", 1),
        ("- {index: 01, url: x}", "index '01' is no whole number from 1 to 999999999", 1),
        ("- {index: 1.0, url: x}", "index '1.0' is no whole number from 1 to 999999999", 1),
        ("- {index: ١, url: x}", "index '١' is no whole number from 1 to 999999999", 1),
        ("- url: x\n  url: y", "key 'url' stands twice", 2),
        ("- url: x\n- {index: 2, url: y}", "number all or none", 1),
        ("- title: a: b\n  url: x", "invalid YAML: mapping values are not allowed", 1),
        ("- [", "invalid YAML", 2),
        ("- url: x\n--- \n- url: y", "invalid YAML", 2),
        ("- url: \x01", "invalid YAML", None),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(
    text: str, message: str, line: int | None
) -> None:
    with pytest.raises(SourcesError) as caught:
        read_yaml(text)
    assert message in caught.value.message
    assert caught.value.line == line


def test_deep_and_huge_yaml_is_an_error_not_a_crash() -> None:
    for text in ("[" * 100_000, "- " * 5_000 + "x", "- index: " + "9" * 60_000 + "\n  url: x"):
        with pytest.raises(SourcesError):
            read_yaml(text)


READERS = ["markdown", "gfm", "commonmark_x", "commonmark_x-smart"]
EXACT = [
    "https://medium.com/@user/x",
    "https://example.org/a--b",
    "https://example.org/a---b...c",
    "https://example.org/it's",
    "https://example.org/a^b^c",
    "https://example.org/a~b~c",
    "https://example.org/a_b_c?x=1&y=2#z",
    "https://example.org/a%20b",
    "https://bücher.example/ü",
]
AMBIGUOUS = [
    "https://example.org/_a_",
    "https://example.org/*a*",
    "https://bücher.example/a–b",
    "https://en.wikipedia.example/wiki/Michelson–Morley_experiment",
    'https://example.org/a"b',
    "https://example.org/a’b…c",
    "https://example.org/$x$",
    "https://example.org/[x](y)",
    "https://example.org/x:smile:",
]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("url", EXACT + AMBIGUOUS)
def test_a_url_of_the_metadata_is_exact_or_not_linked(url: str, reader: str) -> None:
    written = url.replace("'", "''")
    document = read(f"---\nsources:\n- title: x\n  url: '{written}'\n---\n", reader)
    source = numbered(metadata.entries(document["meta"]["sources"])).by_number["1"]
    assert source.url == url or not source.is_linkable


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("url", [url for url in EXACT if "^" not in url])
def test_angle_brackets_keep_a_url_verbatim(url: str, reader: str) -> None:
    document = read(f"---\nsources:\n- url: <{url}>\n---\n", reader)
    source = numbered(metadata.entries(document["meta"]["sources"])).by_number["1"]
    assert (source.url, source.is_linkable) == (url, True)

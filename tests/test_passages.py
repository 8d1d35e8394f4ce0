"""What is printed of a quotation that stands in its source, and where its link leads."""

from __future__ import annotations

import pytest
from cite_filter.answers import Answer, Claim, Form, RetrievedSource, verify
from cite_filter.quotations import Passage
from cite_filter.quotations.fragments import link

URL = "https://example.org/a"


def found(quote: str, text: str, form: Form = "markdown") -> Passage:
    source = RetrievedSource(URL, text=text, form=form)
    (claim,) = verify(Answer("", [Claim("c", [URL], "stated", quote)]), [source]).claims
    assert claim.status == "ok"
    assert claim.verdict is not None
    (passage,) = claim.verdict.passages
    assert text[passage.start : passage.end] == passage.exact
    return passage


@pytest.mark.parametrize(
    ("quote", "text", "form", "shown"),
    [
        ("The call foo_bar is six", "The call foo_bar is six.", "markdown", None),
        ("Run ls *.py | wc -l in it", "Run `ls *.py | wc -l` in it.", "markdown", None),
        ("Call __init__.py from it", "Call `__init__.py` from it.", "markdown", None),
        ("The bold word is in it", "The **bold** word[1] is\nin it.", "markdown", None),
        ("a*b | c is six here", "Now a*b | c is six here.", "html", None),
        ("pre- and post-war music", "They play pre-\nand post-war music.", "text", None),
        ("a re-evaluated case of it", "It is a re-\nevaluated case of it.", "text", None),
        ("a reevaluated case of it", "It is a re-\nevaluated case of it.", "text", None),
        ("the so-called “word” here", "It is the so‑called „word“ here.", "text", None),
        ("城市之一，人口约为八百万", "该国最大的城市[2]之一，人口\n约为八百万。", "markdown", None),
    ],
)
def test_it_is_the_source_without_its_mark_up(
    quote: str, text: str, form: Form, shown: str | None
) -> None:
    printed = found(quote, text, form).shown
    typography = str.maketrans("‑„“”", '-"""')
    assert printed.translate(typography) == (shown or quote).translate(typography)


def test_a_link_names_a_passage_within_one_block() -> None:
    assert found("Tides rise twice a day", "Tides rise twice a day.").link == (
        f"{URL}#:~:text=Tides%20rise%20twice%20a%20day"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Tides rise twice.\n\nThe moon pulls them up.",
        "Tides rise twice[12]. The moon pulls them up.",
        "Tides:\n\n- Tides rise twice.\n- The moon pulls them up.",
    ],
)
def test_over_several_blocks_a_link_names_both_ends(text: str) -> None:
    passage = found("Tides rise twice. The moon pulls them up", text)
    assert passage.link is not None
    first, _, last = passage.link.partition(":~:text=")[2].partition(",")
    assert first.startswith("Tides%20rise%20twice")
    assert last.endswith("The%20moon%20pulls%20them%20up")


@pytest.mark.parametrize(
    ("url", "begins"),
    [
        (f"{URL}#part", f"{URL}#part:~:text="),
        (f"{URL}#part:~:text=old", f"{URL}#part:~:text="),
        ("https://example.org/a:~:b", "https://example.org/a:~:b#:~:text="),
    ],
)
def test_the_address_of_a_link_stays(url: str, begins: str) -> None:
    made = link(url, "two words")
    assert made == f"{begins}two%20words"


def test_no_link_leads_into_a_pdf_or_from_an_unsafe_address() -> None:
    assert link("https://example.org/a.PDF?x=1", "two words") == "https://example.org/a.PDF?x=1"
    assert link("javascript:alert(1)", "two words") is None

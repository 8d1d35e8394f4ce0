"""Answers against their sources: whose URLs are real, what each claim comes to, what is counted."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from cite_filter.answers import Answer, AnsweredQuestion, Claim, RetrievedSource, verify
from cite_filter.fields import InvalidData
from cite_filter.url_identity import Retrieved, identity
from cite_filter.verification import Integrity, VerifiedAnswer, missing_numbers
from cite_filter.verification import verify as verify_question
from hypothesis import given
from hypothesis import strategies as st

LAMP = "The lamp was lit at dusk by the keeper of the light."
TIDE = "Most coasts see two high tides a day, some twelve hours apart."
A, B, EMPTY = "https://example.org/lamp", "https://example.org/tide", "https://example.org/empty"
SOURCES = [RetrievedSource(A, text=LAMP), RetrievedSource(B, text=TIDE), RetrievedSource(EMPTY)]
QUOTE = "The lamp was lit at dusk"
LOST = "Nobody was there to see it."
"""What no source that could be read says."""


def claim(quote: str | None, *urls: str, text: str = "A claim.") -> Claim:
    return Claim(text, urls, "stated", quote)


def verified(*claims: Claim) -> VerifiedAnswer:
    return verify(Answer("A summary.", claims), SOURCES)


# --- Which URLs are the same --------------------------------------------------------------------

SAME = [
    ("HTTPS://Example.ORG/a", "https://example.org/a"),
    ("https://example.org:443/a", "https://example.org/a"),
    ("http://example.org:80/a", "http://example.org/a"),
    ("https://example.org", "https://example.org/"),
    ("https://example.org/b/../a/./c", "https://example.org/a/c"),
    ("https://example.org/%7euser/%C3%A9", "https://example.org/~user/%c3%a9"),
    ("https://example.org/caf%C3%A9", "https://example.org/café"),
    ("https://example.org/a%2Db", "https://example.org/a-b"),
    ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
    ("https://BÜCHER.example/a", "https://bücher.example/a"),
    ("https://ｅｘａｍｐｌｅ.org/a", "https://example.org/a"),
    ("https://example.org/a#part", "https://example.org/a"),
    ("https://example.org/a#:~:text=two%20tides", "https://example.org/a"),
    ("https://example.org/a?utm_source=openai", "https://example.org/a"),
    ("https://example.org/a?x=1&utm_source=openai&utm_medium=y", "https://example.org/a?x=1"),
    ("https://example.org/a?gclid=1&x=1&fbclid=2", "https://example.org/a?x=1"),
    ("https://example.org/a?ref_src=twsrc%5Etfw", "https://example.org/a"),
    ("  https://example.org/a\n", "https://example.org/a"),
    ("https:\\\\example.org\\a", "https://example.org/a"),
]
OTHER = [
    ("https://example.org/b", "https://example.org/a"),
    ("https://example.org/A", "https://example.org/a"),
    ("https://example.org/a/b", "https://example.org/a"),
    ("https://example.org/a", "https://example.org/a/b"),
    ("https://example.org/ab", "https://example.org/a"),
    ("https://sub.example.org/a", "https://example.org/a"),
    ("https://example.org.evil.example/a", "https://example.org/a"),
    ("https://evil.example/https://example.org/a", "https://example.org/a"),
    ("https://evil.example/?u=https://example.org/a", "https://example.org/a"),
    ("https://example.org@evil.example/a", "https://example.org/a"),
    ("https://example.org\\@evil.example/a", "https://evil.example/a"),
    ("https://user@example.org/a", "https://example.org/a"),
    ("https://example.org:8443/a", "https://example.org/a"),
    ("https://example.org/a?x=2", "https://example.org/a?x=1"),
    ("https://example.org/a?x=1&y=2", "https://example.org/a?x=1"),
    ("https://example.org/a?id=１", "https://example.org/a?id=1"),
    ("https://example.org/a%2Fb", "https://example.org/a/b"),
    ("https://example.org/a?xref_src=1", "https://example.org/a"),
    ("https://example.org/a?my_utm_source=1", "https://example.org/a"),
    ("https://example.org/a?x=1%26utm_source=1", "https://example.org/a?x=1"),
    ("https://example.org/utm_source=1", "https://example.org/"),
    ("ftp://example.org/a", "https://example.org/a"),
    ("javascript:alert(1)//https://example.org/a", "https://example.org/a"),
    ("example.org/a", "https://example.org/a"),
    ("//example.org/a", "https://example.org/a"),
    ("", "https://example.org/"),
    ("https://exаmple.org/a", "https://example.org/a"),
]
NEAR = [
    ("http://example.org/a", "https://example.org/a"),
    ("https://www.example.org/a", "https://example.org/a"),
    ("https://example.org/a", "https://www.example.org/a"),
    ("https://example.org/a/", "https://example.org/a"),
    ("https://m.example.org/a", "https://example.org/a"),
    ("https://example.org/a/amp", "https://example.org/a"),
    ("https://amp.example.org/a", "https://www.example.org/a"),
    ("https://example.org/a?y=2&x=1", "https://example.org/a?x=1&y=2"),
]


@pytest.mark.parametrize(("url", "retrieved"), SAME, ids=[ascii(pair[0]) for pair in SAME])
def test_one_url_in_two_writings(url: str, retrieved: str) -> None:
    assert identity(url) == identity(retrieved)
    assert Retrieved([("https://other.example/",), (retrieved,)]).find(url) == [1]
    assert Retrieved([(url,)]).find(retrieved) == [0]


@pytest.mark.parametrize(("url", "retrieved"), OTHER, ids=[ascii(pair[0]) for pair in OTHER])
def test_two_urls(url: str, retrieved: str) -> None:
    assert Retrieved([(retrieved,)]).find(url) == ()
    assert Retrieved([(url,)]).find(retrieved) == ()


@pytest.mark.parametrize(("url", "retrieved"), NEAR, ids=[ascii(pair[0]) for pair in NEAR])
def test_a_near_url_is_named_and_does_not_count(url: str, retrieved: str) -> None:
    held = Retrieved([(retrieved,)])
    assert held.find(url) == ()
    assert held.near(url) == retrieved


@pytest.mark.parametrize(
    "url",
    ["https://example.org/b", "https://example.net/a", "https://example.org/a?x=1", "", "x", "…"],
)
def test_another_page_is_not_even_near(url: str) -> None:
    assert Retrieved([("https://example.org/a",)]).near(url) is None


def test_a_page_may_be_read_in_parts() -> None:
    parts = [RetrievedSource(A, text=text) for text in ("Of the sea. Of the land.", LAMP)]
    (found,) = verify(Answer("", [claim(QUOTE, A)]), parts).claims
    assert (found.status, list(found.source_urls)) == ("ok", [A])
    assert found.verdict is not None
    (passage,) = found.verdict.passages
    assert LAMP[passage.start : passage.end] == passage.exact


@pytest.mark.parametrize(
    ("url", "retrieved"),
    [
        ("doc-7", "doc-1"),
        ("www.evil.example", "javascript:alert(1)"),
        ("https://farexample.org/a", "https://farm.example.org/a"),
    ],
)
def test_what_is_not_even_near(url: str, retrieved: str) -> None:
    assert Retrieved([(retrieved,)]).near(url) is None


def test_a_key_that_begins_like_one_that_tracks_counts() -> None:
    assert not Retrieved([("https://example.org/?gclidx=1",)]).find("https://example.org/")


def test_an_address_after_a_redirection_counts_too() -> None:
    held = Retrieved([("https://redirect.example/x9", "https://example.org/a")])
    assert held.find("https://example.org/a") == held.find("https://redirect.example/x9") == [0]
    assert held.near("http://example.org/a") == "https://redirect.example/x9"


@given(st.text(st.characters(exclude_categories=())), st.text())
def test_no_url_raises(url: str, tail: str) -> None:
    held = Retrieved([(url,), (f"https://example.org/{tail}",)])
    assert held.find(url)
    assert held.find(f"https://example.org/{tail}")
    assert held.near("https://example.net/") is None or url


# --- What a claim comes to ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "status", "reason", "is_verified"),
    [
        (claim(QUOTE, A), "ok", None, True),
        (claim(None, A), "ok", None, None),
        (claim(None, A, EMPTY), "ok", None, None),
        (claim(QUOTE, A, EMPTY), "ok", None, True),
        (claim(QUOTE, B, A), "ok", None, True),
        (claim(QUOTE, "https://www.example.org/lamp", A), "ok", None, True),
        (claim(QUOTE), "unsupported", "uncited", False),
        (claim(None), "unsupported", "uncited", None),
        (claim(QUOTE, "https://example.org/lamps"), "unsupported", "fabricated", False),
        (claim(None, "https://example.net/"), "unsupported", "fabricated", None),
        (claim(LOST, EMPTY), "unsupported", "unchecked", False),
        (claim(None, EMPTY), "unsupported", "unchecked", None),
        (claim("lamp", EMPTY), "unsupported", "unchecked", False),
        (claim(QUOTE, EMPTY), "unsupported", "unchecked", False),
        (claim("The lamp was lit at dawn", A), "quote_mismatch", "altered", False),
        (claim(QUOTE, B), "quote_mismatch", "found_elsewhere", False),
        (claim("the Lamp", A), "quote_mismatch", "too_short", False),
        (claim("", A), "quote_mismatch", "too_short", False),
        (
            claim("Penguins seldom swim further than this.", A),
            "quote_mismatch",
            "fabricated",
            False,
        ),
    ],
)
def test_claim(made: Claim, status: str, reason: str | None, is_verified: bool | None) -> None:
    found = verified(made).claims[0]
    assert (found.status, found.reason, found.quote_verified) == (status, reason, is_verified)
    assert (found.severity is None) is (status == "ok")
    held = found.to_json()
    assert (held["status"], held["reason"], held["quote_verified"]) == (status, reason, is_verified)


def test_urls_are_sorted_into_retrieved_and_fabricated() -> None:
    wanted = "https://EXAMPLE.org/lamp#x"
    found = verified(claim(QUOTE, wanted, A, "https://example.org/oil", "http://example.org/tide"))
    (only,) = found.claims
    assert only.status == "ok"
    assert list(only.source_urls) == [A]
    assert list(only.fabricated_urls) == ["https://example.org/oil", "http://example.org/tide"]
    assert dict(only.near_urls) == {"http://example.org/tide": B}
    assert found.integrity.fabricated_urls == 2
    assert not found.integrity.is_clean


def test_with_nothing_retrieved_everything_is_fabricated() -> None:
    found = verify(Answer("", [claim(QUOTE, A), claim(None, B, EMPTY)]), [])
    assert [item.reason for item in found.claims] == ["fabricated", "fabricated"]
    assert found.integrity.fabricated_urls == 3
    assert found.integrity.unsupported_claims == 2
    assert not found.integrity.is_clean


def test_a_redirected_source_is_named_by_its_url() -> None:
    held = RetrievedSource("https://redirect.example/x", text=LAMP, resolved_url=A)
    (found,) = verify(Answer("", [claim(QUOTE, A)]), [held]).claims
    assert (found.status, list(found.source_urls)) == ("ok", ["https://redirect.example/x"])


def test_a_quotation_elsewhere_says_where() -> None:
    held = verified(claim(QUOTE, B)).claims[0].to_json()
    assert held["found_in"]["url"] == A
    assert held["found_in"]["selector"]["exact"] == QUOTE
    assert "quotation" not in held


def test_a_verified_quotation_is_the_sources_own() -> None:
    held = verified(claim("the lamp was lit at dusk.", A)).claims[0].to_json()
    assert held["quotation"]["selector"]["exact"].rstrip(".") == QUOTE
    assert (held["quotation"]["url"], held["quotation"]["start"]) == (A, 0)


def test_a_failed_quotation_is_explained() -> None:
    held = verified(claim("The lamp was not lit at dusk", A)).claims[0].to_json()
    assert held["nearest"]["url"] == A
    added = [step["quoted"] for step in held["nearest"]["diff"] if step["kind"] == "added"]
    assert "not" in " ".join(added)


# --- Numbers of a claim -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "quote", "missing"),
    [
        ("There are two tides.", "Two tides a day.", None),
        ("It rose by 4.35 m in 1987.", "it rose by 4.35 m", "1987"),
        ("It rose by 4.35 m.", "it rose by 4.53 m", "4.35"),
        ("1,204 adults took part.", "1204 adults took part", None),
        ("12 and 12 and 13", "13 of them", "12"),
        ("It rose by 1,5 of it.", "it rose by 15 of it", "1,5"),
    ],
)
def test_numbers_that_the_quotation_has_not(text: str, quote: str, missing: str | None) -> None:
    assert missing_numbers(text, quote) == ([missing] if missing else [])


def test_a_missing_number_leaves_the_claim_ok() -> None:
    found = verified(claim(QUOTE, A, text="The lamp was lit in 1880."))
    assert found.claims[0].status == "ok"
    assert found.claims[0].missing_numbers == ["1880"]
    assert found.integrity.is_clean


# --- Counts -------------------------------------------------------------------------------------


def test_counts_of_one_claim_of_each_kind() -> None:
    found = verified(
        claim(QUOTE, A),
        claim("[T]he lamp was lit at dusk", A),
        claim(None, A),
        claim("The lamp was lit at dawn", A),
        claim(QUOTE, B),
        claim(LOST, EMPTY),
        claim(None),
        claim(QUOTE, "https://example.net/x", "https://example.net/y"),
        claim(QUOTE, A, "https://example.net/x"),
    )
    assert found.integrity == Integrity(
        claims=9,
        unsupported_claims=3,
        quotes_checked=5,
        quotes_ok=3,
        quotes_with_warning=1,
        quote_mismatches=2,
        found_elsewhere=1,
        claims_without_quote=2,
        stated_without_quote=1,
        fabricated_urls=3,
        sources=3,
        unchecked_sources=1,
        truncated_sources=0,
    )
    assert not found.integrity.is_clean


@pytest.mark.parametrize(
    ("claims", "is_clean"),
    [
        ([claim(QUOTE, A)], True),
        ([claim(QUOTE, A), claim(None, B)], True),
        ([claim("[T]he lamp was lit at dusk", A)], True),
        ([claim(QUOTE, A), claim("High tides come twice", B)], False),
        ([claim(QUOTE, A), claim(LOST, EMPTY)], False),
        ([claim(QUOTE, A), claim(None)], False),
        ([claim(QUOTE, A, "https://example.net/")], False),
        ([claim(QUOTE, A, "http://example.org/lamp")], False),
        ([claim(QUOTE, A), claim(QUOTE, B)], False),
        ([claim("The Lamp was lit at dusk", A)], False),
        # What could check nothing is not clean.
        ([], False),
        ([claim(None, A)], False),
        ([claim(LOST, EMPTY)], False),
        ([claim(None, EMPTY)], False),
    ],
)
def test_clean(claims: list[Claim], is_clean: bool) -> None:
    found = verified(*claims)
    assert found.integrity.is_clean is is_clean
    assert found.integrity.to_json()["clean"] is is_clean


def test_sources_are_known_again() -> None:
    texts = [LAMP, "", "\ud800 x", "# 404 Not Found\n\nThe page could not be found."]
    held = [RetrievedSource(f"https://example.org/{n}", text=t) for n, t in enumerate(texts)]
    found = verify(Answer(""), [*held, RetrievedSource(A, text=LAMP, truncated=True)])
    assert found.sources[0].sha256 == hashlib.sha256(LAMP.encode()).hexdigest()
    assert [item.is_readable for item in found.sources] == [True, False, True, False, True]
    assert found.integrity.unchecked_sources == 2
    assert found.integrity.truncated_sources == 1


# --- Plain data ---------------------------------------------------------------------------------

PLAIN: dict[str, Any] = {
    "question": "When was it lit?",
    "answer": {
        "summary": "At dusk.",
        "claims": [
            {"text": "At dusk.", "source_urls": [A], "quote": QUOTE, "certainty": "stated"},
            {"text": "x", "source_urls": [B, "https://no.example/"], "quote": "two low tides a day",
             "certainty": "inferred"},
        ],
        "unanswered": ["By whom?"],
    },
    "sources": [{"url": A, "title": "Lamp", "text": LAMP}, {"url": B, "title": "", "text": TIDE}],
}  # fmt: skip


def test_plain_data_is_read() -> None:
    found = verify(PLAIN["answer"], PLAIN["sources"], PLAIN["question"])
    assert [item.status for item in found.claims] == ["ok", "quote_mismatch"]
    assert found.to_json()["question"] == PLAIN["question"]


def test_what_was_verified_can_be_verified_again() -> None:
    once = verify(PLAIN["answer"], PLAIN["sources"], PLAIN["question"]).to_json()
    again = verify_question(AnsweredQuestion.from_json(once))
    assert again.to_json() == once


@pytest.mark.parametrize(
    ("answer", "sources", "place"),
    [
        ([], [], "expected an object"),
        ({"summary": "", "claims": [{"text": "x", "source_urls": [], "certainty": "sure"}]}, [],
         "claims[0].certainty"),
        ({"summary": "", "claims": [{"text": "x", "certainty": "stated"}]}, [], "source_urls"),
        ({"summary": "", "claims": []}, [{"title": "x"}], "sources[0].url"),
        ({"summary": "", "claims": []}, [{"url": "https://a.example", "form": "pdf"}], "form"),
    ],
)  # fmt: skip
def test_data_of_another_shape_is_refused(answer: Any, sources: Any, place: str) -> None:
    with pytest.raises(InvalidData, match=r"expected") as raised:
        verify(answer, sources)
    assert place in str(raised.value)

"""What of a structured answer its sources bear out. `docs/answers.md` has the rules.

Verification compares URLs and quotations; whether a quotation supports its claim it cannot say.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from cite_filter.answers import AnsweredQuestion, Claim, RetrievedSource
from cite_filter.quotations import METHOD, Quotations, Reason, Verdict
from cite_filter.url_identity import Retrieved

Status = Literal["ok", "unsupported", "quote_mismatch"]
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ELSEWHERE = ("found_elsewhere", "unchecked")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
MINOR: frozenset[str] = frozenset({"case", "accent", "punctuation", "elided"})
"""Reasons of a mismatch whose words are those of the source."""


@dataclass(frozen=True, slots=True)
class VerifiedClaim:
    """A claim with what verification found."""

    claim: Claim
    source_urls: Sequence[str]
    """Those of its URLs that were retrieved, as the sources have them."""
    fabricated_urls: Sequence[str]
    """Those that were not, as the model wrote them."""
    near_urls: Mapping[str, str]
    """Fabricated ones that nearly are a retrieved one, with that: `http` for `https` and so on."""
    status: Status
    reason: Reason | None
    """Why it is not `ok`; of an `ok` one, what a reader should know of its quotation."""
    verdict: Verdict | None = None
    """What came of its quotation; None where it has none, or no source to look in."""
    missing_numbers: Sequence[str] = ()
    """Numbers of the claim that its quotation has not; a reader may want to look at them."""

    @property
    def quote_verified(self) -> bool | None:
        """Whether the quotation stands in a source that the claim cites; None where it has none."""
        if self.claim.quote is None:
            return None
        return self.verdict is not None and self.verdict.verified

    @property
    def lacks_quote(self) -> bool:
        """Whether a source is said to state it, and no words of that source are given."""
        is_stated = self.claim.certainty == "stated" and self.claim.quote is None
        return is_stated and self.status == "ok"

    @property
    def severity(self) -> Literal["minor", "major"] | None:
        """How grave what was found is; None for an `ok` claim."""
        if self.status == "ok":
            return None
        return "minor" if self.reason in MINOR else "major"

    def to_json(self) -> dict[str, Any]:
        """The claim and the findings as plain data; what was not found is left out."""
        verdict = self.verdict
        passages = [] if verdict is None else [passage.to_json() for passage in verdict.passages]
        found = {
            "quotation": passages[0] if self.quote_verified else None,
            "parts": passages if self.reason in ("elided", "elision_hides") else None,
            "found_in": passages[0] if passages and self.reason in _ELSEWHERE else None,
            "nearest": verdict.nearest.to_json() if verdict and verdict.nearest else None,
            "near_urls": dict(self.near_urls) or None,
            "missing_numbers": list(self.missing_numbers) or None,
        }
        return {
            **self.claim.to_json(),
            "source_urls": list(self.source_urls),
            "fabricated_urls": list(self.fabricated_urls),
            "quote_verified": self.quote_verified,
            "status": self.status,
            "reason": self.reason,
            "severity": self.severity,
            **{key: value for key, value in found.items() if value is not None},
        }


@dataclass(frozen=True, slots=True)
class VerifiedSource:
    """A source with what it takes to know again what was read."""

    source: RetrievedSource
    sha256: str
    """Of its text in UTF-8."""
    is_readable: bool
    """Whether there was a page to look in, and no error or consent page in its stead."""

    def to_json(self) -> dict[str, Any]:
        """The source and the findings as plain data."""
        return {
            **self.source.to_json(),
            "sha256": self.sha256,
            "readable": self.is_readable,
        }


@dataclass(frozen=True, slots=True)
class Integrity:
    """The counts of one answer."""

    claims: int = 0
    unsupported_claims: int = 0
    quotes_checked: int = 0
    """Quotations that could be looked for in a readable source."""
    quotes_ok: int = 0
    quotes_with_warning: int = 0
    """Of those that are ok, the ones with a reason: `truncated`, `editorial_brackets`."""
    quote_mismatches: int = 0
    found_elsewhere: int = 0
    """Of the mismatches, those that stand in a retrieved source that the claim does not cite."""
    claims_without_quote: int = 0
    stated_without_quote: int = 0
    """Of these, those that a source is said to state: nothing but their URLs could be checked."""
    fabricated_urls: int = 0
    """As often as claims name them."""
    sources: int = 0
    unchecked_sources: int = 0
    """Sources without a text that could be looked in."""
    truncated_sources: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether something was checked and nothing was found wrong."""
        wrong = self.unsupported_claims + self.quote_mismatches + self.fabricated_urls
        return self.quotes_checked > 0 and not wrong

    def to_json(self) -> dict[str, Any]:
        """The counts as plain data, with whether they are clean."""
        counts = {item.name: getattr(self, item.name) for item in fields(self)}
        return {"clean": self.is_clean, **counts}


@dataclass(frozen=True, slots=True)
class VerifiedAnswer:
    """An answer, claim by claim with what its sources bear out."""

    asked: AnsweredQuestion
    claims: Sequence[VerifiedClaim]
    sources: Sequence[VerifiedSource]
    integrity: Integrity
    method: str = field(default=METHOD)
    """The version of the rules by which quotations and URLs are compared."""

    def to_json(self) -> dict[str, Any]:
        """The question, the answer and the findings as plain data, which `verify` reads again."""
        asked = self.asked
        known = {"question": asked.question, "language": asked.language, "date": asked.date}
        return {
            **{key: value for key, value in known.items() if value is not None},
            "answer": {
                "summary": asked.answer.summary,
                "claims": [claim.to_json() for claim in self.claims],
                "unanswered": list(asked.answer.unanswered),
                **asked.answer.more,
            },
            "sources": [source.to_json() for source in self.sources],
            "integrity": self.integrity.to_json(),
            "method": self.method,
            **asked.more,
        }


def verify(asked: AnsweredQuestion) -> VerifiedAnswer:
    """Compares each claim of an answer with the sources that were retrieved for it."""
    retrieved = Retrieved(
        (source.url, source.resolved_url) if source.resolved_url else (source.url,)
        for source in asked.sources
    )
    quotations = Quotations(asked.sources)
    claims = [_claim(claim, asked.sources, retrieved, quotations) for claim in asked.answer.claims]
    sources = [
        VerifiedSource(
            source,
            hashlib.sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest(),
            quotations.is_readable(position),
        )
        for position, source in enumerate(asked.sources)
    ]
    return VerifiedAnswer(asked, claims, sources, _integrity(claims, sources))


def _claim(
    claim: Claim,
    sources: Sequence[RetrievedSource],
    retrieved: Retrieved,
    quotations: Quotations,
) -> VerifiedClaim:
    cited: dict[int, str] = {}
    fabricated: list[str] = []
    for url in claim.source_urls:
        positions = retrieved.find(url)
        if not positions:
            fabricated.append(url)
        cited.update({position: sources[position].url for position in positions})
    near = {url: found for url in fabricated if (found := retrieved.near(url)) is not None}
    urls = list(dict.fromkeys(cited.values()))
    if not cited:
        reason: Reason = "fabricated" if fabricated else "uncited"
        return VerifiedClaim(claim, urls, fabricated, near, "unsupported", reason)
    readable = [position for position in cited if quotations.is_readable(position)]
    if claim.quote is None:
        status: Status = "ok" if readable else "unsupported"
        unread: Reason | None = None if readable else "unchecked"
        return VerifiedClaim(claim, urls, fabricated, near, status, unread)
    verdict = quotations.check(claim.quote, list(cited))
    status = "ok" if verdict.verified else "quote_mismatch"
    if verdict.reason == "unchecked":
        status = "unsupported"
    numbers = missing_numbers(claim.text, claim.quote) if verdict.verified else []
    return VerifiedClaim(claim, urls, fabricated, near, status, verdict.reason, verdict, numbers)


def missing_numbers(text: str, quote: str) -> list[str]:
    """The numbers of a claim that its quotation has not."""
    there = {_plain(number) for number in _NUMBER.findall(quote)}
    return [n for n in dict.fromkeys(_NUMBER.findall(text)) if _plain(n) not in there]


def _plain(number: str) -> str:
    """A number without commas between its thousands."""
    return number.replace(",", "") if _THOUSANDS.fullmatch(number) else number


def _integrity(claims: Sequence[VerifiedClaim], sources: Sequence[VerifiedSource]) -> Integrity:
    quoted = [claim for claim in claims if claim.verdict and claim.reason != "unchecked"]
    ok = [claim for claim in quoted if claim.quote_verified]
    return Integrity(
        claims=len(claims),
        unsupported_claims=sum(claim.status == "unsupported" for claim in claims),
        quotes_checked=len(quoted),
        quotes_ok=len(ok),
        quotes_with_warning=sum(claim.reason is not None for claim in ok),
        quote_mismatches=sum(claim.status == "quote_mismatch" for claim in claims),
        found_elsewhere=sum(claim.reason == "found_elsewhere" for claim in claims),
        claims_without_quote=sum(claim.claim.quote is None for claim in claims),
        stated_without_quote=sum(claim.lacks_quote for claim in claims),
        fabricated_urls=sum(len(claim.fabricated_urls) for claim in claims),
        sources=len(sources),
        unchecked_sources=sum(not source.is_readable for source in sources),
        truncated_sources=sum(source.source.truncated for source in sources),
    )

"""A verified answer as a few lines of plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from cite_filter import urls
from cite_filter.pandoc_ast import clean
from cite_filter.verification import Integrity, VerifiedAnswer, VerifiedClaim

_CERTAINTY = {"stated": "stated in source", "implied": "implied", "inferred": "inferred"}
_STATUS = {"ok": "ok", "unsupported": "UNSUPPORTED", "quote_mismatch": "QUOTATION NOT FOUND"}


def text(verified: VerifiedAnswer) -> str:
    """The summary, each claim with its status and hosts, what is not covered, and the counts.

    Nothing of the answer can move the cursor or end a line.
    """
    answer = verified.asked.answer
    lines = [f"The model's own summary, not verified: {clean(answer.summary)}", ""]
    for number, claim in enumerate(verified.claims, 1):
        lines += [f"{number}. {clean(claim.claim.text)}", *_findings(claim), ""]
    if answer.unanswered:
        lines += ["Not covered by these sources:"]
        lines += [f"- {clean(question)}" for question in answer.unanswered]
        lines += [""]
    lines.append(_integrity(verified.integrity))
    return "\n".join(lines) + "\n"


def _findings(claim: VerifiedClaim) -> Iterator[str]:
    reason = f" ({claim.reason.replace('_', ' ')})" if claim.reason else ""
    hosts = list(dict.fromkeys(urls.host(url) or clean(url) for url in claim.source_urls))
    where = f": {', '.join(hosts)}" if hosts else ""
    whose = "" if claim.quote_verified else " according to the model"
    yield f"   {_STATUS[claim.status]}{reason}, {_CERTAINTY[claim.claim.certainty]}{whose}{where}"
    for url in claim.fabricated_urls:
        yield f"   never retrieved: {clean(url)}"
    is_shown = claim.quote_verified or claim.reason == "elided"
    if is_shown and claim.verdict is not None:
        parts = [clean(passage.shown) for passage in claim.verdict.passages]
        yield f"   \u201c{' … '.join(parts)}\u201d"
    elif claim.claim.quote is not None:
        yield "   its quotation is withheld"
    if claim.missing_numbers:
        yield f"   numbers that the quotation has not: {', '.join(claim.missing_numbers)}"


def _integrity(counts: Integrity) -> str:
    found = [
        _count(counts.claims, "claim"),
        f"{counts.quotes_ok} of {_count(counts.quotes_checked, 'quotation')} found",
        f"{counts.unsupported_claims} unsupported",
        _count(counts.fabricated_urls, "fabricated URL"),
        _count(counts.sources, "source"),
    ]
    if counts.truncated_sources:
        found.append(f"{counts.truncated_sources} of them cut")
    verdict = "clean" if counts.is_clean else "NOT CLEAN"
    if not counts.quotes_checked:
        verdict = "NOTHING COULD BE CHECKED"
    return f"{verdict}: {', '.join(found)}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"

"""What `cite verify` prints: a line of counts, and each claim that is not well with the reason."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from cite_filter.pandoc_ast import clean
from cite_filter.quotations import Change
from cite_filter.verification import VerifiedAnswer, VerifiedClaim

_LONGEST = 400
"""Characters of a text that are shown."""
_INDENT = "    "


def print_answer(path: Path, verified: VerifiedAnswer) -> None:
    """Prints what was found in one answer, as wide as the terminal."""
    width = max(40, shutil.get_terminal_size().columns)
    sys.stdout.write(f"{clean(str(path))}: {summary(verified)}\n")
    positions = {item.source.url: n for n, item in enumerate(verified.sources, start=1)}
    diffs = False
    for number, claim in enumerate(verified.claims, start=1):
        said = list(_said(claim, positions))
        if not said:
            continue
        status = claim.status if claim.reason is None else f"{claim.status} ({claim.reason})"
        for line in (f"claim {number}: {status}", clean(claim.claim.text), *said):
            indent = "" if line.startswith("claim ") else _INDENT
            for part in textwrap.wrap(
                _cut(line), width, initial_indent=indent, subsequent_indent=indent,
                break_long_words=False, break_on_hyphens=False,
            ):  # fmt: skip
                sys.stdout.write(part + "\n")
        diffs = diffs or "[-" in "".join(said) or "{+" in "".join(said)
    if diffs:
        sys.stdout.write("[-in the quotation-] {+in the source+}\n")


def summary(verified: VerifiedAnswer) -> str:
    """The counts of an answer in one line."""
    counts = verified.integrity
    parts = [_count(counts.claims, "claim")]
    if not counts.sources:
        parts.append("no sources")
    if counts.quotes_checked:
        of = _count(counts.quotes_checked, "quotation")
        parts.append(f"{counts.quotes_ok} of {of} verified")
    for number, word in (
        (counts.unsupported_claims, "unsupported claim"),
        (counts.fabricated_urls, "fabricated URL"),
        (counts.stated_without_quote, "stated claim"),
        (counts.unchecked_sources, "unreadable source"),
    ):
        if number:
            more = " without a quotation" if word == "stated claim" else ""
            parts.append(_count(number, word) + more)
    if not counts.quotes_checked and not counts.unsupported_claims:
        parts.append("nothing could be checked")
    return ", ".join(parts)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _said(claim: VerifiedClaim, positions: dict[str, int]) -> Iterator[str]:
    """What a reader needs to see of a claim; nothing of one that is well."""
    for url in claim.fabricated_urls:
        near = claim.near_urls.get(url)
        yield f"not retrieved: {clean(url)}" + (f" (nearly {clean(near)})" if near else "")
    if claim.reason == "unchecked":
        yield f"could not be read: {', '.join(map(clean, claim.source_urls))}"
    if claim.reason == "uncited":
        yield "names no URL"
    if claim.lacks_quote:
        yield "is said to be stated in a source, and has no quotation"
    verdict = claim.verdict
    if verdict is not None and verdict.nearest is not None:
        near_by = verdict.nearest
        source = f"source {positions.get(near_by.url)}, from character {near_by.start} on"
        yield f"{diff(near_by.changes)} ({source})"
    elif verdict is not None and verdict.passages and claim.reason is not None:
        first = verdict.passages[0]
        shown = " … ".join(passage.shown for passage in verdict.passages)
        yield f"“{clean(shown)}” (source {positions.get(first.url)})"
    elif verdict is not None and not verdict.verified:
        yield f"quoted: “{clean(claim.claim.quote or '')}”"
    if claim.missing_numbers:
        yield f"numbers that the quotation has not: {', '.join(claim.missing_numbers)}"


def diff(changes: Sequence[Change]) -> str:
    """A word diff as text: `[-of the quotation alone-]`, `{+of the source alone+}`."""
    parts: list[str] = []
    for change in changes:
        if change.kind == "same":
            parts.append(change.source)
            continue
        if change.quoted:
            parts.append(f"[-{change.quoted}-]")
        if change.source:
            parts.append(f"{{+{change.source}+}}")
    return clean(" ".join(parts))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"

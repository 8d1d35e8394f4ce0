"""What `cite verify` prints: a line of counts, and a table of the claims that are not well."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cite_filter.pandoc_ast import clean
from cite_filter.quotations import Change
from cite_filter.verification import VerifiedAnswer, VerifiedClaim

_LONGEST = 300
"""Characters of what a source has that are shown."""


def print_answer(path: Path, verified: VerifiedAnswer) -> None:
    """Prints what was found: a line of counts, and a table of the claims that are not well."""
    console = Console(highlight=False, markup=False, emoji=False)
    console.print(Text(f"{clean(str(path))}: {summary(verified)}"), soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    for column in ("claim", "status", "reason", "what"):
        table.add_column(column, justify="right" if column == "claim" else "left")
    for number, claim in enumerate(verified.claims, start=1):
        if claim.status != "ok" or claim.fabricated_urls or claim.reason:
            table.add_row(*map(Text, (str(number), claim.status, claim.reason or "", what(claim))))
    if table.row_count:
        console.print(table)


def summary(verified: VerifiedAnswer) -> str:
    """The counts of an answer in one line."""
    counts = verified.integrity
    if not counts.quotes_checked and not counts.unsupported_claims and not counts.fabricated_urls:
        return f"{_count(counts.claims, 'claim')}, nothing could be checked"
    parts = [
        _count(counts.claims, "claim"),
        f"{counts.quotes_ok} of {_count(counts.quotes_checked, 'quotation')} in their sources",
    ]
    for number, word in (
        (counts.unsupported_claims, "unsupported claim"),
        (counts.fabricated_urls, "fabricated URL"),
        (counts.unchecked_sources, "unreadable source"),
    ):
        if number:
            parts.append(_count(number, word))
    return ", ".join(parts)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def what(claim: VerifiedClaim) -> str:
    """What a reader needs to see of a claim that is not well, in one line."""
    parts = [
        f"not retrieved: {clean(url)}"
        + (f" (nearly {clean(near)})" if (near := claim.near_urls.get(url)) else "")
        for url in claim.fabricated_urls
    ]
    if claim.reason == "unchecked":
        parts.append(f"could not be read: {', '.join(map(clean, claim.source_urls))}")
    verdict = claim.verdict
    if verdict is not None and verdict.nearest is not None:
        found = shown(verdict.nearest.changes)
        parts.append(f"{found} ({clean(verdict.nearest.url)}, {verdict.nearest.start})")
    elif verdict is not None and verdict.passages and claim.reason is not None:
        passages = " … ".join(passage.shown for passage in verdict.passages)
        parts.append(f"{_cut(clean(passages))} ({clean(verdict.passages[0].url)})")
    return "; ".join(parts)


def shown(changes: Sequence[Change]) -> str:
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
    return _cut(clean(" ".join(parts)))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"

"""The tables of `cite stats`: what it prints, and the cells of its page."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cite_filter.stats import Stats, Sums, percent

COLUMNS = (
    *("answers", "clean", "claims", "unsupported", "quotations", "mismatched"),
    *("fabricated URLs", "sources", "unchecked", "truncated"),
)
"""On the page, where there is room."""
_SHORT = (
    *("answers", "clean", "claims", "unsup-\nported", "quota-\ntions", "mis-\nmatched"),
    *("fabr.\nURLs", "unread\nsources", "cut\nsources"),
)
"""In a terminal of 80 columns: shares of claims, of quotations, of sources."""


def print_stats(stats: Stats) -> None:
    """Prints a row for each period and one for all, as wide as the terminal."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not stats.periods:
        console.print(Text("no answers"))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(stats.span, no_wrap=True)
    for column in _SHORT:
        table.add_column(column, justify="right")
    for period in stats.periods:
        table.add_row(*map(Text, (period.name, *_short(period.sums))))
    if len(stats.periods) > 1:
        table.add_row(*map(Text, ("all", *_short(stats.totals))))
    console.print(table)


def _short(sums: Sums) -> tuple[str, ...]:
    counts, rates = sums.counts, sums.rates
    return (
        f"{counts.answers:,}",
        percent(rates["clean"]),
        f"{counts.claims:,}",
        percent(rates["unsupported"]),
        f"{counts.quotes_checked:,}",
        percent(rates["mismatch"]),
        f"{counts.fabricated_urls:,}",
        percent(rates["unchecked_sources"]),
        percent(rates["truncated_sources"]),
    )


def cells(sums: Sums) -> tuple[str, ...]:
    """What stands in COLUMNS: counts, and of parts their share as well."""
    counts, rates = sums.counts, sums.rates
    return (
        f"{counts.answers:,}",
        percent(rates["clean"]),
        f"{counts.claims:,}",
        _part(counts.unsupported_claims, rates["unsupported"]),
        f"{counts.quotes_checked:,}",
        _part(counts.quote_mismatches, rates["mismatch"]),
        f"{counts.fabricated_urls:,}",
        f"{counts.sources:,}",
        _part(counts.unchecked_sources, rates["unchecked_sources"]),
        _part(counts.truncated_sources, rates["truncated_sources"]),
    )


def _part(count: int, rate: float | None) -> str:
    return f"{count:,} ({percent(rate)})" if count else "0"

"""The page that `cite stats --html` writes: one file without scripts, which loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from string import Template

from cite_filter import __version__, templates
from cite_filter.pandoc_ast import clean
from cite_filter.plots import Point, count_plot, rate_plot
from cite_filter.stats import Period, Stats, percent
from cite_filter.stats_table import COLUMNS, cells

_RATES = (
    ("mismatch", "Mismatched quotations", "quotations checked", "quotes_checked"),
    ("unsupported", "Unsupported claims", "claims", "claims"),
    ("truncated_sources", "Truncated sources", "sources", "sources"),
)
"""Of each plot of a rate: the rate, its title, what it is of, and the count of that."""
_PARTS = {
    "mismatch": "quote_mismatches",
    "unsupported": "unsupported_claims",
    "truncated_sources": "truncated_sources",
}


_MOST_NAMED = 5
_CALM = "No fabricated URL, and no rise of the mismatch rate that is more than noise."


def page(stats: Stats, warnings: Sequence[str], files: Sequence[Path]) -> str:
    """The page as HTML, with what is to be said of the answers or of the logs themselves."""
    template = Template(templates.path("stats.html").read_text(encoding="utf-8"))
    return template.substitute(
        version=escape(__version__),
        span=_text(_spanned(stats)),
        files=_text(", ".join(map(str, files))),
        methods=_text(_methods(stats)),
        figures="".join(_figures(stats)),
        warnings="".join(_warnings(warnings)),
        plots="".join(_plots(stats)),
        table=_table(stats) if stats.periods else "",
    )


def _text(text: str) -> str:
    """Text of a file for HTML: on one line, without what cannot be shown, escaped."""
    return escape(clean(text)).replace(" %", "\u00a0%")


def _spanned(stats: Stats) -> str:
    if not stats.methods:
        return f"No answers since {stats.since}" if stats.since else "No answers"
    first = min(use.first for use in stats.methods)
    last = max(use.last for use in stats.methods)
    answers = stats.totals.counts.answers
    counted = f"{answers:,} answers" if answers != 1 else "1 answer"
    if first.date() == last.date():
        return f"{counted}, on {first:%Y-%m-%d}"
    return f"{counted}, {first:%Y-%m-%d} to {last:%Y-%m-%d}"


def _methods(stats: Stats) -> str:
    named = [use.method for use in stats.methods[-_MOST_NAMED:]]
    more = len(stats.methods) - len(named)
    return ", ".join(named) + (f" and {more:,} before" if more else "") or "none"


def _figures(stats: Stats) -> Iterator[str]:
    """The totals that matter most, each with what it is of."""
    counts, rates = stats.totals.counts, stats.totals.rates
    for name, shown, of in (
        ("Clean answers", percent(rates["clean"]), (counts.clean_answers, counts.answers)),
        (
            "Mismatched quotations",
            percent(rates["mismatch"]),
            (counts.quote_mismatches, counts.quotes_checked),
        ),
        (
            "Unsupported claims",
            percent(rates["unsupported"]),
            (counts.unsupported_claims, counts.claims),
        ),
    ):
        yield _figure(name, shown, f"{of[0]:,} of {of[1]:,}")
    of_answers = f"in {counts.answers_with_fabricated_urls:,} of {counts.answers:,} answers"
    yield _figure("Fabricated URLs", f"{counts.fabricated_urls:,}", of_answers)


def _figure(name: str, shown: str, of: str) -> str:
    return (
        f"<div><dt>{_text(name)}</dt><dd><strong>{_text(shown)}</strong> "
        f"<span>{_text(of)}</span></dd></div>"
    )


def _warnings(said: Iterable[str]) -> Iterator[str]:
    lines = [f"<li>{_text(line)}</li>" for line in said]
    if not lines:
        yield f'<p class="calm">{_CALM}</p>'
        return
    title = "Warning" if len(lines) == 1 else f"{len(lines)} warnings"
    yield f'<section class="warnings"><h2>{title}</h2><ul>{"".join(lines)}</ul></section>'


def _plots(stats: Stats) -> Iterator[str]:
    if not stats.periods:
        return
    for rate, title, of, count in _RATES:
        points = [_point(period, count, rate) for period in stats.periods]
        told = _told_rate(stats, rate, count)
        plot = rate_plot(f"plot-{rate}", title, of, points)
        yield _plotted(title, f"per {stats.span}, of {of}", plot, told)
    points = [_point(period, "fabricated_urls") for period in stats.periods]
    told = _told_fabricated(stats)
    title = "Fabricated URLs"
    plot = count_plot("plot-fabricated", title, points)
    yield _plotted(title, f"per {stats.span}", plot, told)


def _plotted(title: str, of: str, plot: str, told: str) -> str:
    return (
        f"<figure><h2>{_text(title)} <span>{_text(of)}</span></h2>{plot}"
        f"<figcaption>{_text(told)}</figcaption></figure>"
    )


def _point(period: Period, count: str, rate: str | None = None) -> Point:
    counted: int = getattr(period.sums.counts, count)
    return Point(period.name, period.number, counted, period.sums.rates[rate] if rate else None)


def _told_rate(stats: Stats, rate: str, count: str) -> str:
    """The highest and the latest rate, in words."""
    with_rate = [period for period in stats.periods if period.sums.rates[rate] is not None]
    if not with_rate:
        return "None could be looked at."
    highest = max(with_rate, key=lambda period: period.sums.rates[rate] or 0)
    if not highest.sums.rates[rate]:
        return "None."

    def told(period: Period) -> str:
        counts = period.sums.counts
        part, whole = getattr(counts, _PARTS[rate]), getattr(counts, count)
        return f"{percent(period.sums.rates[rate])} in {period.name} ({part:,} of {whole:,})"

    if len(with_rate) == 1:
        return f"{told(highest)}."
    return f"Highest {told(highest)}, latest {told(with_rate[-1])}."


def _told_fabricated(stats: Stats) -> str:
    with_some = [period for period in stats.periods if period.sums.counts.fabricated_urls]
    if not with_some:
        return "None."
    most = max(with_some, key=lambda period: period.sums.counts.fabricated_urls)
    if len(with_some) == 1:
        return f"{most.sums.counts.fabricated_urls:,} in {most.name}, else none."
    return (
        f"In {len(with_some):,} of {len(stats.periods):,} {stats.span}s; most, "
        f"{most.sums.counts.fabricated_urls:,}, in {most.name}; latest in {with_some[-1].name}."
    )


def _table(stats: Stats) -> str:
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in (stats.span, *COLUMNS))
    rows = [_row(period.name, cells(period.sums)) for period in stats.periods]
    total = _row("all", cells(stats.totals))
    return (
        '<section><h2 id="numbers">The numbers</h2>'
        '<div class="table" role="region" aria-labelledby="numbers" tabindex="0"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
        f"<tfoot>{total}</tfoot></table></div></section>"
    )


def _row(name: str, shown: Sequence[str]) -> str:
    held = "".join(f"<td>{_text(text)}</td>" for text in shown)
    return f'<tr><th scope="row">{_text(name)}</th>{held}</tr>'

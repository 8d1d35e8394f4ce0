"""Rates over time from the entries of integrity logs. `docs/tracking.md` explains them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from operator import add, attrgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

from cite_filter.integrity_entry import Entry
from cite_filter.proportions import Sample

Span = Literal["day", "week", "month"]
_MOST_LINES = 10
"""Numbers of skipped lines that are named."""


class Counts(NamedTuple):
    """What is counted of some answers."""

    answers: int = 0
    clean_answers: int = 0
    answers_with_fabricated_urls: int = 0
    claims: int = 0
    unsupported_claims: int = 0
    quotes_checked: int = 0
    quote_mismatches: int = 0
    found_elsewhere: int = 0
    fabricated_urls: int = 0
    sources: int = 0
    unchecked_sources: int = 0
    truncated_sources: int = 0


_OF_INTEGRITY = attrgetter(*Counts._fields[3:])
_SIZE = len(Counts._fields)
_SAMPLE = 6


@dataclass(frozen=True, slots=True)
class Sums:
    """The counts of some answers, and the rates that follow from them: None where of nothing."""

    counts: Counts
    mismatches: Sample
    """Mismatched ones of the quotations that were checked, in answers."""
    truncated: Sample
    """Truncated ones of the sources of answers."""

    @property
    def rates(self) -> Mapping[str, float | None]:
        """Each rate by its name, from 0 to 1."""
        counts = self.counts
        return {
            "clean": _rate(counts.clean_answers, counts.answers),
            "mismatch": _rate(counts.quote_mismatches, counts.quotes_checked),
            "unsupported": _rate(counts.unsupported_claims, counts.claims),
            "unchecked_sources": _rate(counts.unchecked_sources, counts.sources),
            "truncated_sources": _rate(counts.truncated_sources, counts.sources),
        }

    def to_json(self) -> dict[str, Any]:
        """Counts and rates as plain data, the rates to six digits."""
        rates = {name: rate and round(rate, 6) for name, rate in self.rates.items()}
        return {**self.counts._asdict(), "rates": rates}


@dataclass(frozen=True, slots=True)
class Period:
    """A day, a week or a month of UTC in which answers were verified, and their sums."""

    start: date
    span: Span
    sums: Sums

    @property
    def name(self) -> str:
        """`2026-02-09`, `2026-W07` or `2026-02`, as in ISO 8601."""
        if self.span == "week":
            year, week, _ = self.start.isocalendar()
            return f"{year}-W{week:02}"
        return self.start.isoformat() if self.span == "day" else self.start.isoformat()[:7]

    @property
    def number(self) -> int:
        """Counts the periods, those without answers too: the next one has the next number."""
        if self.span == "month":
            return self.start.year * 12 + self.start.month - 1
        return self.start.toordinal() // (7 if self.span == "week" else 1)

    def to_json(self) -> dict[str, Any]:
        """The period as plain data."""
        return {"period": self.name, "start": self.start.isoformat(), **self.sums.to_json()}


@dataclass(frozen=True, slots=True)
class MethodUse:
    """A version of the rules, and the answers it was applied to."""

    method: str
    answers: int
    first: datetime
    last: datetime

    def to_json(self) -> dict[str, Any]:
        """The use as plain data, its times to the second."""
        times = {"first": self.first, "last": self.last}
        shown = {key: f"{time:%Y-%m-%dT%H:%M:%SZ}" for key, time in times.items()}
        return {"method": self.method, "answers": self.answers, **shown}


@dataclass(frozen=True, slots=True)
class Skipped:
    """Lines of one file that are no entries."""

    path: Path
    lines: int
    first: Sequence[int]
    """The numbers of the first of them, 1-based."""
    why: str
    """What the first one is."""

    def __str__(self) -> str:
        named = ", ".join(map(str, self.first))
        more = f" and {self.lines - len(self.first)} more" if self.lines > len(self.first) else ""
        lines, are = ("line", "is") if self.lines == 1 else ("lines", "are")
        return f"{self.path}: {lines} {named}{more} {are} no entry ({self.why}); skipped"

    def to_json(self) -> dict[str, Any]:
        """What was skipped as plain data."""
        return {
            "file": str(self.path),
            "lines": self.lines,
            "first": list(self.first),
            "why": self.why,
        }

    def also(self, line: int) -> Skipped:
        """With one more line."""
        first = [*self.first, line] if len(self.first) < _MOST_LINES else self.first
        return Skipped(self.path, self.lines + 1, first, self.why)


@dataclass(frozen=True, slots=True)
class Stats:
    """All that is known of the answers of some logs."""

    span: Span
    since: date | None
    periods: Sequence[Period]
    """Those with answers, in their order."""
    totals: Sums
    methods: Sequence[MethodUse]
    """In the order in which they came into use."""
    comparable: Sequence[Period]
    """`periods`, but only with the answers that were verified by the method of the latest one."""

    def to_json(self) -> dict[str, Any]:
        """Periods, totals and methods as plain data."""
        return {
            "by": self.span,
            "since": self.since and self.since.isoformat(),
            "totals": self.totals.to_json(),
            "periods": [period.to_json() for period in self.periods],
            "methods": [use.to_json() for use in self.methods],
        }


def collect(entries: Iterable[Entry], span: Span = "week", since: date | None = None) -> Stats:
    """The sums of `entries`, which may come in any order; of those from the day `since` on."""
    sums: dict[tuple[date, str], list[int]] = {}
    times: dict[str, tuple[int, datetime, datetime]] = {}
    for entry in entries:
        day = entry.time.date()
        if since is not None and day < since:
            continue
        key = (_start(day, span), entry.method)
        added = _vector(entry)
        sums[key] = list(map(add, sums[key], added)) if key in sums else list(added)
        answers, first, last = times.get(entry.method, (0, entry.time, entry.time))
        times[entry.method] = (answers + 1, min(first, entry.time), max(last, entry.time))
    uses = (MethodUse(method, *use) for method, use in times.items())
    methods = sorted(uses, key=lambda use: (use.first, use.method))
    latest = max(methods, key=lambda use: (use.last, use.first), default=None)
    alike = {key: held for key, held in sums.items() if latest and key[1] == latest.method}
    return Stats(
        span=span,
        since=since,
        periods=list(_periods(sums, span)),
        totals=_sums(sums.values()),
        methods=methods,
        comparable=list(_periods(alike, span)),
    )


@lru_cache
def _start(day: date, span: Span) -> date:
    if span == "week":
        return day - timedelta(days=day.weekday())
    return day if span == "day" else day.replace(day=1)


def _vector(entry: Entry) -> tuple[int, ...]:
    """What an entry adds to the sums: the fields of Counts, then those of both samples."""
    counts = entry.integrity
    return (
        *(1, entry.is_clean, counts.fabricated_urls > 0),
        *_OF_INTEGRITY(counts),
        *_group(counts.quotes_checked, counts.quote_mismatches),
        *_group(counts.sources, counts.truncated_sources),
    )


def _group(units: int, hits: int) -> tuple[int, ...]:
    """The fields of the Sample that is one group."""
    return (units > 0, units, hits, units * units, hits * hits, hits * units)


def _periods(sums: Mapping[tuple[date, str], list[int]], span: Span) -> Iterator[Period]:
    by_start: dict[date, list[list[int]]] = {}
    for (start, _), held in sums.items():
        by_start.setdefault(start, []).append(held)
    for start in sorted(by_start):
        yield Period(start, span, _sums(by_start[start]))


def _sums(vectors: Iterable[Sequence[int]]) -> Sums:
    total = [sum(column) for column in zip(*vectors, strict=True)] or [0] * (_SIZE + 2 * _SAMPLE)
    return Sums(
        Counts(*total[:_SIZE]),
        Sample(*total[_SIZE : _SIZE + _SAMPLE]),
        Sample(*total[_SIZE + _SAMPLE :]),
    )


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def percent(rate: float | None) -> str:
    """`4.2 %`; a dash where there is no rate; never 0 for what is more than nothing."""
    if rate is None:
        return "–"
    if 0 < rate < 0.0005:
        return "<0.1 %"
    if 0.9995 <= rate < 1:
        return ">99.9 %"
    return f"{rate * 100:.1f} %" if 0 < rate < 1 else f"{rate * 100:.0f} %"

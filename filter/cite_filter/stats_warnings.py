"""What in the rates of verified answers somebody should look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cite_filter.proportions import CHANCE, LEAST_FACTOR, LEAST_GROUPS, Sample, rose
from cite_filter.stats import Period, Stats, percent

Kind = Literal["fabricated_urls", "mismatch_rate_rising", "methods_differ", "nothing_checked"]
WINDOWS = (1, 2, 4, 8)
"""How many of the latest periods are compared with what came before: a jump and a slow rise."""
BEFORE = 12
"""With how many periods they are compared: what was worse long ago hides no rise."""
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class StatsWarning:
    """One thing to look at."""

    kind: Kind
    message: str
    """For people, on one line."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """For programs."""

    def to_json(self) -> dict[str, Any]:
        """The warning as plain data."""
        return {"kind": self.kind, "message": self.message, **self.details}


@dataclass(frozen=True, slots=True)
class Rise:
    """A mismatch rate that rose, and what was compared."""

    before: Sequence[Period]
    after: Sequence[Period]
    probability: float
    """Of as many mismatches if nothing had changed."""


def warnings(stats: Stats) -> Iterator[StatsWarning]:
    """One warning for each thing that somebody should look at."""
    counts = stats.totals.counts
    if not counts.quotes_checked:
        why = "the log has no answers" if not counts.answers else "no quotation was checked"
        when = f" since {stats.since}" if stats.since else ""
        yield StatsWarning("nothing_checked", f"{why}{when}; that is not the same as clean")
    if counts.fabricated_urls:
        yield _fabricated(stats)
    rise = rising(stats.comparable)
    if rise is not None:
        yield _rising(rise)
    if len(stats.methods) > 1:
        yield _methods(stats)


def rising(periods: Sequence[Period]) -> Rise | None:
    """The clearest rise of the mismatch rate in the latest periods; None where there is none.

    Each window gets its part of CHANCE, so that all together do not warn of noise more often. A
    rise that is over, because the newer half of its window is as before, is none.
    """
    found = []
    for size in WINDOWS:
        after = periods[-size:]
        before = periods[max(0, len(periods) - size - BEFORE) : -size]
        samples = _mismatches(before), _mismatches(after)
        probability = rose(*samples, CHANCE / len(WINDOWS))
        newer = _mismatches(after[len(after) // 2 :])
        if probability is not None and _is_higher(samples[0], newer):
            found.append(Rise(before, after, probability))
    return min(found, key=lambda rise: rise.probability, default=None)


def _is_higher(before: Sample, after: Sample) -> bool:
    return (after.rate or 0) >= LEAST_FACTOR * (before.rate or 0) and after.hits > 0


def _mismatches(periods: Sequence[Period]) -> Sample:
    return sum((period.sums.mismatches for period in periods), Sample())


def _truncated(periods: Sequence[Period]) -> Sample:
    return sum((period.sums.truncated for period in periods), Sample())


def _fabricated(stats: Stats) -> StatsWarning:
    with_some = [period for period in stats.periods if period.sums.counts.fabricated_urls]
    shown = ", ".join(
        f"{period.name} ({period.sums.counts.fabricated_urls})"
        for period in with_some[-_MOST_NAMED:]
    )
    if len(with_some) > _MOST_NAMED:
        shown = f"latest {shown}"
    counts = stats.totals.counts
    message = (
        f"{_counted(counts.fabricated_urls, 'fabricated URL')} in "
        f"{counts.answers_with_fabricated_urls:,} of {_counted(counts.answers, 'answer')}: "
        f"{shown}; pages were cited that were never retrieved"
    )
    periods = {period.name: period.sums.counts.fabricated_urls for period in with_some}
    return StatsWarning(
        "fabricated_urls", message, {"count": counts.fabricated_urls, "periods": periods}
    )


def _rising(rise: Rise) -> StatsWarning:
    before, after = _mismatches(rise.before), _mismatches(rise.after)
    sources = _truncated(rise.before), _truncated(rise.after)
    # An answer may have one source, and what is asked is only what may have been the cause.
    truncated_too = rose(*sources, least_units=LEAST_GROUPS) is not None
    shares = f"{percent(sources[1].rate)} of sources after {percent(sources[0].rate)}"
    cause = f"and those rose with it: {shares}"
    if not truncated_too:
        cause = f"but those did not rise clearly: {shares}"
    message = (
        f"the mismatch rate rose to {percent(after.rate)} ({after.hits:,} of {after.units:,} "
        f"quotations) in {_named(rise.after)} from {percent(before.rate)} ({before.hits:,} of "
        f"{before.units:,}) in {_named(rise.before)}; this usually means truncated sources, {cause}"
    )
    details = {
        "before": _compared(rise.before, before, sources[0]),
        "after": _compared(rise.after, after, sources[1]),
        "probability": float(f"{rise.probability:.3g}"),
        "truncated_sources_rose": truncated_too,
    }
    return StatsWarning("mismatch_rate_rising", message, details)


def _compared(periods: Sequence[Period], quotations: Sample, sources: Sample) -> dict[str, Any]:
    return {
        "periods": [period.name for period in periods],
        "quotes_checked": quotations.units,
        "quote_mismatches": quotations.hits,
        "sources": sources.units,
        "truncated_sources": sources.hits,
    }


def _named(periods: Sequence[Period]) -> str:
    names = [period.name for period in periods]
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _methods(stats: Stats) -> StatsWarning:
    shown = ", ".join(
        f"{use.method} from {use.first:%Y-%m-%d} ({_counted(use.answers, 'answer')})"
        for use in stats.methods[-_MOST_NAMED:]
    )
    if len(stats.methods) > _MOST_NAMED:
        shown = f"latest {shown}"
    message = (
        f"{len(stats.methods)} versions of the method: {shown}; rates of different versions do not "
        "compare, and only those of the latest one are compared for a rise"
    )
    return StatsWarning("methods_differ", message)


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"

"""Rates over time, and what in them is warned of."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from cite_filter import proportions
from cite_filter.integrity_entry import MOST_OF_A_COUNT, Entry
from cite_filter.proportions import Sample, design_effect, fisher
from cite_filter.stats import Period, Span, Stats, collect, percent
from cite_filter.stats_warnings import StatsWarning, rising, warnings
from cite_filter.verification import Integrity

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


def entry(time: datetime = MONDAY, method: str = "1", **counts: int) -> Entry:
    """An entry of ten claims, all with a quotation, and five sources, but for `counts`."""
    usual = {"claims": 10, "quotes_checked": 10, "sources": 5}
    integrity = Integrity(**{**usual, **counts})
    return Entry(time, method, integrity.is_clean, integrity).checked()


def weeks(mismatches: Sequence[int], answers: int = 6, **more: Any) -> list[Entry]:
    """For each week so many mismatches, one to an answer as far as that goes."""
    made = []
    for week, wrong in enumerate(mismatches):
        for number in range(answers):
            here = wrong // answers + (number < wrong % answers)
            time = MONDAY + timedelta(weeks=week, minutes=number)
            made.append(entry(time, quote_mismatches=here, **more))
    return made


def of_kind(stats: Stats, kind: str) -> StatsWarning | None:
    found = [warning for warning in warnings(stats) if warning.kind == kind]
    assert len(found) <= 1
    return found[0] if found else None


# --- Rates -------------------------------------------------------------------------------------


def test_rates_of_what_they_are_of() -> None:
    made = [
        entry(unsupported_claims=1, quotes_checked=8, quote_mismatches=2, truncated_sources=4),
        entry(fabricated_urls=3, claims=2, quotes_checked=2, sources=3, unchecked_sources=2),
        entry(claims=0, quotes_checked=0, sources=0),
        entry(),
    ]
    totals = collect(made).totals
    assert totals.counts._asdict() == {
        "answers": 4,
        "clean_answers": 1,
        "answers_with_fabricated_urls": 1,
        "claims": 22,
        "unsupported_claims": 1,
        "quotes_checked": 20,
        "quote_mismatches": 2,
        "found_elsewhere": 0,
        "fabricated_urls": 3,
        "sources": 13,
        "unchecked_sources": 2,
        "truncated_sources": 4,
    }
    assert totals.rates == {
        "clean": 1 / 4,
        "mismatch": 2 / 20,
        "unsupported": 1 / 22,
        "unchecked_sources": 2 / 13,
        "truncated_sources": 4 / 13,
    }


def test_of_nothing_there_is_no_rate() -> None:
    assert set(collect([]).totals.rates.values()) == {None}
    empty = collect([entry(claims=0, quotes_checked=0, sources=0)]).totals
    assert empty.rates["clean"] == 0
    assert empty.rates["mismatch"] is None


@pytest.mark.parametrize(
    ("span", "names"),
    [
        ("day", ["2024-12-29", "2024-12-30", "2025-12-31", "2026-01-01"]),
        ("week", ["2024-W52", "2025-W01", "2026-W01"]),
        ("month", ["2024-12", "2025-12", "2026-01"]),
    ],
)
def test_periods_are_of_utc_and_of_iso_8601(span: Span, names: list[str]) -> None:
    times = ["2026-01-01T00:00", "2024-12-29T23:59", "2025-12-31T23:59", "2024-12-30T00:00"]
    made = [entry(datetime.fromisoformat(time).replace(tzinfo=UTC)) for time in times]
    found = collect(made, span).periods
    assert [period.name for period in found] == names
    assert sum(period.sums.counts.answers for period in found) == len(times)
    assert sorted(period.number for period in found) == [period.number for period in found]


@pytest.mark.parametrize(
    ("span", "first", "then"),
    [
        ("day", date(2024, 2, 29), date(2024, 3, 1)),
        ("week", date(2024, 12, 30), date(2025, 1, 6)),
        ("month", date(2024, 12, 1), date(2025, 1, 1)),
    ],
)
def test_the_next_period_has_the_next_number(span: Span, first: date, then: date) -> None:
    sums = collect([]).totals
    assert Period(then, span, sums).number == Period(first, span, sums).number + 1


def test_since_is_the_first_day_that_counts() -> None:
    made = [entry(MONDAY + timedelta(days=day)) for day in range(10)]
    assert collect(made, since=date(2026, 1, 8)).totals.counts.answers == 7
    assert collect(made, since=date(2027, 1, 1)).periods == []


@pytest.mark.parametrize(
    ("rate", "shown"),
    [
        (None, "–"),
        (0.0, "0 %"),
        (1e-9, "<0.1 %"),
        (0.0005, "0.1 %"),
        (0.0449, "4.5 %"),
        (0.9995, ">99.9 %"),
        (1.0, "100 %"),
    ],
)
def test_percent(rate: float | None, shown: str) -> None:
    assert percent(rate) == shown


# --- Warnings ----------------------------------------------------------------------------------


def test_good_answers_are_nothing_to_warn_of() -> None:
    assert list(warnings(collect(weeks([2, 3, 2, 1] * 5)))) == []


def test_every_fabricated_url_is_warned_of() -> None:
    made = [*weeks([0] * 9), entry(MONDAY + timedelta(weeks=3), fabricated_urls=2)]
    warning = of_kind(collect(made), "fabricated_urls")
    assert warning is not None
    assert "2 fabricated URLs in 1 of 55 answers: 2026-W05 (2)" in warning.message
    assert warning.details == {"count": 2, "periods": {"2026-W05": 2}}


def test_nothing_checked_is_not_nothing_to_warn_of() -> None:
    nothing = of_kind(collect([]), "nothing_checked")
    assert nothing is not None
    assert "no answers" in nothing.message
    unread = collect([entry(quotes_checked=0, unchecked_sources=5)], since=date(2026, 1, 1))
    warning = of_kind(unread, "nothing_checked")
    assert warning is not None
    assert "no quotation was checked since 2026-01-01" in warning.message


def test_versions_of_the_method_do_not_compare() -> None:
    """The rules grew stricter: that is a warning, and no rise."""
    old = weeks([2] * 10)
    new = [replace(one, method="2", time=one.time + timedelta(weeks=10)) for one in weeks([30] * 4)]
    stats = collect([*new, *old])
    warning = of_kind(stats, "methods_differ")
    assert warning is not None
    assert "1 from 2026-01-05 (60 answers), 2 from 2026-03-16 (24 answers)" in warning.message
    assert of_kind(stats, "mismatch_rate_rising") is None
    assert (
        of_kind(collect([*old, *(replace(one, method="1") for one in new)]), "methods_differ")
        is None
    )
    assert of_kind(
        collect([*old, *(replace(one, method="1") for one in new)]), "mismatch_rate_rising"
    )


@pytest.mark.parametrize(
    ("rates", "after"),
    [
        ([3] * 10 + [24], ["2026-W12"]),
        ([3] * 10 + [9] * 4, ["2026-W12", "2026-W13", "2026-W14", "2026-W15"]),
    ],
    ids=["a jump", "more, for weeks"],
)
def test_a_rise_is_warned_of(rates: list[int], after: list[str]) -> None:
    warning = of_kind(collect(weeks(rates)), "mismatch_rate_rising")
    assert warning is not None
    assert warning.details["after"]["periods"] == after
    assert "this usually means truncated sources" in warning.message
    assert "but those did not rise clearly: 0 % of sources after 0 %" in warning.message
    assert warning.details["truncated_sources_rose"] is False


@pytest.mark.parametrize(
    "rates",
    [
        [3] * 11,
        [0] * 11,
        [20] * 11,
        [3] * 10 + [5],
        [0] * 10 + [1],
        [3] * 10 + [4] * 8,
        [24] + [3] * 10,
        [3] * 6 + [24, 24] + [3] * 8,
        [3] * 12 + [24, 24] + [3] * 5,
        [3] * 10,
        [24],
        [],
    ],
    ids=str,
)
def test_what_is_no_rise_is_not(rates: list[int]) -> None:
    assert of_kind(collect(weeks(rates)), "mismatch_rate_rising") is None


def test_a_certain_rise_by_little_is_none() -> None:
    assert of_kind(collect(weeks([600] * 4 + [780], answers=600)), "mismatch_rate_rising") is None
    assert of_kind(collect(weeks([600] * 4 + [960], answers=600)), "mismatch_rate_rising")
    before, little, more = (_mismatches(weeks([n], answers=600)) for n in (600, 780, 960))
    assert proportions.rose(before, little) is None
    assert proportions.rose(before, more) is not None


def test_ten_mismatches_in_one_answer_are_one_mishap() -> None:
    before = weeks([2] * 10)
    after = [entry(MONDAY + timedelta(weeks=10, hours=n)) for n in range(9)]
    spread = [replace(one, integrity=replace(one.integrity, quote_mismatches=2)) for one in after]
    spoilt = [*after[1:], entry(MONDAY + timedelta(weeks=10), quote_mismatches=10)]
    assert of_kind(collect([*before, *spread]), "mismatch_rate_rising") is not None
    assert of_kind(collect([*before, *spoilt]), "mismatch_rate_rising") is None


def test_few_answers_are_no_sample() -> None:
    few = [entry(MONDAY + timedelta(weeks=10, hours=n), quote_mismatches=9) for n in range(4)]
    more = entry(MONDAY + timedelta(weeks=10, hours=5), quote_mismatches=9)
    before = weeks([0] * 9)
    assert of_kind(collect([*weeks([0] * 10, answers=1), *few]), "mismatch_rate_rising") is None
    assert proportions.rose(_mismatches(before), _mismatches(few)) is None
    assert proportions.rose(_mismatches(before), _mismatches([*few, more])) is not None


def _mismatches(made: Sequence[Entry]) -> Sample:
    return collect(made).totals.mismatches


def test_truncated_sources_that_rose_too_are_named() -> None:
    before = weeks([3] * 10, truncated_sources=0)
    after = [
        replace(one, time=one.time + timedelta(weeks=10))
        for one in weeks([24], truncated_sources=3)
    ]
    warning = of_kind(collect([*before, *after]), "mismatch_rate_rising")
    assert warning is not None
    assert "and those rose with it: 60.0 % of sources after 0 %" in warning.message
    assert warning.details["truncated_sources_rose"] is True


# --- The test ----------------------------------------------------------------------------------


def test_fisher_is_exact() -> None:
    sizes = [(units, others) for units in range(8) for others in range(8)]
    for units, others in sizes:
        for hits in range(units + 1):
            for other_hits in range(others + 1):
                total = hits + other_hits
                ways = sum(
                    math.comb(total, drawn) * math.comb(units + others - total, units - drawn)
                    for drawn in range(hits, min(total, units) + 1)
                )
                exact = Fraction(ways, math.comb(units + others, units))
                assert fisher(hits, units, other_hits, others) == pytest.approx(float(exact))


def test_fisher_of_many() -> None:
    assert fisher(0, 100_000, 5_000, 100_000) == 1.0
    assert 0.4 < fisher(500, 10_000, 5_000, 100_000) < 0.6
    assert 0 < fisher(1_000, 10_000, 5_000, 100_000) < 1e-50


def test_the_design_effect() -> None:
    """1 for units that come alone, the size of the groups where all of a group are alike."""
    alone = sum((Sample(1, 1, hit, 1, hit, hit) for hit in (0, 1) * 50), Sample())
    alike = sum((Sample(1, 8, hit, 64, hit * hit, 8 * hit) for hit in (0, 8) * 50), Sample())
    assert design_effect(alone) == pytest.approx(100 / 99)
    assert design_effect(alike) == pytest.approx(8 * 100 / 99)
    assert design_effect(Sample(), Sample(1, 4, 4, 16, 16, 16)) == 1.0


def noise(seed: random.Random, rates: Sequence[float], likeness: float) -> Iterator[Entry]:
    """Answers whose quotations fail together: each has a rate of its own (a beta distribution)."""
    for week, rate in enumerate(rates):
        for hour in range(seed.randint(4, 10)):
            units = seed.randint(2, 8)
            scale = 1 / likeness - 1
            own = seed.betavariate(rate * scale, (1 - rate) * scale)
            hits = sum(seed.random() < own for _ in range(units))
            time = MONDAY + timedelta(weeks=week, hours=hour)
            yield entry(time, claims=units, quotes_checked=units, quote_mismatches=hits)


@pytest.mark.parametrize("rate", [0.03, 0.15])
@pytest.mark.parametrize("likeness", [0.01, 0.3])
def test_noise_is_not_warned_of_and_a_rise_is(rate: float, likeness: float) -> None:
    seed = random.Random(f"{rate} {likeness}")  # noqa: S311 - nothing secret
    logs = 150
    false = sum(
        rising(collect(noise(seed, [rate] * 20, likeness)).comparable) is not None
        for _ in range(logs)
    )
    found = sum(
        rising(collect(noise(seed, [rate] * 17 + [0.5] * 3, likeness)).comparable) is not None
        for _ in range(logs)
    )
    assert false <= 4
    assert found >= 0.8 * logs


def test_counts_of_any_size_are_compared() -> None:
    most = MOST_OF_A_COUNT
    made = [
        entry(
            MONDAY + timedelta(weeks=week, hours=n),
            claims=most,
            quotes_checked=most,
            quote_mismatches=wrong,
        )
        for week, wrong in enumerate([most // 50] * 10 + [most // 2])
        for n in range(6)
    ]
    assert of_kind(collect(made), "mismatch_rate_rising") is not None

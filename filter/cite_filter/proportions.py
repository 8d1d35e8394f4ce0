"""Whether a proportion rose: Fisher's exact test, for things that come in groups.

Quotations come in answers, and one truncated source spoils all of an answer's at once. Ten
mismatches in one answer are therefore one mishap and not ten. How much more an answer's share
scatters than single quotations would is the design effect of survey statistics (Kish); what is
counted is divided by it before it is tested.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

CHANCE = 0.01
"""How often, at most, a warning may come where nothing changed."""
LEAST_GROUPS = 5
LEAST_UNITS = 30
LEAST_FACTOR = 1.5
"""What rose by less than half is not worth a warning, however certain it is."""
_ENOUGH = 100_000
"""More units are taken for so many: it is plenty, and keeps the arithmetic exact."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Units in groups, such as quotations in answers, some of them hits; with sums of squares."""

    groups: int = 0
    """Those with a unit at all."""
    units: int = 0
    hits: int = 0
    units_squared: int = 0
    """Summed over the groups, as the next two."""
    hits_squared: int = 0
    hits_by_units: int = 0

    def __add__(self, other: Sample) -> Sample:
        return Sample(
            self.groups + other.groups,
            self.units + other.units,
            self.hits + other.hits,
            self.units_squared + other.units_squared,
            self.hits_squared + other.hits_squared,
            self.hits_by_units + other.hits_by_units,
        )

    @property
    def rate(self) -> float | None:
        """Hits a unit; None without units."""
        return self.hits / self.units if self.units else None

    def is_enough(self, least_units: int = LEAST_UNITS) -> bool:
        """Whether there is enough of it to speak of a rate."""
        return self.groups >= LEAST_GROUPS and self.units >= least_units


def rose(
    before: Sample, after: Sample, chance: float = CHANCE, *, least_units: int = LEAST_UNITS
) -> float | None:
    """The probability of so many hits in `after` if nothing changed; None where it did not rise.

    It rose where both samples are large enough, the rate is LEAST_FACTOR of what it was, and the
    probability is no more than `chance`.
    """
    if not all(sample.is_enough(least_units) for sample in (before, after)):
        return None
    if after.hits * before.units < LEAST_FACTOR * before.hits * after.units or not after.hits:
        return None
    probability = _probability(before, after)
    return probability if probability <= chance else None


def _probability(before: Sample, after: Sample) -> float:
    effect = design_effect(before, after)
    by_before, by_after = (max(effect, sample.units / _ENOUGH) for sample in (before, after))
    units, other_units = round(after.units / by_after), round(before.units / by_before)
    # Rounded to the side of no change.
    hits = math.floor(after.hits / by_after)
    other_hits = min(math.ceil(before.hits / by_before), other_units)
    return fisher(hits, units, other_hits, other_units)


def design_effect(*samples: Sample) -> float:
    """How many units weigh as much as one that came alone; 1 where groups do not matter.

    The scatter of the groups about the rate of their sample, over that of single units.
    """
    scatter = alone = 0.0
    for sample in samples:
        rate = sample.rate
        if rate is None or sample.groups < 2:
            continue
        squares = (
            sample.hits_squared
            - 2 * rate * sample.hits_by_units
            + rate * rate * sample.units_squared
        )
        scatter += squares * sample.groups / (sample.groups - 1)
        alone += sample.units * rate * (1 - rate)
    return max(1.0, scatter / alone) if alone else 1.0


def fisher(hits: int, units: int, other_hits: int, other_units: int) -> float:
    """The probability of at least `hits` in `units` where all hits fall on any unit alike.

    That is the upper tail of the hypergeometric distribution: Fisher's exact test, one-sided.

    >>> round(fisher(3, 4, 1, 4), 6)  # Fisher's lady, and her tea
    0.242857
    """
    everything = units + other_units
    if hits * everything > units * (hits + other_hits):
        return _tail(hits, units, hits + other_hits, everything)
    # Below the middle the other tail is the short one: of misses, where these have the places.
    misses = everything - hits - other_hits
    return 1.0 - _tail(units - hits + 1, units, misses, everything)


def _tail(hits: int, units: int, all_hits: int, everything: int) -> float:
    """The sum of the probabilities of `hits` and more, which fall from one to the next."""
    if hits > min(all_hits, units):
        return 0.0
    term = math.exp(
        _log_choices(all_hits, hits)
        + _log_choices(everything - all_hits, units - hits)
        - _log_choices(everything, units)
    )
    total = 0.0
    for drawn in range(hits, min(all_hits, units) + 1):
        total += term
        misses_left = everything - all_hits - units + drawn + 1
        term *= (all_hits - drawn) * (units - drawn) / ((drawn + 1) * misses_left)
    return min(1.0, total)


def _log_choices(things: int, taken: int) -> float:
    return math.lgamma(things + 1) - math.lgamma(taken + 1) - math.lgamma(things - taken + 1)

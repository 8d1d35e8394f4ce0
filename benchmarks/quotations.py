"""How well and how fast quotations are verified, beside a score of likeness and a prefix test.

    python benchmarks/quotations.py [--pairs N] [--seed N] [--no-speed]

Prints Markdown: over generated pairs, how many honest quotations are rejected and how many
misquotations are accepted; then times of whole answers and of the worst cases, and memory.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

from cite_filter.answers import Form, RetrievedSource
from cite_filter.quotations import METHOD, Quotations, Verdict
from quotation_load import print_memory, print_speed
from quotation_pairs import SAFE, UNSAFE, Pair, pairs
from quotation_worst import print_worst
from rapidfuzz import fuzz

PREFIX = 80
"""Characters that the test of prefixes looks at."""
SCORES = (80, 90, 95)
OURS = "cite-filter"


def verdict(pair: Pair) -> Verdict:
    """What the sources of a pair say of its quotation."""
    form = cast(Form, "text" if pair.form == "pdf" else pair.form)
    sources = [RetrievedSource("https://example.org/0", text=pair.source, form=form)]
    if pair.elsewhere is not None:
        sources.append(RetrievedSource("https://example.org/1", text=pair.elsewhere, form=form))
    return Quotations(sources).check(pair.quote, [0])


def accepted(pair: Pair, ours: Verdict) -> dict[str, bool]:
    """Which methods take the quotation for one of its source."""
    score = fuzz.partial_ratio(pair.quote, pair.source)
    return {
        OURS: ours.verified,
        **{f"partial_ratio ≥ {least}": score >= least for least in SCORES},
        f"first {PREFIX} characters": pair.quote.lower()[:PREFIX] in pair.source.lower(),
        "exact substring": pair.quote in pair.source,
    }


@dataclass
class Tally:
    """What came of the pairs of one class."""

    pairs: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    """By method, the pairs that it judged wrongly."""
    reasoned: int = 0
    """Misquotations whose reason is one that fits."""
    located: int = 0
    """Misquotations whose nearest passage is the one that was misquoted."""


def tallies(generated: Iterable[Pair]) -> dict[str, Tally]:
    """The outcome by class."""
    held: dict[str, Tally] = defaultdict(Tally)
    for pair in generated:
        ours = verdict(pair)
        tally = held[pair.kind]
        tally.pairs += 1
        tally.reasoned += ours.reason in pair.reasons
        tally.located += _is_located(pair, ours)
        for name, is_accepted in accepted(pair, ours).items():
            tally.wrong[name] += is_accepted is not pair.is_safe
    return held


def _is_located(pair: Pair, ours: Verdict) -> bool:
    near = ours.nearest
    if near is None:
        return False
    shared = min(near.end, pair.end) - max(near.start, pair.start)
    return 2 * shared > pair.end - pair.start


def percent(part: int, whole: int) -> str:
    return f"{part} = {100 * part / whole:.1f} %" if part else "0"


def print_errors(held: dict[str, Tally]) -> None:
    """Tables of the errors: in all, and class by class."""
    methods = list(next(iter(held.values())).wrong)
    counts = {
        kinds[0]: sum(held[kind].pairs for kind in kinds if kind in held)
        for kinds in (SAFE, UNSAFE)
    }
    print(f"| | of {counts[SAFE[0]]} honest rejected | of {counts[UNSAFE[0]]} false accepted |")
    print("|---|---:|---:|")
    for method in methods:
        cells = [
            percent(sum(held[kind].wrong[method] for kind in kinds), counts[kinds[0]])
            for kinds in (SAFE, UNSAFE)
        ]
        print(f"| {method} | {' | '.join(cells)} |")
    shown = [OURS, "partial_ratio ≥ 90", f"first {PREFIX} characters", "exact substring"]
    _print_classes("Honest quotations rejected, by class", SAFE, held, shown, ())
    more: tuple[Column, ...] = (
        ("reason fits", lambda tally: percent(tally.reasoned, tally.pairs)),
        ("passage found", lambda tally: percent(tally.located, tally.pairs)),
    )
    _print_classes("Misquotations accepted, by class", UNSAFE, held, shown, more)


Column = tuple[str, Callable[[Tally], str]]


def _print_classes(
    title: str,
    kinds: Sequence[str],
    held: dict[str, Tally],
    methods: Sequence[str],
    more: Sequence[Column],
) -> None:
    heads = ["pairs", *methods, *(name for name, _ in more)]
    print(f"\n### {title}\n\n| | {' | '.join(heads)} |\n|---|{'---:|' * len(heads)}")
    for kind in kinds:
        tally = held[kind]
        cells = [str(tally.pairs), *(str(tally.wrong[method]) for method in methods)]
        cells += [cell(tally) for _, cell in more]
        print(f"| {kind} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-speed", action="store_true")
    parsed = parser.parse_args()
    print(f"\n## Quotations\n\n{time.strftime('%Y-%m-%d')}, method {METHOD}.\n")
    print("### Errors\n")
    print_errors(tallies(pairs(parsed.pairs, parsed.seed)))
    if not parsed.no_speed:
        print_speed()
        print_worst()
        print_memory()


if __name__ == "__main__":
    main()

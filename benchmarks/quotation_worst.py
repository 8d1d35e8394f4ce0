"""Inputs made to be slow: repetitive sources, long quotations, mark-up that is left open."""

from __future__ import annotations

import json
import random
import sys

from apart import apart
from cite_filter.answers import Form
from cite_filter.quotations import Quotations
from quotation_load import LONG, edited, prose, retrieved, sentence, timed

WORST_BOUND = 1.0
"""Seconds for one quotation beyond the preparation of its source."""
LAMP = "The lamp was lit at dusk by the keeper of the light."
OTHER = LAMP.replace("keeper", "sleeper")
LEFT_OPEN = (
    "[", "]", "[1", "[1, ", "[a](", "![](", "[^", "[a]: ", "<", "<a ", "<a b='", "<sup>", "<p>",
    "</", "<!--", "<script>", "<table><tr><td>", "&", "&#", "&amp", "&amp;", "*", "**a ", "_a", "`",
    "`a``", "~~", "> ", "- ", "1. ", "| ", "|-", "\\", "$", "$$a", "{", "#", "a-\n", "-\n", "…",
    "“", "\"a'", "« ", "\u00ad", "\u200b", "e\u0301", "\u0301", "\x00", " ", "\n", "\f", "—", "1,",
    "ﬁ", "İ", "ß", "가", "か\u3099", "\u202e", "http://", "Page 1 of 2\n", "[[Page 1]]", ". ", "1 ",
)  # fmt: skip
"""What a source may repeat without an end."""


def worst_cases() -> dict[str, tuple[str, str, Form]]:
    """Quotation, source and its form, by name."""
    chance = random.Random(7)  # noqa: S311 - not for secrets
    english = prose(LONG, chance)
    chinese = prose(LONG, chance, "zh")
    plain = " ".join(sentence(chance) for _ in range(12_000))[:LONG]
    piece = plain[400_000:450_000]
    rules = "|---|---|---|\n" * (LONG // 14)
    lamps = f"{LAMP} " * (LONG // 54)
    return {
        "a × 2,000 and b in a × 1 million": ("a" * 2_000 + "b or so", "a" * LONG, "text"),
        "the same, in words": ("a " * 1_000 + "b", "a " * (LONG // 2), "text"),
        "ab × 200 and c": ("ab" * 200 + "c or so", "ab" * (LONG // 2), "text"),
        "ab × 200 and c, in words": ("a b " * 100 + "c", "a b " * (LONG // 4), "text"),
        "50,000 characters, edited": (edited(piece, chance), plain, "text"),
        "50,000 characters, last word other": (piece[:-9] + " something", plain, "text"),
        "50,000 characters, absent": ("".join(chance.sample(piece, 50_000)), plain, "text"),
        "50,000 characters of Markdown": (
            edited(english[500_000:550_000], chance), english, "markdown",
        ),
        "a sentence, in Markdown": (OTHER, english, "markdown"),
        "a sentence, in rules of a table": (OTHER, f"{LAMP}\n\n{rules}", "markdown"),
        "rules of a table": ("|---|---|--- x y z ---|", f"{LAMP}\n\n{rules}", "text"),
        "Chinese, one sign other": (chinese[500_000:500_100].replace("。", "吗"), chinese, "text"),
        "Chinese, absent": ("企鹅很少游得比它们的栖息地更远除非食物不足" * 20, chinese, "text"),
        "one sentence × 18,000": (OTHER, lamps, "text"),
        "cut inside a word, 18,000 times": (LAMP[1:], lamps, "text"),
        "a thousand ellipses": ("the lamp was lit … " * 1_000, lamps, "text"),
        "ten ellipses between the same": (" … ".join([LAMP] * 10) + " … no more", lamps, "text"),
        "a thousand brackets": ("[the] lamp [was] lit " * 1_000, lamps, "text"),
        "broken words": ("re-re-re-re-re rerere re or", "re-\n" * (LONG // 4), "text"),
        "markers": ("word word word word other", "word [1] [2, 3] " * (LONG // 16), "markdown"),
    }  # fmt: skip


def print_worst() -> None:
    """A table of the worst cases: each in a process of its own, given up after ten minutes."""
    print("\n### Worst cases\n\nSources of a million characters; one quotation.\n")
    print(f"| | preparing, s | checking, s (bound {WORST_BOUND:g}) |\n|---|---:|---:|")
    for name in worst_cases():
        prepared, checked = apart(__file__, name)
        print(f"| {name} | {_shown(prepared)} | {_shown(checked)} |", flush=True)
    prepared, checked = apart(__file__, "")
    name = f"the slowest of {len(LEFT_OPEN)} things repeated, in Markdown and HTML"
    print(f"| {name} | {_shown(prepared)} | {_shown(checked)} |", flush=True)


def _shown(seconds: float | None) -> str:
    return "> 600" if seconds is None else f"{seconds:.2f}"


def _worst(name: str) -> list[float]:
    return _prepared_and_checked(*worst_cases()[name])


def _left_open() -> list[float]:
    """The longest preparation and the longest check of what is repeated between two sentences."""
    forms: tuple[Form, ...] = ("markdown", "html")
    times = []
    for piece in LEFT_OPEN:
        text = f"{LAMP} {piece * (LONG // len(piece))} {LAMP}"
        times += [_prepared_and_checked(OTHER, text, form) for form in forms]
    return [max(took) for took in zip(*times, strict=True)]


def _prepared_and_checked(quote: str, text: str, form: Form) -> list[float]:
    held: list[Quotations] = []

    def prepare() -> None:
        held.append(Quotations(retrieved([text], form)))
        held[0].check("not a word of this is there", [0])

    return [timed(prepare), timed(lambda: held[0].check(quote, [0]))]


if __name__ == "__main__":
    print(json.dumps(_worst(sys.argv[1]) if sys.argv[1] else _left_open()))

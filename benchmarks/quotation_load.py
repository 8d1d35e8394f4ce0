"""Times and memory of verification: answers of a thousand quotations, and inputs made to be slow.

Times are processor time of one process, so that what else runs on the machine counts little.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from apart import apart
from cite_filter.answers import Form, RetrievedSource
from cite_filter.quotations import Quotations
from quotation_prose import languages
from rapidfuzz import fuzz

SOURCES, QUOTATIONS, CITED = 20, 1_000, 2
BOUNDS = {20_000: 1.5, 1_000_000: 12.0}
"""Seconds that an answer may take, by the characters of each source."""
MEMORY_BOUND = 3.0
"""Memory above the sources, in sizes of the sources."""
LONG = 1_000_000
_CACHE: dict[str, list[str]] = {}


def _words(code: str) -> list[str]:
    """The words of a language; of Chinese, its signs."""
    if not _CACHE:
        for language in languages():
            text = " ".join(language.paragraphs)
            _CACHE[language.code] = text.split() if language.is_spaced else list(text)
    return _CACHE[code]


def sentence(chance: random.Random, code: str = "en") -> str:
    """Words of the prose in an order of chance, with a number: hardly ever twice the same."""
    joint = "" if code in ("zh", "ja") else " "
    words = chance.choices(_words(code), k=chance.randint(8, 24))
    words[len(words) // 2] = f"{chance.randint(1, 999)}.{chance.randint(0, 9)}"
    return joint.join(words).strip(".,;:。") + ("。" if not joint else ".")


def prose(size: int, chance: random.Random, code: str = "en") -> str:
    """Paragraphs of Markdown of so many characters, with headings and links."""
    parts: list[str] = []
    length = 0
    while length < size:
        part = " ".join(sentence(chance, code) for _ in range(6))
        if len(parts) % 9 == 4:
            part = f"## {sentence(chance, code)}"
        elif len(parts) % 3 == 0:
            part += f" [{sentence(chance, code)}](https://example.org/{len(parts)}) **end**."
        parts.append(part)
        length += len(part) + 2
    return "\n\n".join(parts)[:size]


def quotations(texts: Sequence[str], chance: random.Random) -> list[tuple[str, list[int]]]:
    """Quotations with the sources they cite: 8 of 10 exact, 1 with edits, 1 absent."""
    made: list[tuple[str, list[int]]] = []
    while len(made) < QUOTATIONS:
        at = chance.randrange(len(texts))
        begin = texts[at].find(". ", chance.randrange(len(texts[at]) - 1_000)) + 2
        quote = texts[at][begin : texts[at].find(".", begin + chance.randint(60, 240)) + 1]
        if not 60 < len(quote) < 400 or set("[]*#\n") & set(quote):
            continue
        kind = len(made) % 10
        if kind == 8:
            quote = edited(quote, chance)
        elif kind == 9:
            quote = " ".join(sentence(chance) for _ in range(2))
        made.append((quote, [at, (at + 7) % len(texts)]))
    return made


def edited(quote: str, chance: random.Random) -> str:
    """The quotation with two letters of a hundred made others."""
    signs = list(quote)
    for at in chance.sample(range(len(signs)), max(1, len(signs) // 50)):
        signs[at] = chance.choice("abcdefghijklmnopqrstuvwxyz")
    return "".join(signs)


def timed(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def retrieved(texts: Sequence[str], form: Form = "markdown") -> list[RetrievedSource]:
    return [
        RetrievedSource(f"https://example.org/{number}", text=text, form=form)
        for number, text in enumerate(texts)
    ]


def print_speed() -> None:
    """A table: the same answers verified, and judged by the two usual tests."""
    print(f"\n### {QUOTATIONS} quotations against {SOURCES} sources\n")
    print(
        "Eight of ten exact, one with edits in 2 % of its letters, one absent; two sources cited.\n"
    )
    print("| each source | | seconds | ratio | bound |\n|---|---|---:|---:|---:|")
    for size, bound in BOUNDS.items():
        chance = random.Random(size)  # noqa: S311 - not for secrets
        texts = [prose(size, chance) for _ in range(SOURCES)]
        asked = quotations(texts, chance)
        times = _answer_times(texts, asked)
        for name, took in times.items():
            limit = f"{bound:g}" if name == "cite-filter" else ""
            ratio = took / times["cite-filter"]
            print(f"| {size:,} characters | {name} | {took:.2f} | {ratio:.2f} | {limit} |")
        sys.stdout.flush()


def _answer_times(texts: Sequence[str], asked: Sequence[tuple[str, list[int]]]) -> dict[str, float]:
    held: list[Quotations] = []

    def verify() -> None:
        held.append(Quotations(retrieved(texts)))
        for quote, cited in asked:
            held[0].check(quote, cited)

    def score() -> None:
        for quote, cited in asked:
            max(fuzz.partial_ratio(quote, texts[at], score_cutoff=90) for at in cited)

    def prefix() -> None:
        folded = [text.lower() for text in texts]
        for quote, cited in asked:
            any(quote.lower()[:80] in folded[at] for at in cited)

    names = {
        "cite-filter": verify,
        "partial_ratio ≥ 90": score,
        "first 80 characters": prefix,
    }
    return {name: timed(work) for name, work in names.items()}


def print_memory() -> None:
    """A table of the peak memory above that of the sources."""
    print(f"\n### Memory\n\n{SOURCES} sources of 1,000,000 characters.\n")
    print(f"| | sources, MB | peak above them, MB | ratio (bound {MEMORY_BOUND:g}) |")
    print("|---|---:|---:|---:|")
    for code in ("en", "ru", "zh"):
        size, peak = apart(__file__, code)
        if size and peak is not None:
            cells = f"{size / 1e6:.0f} | {peak / 1e6:.0f} | {peak / size:.2f}"
            print(f"| {code} | {cells} |", flush=True)


def _memory(code: str) -> list[float]:
    chance = random.Random(3)  # noqa: S311 - not for secrets
    texts = [prose(LONG, chance, code) for _ in range(SOURCES)]
    asked = [sentence(chance, code) for _ in range(50)]
    before = _resident("VmRSS")
    held = Quotations(retrieved(texts))
    for number, quote in enumerate(asked):
        held.check(quote, [number % SOURCES])
    return [sum(map(sys.getsizeof, texts)), _resident("VmHWM") - before]


def _resident(field: str) -> int:
    """Bytes of memory by a field of Linux; the peak of `getrusage` may be that of a parent."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(status.partition(f"{field}:")[2].split()[0])


if __name__ == "__main__":
    print(json.dumps(_memory(sys.argv[1])))

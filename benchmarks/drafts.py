"""A source in the making: paragraphs, one of which is quoted from, and the quotation."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from quotation_prose import Language

BEGIN, END = "\ue000", "\ue001"
"""Where the quoted passage begins and ends, until the source is finished."""
FIRST_RAW = 0xE100
"""The first of the characters of private use that stand for mark-up."""
Form = Literal["markdown", "html", "text", "pdf"]
FORMS: tuple[Form, ...] = ("markdown", "html", "text", "pdf")
LETTER = r"[^\W\d_⁰-⁹²³¹₀-₉]"


@dataclass(frozen=True, slots=True)
class Draft:
    """A source in the making, and the quotation from it."""

    language: Language
    form: Form
    paragraphs: Sequence[str]
    at: int
    """Which paragraph is quoted from; BEGIN and END stand in it."""
    quote: str
    raws: Sequence[str] = ()
    """Mark-up, which a character of private use stands for until the rest is escaped."""
    block: str = ""
    """What stands before each line of the quoted paragraph."""

    @property
    def passage(self) -> str:
        return self.paragraphs[self.at]

    @property
    def inside(self) -> str:
        return self.passage[self.passage.index(BEGIN) : self.passage.index(END)]

    def with_passage(self, passage: str) -> Draft | None:
        """The draft with another quoted paragraph; None where the quoted part stays the same."""
        paragraphs = list(self.paragraphs)
        paragraphs[self.at] = passage
        draft = replace(self, paragraphs=paragraphs)
        return None if draft.inside == self.inside else draft

    def with_raw(self, *markup: str) -> tuple[Draft, list[str]]:
        """The draft with mark-up, and the characters that stand for it."""
        first = FIRST_RAW + len(self.raws)
        signs = [chr(first + position) for position in range(len(markup))]
        return replace(self, raws=[*self.raws, *markup]), signs


Retypesetting = Callable[[Draft, random.Random], Draft | None]
"""Sets a draft anew; None where its quoted passage has nothing for it."""


def substituted(
    draft: Draft,
    pattern: str,
    make: Callable[[re.Match[str]], str],
    chance: random.Random,
    share: float = 0.5,
) -> Draft | None:
    """The draft with a share of the matches in the quoted paragraph made something else."""

    def some(match: re.Match[str]) -> str:
        return make(match) if chance.random() < share else match[0]

    return draft.with_passage(re.sub(pattern, some, draft.passage))


def one_of(options: Sequence[str], chance: random.Random) -> Callable[[re.Match[str]], str]:
    return lambda match: chance.choice(options)

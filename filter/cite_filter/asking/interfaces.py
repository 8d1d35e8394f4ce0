"""What asking needs of the web and of a model. Serply and Claude are shipped; others fit in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cite_filter.answers import Answer, Form, RetrievedSource


@dataclass(frozen=True, slots=True)
class Result:
    """One result of a search."""

    url: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """What was read of a page."""

    text: str
    truncated: bool = False
    """Whether `text` is only its beginning."""
    form: Form = "markdown"


class Search(Protocol):
    """Finds pages and reads them. `page` is called from several threads at once."""

    def results(self, question: str, number: int) -> Sequence[Result]:
        """Up to `number` results, the best first. Raises CiteError where there is no search."""
        ...

    def page(self, url: str, most_characters: int) -> Page:
        """The page at `url`, up to so many code points. Raises CiteError where there is none."""
        ...


class Model(Protocol):
    """Answers questions from sources."""

    def answer(self, question: str, sources: Sequence[RetrievedSource]) -> Answer:
        """The answer, not verified. Raises CiteError where there is none."""
        ...

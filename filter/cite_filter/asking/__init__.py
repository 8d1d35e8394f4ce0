"""Asking a question: search, read, let a model answer from what was read.

    from cite_filter.asking import ask
    from cite_filter.asking.claude import Claude
    from cite_filter.asking.serply import Serply

    asked = ask("How often do tides come?", Serply.from_environment(), Claude.from_environment())

Nothing else in this package imports it, and it imports what it needs when it is called: other
commands start without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cite_filter.answers import Answer, AnsweredQuestion, RetrievedSource
    from cite_filter.asking.interfaces import Model, Result, Search

PAGES = 5
MOST_CHARACTERS = 20_000
"""Code points of a page that are kept."""
MOST_SECONDS = 150.0
"""Until pages that are not there are left out."""
MOST_QUESTION_CHARACTERS = 2_000
MOST_URL_CHARACTERS = 2_000

Progress = Callable[[str, int, int], None]
"""Is told what is being done, how many of it are done, and of how many: 0 for one thing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its answer, not verified."""

    answered: AnsweredQuestion
    messages: Sequence[str]
    """What was left out, and why."""


def ask(
    question: str,
    search: Search,
    model: Model,
    *,
    pages: int = PAGES,
    most_characters: int = MOST_CHARACTERS,
    seconds: float = MOST_SECONDS,
    progress: Progress = lambda *_: None,
) -> Asked:
    """The answer of `model` from the first `pages` that `search` finds and reads.

    Where no page can be read, no model is asked: the answer says so, and holds no claim. Raises
    CiteError where the question is none, or the search or the model fails.
    """
    from cite_filter.answers import AnsweredQuestion
    from cite_filter.errors import CiteError
    from cite_filter.pandoc_ast import clean

    question = clean(question.encode("utf-8", "replace").decode("utf-8"))
    if not question or len(question) > MOST_QUESTION_CHARACTERS:
        raise CiteError(f"a question has from 1 to {MOST_QUESTION_CHARACTERS:,} characters")
    progress("Searching", 0, 0)
    # Some results may not be read, and some lead to one page.
    chosen, messages = _chosen(search.results(question, 2 * pages), pages)
    sources, unread = _read(chosen, search, most_characters, seconds, progress)
    if sources:
        progress("Answering", 0, 0)
    answer = model.answer(question, sources) if sources else _nothing(question)
    answered = AnsweredQuestion(answer, sources, question, date=_now())
    return Asked(answered, [*messages, *unread])


def _chosen(results: Sequence[Result], pages: int) -> tuple[list[Result], list[str]]:
    """The first results of pages that may be linked, each page once; why others are left out."""
    from cite_filter import urls
    from cite_filter.url_identity import identity

    chosen: dict[str, Result] = {}
    messages: list[str] = []
    for result in results:
        if len(chosen) == pages:
            break
        if len(result.url) > MOST_URL_CHARACTERS or not urls.is_linkable(result.url):
            messages.append(f"{result.url[:80]} is left out: it is no URL that may be linked")
        else:
            chosen.setdefault(identity(result.url), result)
    return list(chosen.values()), messages


def _read(
    results: Sequence[Result],
    search: Search,
    most_characters: int,
    seconds: float,
    progress: Progress,
) -> tuple[list[RetrievedSource], list[str]]:
    """The pages that could be read, in the order of the results; why others are left out."""
    from cite_filter.answers import RetrievedSource
    from cite_filter.asking.side_by_side import side_by_side
    from cite_filter.errors import CiteError
    from cite_filter.quotations.pages import is_readable

    def page(result: Result) -> RetrievedSource:
        read = search.page(result.url, most_characters)
        text, truncated = read.text[:most_characters], len(read.text) > most_characters
        return RetrievedSource(
            result.url, result.title, text, read.form, read.truncated or truncated, _now()
        )

    def step(done: int) -> None:
        progress("Reading", done, len(results))

    found = side_by_side(page, results, seconds, step)
    messages = [
        f"{result.url} is left out: {fault}"
        for result, fault in zip(results, found, strict=True)
        if isinstance(fault, CiteError)
    ]
    sources: list[RetrievedSource] = []
    for source in found:
        if isinstance(source, CiteError):
            continue
        if is_readable(source.text):
            sources.append(source)
        else:
            messages.append(f"{source.url} is left out: it is empty, or an error or a consent page")
    return sources, messages


def _nothing(question: str) -> Answer:
    """The honest answer where there is nothing to answer from."""
    from cite_filter.answers import Answer

    return Answer(
        "No source could be read, so this question is not answered.", unanswered=[question]
    )


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")

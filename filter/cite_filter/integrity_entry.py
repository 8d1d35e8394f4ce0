"""One line of the integrity log: what is written of an answer, and what passes for such a line."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import orjson

from cite_filter import __version__
from cite_filter.verification import Integrity, VerifiedAnswer

MOST_OF_A_COUNT = 1_000_000_000
_LONGEST_NAME = 100
_NEEDED = frozenset(
    {"claims", "unsupported_claims", "quotes_checked", "quote_mismatches", "fabricated_urls"}
    | {"sources", "unchecked_sources", "truncated_sources"}
)
"""The counts that rates are made of. Others may be missing, so that later versions can add some."""
_COUNTS = tuple((item.name, None if item.name in _NEEDED else 0) for item in fields(Integrity))
"""The counts in the order of Integrity, and what a missing one is."""
_TIME = re.compile(r"2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)", re.A)
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log: an answer, and the counts of its verification."""

    time: datetime
    """When it was verified, in UTC."""
    method: str
    """The version of the rules; rates of different ones do not compare."""
    is_clean: bool
    integrity: Integrity
    question_sha256: str | None = None
    """See `question_hash`; None where the question was not known."""
    version: str | None = None
    """Of cite-filter."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Fields that are not known here, kept as they were read."""

    @classmethod
    def of(cls, verified: VerifiedAnswer, time: datetime) -> Entry:
        """The entry of an answer. Raises ValueError for a time without a zone."""
        if time.tzinfo is None:
            raise ValueError("a time without a zone says nothing in a log")
        question, integrity = verified.asked.question, verified.integrity
        return cls(
            time=time.astimezone(UTC),
            method=verified.method,
            is_clean=integrity.is_clean,
            integrity=integrity,
            question_sha256=None if question is None else question_hash(question),
            version=__version__,
        )

    @classmethod
    def from_line(cls, line: bytes) -> Entry:
        """The entry in one line. Raises ValueError, which says what it is not."""
        try:
            held = orjson.loads(line)
        except ValueError:
            raise ValueError("no JSON, or not all of it") from None
        if not isinstance(held, dict):
            raise ValueError("no object")
        return cls(
            time=_time(held.pop("time", None)),
            method=_name(held.pop("method", None), "method"),
            is_clean=_truth(held.pop("clean", None), "clean"),
            integrity=_integrity(held),
            question_sha256=_hash(held.pop("question_sha256", None)),
            version=_name(held.pop("version", None), "version", needed=False),
            more=held,
        ).checked()

    def checked(self) -> Entry:
        """The entry itself. Raises ValueError where its counts contradict each other."""
        counts = self.integrity
        wrong = counts.unsupported_claims + counts.quote_mismatches + counts.fabricated_urls
        if (
            counts.unsupported_claims > counts.claims
            or counts.quote_mismatches > counts.quotes_checked
            or max(counts.unchecked_sources, counts.truncated_sources) > counts.sources
            or (self.is_clean and wrong)
        ):
            raise ValueError("counts that contradict each other")
        return self

    def to_json(self) -> dict[str, Any]:
        """The entry as plain data, its time to the second."""
        return {
            "time": self.time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "question_sha256": self.question_sha256,
            "method": self.method,
            "version": self.version,
            **self.integrity.to_json(),
            "clean": self.is_clean,
            **self.more,
        }


def question_hash(question: str) -> str:
    """The SHA-256 of a question in NFC, its white space folded, as 64 hexadecimal digits.

    It tells questions apart and does not hide them: who guesses one can hash the guess.
    """
    folded = " ".join(unicodedata.normalize("NFC", question).split())
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()


def _time(value: Any) -> datetime:
    if isinstance(value, str) and _TIME.fullmatch(value):
        try:
            time = datetime.fromisoformat(value)
        except ValueError:  # the 30th of February
            time = None
        if time is not None:
            return time if time.tzinfo is UTC else time.astimezone(UTC)
    raise ValueError("no time of ISO 8601 with a zone")


def _name(value: Any, key: str, *, needed: bool = True) -> Any:
    if value is None and not needed:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_NAME:
        raise ValueError(f"no {key}")
    return value


def _truth(value: Any, key: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{key} is neither true nor false")
    return value


def _hash(value: Any) -> str | None:
    if value is not None and not (isinstance(value, str) and _HASH.fullmatch(value)):
        raise ValueError("question_sha256 is no hash")
    return value


def _integrity(held: dict[str, Any]) -> Integrity:
    """The counts among the fields, which are taken out."""
    counts = [held.pop(name, default) for name, default in _COUNTS]
    # A truth value is an int, too.
    if set(map(type, counts)) != {int} or min(counts) < 0 or max(counts) > MOST_OF_A_COUNT:
        raise ValueError(f"{_no_count(counts)} is no count")
    return Integrity(*counts)


def _no_count(counts: Sequence[Any]) -> str:
    """The name of the first that is none."""
    for (name, _), count in zip(_COUNTS, counts, strict=True):
        if type(count) is not int or not 0 <= count <= MOST_OF_A_COUNT:
            return name
    raise AssertionError("all are counts")

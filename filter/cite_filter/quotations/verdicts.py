"""What verification says of a quotation, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Reason = Literal[
    "altered", "omission", "elided", "elision_hides", "spliced", "editorial_brackets", "case",
    "accent", "punctuation", "confusable", "truncated", "found_elsewhere", "too_short",
    "unchecked", "fabricated", "uncited",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """A step from a quotation to the passage it is nearest to."""

    kind: Literal["same", "altered", "added", "omitted"]
    """`added` stands in the quotation alone, `omitted` in the source alone."""
    quoted: str
    source: str


@dataclass(frozen=True, slots=True)
class Passage:
    """Where in a source a quotation, or a part of it, stands."""

    url: str
    start: int
    """In code points of the source's text."""
    end: int
    exact: str
    """The source's own characters, from `start` to `end`."""
    prefix: str
    suffix: str
    shown: str
    """`exact` as a reader sees it: without mark-up, lines joined."""
    link: str | None
    """The source's URL with a text fragment; None where it may not be linked."""

    def to_json(self) -> dict[str, Any]:
        """The passage as plain data, with a `TextQuoteSelector` of Web Annotations."""
        return {
            "url": self.url,
            "start": self.start,
            "end": self.end,
            "shown": self.shown,
            "link": self.link,
            "selector": {
                "type": "TextQuoteSelector",
                "exact": self.exact,
                "prefix": self.prefix,
                "suffix": self.suffix,
            },
        }


@dataclass(frozen=True, slots=True)
class Nearest:
    """The passage that a failed quotation is most like; it explains, and decides nothing."""

    url: str
    start: int
    """In code points of the source's text."""
    end: int
    exact: str
    similarity: int
    """From 0 to 100; for people."""
    changes: Sequence[Change]
    """Word by word."""
    link: str | None = None
    """The source's URL with a text fragment; None where it may not be linked."""

    def to_json(self) -> dict[str, Any]:
        """The passage as plain data."""
        return {
            "url": self.url,
            "start": self.start,
            "end": self.end,
            "exact": self.exact,
            "link": self.link,
            "similarity": self.similarity,
            "diff": [
                {"kind": change.kind, "quoted": change.quoted, "source": change.source}
                for change in self.changes
            ],
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of looking for one quotation."""

    verified: bool
    reason: Reason | None = None
    passages: Sequence[Passage] = ()
    """Where it stands: one passage; the parts of one that is `elided`; none of one that failed."""
    nearest: Nearest | None = None

"""A stored transcript: what was asked, what was answered, and the sources the tools numbered.

`Transcript` is what importers make and what an agent may store as JSON
(`schemas/transcript.schema.json`). `to_markdown` writes the form that `cite build` and the filter
read (`docs/format.md`, section 1); `from_markdown` reads that form back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cite_filter.fields import Fields
from cite_filter.sources import Source, ToolCallRecord, collect_sources


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer, the whole scope of the answer's numbers."""

    answer: str
    """Markdown; its markers name sources by number."""
    prompt: str = ""
    """What was asked; Markdown."""
    sources: Sequence[Source] = ()
    """Sources that no tool call is known to have brought."""
    tool_calls: Sequence[ToolCallRecord] = ()
    language: str | None = None
    """A language tag of BCP 47, where it differs from the transcript's."""
    date: str | None = None
    """When it was answered; ISO 8601."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Fields that are not known here, kept as they were read."""

    def __post_init__(self) -> None:
        for name in ("sources", "tool_calls"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def all_sources(self) -> list[Source]:
        """The sources of the turn, by ascending number."""
        return collect_sources([ToolCallRecord("", sources=self.sources), *self.tool_calls])

    @classmethod
    def from_json(cls, value: Any, place: str = "turn") -> Turn:
        """The turn in parsed JSON. Raises InvalidData, which names place and value."""
        fields = Fields(value, place)
        return cls(
            answer=fields.text("answer", required=True) or "",
            prompt=fields.text("prompt") or "",
            sources=[Source.from_json(item, at) for item, at in fields.items("sources")],
            tool_calls=[
                ToolCallRecord.from_json(item, at) for item, at in fields.items("tool_calls")
            ],
            language=fields.text("language"),
            date=fields.text("date"),
            more=fields.rest(),
        )

    def to_json(self) -> dict[str, Any]:
        """The turn as plain data; what is empty is left out."""
        known: dict[str, Any] = {
            "prompt": self.prompt,
            "answer": self.answer,
            "language": self.language,
            "date": self.date,
            "tool_calls": [call.to_json() for call in self.tool_calls],
            "sources": [source.to_json() for source in self.sources],
        }
        return {
            **{key: value for key, value in known.items() if value or key == "answer"},
            **self.more,
        }


@dataclass(frozen=True, slots=True)
class Transcript:
    """One conversation."""

    turns: Sequence[Turn]
    title: str = ""
    """Text, not Markdown."""
    language: str | None = None
    """A language tag of BCP 47."""
    date: str | None = None
    """When it began; ISO 8601."""
    provenance: Mapping[str, str] = field(default_factory=dict)
    """Where it comes from: `format`, `file`, `id`, `url` and the like."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Fields that are not known here, kept as they were read."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", tuple(self.turns))

    @classmethod
    def from_json(cls, value: Any) -> Transcript:
        """The transcript in parsed JSON. Raises InvalidData, which names place and value."""
        fields = Fields(value, "")
        return cls(
            turns=[Turn.from_json(item, at) for item, at in fields.items("turns", required=True)],
            title=fields.text("title") or "",
            language=fields.text("language"),
            date=fields.text("date"),
            provenance=fields.texts("provenance"),
            more=fields.rest(),
        )

    def to_json(self) -> dict[str, Any]:
        """The transcript as plain data; what is empty is left out."""
        known: dict[str, Any] = {
            "title": self.title,
            "language": self.language,
            "date": self.date,
            "provenance": dict(self.provenance),
            "turns": [turn.to_json() for turn in self.turns],
        }
        return {
            **{key: value for key, value in known.items() if value or key == "turns"},
            **self.more,
        }

    def to_markdown(self, *, tools: bool = True, list_all: bool = False) -> str:
        """The transcript as the Markdown that `cite build` reads.

        `tools` says whether a line under each answer names the tools that were called, `list_all`
        whether a document lists all sources of a turn, and not only those that a marker cites.
        """
        from cite_filter.transcript_markdown import write

        return write(self, tools=tools, list_all=list_all)

    @classmethod
    def from_markdown(cls, text: str) -> Transcript:
        """The transcript that `to_markdown` wrote. Raises InvalidData with the line."""
        from cite_filter.transcript_markdown import read

        return read(text)

    def with_provenance(self, **more: str) -> Transcript:
        """The transcript, with more said of where it comes from."""
        return replace(self, provenance={**self.provenance, **more})

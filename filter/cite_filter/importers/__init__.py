"""Exports of chats, each vendor's in a module of its own, made transcripts.

A module of a vendor has `NAME`, what `--from` calls it; `recognises(export)`, whether an export is
its own, by content; and `transcripts(export)`, which yields what is in it. It raises `Refused` for
an export that is its own and holds nothing to import. A new vendor is one module and one line here.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple, Protocol

from cite_filter.importers.exports import Export
from cite_filter.transcripts import Transcript

MODULES = (
    "chatgpt",
    "claude_ai",
    "perplexity",
    "gemini",
    "openai",
    "anthropic",
    "claude_code",
    "codex",
    "openwebui",
    "grok",
    "deepseek",
    "librechat",
    "lobechat",
    "vercel",
    "langchain",
    "mistral",
    "cohere",
    "transcript",
    "markdown",  # takes any text, so the last
)
"""The modules of the vendors, in the order in which they are asked."""


class Imported(NamedTuple):
    """One conversation of an export."""

    transcript: Transcript
    messages: list[str]
    """What could not be resolved, and what the format has lost, one line each."""
    list_all: bool = True
    """Every source of a turn is cited or named by its answer; none was only read."""

    def to_markdown(self, *, tools: bool = True) -> str:
        """The conversation as a transcript."""
        return self.transcript.to_markdown(tools=tools, list_all=self.list_all)


class Refused(Exception):  # noqa: N818 - no fault of the program's
    """The export is of this vendor, but nothing in it can be imported; says why."""


class Vendor(Protocol):
    """What a module of a vendor offers."""

    NAME: str

    def recognises(self, export: Export) -> bool:
        """Whether the export is of this vendor, by what it holds."""

    def transcripts(self, export: Export) -> Iterator[Imported]:
        """The conversations of the export."""


def vendors() -> Iterator[Vendor]:
    """All vendors, in the order in which they are asked."""
    for name in MODULES:
        yield import_module(f"cite_filter.importers.{name}")


def vendor_of(export: Export, name: str | None = None) -> Vendor | None:
    """The vendor called `name`, else the first that recognises the export, else None."""
    for vendor in vendors():
        if name == vendor.NAME or (name is None and vendor.recognises(export)):
            return vendor
    return None

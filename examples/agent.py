"""An agent whose answers can be cited, from a question to a PDF: `python examples/agent.py`.

The model is played by a function, so that it runs without a key; a real one goes in its place. Its
tools number what they find, the prompt tells it to cite by those numbers, and what was numbered is
stored with each call.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from cite_filter.sources import (
    CITATION_PROMPT,
    SourceList,
    ToolCallRecord,
    format_page,
    format_results,
)
from cite_filter.transcripts import Transcript, Turn

PAGES = {
    "https://example.org/tides": ("Tides, an overview", "Most coasts see two high tides a day."),
    "https://example.com/fundy": ("The Bay of Fundy", "The range reaches 16 metres."),
}
Call = tuple[str, str]
"""The name of a tool and what to call it with."""


def web_search(query: str, sources: SourceList) -> str:
    """A search engine: every page that it knows."""
    return format_results(
        ({"title": title, "url": url, "snippet": text} for url, (title, text) in PAGES.items()),
        sources,
    )


def web_fetch(url: str, sources: SourceList) -> str:
    """A page, in full."""
    title, text = PAGES[url]
    return format_page(title, url, text, sources=sources)


TOOLS: dict[str, Callable[[str, SourceList], str]] = {
    "web_search": web_search,
    "web_fetch": web_fetch,
}


def model(system: str, messages: list[str]) -> Call | str:
    """What a model might do: search, read one page, answer by the numbers that the tools printed."""
    assert CITATION_PROMPT in system
    if len(messages) == 1:
        return "web_search", messages[0]
    if len(messages) == 2:
        return "web_fetch", "https://example.com/fundy"
    return "Most coasts see two tides a day [1]; in the **Bay of Fundy** they rise 16 metres [2]."


def answer(question: str) -> Turn:
    """One turn: the model calls tools until it answers."""
    sources = SourceList()
    calls: list[ToolCallRecord] = []
    messages = [question]
    while True:
        step = model(f"You are a helpful researcher. {CITATION_PROMPT}", messages)
        if isinstance(step, str):
            return Turn(step, question, tool_calls=calls)
        name, argument = step
        before = len(sources)
        output = TOOLS[name](argument, sources)
        calls.append(ToolCallRecord(name, argument, output, sources[before:]))
        messages.append(output)


def main() -> None:
    transcript = Transcript([answer("How high do tides rise?")], title="Tides", language="en")
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build")
    folder.mkdir(exist_ok=True)
    chat = folder / "agent.md"
    chat.write_text(transcript.to_markdown(), encoding="utf-8")
    cite = Path(sys.executable).with_name("cite")
    subprocess.run([cite, "build", chat, "-o", chat.with_suffix(".pdf")], check=True)
    print(f"Built: {chat} {chat.with_suffix('.pdf')}")


if __name__ == "__main__":
    main()

"""The real and the made exports that are kept beside the project: each imports as it should."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from cite_filter import source_text
from cite_filter.build import build
from cite_filter.check import Report
from cite_filter.importers import Imported
from cite_filter.importing import imported
from cite_filter.markers import find
from cite_filter.prose import mask
from cite_filter.transcripts import Turn
from cite_filter.writers import Settings

FOLDER = os.environ.get("CITE_FILTER_SAMPLES")
SAMPLES = Path(FOLDER) if FOLDER else Path()
EXPORTS = (
    [
        path
        for path in sorted(SAMPLES.rglob("*"))
        if path.is_file() and path.name not in ("PROVENANCE.md", "README.md", "EXPECTED.json")
    ]
    if FOLDER
    else []
)
EXPECTED: dict[str, Any] = (
    json.loads((SAMPLES / "synthetic" / "EXPECTED.json").read_text(encoding="utf-8"))
    if FOLDER
    else {}
)
# Samples in which nothing is cited: Markdown that no importer takes.
PLAIN = {
    "deerflow_inline_links.md",
    "gpt_researcher_gptr_0.md",
    "open_deep_research_sources_per_section.md",
}


# Where the notes of the expectations say another number than their field: a source whose place is
# invalid is kept and listed; one of the two that are named in the list is cited as well.
LISTED = {
    ("claude_ai_codepoint.conversations.json", 2): 1,
    ("claude_code_websearch.jsonl", 1): 1,
}
_MARKERS = re.compile(r"\[\d+\]")


def chats(path: Path) -> list[Imported]:
    return list(imported(path, most_bytes=source_text.MOST_BYTES))


def citations(turn: Turn) -> list[tuple[str, list[str]]]:
    """What stands before each run of markers, and the URLs of its sources."""
    urls = {str(source.number): source.url for source in turn.all_sources}
    found: list[tuple[str, list[str]]] = []
    last = -1
    for marker in find(mask(turn.answer)):
        if marker.role != "marker" or not urls.keys() >= set(marker.numbers):
            continue
        cited = [urls[number] for number in marker.numbers]
        if marker.start == last:
            found[-1][1].extend(cited)
        else:
            before = _MARKERS.sub("", turn.answer[: marker.start])
            found.append((before.rstrip(), cited))
        last = marker.end
    return found


def without_fragment(url: str) -> str:
    """The expectations name the page; an export also the place on it."""
    return url.partition("#:~:text=")[0]


@pytest.mark.parametrize("name", EXPECTED)
def test_the_made_samples_give_what_was_written_down(name: str) -> None:
    found = chats(SAMPLES / "synthetic" / name)
    turns = [turn for chat in found for turn in chat.transcript.turns]
    assert len(turns) == len(EXPECTED[name])
    for number, (turn, expected) in enumerate(zip(turns, EXPECTED[name], strict=True), start=1):
        cited = citations(turn)
        assert len(cited) == len(expected["cites"])
        for (before, urls), wanted in zip(cited, expected["cites"], strict=True):
            assert before.endswith(wanted["after"])
            assert [without_fragment(url) for url in urls] == wanted["urls"]
        listed = {source.url for source in turn.all_sources} - {
            url for _, urls in cited for url in urls
        }
        assert len(listed) == LISTED.get((name, number), expected["listed_not_cited"])
    unresolved = sum(expected["unresolved"] for expected in EXPECTED[name])
    assert bool(unresolved) == any(
        "citation" in message or "has lost" in message or "no source" in message
        for chat in found
        for message in chat.messages
    )


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.name)
def test_each_sample_is_built(path: Path, tmp_path: Path) -> None:
    found = chats(path)
    assert bool(found) == (path.name not in PLAIN)
    for number, chat in enumerate(found):
        text = chat.transcript.to_markdown()
        target = tmp_path / f"{number}.html"
        made = build(path, {"html": target}, Settings(), text=text, messages=chat.messages)
        cited = {
            url for turn in chat.transcript.turns for _, urls in citations(turn) for url in urls
        }
        html = target.read_text(encoding="utf-8")
        assert ("citation" in html.partition("<main")[2]) == any(
            url.startswith("http") for url in cited
        )
        assert isinstance(made.report, Report)
        for turn in made.report.turns:
            for source in turn.sources.by_number.values():
                assert any(
                    source.url == known.url
                    for other in chat.transcript.turns
                    for known in other.all_sources
                )


if not FOLDER:  # no cases, rather than skipped ones
    del test_the_made_samples_give_what_was_written_down, test_each_sample_is_built

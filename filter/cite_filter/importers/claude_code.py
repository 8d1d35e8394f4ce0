"""Sessions of Claude Code (JSON lines): what was searched and fetched, and links that name it.

A page is a source where a link of the answer leads to it; that it was found makes it none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer, Cited, without_tracking
from cite_filter.importers.branches import branch
from cite_filter.importers.chats import Chat
from cite_filter.importers.exports import Export
from cite_filter.importers.links import Link, cite_links
from cite_filter.importers.values import date_of, map_of, maps_of, text_of

NAME = "claude-code"

_HIDDEN = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")
"""Marks of what was not said to the user, or not by the user."""
_LINKS = re.compile(r"^Links: (\[.*\])[ \t]*$", re.M)
_TAG = re.compile(
    r"<(system-reminder|task-notification|user-memory-input|local-command-(?:stdout|stderr|caveat)"
    r"|command-(?:name|message|args|contents)|bash-(?:input|stdout|stderr)"
    r"|ide_(?:opened_file|selection|diagnostics))>"
)
"""Begins what the program puts into a message of the user's."""
_INTERRUPTED = "[Request interrupted by user"


def recognises(export: Export) -> bool:
    """Whether there are records of a session that hold messages."""
    return any(
        record.get("type") in ("user", "assistant")
        and "isSidechain" in record
        and isinstance(record.get("message"), dict)
        for record in _records(export)
    )


def transcripts(export: Export) -> Iterator[Imported]:
    """The one conversation. Raises Refused where nothing was answered."""
    records = _records(export)
    shown = set(map(id, _thread(records)))
    chat = Chat(_title(records))
    known: dict[str, Cited] = {}
    texts: list[str] = []
    date: str | None = None
    for record in records:
        for found in _retrieved(record):
            if found.title or found.url not in known:
                known[found.url] = found
        if id(record) not in shown or any(record.get(mark) is True for mark in _HIDDEN):
            continue
        content = map_of(record.get("message")).get("content")
        if record.get("type") == "user":
            prompt = _prompt(content)
            if prompt:
                _answer(chat, texts, known, date)
                texts = []
                chat.ask(prompt)
        elif record.get("type") == "assistant":
            texts += _texts(content)
            date = date_of(record.get("timestamp"))
            chat.date = chat.date or date
            chat.id = chat.id or text_of(record.get("sessionId"))
    _answer(chat, texts, known, date)
    if not chat.turns:
        raise Refused("holds no answer; a session of sub-agents only is no conversation")
    yield chat.imported()


def _records(export: Export) -> list[dict[str, Any]]:
    return maps_of(export.data) or export.lines


def _title(records: list[dict[str, Any]]) -> str:
    titles = [
        text_of(record.get(key))
        for key in ("summary", "aiTitle", "customTitle")
        for record in records
        if record.get("type") in ("summary", "ai-title", "custom-title")
    ]
    return next((title for title in reversed(titles) if title.strip()), "")


def _thread(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records that led to the last message: no side chains, nothing that was taken back.

    Where a parent is missing, as behind a summary of what went before, the record before it is.
    """
    main = [
        record
        for record in records
        if text_of(record.get("uuid")) and not record.get("isSidechain")
    ]
    said = [record for record in main if record.get("type") in ("user", "assistant")]
    if not said:
        return [record for record in records if not record.get("isSidechain")]
    parents: dict[str, str] = {}
    before = ""
    for record in main:
        name, parent = text_of(record.get("uuid")), text_of(record.get("parentUuid"))
        parent = parent or text_of(record.get("logicalParentUuid"))
        is_cut = record.get("isCompactSummary") or record.get("subtype") == "compact_boundary"
        if parent not in parents and (parent or is_cut):
            parent = before
        parents.setdefault(name, parent)
        before = name
    shown = set(branch(parents, text_of(said[-1].get("uuid"))))
    by_id = {text_of(record.get("uuid")): record for record in reversed(main)}
    return [record for name, record in by_id.items() if name in shown]


# --- What was said -------------------------------------------------------------------------------


def _prompt(content: Any) -> str:
    """What the user wrote; empty for what tools and commands put under the user's name."""
    texts = [content] if isinstance(content, str) else _texts(content)
    return "\n\n".join(said for text in texts if (said := _written(text_of(text))))


def _written(text: str) -> str:
    if text.lstrip().startswith(_INTERRUPTED):
        return ""
    command = _between(text, "command-name")
    return f"{command} {_between(text, 'command-args')}".strip() if command else _untagged(text)


def _between(text: str, tag: str) -> str:
    inner, closed, _ = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")
    return inner.strip() if closed else ""


def _untagged(text: str) -> str:
    """The text without what stands in the program's tags."""
    pieces: list[str] = []
    done = 0
    unclosed: set[str] = set()
    for tag in _TAG.finditer(text):
        closer = f"</{tag[1]}>"
        if tag.start() < done or closer in unclosed:
            continue
        end = text.find(closer, tag.end())
        if end < 0:
            unclosed.add(closer)
            continue
        pieces.append(text[done : tag.start()])
        done = end + len(closer)
    return "".join([*pieces, text[done:]]).strip()


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [text_of(content)]
    return [text_of(block.get("text")) for block in maps_of(content) if block.get("type") == "text"]


def _answer(chat: Chat, texts: list[str], known: dict[str, Cited], date: str | None) -> None:
    answer = Answer("\n\n".join(text.strip("\n") for text in texts if text.strip()))
    if known:
        cite_links(answer, lambda link: _source(link, known))
    chat.answer(answer, date=date)


# --- Sources -------------------------------------------------------------------------------------


def _source(link: Link, known: dict[str, Cited]) -> Cited | None:
    """What a link names, where that was found or fetched in the session so far."""
    page = without_tracking(link.url).partition("#")[0]
    found = known.get(link.url) or known.get(without_tracking(link.url)) or known.get(page)
    return Cited(link.url, found.title or link.label) if found else None


def _retrieved(record: dict[str, Any]) -> Iterator[Cited]:
    """The pages that a record says were found or fetched."""
    result = record.get("toolUseResult")
    items = [*_items(map_of(result)), *_links(map_of(record.get("message")).get("content"))]
    for item in items:
        url = text_of(item.get("url")).strip()
        if url:
            yield Cited(url, text_of(item.get("title")))


def _items(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for found in maps_of(result.get("results")):
        yield from maps_of(found.get("content"))
    if "result" in result and result.get("code", 200) == 200:
        yield result


def _links(content: Any) -> Iterator[dict[str, Any]]:
    """What a search prints to the model, for sessions that keep no more of it."""
    for block in maps_of(content):
        if block.get("type") != "tool_result":
            continue
        said = block.get("content")
        for text in [said] if isinstance(said, str) else _texts(said):
            for match in _LINKS.finditer(text):
                try:
                    yield from maps_of(json.loads(match[1]))
                except (ValueError, RecursionError):
                    continue

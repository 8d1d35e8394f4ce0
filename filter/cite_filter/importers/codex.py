"""Sessions of Codex (`rollout-*.jsonl`): of the web they keep queries, and the links of answers.

An answer stands in the file as an item and often once more as an event: it is taken once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chatgpt_citations import Citations
from cite_filter.importers.chats import Chat, prompt_of
from cite_filter.importers.exports import Export
from cite_filter.importers.links import Link, cite_links
from cite_filter.importers.values import date_of, map_of, text_of, whole_of

NAME = "codex"

_NO_QUESTION = re.compile(r"\s*(?:<([A-Za-z_]+)>.*</\1>\s*\Z|# AGENTS\.md instructions\b)", re.S)
"""What the program puts under the user's name."""
_REQUEST = "## My request for Codex:"
"""Behind this stands what the user wrote, where an editor told more."""


@dataclass(slots=True)
class _Exchange:
    """What was asked, and what was answered until the next question."""

    prompt: str = ""
    items: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    """The texts of the answer once more; of old sessions the only ones."""
    searched: bool = False
    """Whether the web was searched, then or before."""
    date: str | None = None


def recognises(export: Export) -> bool:
    """Whether the lines are records of a session."""
    lines = export.lines
    return any(
        line.get("type") in ("response_item", "session_meta", "event_msg")
        and isinstance(line.get("payload"), dict)
        for line in lines
    ) and all(text_of(line.get("type")) for line in lines)


def transcripts(export: Export) -> Iterator[Imported]:
    """The one conversation. Raises Refused where nothing was answered."""
    chat = Chat()
    for exchange in _exchanges(export.lines, chat):
        chat.ask(exchange.prompt)
        texts = exchange.items or exchange.events
        answer = Answer("\n\n".join(text.strip("\n") for text in texts if text.strip()))
        Citations(answer.text, {}).put(answer, 0)
        if exchange.searched:
            cite_links(answer, _source)
        chat.answer(answer, date=exchange.date)
    if not chat.turns:
        raise Refused("holds no answer, for no message of the assistant has text")
    yield chat.imported()


def _source(link: Link) -> Cited:
    return Cited(link.url, link.label)


def _exchanges(lines: list[dict[str, Any]], chat: Chat) -> list[_Exchange]:
    events = [map_of(line.get("payload")) for line in lines if line.get("type") == "event_msg"]
    told = any(event.get("type") == "user_message" for event in events)
    exchanges = [_Exchange()]
    for line in lines:
        item = map_of(line.get("payload"))
        kind, last = text_of(item.get("type")), exchanges[-1]
        if line.get("type") == "session_meta":
            chat.id = chat.id or text_of(item.get("id"))
            chat.date = chat.date or date_of(item.get("timestamp") or line.get("timestamp"))
        if kind.startswith("web_search"):
            last.searched = True
        undone = whole_of(item.get("num_turns")) or 0
        if kind == "thread_rolled_back" and undone > 0:
            del exchanges[-undone:]
            exchanges.append(_Exchange(searched=last.searched))
        prompt = _prompt(line, told=told)
        if prompt:
            last = _Exchange(prompt, searched=last.searched)
            exchanges.append(last)
        for text, texts in ((_said(line), last.items), (_told(line), last.events)):
            if text:
                texts.append(text)
                last.date = date_of(line.get("timestamp")) or last.date
    return exchanges


def _prompt(line: dict[str, Any], *, told: bool) -> str:
    """The question of a record; `told` says whether questions stand in events of their own."""
    item = map_of(line.get("payload"))
    if line.get("type") == "event_msg":
        return _asked(item.get("message")) if item.get("type") == "user_message" else ""
    if told or not _is_message(line, "user"):
        return ""
    prompt = prompt_of(item.get("content"))
    return "" if _NO_QUESTION.match(prompt) else _asked(prompt)


def _asked(text: Any) -> str:
    return text_of(text).rpartition(_REQUEST)[2].strip()


def _said(line: dict[str, Any]) -> str:
    item = map_of(line.get("payload"))
    return prompt_of(item.get("content")) if _is_message(line, "assistant") else ""


def _told(line: dict[str, Any]) -> str:
    item = map_of(line.get("payload"))
    is_answer = line.get("type") == "event_msg" and item.get("type") == "agent_message"
    return text_of(item.get("message")) if is_answer else ""


def _is_message(line: dict[str, Any], role: str) -> bool:
    item = map_of(line.get("payload"))
    kinds = ("response_item", item.get("type", "message"))
    return kinds == (line.get("type"), "message") and item.get("role") == role

"""Claude's data export (`conversations.json`): citations of texts and of Research reports.

A citation names the stretch of its text block that it supports, and the URL of the source; in which
unit it counts is told by which one hits the bounds of words. A report of Research is an artifact
with citations of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.branches import branch
from cite_filter.importers.chats import Chat, cite_at, prompt_of
from cite_filter.importers.exports import Export
from cite_filter.importers.values import Unit, date_of, map_of, maps_of, text_of
from cite_filter.importers.words import claims

NAME = "claude-ai"

_BESIDE = frozenset(("token_budget", "flag", "injected_prompt_block"))
"""Blocks that part no texts; what a tool did, or a thought, parts paragraphs."""
_OF_TEXTS: Sequence[Unit] = ("code points", "utf-16")
_OF_REPORTS: Sequence[Unit] = ("utf-16", "code points")


class _Placed(NamedTuple):
    """A citation, at a place in code points; None for one whose offsets are wrong."""

    place: int | None
    cited: Cited


class _Report(NamedTuple):
    """An artifact of Markdown, in its last version."""

    text: str
    citations: list[_Placed]
    block: int = 0
    """The block that holds this version: its `id()`."""


def recognises(export: Export) -> bool:
    """Whether there are conversations with `chat_messages`."""
    return any("chat_messages" in conversation for conversation in _conversations(export))


def transcripts(export: Export) -> Iterator[Imported]:
    """The conversations in which something was answered, each as its user last saw it.

    Raises Refused where there is none.
    """
    found = False
    for conversation in _conversations(export):
        chat = _chat(conversation)
        if chat.turns:
            found = True
            yield chat.imported()
    if not found:
        raise Refused("none of its conversations has an answer; there is nothing to import")


def _conversations(export: Export) -> list[dict[str, Any]]:
    found = export.data
    if isinstance(found, dict):
        found = found.get("conversations", [found])
    return maps_of(found)


def _chat(conversation: dict[str, Any]) -> Chat:
    chat = Chat(
        text_of(conversation.get("name")),
        date_of(conversation.get("created_at")),
        id=text_of(conversation.get("uuid")),
    )
    thread = _thread(maps_of(conversation.get("chat_messages")))
    reports = _reports(thread)
    answers: list[dict[str, Any]] = []
    for message in [*thread, {"sender": "human"}]:
        if message.get("sender") == "assistant":
            answers.append(message)
        elif message.get("sender") == "human":
            if answers:
                _answer(chat, answers, reports)
                answers = []
            chat.ask(prompt_of(message.get("content")) or text_of(message.get("text")))
    return chat


def _thread(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages up to the last one of the file; retries and edits that were left are not in it.

    Old exports name no parents: then all messages are the thread.
    """
    parents = {
        text_of(message.get("uuid")): text_of(message.get("parent_message_uuid"))
        for message in messages
    }
    if "" in parents or not any(parents.values()):
        return messages
    by_id = {text_of(message.get("uuid")): message for message in messages}
    return [by_id[name] for name in branch(parents, text_of(messages[-1].get("uuid")))]


# --- An answer -----------------------------------------------------------------------------------


def _answer(chat: Chat, messages: list[dict[str, Any]], reports: dict[str, _Report]) -> None:
    answer = Answer("")
    unplaced = 0
    left_out: list[str] = []
    for message in messages:
        titles = _titles(message)
        _paragraph(answer)
        for block in _blocks(message):
            kind = text_of(block.get("type"))
            if kind == "text":
                text = text_of(block.get("text"))
                unplaced += _add(answer, text, _of_text(text, block, titles))
            elif kind not in _BESIDE:
                _paragraph(answer)
            if _is_artifact(block):
                value = map_of(block.get("input"))
                report = reports.get(text_of(value.get("id")))
                if report is None:
                    left_out.append(text_of(value.get("title")) or text_of(value.get("id")))
                elif report.block == id(block):
                    unplaced += _add(answer, report.text, report.citations)
                    _paragraph(answer)
    answer.leave_thoughts()
    if not answer.text.strip():
        return
    chat.answer(answer, date=date_of(messages[-1].get("created_at")))
    if unplaced:
        chat.note(
            "1 citation has no valid place in this export; its source is listed"
            if unplaced == 1
            else f"{unplaced} citations have no valid place in this export; "
            "their sources are listed"
        )
    for title in dict.fromkeys(left_out):
        chat.note(f"the artifact {title!r} is no Markdown; it is left out")


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a message; an old one has only a text. Where there are blocks, thoughts of
    theirs are in the text too.
    """
    content = message.get("content")
    if isinstance(content, list):
        return maps_of(content)
    return [{"type": "text", "text": message.get("text")}]


def _paragraph(answer: Answer) -> None:
    if answer.text.strip():
        answer.text = answer.text.rstrip() + "\n\n"


def _add(answer: Answer, text: str, citations: list[_Placed]) -> int:
    """Adds a text with its citations; how many have no place in it, so that they are listed."""
    base = len(answer.text)
    answer.text += text
    placed: list[tuple[int, Cited]] = []
    unplaced = 0
    for place, cited in citations:
        if not cited.url:
            lost = base + len(text[:place].rstrip())
            answer.lose(lost, lost)
        elif place is None:
            answer.list(cited)
            unplaced += 1
        else:
            placed.append((base + place, cited))
    cite_at(answer, placed)
    return unplaced


def _of_text(text: str, block: dict[str, Any], titles: dict[str, str]) -> list[_Placed]:
    """The citations of a block of text, which name no titles."""
    citations = maps_of(block.get("citations"))
    addresses = [
        (text_of(map_of(item.get("details")).get("url")) or text_of(item.get("url"))).strip()
        for item in citations
    ]
    return _placed(
        text, citations, [Cited(url, titles.get(url, "")) for url in addresses], _OF_TEXTS
    )


def _placed(
    text: str, citations: list[dict[str, Any]], cited: Iterable[Cited], units: Sequence[Unit]
) -> list[_Placed]:
    offsets = [(item.get("start_index"), item.get("end_index")) for item in citations]
    found = claims(text, offsets, units)
    return [_Placed(span and span[1], source) for span, source in zip(found, cited, strict=True)]


def _titles(message: dict[str, Any]) -> dict[str, str]:
    """The titles of what was retrieved for a message, by URL."""
    return {
        text_of(item.get("url")).strip(): text_of(item.get("title"))
        for block in maps_of(message.get("content"))
        if block.get("type") == "tool_result"
        for key in ("content", "structured_content")
        for item in maps_of(block.get(key))
    }


# --- Reports -------------------------------------------------------------------------------------


def _is_artifact(block: dict[str, Any]) -> bool:
    return block.get("type") == "tool_use" and block.get("name") == "artifacts"


def _reports(thread: list[dict[str, Any]]) -> dict[str, _Report]:
    """The last version of each artifact of Markdown, by its id."""
    found: dict[str, _Report] = {}
    for block in (block for message in thread for block in maps_of(message.get("content"))):
        value = map_of(block.get("input"))
        name = text_of(value.get("id"))
        if not _is_artifact(block):
            continue
        if value.get("type") == "text/markdown" or value.get("md_citations") or name in found:
            version = _version(value, found.get(name))
            if version is not None:
                found[name] = version._replace(block=id(block))
    return found


def _version(value: dict[str, Any], before: _Report | None) -> _Report | None:
    """What one call makes of an artifact: its whole text, or a stretch of it by another."""
    text = text_of(value.get("content"))
    old, new = text_of(value.get("old_str")), text_of(value.get("new_str"))
    if text:
        citations = maps_of(value.get("md_citations"))
        cited = [Cited(text_of(item.get("url")).strip(), _title(item)) for item in citations]
        return _Report(text, _placed(text, citations, cited, _OF_REPORTS))
    if before is None or not old or old not in before.text:
        return before
    start = before.text.index(old)
    end, longer = start + len(old), len(new) - len(old)
    return _Report(
        before.text[:start] + new + before.text[end:],
        [
            _Placed(place, cited)
            if place is None or place <= start
            else _Placed(place + longer if place >= end else None, cited)
            for place, cited in before.citations
        ],
    )


def _title(citation: dict[str, Any]) -> str:
    """The title of the page; `title` is but a short label."""
    preview = text_of(map_of(citation.get("metadata")).get("preview_title"))
    return preview or text_of(citation.get("title"))

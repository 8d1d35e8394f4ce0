"""Perplexity: threads exported as Markdown, responses of its API, and the data that users request.

The Markdown has footnotes, `[^2_1]` for the first source of the second turn, whose definitions are
URLs alone. In a response `[n]` is the n-th of its `citations`. The requested data has such numbers
and no sources at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import (
    Chat,
    exchange,
    file_source,
    prompt_of,
    records,
    request_messages,
)
from cite_filter.importers.exports import Export
from cite_filter.importers.marks import in_prose
from cite_filter.importers.values import date_of, list_of, map_of, maps_of, text_of
from cite_filter.prose import mask_code

NAME = "perplexity"

_LOGO = re.compile(r"\s*<img\b[^<>]*\bperplexity\.ai/[^<>]*>")
_OWN = re.compile(
    r"perplexity\.ai/pplx-[\w-]*logo|^\[\^[0-9]+_[0-9]+\]:[ \t]*https?://"
    r"|>⁂</div>\s*\[\^[0-9]+\]:[ \t]",
    re.M,
)
_MARK = re.compile(r"\[\^([0-9]+(?:_[0-9]+)?)\]")
_TURN_OF_MARK = re.compile(r"\[\^([0-9]{1,9})_[0-9]+\]")
_DEFINITION = re.compile(r"^ {0,3}\[\^([0-9]+(?:_[0-9]+)?)\]:[ \t]*(.*?)[ \t]*(?:\n|\Z)", re.M)
_UNDER_DEFINITIONS = re.compile(r"^<div\b[^<>\n]*>⁂</div>[ \t]*$", re.M)
_UNCITED = re.compile(r"<span style=\"display: ?none;?\">.*?</span>", re.S)
_DIVIDER = re.compile(r"^---[ \t]*\n(?=\s*# )", re.M)
_QUESTION = re.compile(r"\s*# (.*)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_INNER = (
    r"(?:web|page|file|attached_file|image|attached_image|generated_image|generated_file"
    r"|generated_video|code_file|chart|memory|conversation_history|calendar_event|email|search)"
    r":[0-9]+"
)
_UNKNOWN = re.compile(rf"\[{_INNER}(?:, ?{_INNER})*\]")
"""Names of what the model read, which no export explains."""


def recognises(export: Export) -> bool:
    """Whether this is a thread, a response or the requested data of Perplexity's."""
    if _conversations(export.data):
        return True
    found = records(export)
    if found or export.data is not None:
        return any(_is_response(exchange(record).response) for record in found)
    return _OWN.search(export.text) is not None


def transcripts(export: Export) -> Iterator[Imported]:
    """The threads of the export. Raises Refused where none says anything."""
    found = [chat for chat in _chats(export) if chat.turns]
    if not found:
        raise Refused("holds no answers; export the thread again")
    for chat in found:
        yield chat.imported()


def _chats(export: Export) -> Iterator[Chat]:
    conversations = _conversations(export.data)
    responses = [] if conversations else records(export)
    if conversations:
        yield from map(_requested, conversations)
    elif responses and _is_chunk(responses[0]):
        yield _response({}, _whole(responses))
    elif responses:
        for record in responses:
            yield _response(*exchange(record))
    else:
        yield _thread(export.text.replace("\r\n", "\n"))


# --- Markdown ------------------------------------------------------------------------------------


def _thread(text: str) -> Chat:
    chat = Chat()
    logo = _LOGO.match(text)
    for part in _turns(text[logo.end() :] if logo else text):
        question = _QUESTION.match(part)
        chat.ask(question[1].strip() if question else "")
        chat.answer(_answer(part[question.end() :] if question else part))
    return chat


def _turns(text: str) -> list[str]:
    """The turns: a rule and a heading divide them, as they may also divide an answer.

    Then the number of the turn in the marks tells: what is marked like the turn before belongs to
    it, and no more parts are turns than numbers are left for.
    """
    places = [0, *(match.end() for match in _DIVIDER.finditer(mask_code(text))), len(text)]
    turns: list[tuple[int, int]] = []
    unmarked: list[tuple[int, int]] = []
    number = 0
    for start, end in pairwise(places):
        marks = _TURN_OF_MARK.findall(text, start, end)
        if not marks:
            unmarked.append((start, end))
            continue
        if turns and int(marks[0]) <= number:
            turns[-1] = (turns[-1][0], end)
        else:
            between = int(marks[0]) - number - 1
            turns += unmarked[:between]
            turns.append((unmarked[between][0] if unmarked[between:] else start, end))
        unmarked = []
        number = max(number, int(marks[-1]))
    return [_undivided(text[start:end]) for start, end in [*turns, *unmarked]]


def _undivided(part: str) -> str:
    return re.sub(r"\n---\s*\Z", "\n", part)


def _answer(text: str) -> Answer:
    """The answer, without what is drawn below it, and its citations."""
    masked = mask_code(text)
    known: dict[str, Cited | None] = {}
    cuts = [match.span() for match in _UNDER_DEFINITIONS.finditer(masked)]
    cuts += [match.span() for match in _UNCITED.finditer(masked)]
    for match in _DEFINITION.finditer(masked):
        cuts.append(match.span())
        cited = _defined(text[match.start(2) : match.end(2)])
        if known.setdefault(match[1], cited) != cited:
            known[match[1]] = None  # defined twice, and not alike
    answer = Answer(_without(text, cuts).rstrip())
    for match in in_prose(answer.text, _MARK):
        source = known.get(match[1])
        if source is None:
            answer.lose(*match.span())
        else:
            answer.cite(*match.span(), [source])
    for match in in_prose(answer.text, _UNKNOWN):
        answer.lose(*match.span())
    for source in known.values():
        if source is not None:
            answer.list(source)
    return answer


def _without(text: str, cuts: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in sorted(cuts):
        if start >= done:
            pieces.append(text[done:start])
            done = end
    return "".join([*pieces, text[done:]])


def _defined(written: str) -> Cited | None:
    """The source of a definition: a URL, else the name of a file; None where it is empty."""
    return _source(_ESCAPE.sub(r"\1", written))


def _source(named: str, title: str = "") -> Cited | None:
    named = named.strip()
    if re.match(r"https?://", named, re.I):
        return Cited(named, title)
    return file_source(named) if named else None


# --- Responses -----------------------------------------------------------------------------------


def _is_response(response: dict[str, Any]) -> bool:
    if not isinstance(response.get("choices"), list):
        return False
    model = text_of(response.get("model")).lower()
    if re.search(r"(?:^|[/.-])(?:sonar|pplx|r1-1776)|^perplexity\b", model):
        return True
    sources = maps_of(response.get("search_results")) or list_of(response.get("citations"))
    return bool(sources) and not model


def _response(request: dict[str, Any], response: dict[str, Any]) -> Chat:
    chat = Chat(date=date_of(response.get("created")))
    for message in request_messages(request):
        if message.get("role") == "user":
            chat.ask(prompt_of(message.get("content")))
        elif message.get("role") == "assistant":
            earlier = Answer(prompt_of(message.get("content")))
            earlier.cite_by_number({})
            chat.answer(earlier)
    choice = map_of(next(iter(list_of(response.get("choices"))), None))
    answer = Answer(prompt_of(map_of(choice.get("message")).get("content")))
    answer.cite_by_number(_numbered(response))
    chat.answer(answer, date=chat.date)
    return chat


def _numbered(response: dict[str, Any]) -> dict[int, Cited]:
    """The sources by number. A place without one keeps its number."""
    results = list_of(response.get("search_results"))
    titles = {
        text_of(result.get("url")).strip(): text_of(result.get("title"))
        for result in reversed(maps_of(results))
    }
    listed = list_of(response.get("citations")) or [map_of(result).get("url") for result in results]
    sources = (_source(text_of(url), titles.get(text_of(url).strip(), "")) for url in listed)
    return {number: source for number, source in enumerate(sources, start=1) if source}


def _is_chunk(record: dict[str, Any]) -> bool:
    return record.get("object") == "chat.completion.chunk"


def _whole(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """The response that a stream brought in pieces."""
    whole: dict[str, Any] = {}
    said = []
    for chunk in chunks:
        whole |= {key: value for key, value in chunk.items() if value}
        for choice in maps_of(chunk.get("choices"))[:1]:
            said.append(text_of(map_of(choice.get("delta")).get("content")))
    return {**whole, "choices": [{"message": {"content": "".join(said)}}]}


# --- Requested data ------------------------------------------------------------------------------


def _conversations(value: Any) -> list[dict[str, Any]]:
    """The conversations of the requested data; none in anything else."""
    held = value.get("conversations") if isinstance(value, dict) else value
    return [
        conversation
        for conversation in maps_of(held)
        if any("query" in entry or "answer" in entry for entry in _entries(conversation))
    ]


def _entries(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    return maps_of(conversation.get("entries"))


def _requested(conversation: dict[str, Any]) -> Chat:
    chat = Chat(text_of(conversation.get("context_title")), date_of(conversation.get("created_at")))
    chat.messages.append(
        "Perplexity leaves all sources out of the data it sends on request; "
        "export the thread as Markdown to have them"
    )
    for entry in _entries(conversation):
        chat.ask(text_of(entry.get("query")))
        answer = Answer(text_of(entry.get("answer")))
        answer.cite_by_number({})
        chat.answer(answer, date=date_of(entry.get("created_at")))
    return chat

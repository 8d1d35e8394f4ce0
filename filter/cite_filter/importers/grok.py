"""Grok's export of all data: `prod-grok-backend.json`.

An answer cites by tags that name a card; what a card holds stands beside the answer as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import Chat
from cite_filter.importers.exports import Export
from cite_filter.importers.values import date_of, list_of, map_of, maps_of, text_of
from cite_filter.prose import OPAQUE, mask_code

NAME = "grok"

_MARK = re.compile(
    r"<grok:render\b(?P<attributes>[^<>]*)(?:/>|>(?:(?!<grok:render\b).)*?</grok:render>)"
    r"|\[\]\(grok_render_citation_card_json=(?P<json>\{[^{}]*\})\)",
    re.S,
)
_TOOLS = re.compile(
    r"<xai:tool_usage_card\b(?:(?!<xai:tool_usage_card\b).)*?</xai:tool_usage_card>\n*", re.S
)
_ATTRIBUTE = re.compile(r"([\w-]+)=\"([^\"]*)\"")


def recognises(export: Export) -> bool:
    """Whether the export holds conversations of Grok's shape."""
    return any(_responses(item) for item in _conversations(export.data))


def transcripts(export: Export) -> Iterator[Imported]:
    """The conversations of the export, those without any answer left out."""
    count = 0
    for item in _conversations(export.data):
        chat = _chat(item)
        if chat.turns:
            count += 1
            yield chat.imported()
    if not count:
        raise Refused("none of its conversations has an answer; there is nothing to import")


def _conversations(data: Any) -> list[dict[str, Any]]:
    found = maps_of(map_of(data).get("conversations")) or maps_of([data, *list_of(data)])
    return [item for item in found if isinstance(item.get("conversation"), dict)]


def _responses(item: dict[str, Any]) -> list[dict[str, Any]]:
    found = [map_of(one.get("response")) for one in maps_of(item.get("responses"))]
    return [response for response in found if isinstance(response.get("sender"), str)]


def _chat(item: dict[str, Any]) -> Chat:
    about = map_of(item.get("conversation"))
    chat = Chat(
        title=text_of(about.get("title")),
        date=_date(about.get("create_time")),
        id=text_of(about.get("id")),
    )
    for response in _branch(item, chat):
        if text_of(response.get("sender")).lower() == "human":
            chat.ask(text_of(response.get("message")))
            continue
        answer, left_out = _answer(response)
        turns = len(chat.turns)
        chat.answer(answer, date=_date(response.get("create_time")))
        if left_out and len(chat.turns) > turns:
            cards = (
                "1 card that is no citation is"
                if left_out == 1
                else f"{left_out} cards that are no citations are"
            )
            chat.note(f"{cards} left out")
    return chat


def _branch(item: dict[str, Any], chat: Chat) -> list[dict[str, Any]]:
    """The responses of the branch that was shown; all in order where they make no one tree."""
    responses = {text_of(one.get("_id")): one for one in _responses(item)}
    parents = {key: text_of(one.get("parent_response_id")) for key, one in responses.items()}
    roots = [key for key, parent in parents.items() if parent not in parents]
    if len(roots) != 1 or len(responses) < len(_responses(item)):
        return _responses(item)
    leaf = text_of(map_of(item.get("conversation")).get("leaf_response_id"))
    dates = {key: _date(one.get("create_time")) for key, one in responses.items()}
    return [responses[key] for key in chat.branch(parents, dates, leaf)]


def _date(value: Any) -> str | None:
    """A moment as text, or as MongoDB writes it: milliseconds, as text in two objects."""
    inner = map_of(value).get("$date", value)
    number = text_of(map_of(inner).get("$numberLong"))
    return date_of(int(number)) if re.fullmatch(r"\d{1,15}", number) else date_of(inner)


def _answer(response: dict[str, Any]) -> tuple[Answer, int]:
    """The answer, and how many of its cards are pictures and the like."""
    answer = Answer(_TOOLS.sub("", text_of(response.get("message"))))
    cards, titles = _cards(response), _titles(response)
    masked = mask_code(answer.text)
    left_out = 0
    for mark in _MARK.finditer(answer.text):
        start, end = mark.span()
        if masked[start] == OPAQUE:
            continue
        ids, is_citation = _named(mark)
        cited = [Cited(url, titles.get(url, "")) for one in ids if (url := cards.get(one))]
        if not is_citation:
            left_out += 1
            cited = []
        elif len(cited) < len(ids) or not ids:
            end -= 1
            answer.lose(end, end + 1)
        answer.cite(start, end, cited)
    for url, title in titles.items():
        answer.list(Cited(url, title))
    return answer, left_out


def _named(mark: re.Match[str]) -> tuple[list[str], bool]:
    """The cards that a mark names, and whether it cites them."""
    if mark["json"] is not None:
        try:
            named = map_of(json.loads(mark["json"]))
        except (ValueError, RecursionError):
            named = {}
        return [text_of(one) for one in list_of(named.get("cardIds"))], True
    attributes = dict(_ATTRIBUTE.findall(mark["attributes"]))
    kinds = (attributes.get("type", ""), attributes.get("card_type", ""))
    name = attributes.get("card_id", "")
    return [name] if name else [], any("citation" in kind for kind in kinds)


def _cards(response: dict[str, Any]) -> dict[str, str]:
    """The URL of each card; empty for one that has several."""
    found: dict[str, str] = {}
    written = response.get("card_attachments_json")
    for value in [written] if isinstance(written, (str, dict)) else list_of(written):
        for card in _parsed(value):
            fields = {key.lower(): field for key, field in card.items()}
            name, url = text_of(fields.get("id")), text_of(fields.get("url")).strip()
            if name and re.match(r"https?://", url, re.I):
                found[name] = url if found.get(name, url) == url else ""
    return found


def _parsed(value: Any) -> list[dict[str, Any]]:
    """The cards in a value that may be JSON as text, once or twice, or a list of them."""
    for _ in range(2):
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return []
    if isinstance(value, list):
        return [card for item in value if isinstance(item, (str, dict)) for card in _parsed(item)]
    return maps_of([value])


def _titles(response: dict[str, Any]) -> dict[str, str]:
    """The pages that the answer cites, by URL, with their titles."""
    return {
        url: text_of(page.get("title"))
        for page in maps_of(response.get("cited_web_search_results"))
        if re.match(r"https?://", url := text_of(page.get("url")).strip(), re.I)
    }

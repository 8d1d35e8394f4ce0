"""ChatGPT's data export: `conversations.json`, whole, split, or wrapped in an object.

A conversation is a tree; what the user saw is the branch that ends at `current_node`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cite_filter.importers import Imported, Refused
from cite_filter.importers.answers import Answer
from cite_filter.importers.chatgpt_citations import Citations
from cite_filter.importers.chats import Chat
from cite_filter.importers.exports import Export
from cite_filter.importers.values import date_of, list_of, map_of, maps_of, text_of

NAME = "chatgpt"

_SHOWN = frozenset(("text", "multimodal_text"))
"""Contents that are shown: no thoughts, no calls and results of tools, nothing of the profile."""


def recognises(export: Export) -> bool:
    """Whether a conversation of the export has messages of ChatGPT's shape."""
    return any(_messages(conversation) for conversation in _conversations(export.data))


def transcripts(export: Export) -> Iterator[Imported]:
    """The conversations of the export, those without any answer left out."""
    count = 0
    for conversation in _conversations(export.data):
        chat = _chat(conversation)
        if chat.turns:
            count += 1
            yield chat.imported()
    if not count:
        raise Refused("none of its conversations has an answer in text; there is nothing to import")


def _conversations(data: Any) -> list[dict[str, Any]]:
    if isinstance(data, dict):
        return maps_of(data.get("conversations")) or [data]
    return maps_of(data)


def _messages(conversation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The messages of all branches, by the node that holds them."""
    return {
        key: message
        for key, node in map_of(conversation.get("mapping")).items()
        if (message := map_of(map_of(node).get("message")))
        and "role" in map_of(message.get("author"))
        and "content_type" in map_of(message.get("content"))
    }


def _chat(conversation: dict[str, Any]) -> Chat:
    chat = Chat(
        title=text_of(conversation.get("title")),
        date=date_of(conversation.get("create_time")),
        id=text_of(conversation.get("conversation_id")) or text_of(conversation.get("id")),
    )
    exchange: list[dict[str, Any]] = []
    for message in _branch(conversation, chat):
        if _role(message) == "user" and _is_shown(message):
            _add(chat, exchange)
            exchange = []
        exchange.append(message)
    _add(chat, exchange)
    return chat


def _branch(conversation: dict[str, Any], chat: Chat) -> list[dict[str, Any]]:
    """The messages of the branch that was shown."""
    messages = _messages(conversation)
    nodes = {key: map_of(node) for key, node in map_of(conversation.get("mapping")).items()}
    children = {
        text_of(child): key
        for key, node in nodes.items()
        for child in list_of(node.get("children"))
    }
    parents = {
        key: text_of(node.get("parent")) or children.get(key, "") for key, node in nodes.items()
    }
    leaf = text_of(conversation.get("current_node"))
    dates = {key: date_of(message.get("create_time")) for key, message in messages.items()}
    return [messages[key] for key in chat.branch(parents, dates, leaf) if key in messages]


def _add(chat: Chat, exchange: list[dict[str, Any]]) -> None:
    """Adds a question and all that answers it: what several messages say is one answer."""
    answer, date = Answer(""), None
    found: list[dict[str, Any]] = []
    left_out = 0
    for message in exchange:
        metadata = map_of(message.get("metadata"))
        if _role(message) == "tool":
            found.append(metadata)
        if not _is_shown(message):
            continue
        text, others = _content(message)
        left_out += others
        if _role(message) == "user":
            chat.ask(text)
        elif text.strip():
            answer.text += "\n\n" if answer.text else ""
            base = len(answer.text)
            answer.text += text
            same = [other for other in found if _is_same_exchange(other, metadata)]
            citations = Citations(text, metadata, same)
            citations.put(answer, base)
            left_out += citations.widgets
            date = date_of(message.get("create_time")) or date
    turns = len(chat.turns)
    chat.answer(answer, date=date)
    if left_out and len(chat.turns) > turns:
        left = (
            "1 picture, file or widget is"
            if left_out == 1
            else f"{left_out} pictures, files or widgets are"
        )
        chat.note(f"{left} left out")


def _role(message: dict[str, Any]) -> str:
    return text_of(map_of(message.get("author")).get("role"))


def _is_shown(message: dict[str, Any]) -> bool:
    metadata = map_of(message.get("metadata"))
    kind = text_of(map_of(message.get("content")).get("content_type"))
    if _role(message) not in ("user", "assistant"):
        # The report of deep research, and pictures that a tool has made.
        shown = metadata.get("is_async_task_result_message") is True or kind == "multimodal_text"
        if _role(message) != "tool" or not shown:
            return False
    return (
        kind in _SHOWN
        and message.get("recipient") in ("all", None)
        and message.get("channel") != "analysis"
        and metadata.get("is_visually_hidden_from_conversation") is not True
        and metadata.get("is_user_system_message") is not True
    )


def _content(message: dict[str, Any]) -> tuple[str, int]:
    """The text of a message, and how many parts of it are none."""
    content = map_of(message.get("content"))
    parts = list_of(content.get("parts")) or [text_of(content.get("text"))]
    is_tool = _role(message) == "tool" and content.get("content_type") == "multimodal_text"
    texts: list[str] = []
    others = 0
    for part in parts:
        if isinstance(part, dict) and not isinstance(part.get("text"), str):
            others += 1
        elif not is_tool:  # what a tool says of its pictures is for the model
            texts.append(text_of(part.get("text") if isinstance(part, dict) else part))
    return "\n\n".join(text for text in texts if text), others


def _is_same_exchange(one: dict[str, Any], other: dict[str, Any]) -> bool:
    first, second = one.get("turn_exchange_id"), other.get("turn_exchange_id")
    return first is None or second is None or first == second

"""Google's Interactions: steps, or outputs, of texts with annotations in UTF-8 bytes.

An annotation names a claim, or covers a `[cite: 1]` that the text cites by.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import Chat, Exchange, cite_at, either, prompt_of, source_of
from cite_filter.importers.values import Unit, date_of, maps_of, spans, text_of
from cite_filter.importers.words import claims
from cite_filter.prose import mask_code

_UNITS: Sequence[Unit] = ("utf-8", "code points", "utf-16")
_CITE = re.compile(r"\[cite: ([0-9]+(?:(?:, ?|[-–])[0-9]+)*)\]")
_STEPS = ("model_output", "user_input")


def is_interaction(record: dict[str, Any]) -> bool:
    """Whether an object is an interaction."""
    return record.get("object") == "interaction" or any(
        step.get("type") in _STEPS for step in maps_of(record.get("steps"))[:20]
    )


def read(chat: Chat, exchange: Exchange) -> None:
    """Reads the questions and answers of an interaction into the chat."""
    response = exchange.response
    asked = either(response, "input") or either(exchange.request, "input")
    steps = maps_of(response.get("steps"))
    if not any(step.get("type") == "user_input" for step in steps):
        for step in [{"content": asked}] if isinstance(asked, str) else maps_of(asked):
            if step.get("role", "user") == "user":
                chat.ask(prompt_of(step.get("content") or [step]))
    date = date_of(either(response, "created", "create_time"))
    texts: list[dict[str, Any]] = []
    for step in steps or [{"type": "model_output", "content": response.get("outputs")}]:
        if step.get("type") == "user_input":
            chat.answer(_annotated(texts), date=date)
            texts = []
            chat.ask(prompt_of(step.get("content")))
        elif step.get("type") == "model_output":
            texts += [item for item in maps_of(step.get("content")) if item.get("type") == "text"]
    chat.answer(_annotated(texts), date=date)


def _annotated(texts: Sequence[dict[str, Any]]) -> Answer:
    """The texts as one answer: an annotation names a claim, or covers a `[cite: 1]` of the text."""
    written = [text_of(item.get("text")) for item in texts]
    answer, base = Answer("".join(written)), 0
    for text, item in zip(written, texts, strict=True):
        _annotate(answer, base, text, maps_of(item.get("annotations")))
        base += len(text)
    return answer


def _annotate(answer: Answer, base: int, text: str, annotations: list[dict[str, Any]]) -> None:
    offsets = [(item.get("start_index") or 0, item.get("end_index")) for item in annotations]
    inline = {match.span(): match[1] for match in _CITE.finditer(mask_code(text))}

    def fits(_: int, start: int, end: int) -> bool:
        return (start, end) in inline

    found = spans(text, offsets, fits, _UNITS) if inline else claims(text, offsets, _UNITS)
    covering: dict[tuple[int, int], list[Cited]] = {span: [] for span in inline}
    placed: list[tuple[int, Cited]] = []
    for item, span in zip(annotations, found, strict=True):
        name = either(item, "title", "file_name", "document_uri")
        source = source_of(either(item, "url", "source", "uri"), name)
        if source is None:
            continue
        if span is None:
            answer.list(source)
        elif span in covering:
            covering[span].append(source)
        else:
            placed.append((base + span[1], source))
    for span, sources in covering.items():
        start, end = base + span[0], base + span[1]
        if sources:
            answer.cite(start, end, sources)
            for _ in inline[span].split(",")[len(sources) :]:
                answer.lose(end, end)
        else:
            answer.lose(start, end)
    cite_at(answer, placed)

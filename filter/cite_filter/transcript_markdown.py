"""The Markdown form of a stored transcript: `docs/format.md`, section 1.

What the user and the model wrote is text here, never structure: a line of theirs that would open or
close a div, or a code block that would pass for a list of sources, is written so that it does not,
and read back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cite_filter import fences, source_lists, source_text
from cite_filter.errors import CiteError
from cite_filter.fields import Fields, InvalidData
from cite_filter.source_lists import SourcesError
from cite_filter.sources import Source, ToolCallRecord
from cite_filter.transcripts import Transcript, Turn
from cite_filter.yaml_text import scalar

# A line that Pandoc, or the source pass, may take for the fence of a div; with the backslashes that
# were put before the colons to make it text.
_PREFIX = r"^([ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++[ \t>]*+)*+"
_COLONS = re.compile(_PREFIX + r")(\\*+)(:{3,})", re.M)
_CODE_SOURCES = re.compile(
    _PREFIX + r"(?:`{3,}|~{3,})[ \t]*)(sources(?:-of-text)*)(?=[ \t]|$)", re.M
)
_MARKUP = re.compile(r"[\\`*_\[\]<>$~^&{}|!#@:]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T.*")
_NOTHING = "<!-- -->"
_TOOLS = re.compile(r"\*Tools: (.+)\*")
_FENCES = re.compile(r"`{3,}|~{3,}")
# What ends the kinds of HTML that run on to their end, by what begins them.
_HTML_ENDS = {
    **{"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>", "<!": ">"},
    **{f"<{name}": f"</{name}>" for name in ("script", "style", "pre", "textarea")},
}
# What a text without has nothing that could be structure.
_SUSPECT = re.compile(r":::|`{3}|~{3}|<")
_OPENERS = re.compile(_PREFIX + r")(`{3,}|~{3,}|<)", re.M)


def write(transcript: Transcript, *, tools: bool, list_all: bool) -> str:
    """The transcript as Markdown."""
    parts = list(_front_matter(transcript, list_all))
    for turn in transcript.turns:
        parts += _turn(turn, tools=tools)
    return "\n".join(parts).rstrip("\n") + "\n"


def _front_matter(transcript: Transcript, list_all: bool) -> Iterator[str]:
    date = transcript.date or ""
    provenance = dict(transcript.provenance)
    if _TIME.fullmatch(date):  # a document shows the day
        provenance["date"] = date
        date = date[:10]
    fields = {"title": _as_text(transcript.title), "lang": transcript.language, "date": date}
    if not any(fields.values()) and not provenance and not list_all:
        return
    yield "---"
    for key, value in fields.items():
        if value:
            yield f"{key}: {scalar(value)}"
    if provenance:
        yield "provenance:"
        for key, value in provenance.items():
            yield f"  {scalar(key)}: {scalar(_as_text(value))}"
    if list_all:
        yield "cite-filter:\n  list: all"
    yield "---\n"


def _turn(turn: Turn, *, tools: bool) -> Iterator[str]:
    prompt, answer = _safe(turn.prompt), _safe(turn.answer)
    fence = ":" * _colons(prompt, answer)
    attributes = {"lang": turn.language, "date": turn.date}
    written = "".join(f" {key}={_attribute(value)}" for key, value in attributes.items() if value)
    yield f"{fence} {{.turn{written}}}"
    if prompt.strip():
        yield f"{fence} {{.prompt}}\n{prompt.lstrip(chr(10))}\n{fence}\n"
    if answer.strip():
        yield answer.lstrip("\n") + "\n"
        if _TOOLS.fullmatch(answer.rstrip().rpartition("\n")[2]):
            yield f"{_NOTHING}\n"  # parts it from a line of tools
    sources = turn.all_sources
    if sources:
        yield "```sources\n" + "\n".join(map(_source, sources)) + "\n```\n"
    names = dict.fromkeys(_as_text(call.tool).replace(",", "\\,") for call in turn.tool_calls)
    if tools and any(names):
        yield f"*Tools: {', '.join(filter(None, names))}*\n"
    yield f"{fence}\n"


def _source(source: Source) -> str:
    more = "".join(
        f"\n  {scalar(key)}: {scalar(value)}"
        for key, value in source.more.items()
        if isinstance(value, str)
    )
    title, url = scalar(source.title), scalar(source.url)
    return f"- index: {source.number}\n  title: {title}\n  url: {url}{more}"


def _as_text(text: str) -> str:
    """`text` on one line as Markdown that is read as `text`: Pandoc parses metadata."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def _attribute(value: str) -> str:
    """A value of a div's attribute: characters that would end it go."""
    return '"' + re.sub(r'["\\{}\s]', "", value) + '"'


def _colons(*texts: str) -> int:
    """Colons of the fences of a turn: more than any line of code in it has."""
    lines = [line for text in texts for line in text.split("\n") if fences.is_colons(line.lstrip())]
    return max([3, *(1 + len(line.strip()) for line in lines)])


def _safe(text: str) -> str:
    """Markdown of somebody's, in which nothing is structure of the transcript's."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    if not _SUSPECT.search(text):
        return text
    # Code or HTML that was left open would swallow what follows.
    for ended in _ended(text):
        safe = _without_colons(_CODE_SOURCES.sub(r"\1\2-of-text", ended))
        if _unsafe(safe) == ended and _stands_alone(safe):
            return safe
    return _without_colons(_OPENERS.sub(r"\1\\\2", text))


def _ended(text: str) -> Iterator[str]:
    """`text` as it is, then with what may close code and HTML at its end."""
    code = ["", *sorted({run[0] for run in _FENCES.finditer(text)}, key=len, reverse=True)]
    lower = text.lower()
    for html in ("", *(end for begin, end in _HTML_ENDS.items() if begin.lower() in lower)):
        for fence in code:
            yield "\n".join([text, *filter(None, (fence, html))])
            if fence and html:
                yield "\n".join([text, html, fence])


def _without_colons(text: str) -> str:
    """`text`, in which no line outside code opens or closes a div."""
    if ":::" not in text:
        return text
    lines = text.split("\n")
    kinds = fences.read(list(lines))
    for position, kind in enumerate(kinds[: len(lines)]):
        if kind.kind != "code":
            lines[position] = _COLONS.sub(r"\1\2\\\3", lines[position])
    return "\n".join(lines)


def _stands_alone(text: str) -> bool:
    """Whether the list of sources behind `text` is seen, and a turn behind that."""
    fence = ":" * _colons(text)
    turn = f"{fence} {{.turn}}\n{text}\n\n```sources\n- url: x\n```\n\n{fence}\n"
    try:
        source = source_text.parse(turn * 2, Path())
    except CiteError:
        return False
    if _fences(source.text) != _fences(turn * 2):
        return False  # the source pass had something to close
    turns = [1 + turn.count("\n") * n for n in range(2)]
    return [place.turn.line for place in source.scopes.places] == turns


def _fences(text: str) -> list[str]:
    return [line for line in text.split("\n") if _FENCES.search(line) or ":::" in line]


# --- Reading back --------------------------------------------------------------------------------


def read(text: str) -> Transcript:
    """The transcript that `write` wrote. Raises InvalidData with the line."""
    lines = text.replace("\r\n", "\n").split("\n")
    fields, body = _read_front_matter(lines)
    kinds = fences.read(lines, body)
    turns: list[Turn] = []
    start: int | None = None
    depth = 0
    for position in range(body, len(lines)):
        kind = kinds[position]
        if kind.kind == "open":
            if depth == 0:
                if "turn" not in kind.classes:
                    raise InvalidData(f"line {position + 1}: a div that is no turn")
                start = position
            depth += 1
        elif kind.kind == "close":
            depth -= 1
            if depth == 0 and start is not None:
                turns.append(_read_turn(lines, kinds, start, position))
        elif depth == 0 and lines[position].strip():
            raise InvalidData(f"line {position + 1}: text outside the turns")
    if depth:
        raise InvalidData(f"line {(start or 0) + 1}: a turn that does not end")
    held = Fields(fields, "metadata")
    title, language, date = held.text("title"), held.text("lang"), held.text("date")
    provenance = {key: _as_written(value) for key, value in held.texts("provenance").items()}
    return Transcript(
        turns=turns,
        title=_as_written(title or ""),
        language=language,
        date=provenance.pop("date", None) or date,
        provenance=provenance,
    )


def _read_front_matter(lines: list[str]) -> tuple[dict[str, Any], int]:
    if not lines or lines[0] != "---":
        return {}, 0
    end = next((n for n in range(1, len(lines)) if lines[n] in ("---", "...")), None)
    if end is None:
        raise InvalidData("line 1: metadata that does not end")
    try:
        node = source_lists.compose("\n".join(lines[1:end]))
        return _plain(node) if node is not None else {}, end + 1
    except SourcesError as error:
        raise InvalidData(f"line {(error.line or 0) + 1}: {error.message}") from None


def _plain(node: Any) -> Any:
    if node.id == "mapping":
        return {key: _plain(value) for key, value in source_lists.pairs(node).items()}
    if node.id == "sequence":
        return [_plain(item) for item in node.value]
    return node.value


def _read_turn(lines: list[str], kinds: Sequence[fences.Line], start: int, end: int) -> Turn:
    attributes = dict(re.findall(r'(lang|date)="([^"]*)"', lines[start]))
    first, prompt = start + 1, ""
    if kinds[first].kind == "open" and "prompt" in kinds[first].classes:
        last = next(n for n in range(first + 1, end) if kinds[n].kind == "close")
        prompt = "\n".join(lines[first + 1 : last])
        first = last + 1
    rest = [n for n in range(first, end) if lines[n].strip()]
    calls: list[ToolCallRecord] = []
    if rest and (tools := _TOOLS.fullmatch(lines[rest[-1]])):
        end = rest[-1]
        calls = [ToolCallRecord(_as_written(name)) for name in re.split(r"(?<!\\), ", tools[1])]
    opening = next((n for n in reversed(range(first, end)) if kinds[n].opens_sources), None)
    sources: list[Source] = []
    if opening is not None:
        sources = _read_sources(lines, opening, end)
        end = opening
    rest = [n for n in range(first, end) if lines[n].strip()]
    if rest and lines[rest[-1]] == _NOTHING:
        end = rest[-1]
    return Turn(
        answer=_unsafe("\n".join(lines[first:end]).strip("\n")),
        prompt=_unsafe(prompt),
        sources=sources,
        tool_calls=calls,
        language=attributes.get("lang"),
        date=attributes.get("date"),
    )


def _read_sources(lines: list[str], opening: int, end: int) -> list[Source]:
    closing = next(n for n in range(opening + 1, end) if lines[n].strip() == "```")
    try:
        node = source_lists.compose("\n".join(lines[opening + 1 : closing]), after=opening + 1)
        entries = source_lists.entries_of(node, after=opening + 1)
        source_lists.numbered(entries)
    except SourcesError as error:
        raise InvalidData(f"line {error.line or opening + 1}: {error.message}") from None
    found = []
    for position, entry in enumerate(entries, start=1):
        fields = dict(entry.fields)
        number = int(fields.pop("index", None) or position)
        title, url = fields.pop("title", None) or "", fields.pop("url", None) or ""
        found.append(Source(number, title, url, {k: v for k, v in fields.items() if v is not None}))
    return found


def _as_written(text: str) -> str:
    return _ESCAPE.sub(r"\1", text)


def _unsafe(text: str) -> str:
    """What `_safe` was given, but for what it closed."""
    lines = text.split("\n")
    kinds = fences.read(list(lines))
    for position, kind in enumerate(kinds[: len(lines)]):
        if kind.kind != "code":
            lines[position] = _COLONS.sub(
                lambda found: found[1] + found[2].removesuffix("\\") + found[3], lines[position]
            )
        lines[position] = _opening_unsourced(lines[position])
    return "\n".join(lines)


def _opening_unsourced(line: str) -> str:
    fence = _CODE_SOURCES.match(line)
    if fence is None or not fence[2].endswith("-of-text"):
        return line
    return fence[1] + fence[2].removesuffix("-of-text") + line[fence.end() :]

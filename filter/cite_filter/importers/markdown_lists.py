"""Lists of sources in a text of Markdown, and definitions of numbers: which number is which source.

A list stands under a heading, or a line, that calls it one (`source_headings`). Its entries have
numbers in any of the ways that products write them, and each names one URL, whose title is all else
that the entry says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cite_filter import fences
from cite_filter.importers.answers import Cited
from cite_filter.importers.source_headings import is_unmistakable, names_sources

LABEL = r"(?:[^\[\]\\\n]|\\.|\[(?:[^\[\]\\\n]|\\.)*+\])*+"
"""What stands between the brackets of a link; a pattern without groups."""
DESTINATION = (
    r"\(\s*(?:<(?P<{0}angle>[^<>\n]*)>"
    r"|(?P<{0}plain>(?!<)(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.|\([^\s()]*+\))*+\))++))"
    r"(?:\s+(?:\"(?P<{0}title>(?:[^\"\\]|\\.)*+)\"|'(?:[^'\\]|\\.)*+'))?\s*\)"
)
"""What follows them; `format` gives its groups a prefix."""

_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_URL = r"https?://[^\s<>\"“”„«»「」『』（）《》【】。，、；：！？]+"
_ADDRESS = re.compile(
    rf"(?P<link>!?\[(?P<label>{LABEL})\]{DESTINATION.format('')})|<(?P<auto>https?://[^<>\n]+)>"
    rf"|(?P<bare>{_URL})",
    re.I,
)
_EMPTY = re.compile(r"[(\[（【]\s*[)\]）】]")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)(.+?)(?<=\S)\1(?![\w*])")
_SEPARATORS = " \t-–—:：|,，;；.。·•\u200b"
_LONGEST_TITLE = 400

_ENTRY = re.compile(
    r" {0,3}(?:[-*+•][ \t]+)?(?:"
    r"(?P<bracket>\[{1,2}\^?(?:ref_)?(?P<n1>[0-9]{1,9})\^?\]{1,2}):?"
    r"|(?P<escaped>\\\[(?P<n2>[0-9]{1,9})\\\]):?"
    r"|(?P<lenticular>【(?P<n3>[0-9]{1,9})】):?"
    r"|(?P<round>\((?P<n4>[0-9]{1,9})\))"
    r"|(?P<dot>(?P<n5>[0-9]{1,9})(?:\\?\.|[)、．]))"
    r")(?(dot)(?:[ \t]+|$|(?=[\[<(]|https?:))|[ \t]*)(?P<body>.*)"
)
_FOOTNOTE = re.compile(r" {0,3}\[\^?[^\s\[\]]+\]:")
_DEFINITION = re.compile(r" {0,3}\[(?P<caret>\^)?(?P<number>[0-9]{1,9})\]:[ \t]*(?P<body>\S.*)")
_ONE = re.compile(r" {0,3}1\.[ \t]")
_URL_LINE = re.compile(
    r"[ \t]*(?:(?:url|link|web|online|source|available(?: (?:at|from|online))?|retrieved from|doi"
    r"|verfügbar(?: unter)?|disponible(?: en| sur)?|链接|网址|網址|連結)[ \t]*[:：][ \t]*)?"
    r"(?:<https?://[^<>\n]+>|https?://[^\s<>]+)[ \t]*",
    re.I,
)
"""A line that says nothing but the URL of the entry above it."""
_URL_ALONE = re.compile(r"(?:<https?://[^<>\n]+>|https?://[^\s<>]+)[ \t]*", re.I)
_TITLE_LINE = re.compile(r"[ \t]*(?:\"((?:[^\"\\]|\\.)++)\"|'([^']+)'|\(([^()]+)\))[ \t]*")
_NO_PROSE = re.compile(
    r"(?:<https?://[^<>\n]+>|https?://[^\s<>]+|\[" + LABEL + r"\]\([^)\n]*\))[ \t]*"
    r"(?:$|[ \t][\"'(“].*[\"')”][ \t]*$|[-–—:|·][ \t]+\S)",
    re.I,
)
"""What a footnote says that is a source: a URL, or a link, and what can be its title."""
_URL_FIRST = re.compile(r"<?https?://|\[" + LABEL + r"\]\([^)\n]*\)\s*$", re.I)
_BREAK = re.compile(r" {0,3}(?:#{1,6}(?:\s|$)|```|~~~|(?:[-*_][ \t]*){3,}$|<)")
_HAS_URL = re.compile(r"https?://", re.I)


class Block(NamedTuple):
    """A list of sources, or a run of definitions; its places are code points of the text."""

    start: int
    end: int
    entries: Sequence[tuple[int, Cited | None]]
    """Number and source, in order; None where the entry was not understood."""
    is_list: bool
    """Whether it is a list under a heading."""
    is_ordered: bool = False
    """Whether its numbers are those of any ordered list: `1.`, `1)`."""
    defines: bool = True
    """Whether its entries are definitions, `[1]: `, to which labels of links refer."""

    def sources(self) -> dict[int, Cited]:
        """The sources by number, without numbers of several sources."""
        return {number: cited for number, cited in _unanimous(self.entries).items() if cited}

    def is_understood(self) -> bool:
        """Whether every entry has become a source."""
        return len(self.sources()) == len({number for number, _ in self.entries}) and all(
            cited for _, cited in self.entries
        )


def blocks(text: str) -> list[Block]:
    """The lists and runs of definitions in a text, in order."""
    lines = text.split("\n")
    kinds = fences.read(list(lines))
    prose = [kind.kind == "text" for kind in kinds[: len(lines)]]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found: list[Block] = []
    position = 0
    while position < len(lines):
        read = _list(lines, prose, position) or _definitions(lines, prose, position)
        if read is None:
            position += 1
            continue
        found.append(read._replace(start=starts[read.start], end=min(starts[read.end], len(text))))
        position = read.end
    return found


def _list(lines: list[str], prose: list[bool], heading: int) -> Block | None:
    """The list whose heading is a line; its places are lines."""
    if not prose[heading] or not names_sources(lines[heading]):
        return None
    entries = list(_entries(lines, prose, heading + 1))
    if not entries:
        return None
    is_ordered = entries[0].style == "dot"
    if is_ordered and not is_unmistakable(lines[heading]):
        return None
    numbers = [entry.number for entry in entries]
    if all(_ONE.match(entry.line) for entry in entries):  # as Markdown counts a list of `1.`
        numbers = list(range(1, len(entries) + 1))
    sources = [_source(entry.body) for entry in entries]
    defines = all(_DEFINITION.fullmatch(entry.line) for entry in entries)
    named = list(zip(numbers, sources, strict=True))
    return Block(heading, entries[-1].end, named, True, is_ordered, defines)


class _Entry(NamedTuple):
    """One entry of a list."""

    line: str
    """The line that it begins with."""
    end: int
    """The line after it."""
    style: str
    number: int
    body: str


def _entries(lines: list[str], prose: list[bool], start: int) -> Iterator[_Entry]:
    """The entries that stand from a line on."""
    style = ""
    position = _next(lines, start)
    while position < len(lines) and prose[position]:
        entry = _ENTRY.fullmatch(lines[position])
        if entry is None:
            return
        this = next(name for name in _STYLES if entry[name] is not None)
        if style not in ("", this):
            return
        style = this
        line, body = lines[position], entry["body"]
        if body.startswith("(") and this == "bracket":
            body = "[ ]" + body  # the number is the label of a link
        position += 1
        while position < len(lines) and prose[position] and _goes_on(line, body, lines[position]):
            body += " " + lines[position].strip()
            position += 1
        number = next(entry[name] for name in _NUMBERS if entry[name] is not None)
        yield _Entry(line, position, style, int(number), body)
        position = _next(lines, position)


_STYLES = ("bracket", "escaped", "lenticular", "round", "dot")
_NUMBERS = ("n1", "n2", "n3", "n4", "n5")


def _next(lines: list[str], position: int) -> int:
    """The next line that is not empty."""
    while position < len(lines) and not lines[position].strip():
        position += 1
    return position


def _goes_on(first: str, body: str, line: str) -> bool:
    """Whether an entry goes on in a line: it is indented, or the URL or the title alone."""
    if _HAS_URL.search(body) is None and _URL_LINE.fullmatch(line):
        return True
    if not line.strip() or _ENTRY.fullmatch(line) or _BREAK.match(line) or names_sources(line):
        return False
    if line.startswith(("  ", "\t")):
        return True
    is_bare = _URL_ALONE.fullmatch(body) and _DEFINITION.fullmatch(first)
    return is_bare is not None and _TITLE_LINE.fullmatch(line) is not None


def _definitions(lines: list[str], prose: list[bool], start: int) -> Block | None:
    """The run of definitions that begins at a line; its places are lines."""
    entries: list[tuple[int, Cited | None]] = []
    end = position = start
    while position < len(lines) and prose[position]:
        found = _DEFINITION.fullmatch(lines[position])
        if found is None or not _URL_FIRST.match(found["body"]):
            break
        body = found["body"]
        position += 1
        if _URL_ALONE.fullmatch(body) and position < len(lines) and prose[position]:
            title = _TITLE_LINE.fullmatch(lines[position])
            if title is not None:
                body += f' "{title[1] or title[2] or title[3]}"'
                position += 1
        is_note = found["caret"] and (not _NO_PROSE.match(body) or _is_longer(lines, position))
        cited = None if is_note else _source(body)
        if cited is None:
            break
        entries.append((int(found["number"]), cited))
        end = position
        position = _next(lines, end)
    return Block(start, end, entries, False) if entries else None


def _is_longer(lines: list[str], position: int) -> bool:
    """Whether a footnote says more from this line on: more of its paragraph, or another one."""
    following = _next(lines, position)
    if following == len(lines):
        return False
    line = lines[following]
    if following > position:
        return line.startswith(("    ", "\t"))
    return not (_FOOTNOTE.match(line) or _BREAK.match(line) or names_sources(line))


# --- One entry -----------------------------------------------------------------------------------


# A DOI, an arXiv number, an address without its scheme.
_OTHER_NAME = re.compile(
    r"\b10\.[0-9]{4,9}/[^\s,;)]*[\w]|(?<=arXiv:)[0-9.]{9,}[0-9]|\bwww\.[^\s,;)]+\w", re.I
)


def _source(written: str) -> Cited | None:
    """The source that an entry names; None where it names no URL, several, or says far more."""
    urls: set[str] = set()
    pieces: list[str] = []
    title = ""
    done = 0
    for found in _ADDRESS.finditer(written):
        pieces.append(written[done : found.start()])
        done = found.end()
        if found["bare"]:
            url = _trimmed(found["bare"])
            done = found.start() + len(url)
        else:
            url = found["auto"] or found["angle"] or found["plain"] or ""
        if found["label"] and not _HAS_URL.match(found["label"]):
            pieces.append(found["label"])
        title = title or found["title"] or ""
        urls.add(address(url))
    if len(urls) != 1 or not all(map(_HAS_URL.match, urls)):
        return None
    rest = "".join([*pieces, written[done:]])
    (url,) = urls
    if any(name[0].lower() not in url.lower() for name in _OTHER_NAME.finditer(rest)):
        return None  # the entry is named otherwise, and the URL is of something beside it
    title = _title(rest) or _title(title)
    return Cited(urls.pop(), title) if len(title) <= _LONGEST_TITLE else None


def address(written: str) -> str:
    """The URL that Markdown writes so."""
    return _ESCAPE.sub(r"\1", written.strip()).replace("&amp;", "&")


def _trimmed(url: str) -> str:
    """A bare URL without the signs that end its sentence or close a bracket around it."""
    end = len(url)
    unopened = {")": url.count(")") - url.count("("), "]": url.count("]") - url.count("[")}
    while end and (url[end - 1] in ".,;:!?*'" or unopened.get(url[end - 1], 0) > 0):
        end -= 1
        if url[end] in unopened:
            unopened[url[end]] -= 1
    return url[:end]


def _title(written: str) -> str:
    """What is left of an entry, as text: without what parts it from the URL, without emphasis."""
    title = _EMPTY.sub("", " ".join(written.split())).strip(_SEPARATORS)
    if len(title) > 2 * _LONGEST_TITLE:
        return title
    title = _EMPHASIS.sub(r"\2", title).strip(_SEPARATORS)
    if len(title) > 1 and title[0] == title[-1] == '"':
        title = title[1:-1]
    return _ESCAPE.sub(r"\1", title).strip()


def _unanimous(entries: Sequence[tuple[int, Cited | None]]) -> dict[int, Cited | None]:
    """The source of each number; None for one of several sources, or of none."""
    found: dict[int, Cited | None] = {}
    for number, cited in entries:
        known = found.setdefault(number, cited)
        if cited is None or (known is not None and known.url != cited.url):
            found[number] = None
    return found

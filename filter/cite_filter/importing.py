"""From a file that a user hands in to transcripts: one of ours, or an export of some vendor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from cite_filter import source_text
from cite_filter.errors import CiteError
from cite_filter.importers import MODULES, Imported, Refused, vendor_of
from cite_filter.importers.exports import Archive, Export, open_exports
from cite_filter.pandoc_ast import clean

_MARKDOWN = (".md", ".markdown", ".txt")
_LONGEST_NAME = 60
_ANSWER = "is a structured answer, no chat; cite build takes it as it is"
_UNKNOWN = "is no export that is known; name its format with --from ({}), or hand in Markdown"


class Chat(NamedTuple):
    """One conversation of a file."""

    path: Path
    """What messages call it: the file, and which conversation of the file."""
    name: str
    """What to call the files that are made of it; without an ending."""
    text: str | None
    """Its Markdown; None where the file itself is a transcript in Markdown."""
    messages: Sequence[str] = ()
    """What an importer could not resolve, and what the format has lost."""
    is_answer: bool = False
    """The file is no chat but a structured answer."""


def chats(path: Path, *, vendor: str | None = None, most_bytes: int) -> list[Chat]:
    """The conversations of a file, or its structured answer. Raises CiteError."""
    if not path.is_file() or (vendor is None and _is_transcript(path, most_bytes)):
        return [Chat(path, path.stem, None)]  # a pipe is read once, as a transcript
    archive = Archive()
    exports = open_exports(path, archive, most_bytes=most_bytes)
    first = list(islice(exports, 1)) if vendor is None else []
    if any(_is_answer(export, path) for export in first):
        return [Chat(path, path.stem, None, is_answer=True)]
    found = _imported(path, archive, chain(first, exports), vendor)
    if not found:
        return [Chat(path, path.stem, None)]
    return [
        Chat(
            path if len(found) == 1 else path.with_name(f"{path.name}:{name}"),
            name,
            chat.to_markdown(),
            chat.messages,
        )
        for name, chat in zip(file_names(path, found), found, strict=True)
    ]


def imported(path: Path, *, vendor: str | None = None, most_bytes: int) -> list[Imported]:
    """What importers make of a file; nothing for a text that no importer takes.

    What of an archive is left out, the messages of its first conversation say.

    Raises CiteError for what cannot be read, or is no export that is known.
    """
    archive = Archive()
    exports = open_exports(path, archive, most_bytes=most_bytes)
    return _imported(path, archive, exports, vendor)


def _imported(
    path: Path, archive: Archive, exports: Iterator[Export], vendor: str | None
) -> list[Imported]:
    if vendor is not None and vendor not in names():
        raise CiteError(f"{vendor!r} is none of {', '.join(names())}", path)
    refused: list[str] = []
    chats: list[Imported] = []
    for export in exports:
        if vendor is None and _is_answer(export, path):
            refused.append(_ANSWER)
            continue
        found = vendor_of(export, vendor)
        if found is None:
            if export.name != path.name:
                archive.skip(export.name)
            elif path.suffix.lower() not in _MARKDOWN:
                refused.append(export.fault() or _UNKNOWN.format(", ".join(names())))
            continue
        archive.has_chats = True
        try:
            for chat in found.transcripts(export):
                provenance = {"format": found.NAME, "file": export.name}
                chats.append(
                    chat._replace(transcript=chat.transcript.with_provenance(**provenance))
                )
        except Refused as refusal:
            why = export.fault() or str(refusal)
            refused.append(why if export.name == path.name else f"{export.name}: {why}")
    if archive.skipped or (refused and chats):
        without = [f"no chats, left out: {', '.join(archive.skipped)}"] if archive.skipped else []
        if not chats:
            raise CiteError("; ".join([*refused, *without]), path)
        chats[0] = chats[0]._replace(messages=[*without, *refused, *chats[0].messages])
    elif refused:
        raise CiteError("; ".join(refused), path)
    elif not chats and archive.is_one:
        raise CiteError("holds no chat", path)
    return chats


def _is_answer(export: Export, path: Path) -> bool:
    """Whether a file is a structured answer; those in an archive are none of its chats."""
    if export.name != path.name or not isinstance(export.data, dict):
        return False
    from cite_filter import answer_files  # with all that it takes to verify one

    return answer_files.is_answer(export.data)


def names() -> list[str]:
    """What `--from` may say."""
    return [name.replace("_", "-") for name in MODULES]


def _is_transcript(path: Path, most_bytes: int) -> bool:
    """Whether a file, by its ending and its text, is Markdown in the form of transcripts.

    Raises CiteError for Markdown that cannot be read.
    """
    if path.suffix.lower() not in _MARKDOWN:
        return False
    return source_text.is_transcript(source_text.read_text(path, most_bytes))


def file_names(path: Path, found: Sequence[Imported]) -> list[str]:
    """A name for the files of each conversation, without an ending, no two alike."""
    if len(found) == 1:
        return [path.stem]
    taken: set[str] = set()
    last: dict[str, int] = {}  # thousands of chats may have one title
    result = []
    for position, chat in enumerate(found, start=1):
        base = name = _name(chat) or _stem(chat, path) or f"{path.stem}-{position}"
        suffix = last.get(base, 1)
        while name.casefold() in taken:
            suffix += 1
            name = f"{base}-{suffix}"
        last[base] = suffix
        taken.add(name.casefold())
        result.append(name)
    return result


def _stem(chat: Imported, path: Path) -> str:
    """The name of the file in an archive that holds an untitled conversation."""
    file = PurePosixPath(chat.transcript.provenance.get("file", ""))
    return "" if file.name == path.name else clean(file.stem).replace("/", "-")[:_LONGEST_NAME]


def _name(chat: Imported) -> str:
    """The date and the title, as a name that every file system takes."""
    date = (chat.transcript.date or "")[:10]
    words = re.findall(r"[^\W_]+", chat.transcript.title)
    title = "-".join(words)[:_LONGEST_NAME].strip("-").lower()
    return "-".join(part for part in (date if re.fullmatch(r"[\d-]+", date) else "", title) if part)

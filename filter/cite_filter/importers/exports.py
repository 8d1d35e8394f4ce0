"""What a user hands in: a file, read once, as text and as data; archives opened in place."""

from __future__ import annotations

import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from cite_filter.errors import CiteError

_DATA = (".json", ".jsonl")
_TEXTS = (".md", ".txt")
_BESIDE_CHATS = frozenset(
    (
        *("user.json", "users.json", "projects.json", "memories.json", "message_feedback.json"),
        *("shared_conversations.json", "model_comparisons.json", "sora.json", "user_settings.json"),
        *("group_chats.json", "shopping.json", "export_manifest.json", "prod-mc-auth.json"),
    )
)
_MOST_OF_ARCHIVE = 2_000_000_000
"""Bytes of all files that are read from one archive: a small archive may unpack to any size."""
_DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, OverflowError, ValueError),
)
"""What comes of reading an archive, or a file in one, whose bytes are not as they were."""


class Export:
    """One exported file."""

    def __init__(self, path: Path, text: str, name: str | None = None) -> None:
        self.path = path
        """The file that was handed in; of a file in an archive, the archive."""
        self.name = name or path.name
        """The file's own name; of a file in an archive, its path there."""
        self.text = text

    @cached_property
    def data(self) -> Any:
        """The parsed JSON; None for what is none."""
        if self.text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None

    @cached_property
    def lines(self) -> list[dict[str, Any]]:
        """The objects of JSON lines; empty for what is none."""
        found: list[dict[str, Any]] = []
        for line in self.text.split("\n"):  # a string may hold U+2028, which ends no line of JSON
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                return []
            if not isinstance(value, dict):
                return []
            found.append(value)
        return found

    def fault(self) -> str | None:
        """What is wrong with a file that by its name should hold data; None where nothing is."""
        if not self.text.strip():
            return "is empty"
        if not self.name.lower().endswith(".json") or self.data is not None:
            return None
        try:
            json.loads(self.text)
        except RecursionError:
            return "is nested too deeply"
        except json.JSONDecodeError as error:
            return f"is no valid JSON (line {error.lineno}: {error.msg}); download it again"
        return None

    def __str__(self) -> str:
        return str(self.path) if self.name == self.path.name else f"{self.path}:{self.name}"


class Archive:
    """What was seen of an archive."""

    def __init__(self) -> None:
        self.is_one = False
        self.has_chats = False
        """To be set once a file in it was a vendor's; behind such data no texts are read."""
        self.skipped: list[str] = []
        """The files in it that hold no chat, but for those that every archive of a vendor has."""

    def skip(self, name: str, why: str = "") -> None:
        """Notes a file that is left out."""
        if PurePosixPath(name).name not in _BESIDE_CHATS:
            self.skipped.append(name + why)


def open_exports(path: Path, archive: Archive, *, most_bytes: int) -> Iterator[Export]:
    """The export in a file, or those in an archive. Raises CiteError for what cannot be read."""
    try:
        if zipfile.is_zipfile(path):
            archive.is_one = True
            yield from _in_archive(path, archive, most_bytes)
            return
        with path.open("rb") as stream:
            data = stream.read(most_bytes + 1)
    except OSError as error:
        why = error.strerror or error
        raise CiteError(f"cannot be read ({why}); check the name", path) from None
    if data.startswith(b"PK\x03\x04"):
        raise CiteError("is a ZIP archive that is incomplete; download it again", path)
    if len(data) > most_bytes:
        raise CiteError(
            f"is more than the {most_bytes:,} bytes that are read; raise --max-bytes", path
        )
    yield Export(path, _decoded(data, path))


def _in_archive(path: Path, seen: Archive, most_bytes: int) -> Iterator[Export]:
    """The data in an archive; where none of it is of a vendor, its texts."""
    try:
        archive = zipfile.ZipFile(path)
    except (*_DAMAGES, NotImplementedError):
        raise CiteError("is a ZIP archive that is damaged; download it again", path) from None
    with archive:
        entries = [entry for entry in archive.infolist() if not _is_of_system(entry)]
        for entry in entries:
            if _is(entry, (".zip",)):
                seen.skip(entry.filename, " (a ZIP archive itself; unpack it)")
        data = [entry for entry in entries if _is(entry, _DATA)]
        texts = [entry for entry in entries if _is(entry, _TEXTS)]
        left = _MOST_OF_ARCHIVE
        for number, entry in enumerate([*data, *texts]):
            if number == len(data) and seen.has_chats:
                for text in texts:
                    seen.skip(text.filename)
                return
            left -= min(entry.file_size, most_bytes + 1)  # no more is unpacked, if that
            if left < 0:
                raise CiteError(
                    f"unpacks to more than {_MOST_OF_ARCHIVE:,} bytes; unpack it first", path
                )
            try:
                content = _decoded(_unpacked(archive, entry, most_bytes), path)
            except CiteError as error:
                seen.skip(entry.filename, f" ({error.message})")
                continue
            yield Export(path, content, entry.filename)


def _is(entry: zipfile.ZipInfo, suffixes: tuple[str, ...]) -> bool:
    return entry.filename.lower().endswith(suffixes)  # of a directory "/" is the end


def _is_of_system(entry: zipfile.ZipInfo) -> bool:
    """Whether a file is what macOS adds to archives: notes of its own on the others."""
    parts = PurePosixPath(entry.filename).parts
    return "__MACOSX" in parts or any(part.startswith("._") for part in parts)


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """The bytes of a file. Raises CiteError, without a path, for more than `most` and for none."""
    try:
        with archive.open(entry) as stream:
            data = stream.read(most + 1)
    except _DAMAGES:
        raise CiteError("damaged") from None
    except NotImplementedError:
        raise CiteError("packed in a way that is not known; unpack it") from None
    except RuntimeError:
        raise CiteError("encrypted; unpack it") from None
    if len(data) > most:
        raise CiteError(f"more than the {most:,} bytes that are read; raise --max-bytes")
    return data


def _decoded(data: bytes, path: Path) -> str:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise CiteError(
            f"byte {data[error.start]:#04x} is no UTF-8; save the file as UTF-8", path
        ) from None

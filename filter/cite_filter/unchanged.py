"""What was built before and would come out the same: by content, not by time.

A record holds, for each document, a hash of all that it was made of and one of what was written.
The records of one output folder are one file in the user's cache; without it, or with one that
cannot be read, everything is built.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from cite_filter import __version__, pandoc, templates
from cite_filter.build import write_atomically
from cite_filter.errors import CiteError
from cite_filter.writers import Settings

# Folders whose time tells of new fonts of the system.
_FONTS = (
    *("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts"),
    *("/Library/Fonts", "~/Library/Fonts", "C:/Windows/Fonts"),
)


class Job(NamedTuple):
    """What to build."""

    path: Path
    targets: Mapping[str, Path]
    """For each format the file to write."""
    text: str | None = None
    """The transcript that an importer made of the file."""
    messages: Sequence[str] = ()
    """What the importer had to say."""
    is_answer: bool = False
    """The file is no transcript but a structured answer."""


class Builds:
    """The builds of earlier runs, and of this one."""

    def __init__(self, settings: Settings, most_bytes: int) -> None:
        # What is outside the transcript may change without a trace: images, another PDF engine.
        self.enabled = not (settings.allow_resources or settings.pdf_engine)
        self.most_bytes = most_bytes
        parts = (__version__, repr(settings), os.environ.get("SOURCE_DATE_EPOCH", ""))
        try:
            self.tools = _hash(*parts, *_stamps(settings))
        except OSError:
            self.enabled = False
        self.records: dict[Path, dict[str, Any]] = {}
        self.changed: set[Path] = set()

    def before(self, job: Job, made_of: str) -> dict[str, Any] | None:
        """What `cite build` reported of `job` when it gave the files that are there now."""
        if not self._may_skip(job):
            return None
        record = self._records(job).get(_name(job))
        try:
            same = record is not None and record["of"] == made_of and record["is"] == _written(job)
            built: dict[str, Any] | None = record["built"] if same and record else None
        except (OSError, TypeError, KeyError):
            return None
        return built

    def keep(self, job: Job, made_of: str, built: Mapping[str, Any], made: Iterable[bytes]) -> None:
        """Records what `job` gave, for `save`: what it was made of, and what was written."""
        if not made_of or not self._may_skip(job):
            return
        hashes = [hashlib.sha256(data).hexdigest() for data in made]
        self._records(job)[_name(job)] = {"of": made_of, "is": hashes, "built": built}
        self.changed.add(_folder(job))

    def save(self) -> None:
        """Writes the records; where that is not possible, the next run builds everything."""
        for folder in self.changed:
            records = self.records[folder]
            there = {name: held for name, held in records.items() if _exists(folder, name)}
            place = _place(folder)
            try:
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_atomically(place, json.dumps(there).encode("ascii"))
            except (OSError, CiteError):
                return

    def _may_read(self, job: Job) -> bool:
        """Whether the transcript is a file: a pipe may be read once."""
        return self.enabled and (job.text is not None or job.path.is_file())

    def _may_skip(self, job: Job) -> bool:
        """Whether all is in files: a device is to be written to."""
        return self._may_read(job) and all(path.is_file() for path in job.targets.values())

    def _records(self, job: Job) -> dict[str, Any]:
        folder = _folder(job)
        if folder not in self.records:  # several threads may read it; the first is kept
            self.records.setdefault(folder, _read(_place(folder)))
        return self.records[folder]

    def made_of(self, job: Job) -> str:
        """The hash of what a job's documents are made of, before it is built; else nothing."""
        if not self._may_read(job):
            return ""
        if job.text is not None:
            held = job.text.encode("utf-8", "surrogatepass")
        elif job.path.stat().st_size > self.most_bytes:
            return ""
        else:
            held = job.path.read_bytes()
        names = map(str, (job.path, *job.targets.values()))
        return _hash(self.tools, *names, *job.messages, hashlib.sha256(held))


def _written(job: Job) -> list[str]:
    """The hashes of the documents that are there."""
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in job.targets.values()]


def _hash(*parts: Any) -> str:
    texts = [part if isinstance(part, str) else part.hexdigest() for part in parts]
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogateescape")).hexdigest()


def _stamps(settings: Settings) -> Iterator[str]:
    """What changes with every program, template and font that takes part. Raises OSError."""
    here = Path(__file__).parent
    fonts = [path for folder in settings.fonts for path in folder.resolve().rglob("*")]
    fonts += [folder for name in _FONTS if (folder := Path(name).expanduser()).is_dir()]
    files = [Path(pandoc.program()), *here.rglob("*.py"), *templates.folder().iterdir(), *fonts]
    for path in sorted(files):
        stat = path.stat()
        yield f"{path} {stat.st_size} {stat.st_mtime_ns}"
    yield from (version(name) for name in ("typst", "PyYAML", "markdown-it-py"))


def _folder(job: Job) -> Path:
    return next(iter(job.targets.values())).parent.resolve()


def _name(job: Job) -> str:
    """The name of a record: the names of a job's documents, which are in one folder."""
    return "/".join(target.name for target in job.targets.values())


def _exists(folder: Path, name: str) -> bool:
    return all((folder / part).exists() for part in name.split("/"))


def _place(folder: Path) -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - raises nothing
    if not Path(cache).is_absolute():  # no home: nothing is kept
        return Path(os.devnull) / "none"
    return Path(cache) / "cite-filter" / f"built-{_hash(str(folder))[:32]}.json"


def _read(place: Path) -> dict[str, Any]:
    try:
        records = json.loads(place.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return records if isinstance(records, dict) else {}

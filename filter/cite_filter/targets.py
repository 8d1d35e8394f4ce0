"""Which files a run writes: none that it was handed, and no two of one name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from cite_filter.errors import CiteError
from cite_filter.importing import Chat, chats
from cite_filter.unchanged import Job
from cite_filter.writers import FORMATS


def jobs(
    files: Sequence[Path],
    formats: Sequence[str],
    output: Path | None,
    folder: Path | None,
    *,
    vendor: str | None,
    most_bytes: int,
) -> list[Job | CiteError]:
    """Each conversation with the documents to build of it, or why a file holds none.

    `output` is the one document, `folder` where several go. Raises CiteError where two documents
    would be one.
    """
    formats = formats or ["html"]
    if output is not None:
        keep_input(output, files)
    if folder is not None:
        make_folder(folder)
    result: list[Job | CiteError] = []
    taken: dict[Path, Path] = {}
    for path in files:
        try:
            found = chats(path, vendor=vendor, most_bytes=most_bytes)
        except CiteError as error:
            result.append(error)
            continue
        if output is not None and len(found) > 1:
            raise CiteError(f"-o names one file; {path} holds {len(found)} chats", output)
        for chat in found:
            targets = {formats[0]: output} if output is not None else None
            targets = targets or _in_folder(chat, folder or path.parent, formats, taken)
            for target in targets.values():
                keep_input(target, files)
                real = _real(target)
                if real in taken:
                    raise CiteError(f"would hold {taken[real]} and {path}; rename one", target)
                taken[real] = path
            result.append(Job(chat.path, targets, chat.text, chat.messages, chat.is_answer))
    return result


def one(output: Path, formats: Sequence[str], files: Sequence[Path]) -> str:
    """The format of the one document that `-o` names. Raises CiteError where it cannot be one."""
    ending = output.suffix.lstrip(".").lower()
    if len(files) > 1 or len(formats) > 1:
        raise CiteError("-o names one file; use --out-dir for several", output)
    name = formats[0] if formats else ending
    if name not in FORMATS:
        raise CiteError(f"the ending {output.suffix!r} names no format; add --to", output)
    return name


def _in_folder(
    chat: Chat, folder: Path, formats: Sequence[str], taken: Mapping[Path, Path]
) -> dict[str, Path]:
    name = chat.name if chat.text is None else _free(chat.name, folder, formats, taken)
    return {ending: folder / f"{name}.{ending}" for ending in formats}


def _free(name: str, folder: Path, formats: Sequence[str], taken: Mapping[Path, Path]) -> str:
    """A name for an imported chat that no document of this run has: exports are all named alike."""
    free, suffix = name, 1
    while any(_real(folder / f"{free}.{end}") in taken for end in formats):
        suffix += 1
        free = f"{name}-{suffix}"
    return free


def keep_input(output: Path, files: Sequence[Path]) -> None:
    """Raises CiteError where writing `output` would lose what was handed in."""
    for path in files:
        if output.exists() and path.exists() and output.samefile(path):
            raise CiteError("is an input; write to another file", output)


def is_same(one: Path, other: Path) -> bool:
    """Whether two names are of one file, there or not."""
    return _real(one) == _real(other)


def make_folder(folder: Path) -> None:
    """Makes a folder, and those it is in. Raises CiteError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CiteError(
            f"cannot be made a folder ({error.strerror}); choose another place", folder
        ) from None


def _real(path: Path) -> Path:
    """What a name leads to; the name itself where its link leads to itself."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()

"""`cite`: the command line. It reads arguments, calls, prints, and returns an exit status.

0: done. 1: done, and something unverified was found (`check`) or strictness ended it. 2: bad input.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from cite_filter import __version__, source_text, stats_command, templates, verify_command
from cite_filter.asking import command as asking_command
from cite_filter.errors import CiteError
from cite_filter.pandoc_ast import clean

if TYPE_CHECKING:
    from cite_filter.importers import Imported
    from cite_filter.unchanged import Job

Task = TypeVar("Task")
Done = TypeVar("Done")
PAPERS = ("a3", "a4", "a5", "us-letter", "us-legal")
FORMATS = ("html", "docx", "pdf", "epub", "md", "txt")
_EPILOG = "Manual: README.md, or https://pypi.org/project/cite-filter/"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `cite`; returns its exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may lack characters of a file's name
            stream.reconfigure(errors="replace")
    parsed = _parser().parse_args(arguments)
    try:
        with suppress(ValueError):  # only the main thread may set it, and only a program needs it
            signal.signal(signal.SIGTERM, _interrupt)
        status: int = parsed.command(parsed)
        sys.stdout.flush()
    except CiteError as error:
        _say("ERROR", str(error))
        return error.status
    except RecursionError:
        _say("ERROR", "a file is nested too deeply; flatten its lists and quotations")
        return 2
    except KeyboardInterrupt:
        _say("ERROR", "interrupted; what was built before is whole")
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 141
    except OSError as error:
        _say("ERROR", f"standard output cannot be written ({error.strerror})")
        with suppress(OSError, ValueError):  # else Python tries once more, and fails, at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return status


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cite",
        description="Makes documents of exported AI chats, with every citation that can be "
        "verified as a link.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"cite-filter {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _build_parser(commands)
    _check_parser(commands)
    _import_parser(commands)
    verify_command.add_parser(commands, _bytes, _say)
    stats_command.add_parser(commands, _say)
    asking_command.add_parser(commands, _formats)
    makefile = commands.add_parser("makefile", help="print the path of a make fragment to include")
    makefile.set_defaults(command=lambda _: _print_path("cite.mk"))
    defaults = commands.add_parser("defaults", help="print the path of a Pandoc defaults file")
    defaults.add_argument("format", nargs="?", choices=["html", "docx", "pdf", "epub"])
    defaults.set_defaults(command=_defaults)
    return parser


def _build_parser(commands: Any) -> None:
    parser = commands.add_parser("build", help="build documents from transcripts and answers")
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="a transcript, a chat's export, or a structured answer",
    )
    add("--from", dest="vendor", metavar="FORMAT", help="the export's format, if not recognised")
    add("--to", type=_formats, action="extend", metavar="FORMAT[,…]", help=", ".join(FORMATS))
    output = parser.add_mutually_exclusive_group()
    output.add_argument("-o", "--output", type=Path, metavar="OUT", help="the file to write")
    output.add_argument("--out-dir", type=Path, metavar="DIR", help="the folder to write to")
    add("--strict", action="store_true", help="build nothing with an unverified citation")
    add("--force", action="store_true", help="build also what is unchanged")
    add("--report", type=Path, metavar="FILE", help="write what was found as JSON")
    add("-M", "--metadata", action="append", default=[], metavar="KEY=VALUE", help="as for pandoc")
    add("--allow-resources", action="store_true", help="load the images of the transcript")
    add("--pdf-engine", metavar="PROGRAM", help="one of Pandoc's engines instead of typst")
    add("--fonts", action="append", type=_folder, default=[], metavar="DIR", help="more fonts")
    add("--main-font", type=_name, metavar="NAME", help="the font of the PDF's text")
    add("--paper", choices=PAPERS, metavar="SIZE", help=f"the paper: {', '.join(PAPERS)}")
    add("--max-bytes", type=_bytes, default=source_text.MOST_BYTES, metavar="N", help="size limit")
    parser.set_defaults(command=_build)


def _check_parser(commands: Any) -> None:
    parser = commands.add_parser("check", help="say what can be verified; exit 1 if not all")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--from", dest="vendor", metavar="FORMAT", help="as for build")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--max-bytes", type=_bytes, default=source_text.MOST_BYTES, metavar="N")
    parser.set_defaults(command=_check)


def _import_parser(commands: Any) -> None:
    parser = commands.add_parser("import", help="make transcripts in Markdown of chats' exports")
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="an export: JSON, Markdown, ZIP")
    add("--from", dest="vendor", metavar="FORMAT", help="its format, where it is not recognised")
    add("-o", "--out-dir", type=Path, default=Path(), metavar="DIR", help="the folder to write to")
    add("--json", action="store_true", help="write stored transcripts as JSON instead")
    add("--force", action="store_true", help="write over transcripts that were changed")
    add("--no-tools", action="store_true", help="write no line of the tools that were called")
    add("--max-bytes", type=_bytes, default=source_text.MOST_BYTES, metavar="N", help="size limit")
    parser.set_defaults(command=_import)


def _formats(written: str) -> list[str]:
    formats = [name.strip().lower() for name in written.split(",") if name.strip()]
    if not formats:
        raise argparse.ArgumentTypeError(f"{written!r} names none of {', '.join(FORMATS)}")
    for name in formats:
        if name not in FORMATS:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(FORMATS)}")
    return formats


def _folder(written: str) -> Path:
    folder = Path(written)
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"{written!r} is no folder")
    return folder


def _bytes(written: str) -> int:
    if not written.isascii() or not written.isdigit():
        raise argparse.ArgumentTypeError(f"{written!r} is no number of bytes")
    return int(written)


def _name(written: str) -> str:
    from cite_filter.pdf import is_plain_name

    if not is_plain_name(written):
        raise argparse.ArgumentTypeError(f"{written!r} is no name of letters, digits and spaces")
    return written


# --- cite build --------------------------------------------------------------------------------


def _build(parsed: argparse.Namespace) -> int:
    from cite_filter import build, targets
    from cite_filter.unchanged import Builds, Job
    from cite_filter.writers import Settings

    settings = Settings(
        strict=parsed.strict,
        allow_resources=parsed.allow_resources,
        pdf_engine=parsed.pdf_engine,
        fonts=parsed.fonts,
        main_font=parsed.main_font,
        paper=parsed.paper,
        metadata=parsed.metadata,
    )
    formats: list[str] = parsed.to or []
    if parsed.output is not None:
        formats = [targets.one(parsed.output, formats, parsed.files)]
    jobs = targets.jobs(
        parsed.files,
        formats,
        parsed.output,
        parsed.out_dir,
        vendor=parsed.vendor,
        most_bytes=parsed.max_bytes,
    )
    if parsed.report:
        targets.keep_input(parsed.report, parsed.files)
        written = (path for job in jobs if isinstance(job, Job) for path in job.targets.values())
        if any(targets.is_same(parsed.report, path) for path in written):
            raise CiteError(
                "is a document that is built; write the report elsewhere", parsed.report
            )
    builds = Builds(settings, parsed.max_bytes)
    status = unchanged = 0
    reports: list[dict[str, Any]] = []

    def one(job: Job | CiteError) -> tuple[bool, dict[str, Any] | CiteError]:
        """Whether the files of `job` were as they would be, and what is to be reported."""
        if isinstance(job, CiteError):
            return False, job
        try:
            made_of = builds.made_of(job)
            before = None if parsed.force else builds.before(job, made_of)
            if before is not None:
                return True, before
            made = build.build(
                job.path,
                job.targets,
                settings,
                text=job.text,
                messages=job.messages,
                is_answer=job.is_answer,
                most_bytes=parsed.max_bytes,
            )
            built = build.to_json(made)
            builds.keep(job, made_of, built, made.made)
        except CiteError as error:
            return False, error
        except (RecursionError, MemoryError):
            return False, CiteError("is nested too deeply or too large; split it", job.path)
        return False, built

    try:
        for job, (is_unchanged, built) in _side_by_side(one, jobs):
            unchanged += is_unchanged
            if isinstance(built, CiteError):
                _say("ERROR", str(built))
                reports.append({"file": str(job.path), "error": str(built)})
                status = max(status, built.status)
            else:
                for warning in built["warnings"]:
                    _say("WARNING", f"{job.path}: {warning}")
                reports.append(built)
    finally:
        builds.save()
    if unchanged:
        _say("INFO", f"{unchanged} of {len(jobs)} unchanged; --force builds them again")
    if parsed.report:
        data = json.dumps(reports, indent=2) + "\n"
        build.write_atomically(parsed.report, data.encode("utf-8"))
    return status


def _side_by_side(
    work: Callable[[Task], Done], jobs: Sequence[Task]
) -> Iterator[tuple[Task, Done]]:
    """Each job with what `work` made of it, in their order; done on as many as there are cores.

    Threads are enough: nearly all time is Pandoc's and typst's. An interruption ends the jobs that
    run and starts no other.
    """
    pool = ThreadPoolExecutor(max_workers=max(1, min(len(jobs), os.cpu_count() or 1)))
    try:
        with _progress(len(jobs)) as step:
            for job, done in zip(jobs, pool.map(work, jobs), strict=True):
                step()
                yield job, done
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """A function to call after each file; it draws a bar on a terminal, where there are several."""
    if total < 2 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("Building"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda: progress.advance(task)


# --- cite check --------------------------------------------------------------------------------


def _check(parsed: argparse.Namespace) -> int:
    from cite_filter.check import check
    from cite_filter.importing import chats
    from cite_filter.table import print_reports

    reports, data, status = [], [], 0
    for path in parsed.files:
        try:
            for chat in chats(path, vendor=parsed.vendor, most_bytes=parsed.max_bytes):
                if chat.is_answer:
                    raise CiteError("is a structured answer; cite verify checks it", path)
                report = check(
                    chat.path, text=chat.text, messages=chat.messages, most_bytes=parsed.max_bytes
                )
                for warning in report.warnings:
                    _say("WARNING", f"{chat.path}: {warning}")
                reports.append(report)
                data.append(report.to_json())
        except CiteError as error:
            _say("ERROR", str(error))
            data.append({"file": str(path), "error": str(error)})
            status = 2
    if parsed.json:
        sys.stdout.write(json.dumps(data, indent=2) + "\n")
    else:
        print_reports(reports)
    clean = all(report.is_clean for report in reports)
    return status or (0 if clean else 1)


# --- cite import -------------------------------------------------------------------------------


def _import(parsed: argparse.Namespace) -> int:
    from cite_filter import importing, targets
    from cite_filter.build import write_atomically

    status = 0
    targets.make_folder(parsed.out_dir)
    taken: dict[Path, Path] = {}
    for path in parsed.files:
        try:
            found = importing.imported(path, vendor=parsed.vendor, most_bytes=parsed.max_bytes)
            if not found and source_text.is_transcript(
                source_text.read_text(path, parsed.max_bytes)
            ):
                raise CiteError("is a transcript already; cite build takes it as it is", path)
            if not found:
                raise CiteError(
                    "is Markdown without citations; cite build takes it, or --from markdown", path
                )
            for name, chat in zip(importing.file_names(path, found), found, strict=True):
                target = parsed.out_dir / f"{name}.{'json' if parsed.json else 'md'}"
                targets.keep_input(target, parsed.files)
                if taken.setdefault(target, path) != path:
                    raise CiteError(f"would hold {taken[target]} and {path}; rename one", target)
                for message in chat.messages:
                    _say("WARNING", f"{target}: {message}")
                written = _written(chat, parsed).encode("utf-8", "replace")
                if target.exists() and target.read_bytes() != written and not parsed.force:
                    raise CiteError("is there and not the same; --force writes over it", target)
                write_atomically(target, written)
        except CiteError as error:
            _say("ERROR", str(error))
            status = max(status, error.status)
    return status


def _written(chat: Imported, parsed: argparse.Namespace) -> str:
    if parsed.json:
        return json.dumps(chat.transcript.to_json(), ensure_ascii=False, indent=2) + "\n"
    return chat.to_markdown(tools=not parsed.no_tools)


# --- The rest ----------------------------------------------------------------------------------


def _print_path(name: str) -> int:
    sys.stdout.write(f"{templates.path(name)}\n")
    return 0


def _defaults(parsed: argparse.Namespace) -> int:
    kind = f"-{parsed.format}" if parsed.format in ("html", "pdf", "epub") else ""
    return _print_path(f"defaults{kind}.yaml")


def _say(level: str, message: str) -> None:
    sys.stderr.write(f"[{level}] cite: {clean(message)}\n")


if __name__ == "__main__":
    sys.exit(main())

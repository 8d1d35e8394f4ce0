"""The integrity log: whole lines from many writers, and a reader that nothing stops."""

from __future__ import annotations

import errno
import hashlib
import json
import multiprocessing
import os
import stat
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cite_filter import __version__
from cite_filter.answers import Answer, AnsweredQuestion, Claim, RetrievedSource
from cite_filter.errors import CiteError
from cite_filter.integrity_entry import MOST_OF_A_COUNT, Entry, question_hash
from cite_filter.integrity_log import LONGEST_LINE, Foreign, append, read
from cite_filter.verification import Integrity, VerifiedAnswer, verify
from test_schemas import schema

URL = "https://example.org/tides"
SENTENCE = "Most coasts of the world see two tides in a day."
NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)
LINES = 400


def answered(question: str | None = "How many tides?") -> VerifiedAnswer:
    """A verified answer with a good claim and one whose URL was never retrieved."""
    claims = [
        Claim("Tides come twice.", [URL], "stated", SENTENCE),
        Claim("The moon does it.", ["https://example.org/moon"], "stated"),
    ]
    sources = [RetrievedSource(URL, text=f"Tides. {SENTENCE} Others see one.", truncated=True)]
    return verify(AnsweredQuestion(Answer("Twice.", claims), sources, question))


ANSWERED = answered()


def entries(path: Path) -> list[Entry]:
    """The entries of a log in which there is nothing else."""
    found = list(read(path))
    assert not [item for item in found if isinstance(item, Foreign)]
    return [item for item in found if isinstance(item, Entry)]


# --- One line ----------------------------------------------------------------------------------


def test_a_line_holds_the_counts_and_not_the_question(tmp_path: Path) -> None:
    log = tmp_path / "integrity.jsonl"
    verified = answered()
    append(log, verified, time=NOON)
    (line,) = log.read_text("ascii").splitlines()
    held = json.loads(line)
    assert held == {
        "time": "2026-03-31T12:00:00Z",
        "question_sha256": hashlib.sha256(b"How many tides?").hexdigest(),
        "method": verified.method,
        "version": __version__,
        **verified.integrity.to_json(),
    }
    assert (held["clean"], held["claims"], held["fabricated_urls"]) == (False, 2, 1)
    assert held["truncated_sources"] == 1
    assert "tides" not in line
    jsonschema.validate(held, schema("integrity"))


def test_the_schema_names_every_count() -> None:
    assert {item.name for item in fields(Integrity)} < set(schema("integrity")["properties"])


def test_a_line_is_read_as_it_was_written(tmp_path: Path) -> None:
    log = tmp_path / "integrity.jsonl"
    append(log, answered(), time=NOON)
    append(log, answered(None), time=NOON)
    first, second = entries(log)
    assert first == Entry.of(answered(), NOON)
    assert (second.question_sha256, second.version) == (None, __version__)


def test_times_are_of_utc(tmp_path: Path) -> None:
    log = tmp_path / "integrity.jsonl"
    east = timezone(timedelta(hours=14))
    append(log, answered(), time=datetime(2026, 1, 1, 3, tzinfo=east))
    assert entries(log)[0].time == datetime(2025, 12, 31, 13, tzinfo=UTC)
    with pytest.raises(ValueError, match="zone"):
        append(log, answered(), time=datetime(2026, 1, 1))
    assert len(entries(log)) == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Was ist Ebbe?", "  Was\u00a0ist\n Ebbe? ", True),
        ("caf\u00e9", "cafe\u0301", True),
        ("Was ist Ebbe?", "was ist Ebbe?", False),
        ("no tide", "notide", False),
        ("\ud800", "\ud801", False),
    ],
)
def test_question_hash(one: str, other: str, same: bool) -> None:
    assert (question_hash(one) == question_hash(other)) is same


# --- Writers -----------------------------------------------------------------------------------


def write_many(
    log: Path, writer: int, lines: int, threads: int = 1, start: Barrier | None = None
) -> None:
    """Appends lines with questions of their own, when all others are ready to."""
    ready = [with_question(f"{writer}/{number}") for number in range(lines)]

    def work(part: int) -> None:
        for verified in ready[part::threads]:
            append(log, verified, time=NOON)

    workers = [threading.Thread(target=work, args=(part,)) for part in range(threads)]
    if start is not None:
        start.wait()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def with_question(question: str) -> VerifiedAnswer:
    """A copy of an answer that was verified once."""
    return replace(ANSWERED, asked=replace(ANSWERED.asked, question=question))


def write_without_locks(*arguments: Any) -> None:
    """As `write_many`, on a file system that knows no locks."""
    import fcntl

    fcntl.flock = _no_lock  # type: ignore[assignment]
    write_many(*arguments)


def _no_lock(*_: int) -> None:
    raise OSError(errno.ENOLCK, "No locks available")


@pytest.mark.parametrize("write", [write_many, write_without_locks])
def test_no_line_of_many_writers_is_lost_or_torn(
    write: Callable[..., None], tmp_path: Path
) -> None:
    """Six processes with four threads each, and a log that a crash left in mid-line."""
    if write is write_without_locks and sys.platform == "win32":
        pytest.skip("Windows always has them")
    log = tmp_path / "integrity.jsonl"
    log.write_bytes(b'{"time": "2026-03-3')
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(6)
    writers = [
        context.Process(target=write, args=(log, number, LINES, 4, start)) for number in range(6)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * 6
    data = log.read_bytes()
    if write is write_many:  # else several writers may mend the torn line
        assert data.count(b"\n") == 6 * LINES + 1
    torn, *whole = read(log)
    assert torn == Foreign(1, "no JSON, or not all of it")
    written = Counter(item.question_sha256 for item in whole if isinstance(item, Entry))
    each = ((writer, number) for writer in range(6) for number in range(LINES))
    assert written == Counter(question_hash(f"{writer}/{number}") for writer, number in each)
    assert len(whole) == written.total()


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_a_writer_waits_for_the_one_before_and_holds_up_none(tmp_path: Path) -> None:
    import fcntl

    log = tmp_path / "integrity.jsonl"
    log.touch()
    with log.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        writer = threading.Thread(target=append, args=(log, answered()), kwargs={"time": NOON})
        writer.start()
        writer.join(0.3)
        assert log.read_bytes() == b""
        fcntl.flock(held, fcntl.LOCK_UN)
        writer.join()
        assert len(entries(log)) == 1
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)


_KILLED = """
import os, sys, threading
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_integrity_log import NOON, answered
from cite_filter.integrity_log import append
verified = answered()
print("ready", flush=True)
while True:
    append(Path(sys.argv[2]), verified, time=NOON)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_writer_that_is_killed_leaves_the_log_to_the_others(tmp_path: Path) -> None:
    log = tmp_path / "integrity.jsonl"
    command = [sys.executable, "-c", _KILLED, str(Path(__file__).parent), str(log)]
    for _ in range(3):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            write_many(log, 0, 50)
            writer.kill()
    before = len(entries(log))
    append(log, answered("the last"), time=NOON)
    assert len(entries(log)) == before + 1 > 150
    assert entries(log)[-1].question_sha256 == question_hash("the last")


_FULL = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_integrity_log import NOON, answered
from cite_filter.errors import CiteError
from cite_filter.integrity_log import append
log = Path(sys.argv[2])
append(log, answered(), time=NOON)
resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + 40,) * 2)
try:
    append(log, answered(), time=NOON)
except CiteError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_full_disk_is_an_error_and_the_next_line_is_whole(tmp_path: Path) -> None:
    log = tmp_path / "integrity.jsonl"
    command = [sys.executable, "-c", _FULL, str(Path(__file__).parent), str(log)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{log}: cannot be written (File too large)")
    assert not log.read_bytes().endswith(b"\n")
    append(log, answered("after"), time=NOON)
    first, torn, last = read(log)
    assert isinstance(first, Entry)
    assert isinstance(torn, Foreign)
    assert isinstance(last, Entry)
    assert last.question_sha256 == question_hash("after")


def test_what_is_there_stays(tmp_path: Path) -> None:
    log = tmp_path / "integrity.jsonl"
    log.write_bytes(b"# my own notes\r\n\xff\xfe")
    append(log, answered(), time=NOON)
    assert log.read_bytes().startswith(b"# my own notes\r\n\xff\xfe\n{")


# --- What is no log ----------------------------------------------------------------------------


def refused(path: Path) -> str:
    with pytest.raises(CiteError) as caught:
        append(path, answered(), time=NOON)
    assert caught.value.status == 2
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    return caught.value.message


def test_a_folder_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    assert "cannot be written" in refused(tmp_path)
    assert "cannot be written" in refused(tmp_path / "missing" / "log")
    (tmp_path / "file").write_text("x")
    assert "cannot be written" in refused(tmp_path / "file" / "log")
    assert not (tmp_path / "missing").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="devices of POSIX")
def test_pipes_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is no file" in refused(pipe)
    assert "is no file" in refused(Path(os.devnull))


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_new_log_is_its_users_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    log, shared = tmp_path / "integrity.jsonl", tmp_path / "shared.jsonl"
    shared.touch()
    shared.chmod(0o664)
    for path in (log, shared):
        append(path, answered(), time=NOON)
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(shared.stat().st_mode) == 0o664


# --- Reading -----------------------------------------------------------------------------------


GOOD: dict[str, Any] = Entry.of(answered(), NOON).to_json()


def lines(path: Path, *written: bytes | str) -> list[Entry | Foreign]:
    path.write_bytes(
        b"".join(one if isinstance(one, bytes) else f"{one}\n".encode() for one in written)
    )
    return list(read(path))


VALUES: Sequence[tuple[dict[str, Any], bool]] = [
    ({}, True),
    ({"claims": "2"}, False),
    ({"claims": 2.5}, False),
    ({"claims": True}, False),
    ({"claims": None}, False),
    ({"claims": [2]}, False),
    ({"claims": -1}, False),
    ({"claims": MOST_OF_A_COUNT}, True),
    ({"claims": MOST_OF_A_COUNT + 1}, False),
    ({"claims": 10**30}, False),
    ({"claims": ...}, False),
    ({"truncated_sources": ...}, False),
    ({"quotes_ok": ...}, True),
    ({"quotes_ok": -1}, False),
    ({"found_elsewhere": ...}, True),
    ({"time": ...}, False),
    ({"time": 1_774_958_400}, False),
    ({"time": "2026-03-31"}, False),
    ({"time": "2026-03-31T12:00:00"}, False),
    ({"time": "2026-03-31 12:00:00Z"}, False),
    ({"time": "1026-03-31T12:00:00Z"}, False),
    ({"time": "9999-12-31T23:59:59Z"}, False),
    ({"time": "2026-13-01T12:00:00Z"}, False),
    ({"time": "2026-03-31T24:00:00Z"}, False),
    ({"time": "2٠26-03-31T12:00:00Z"}, False),
    ({"time": "2026-03-31T12:00:00.123456+14:00"}, True),
    ({"time": "2999-12-31T23:59:59-23:59"}, True),
    ({"method": ...}, False),
    ({"method": ""}, False),
    ({"method": 1}, False),
    ({"method": "x" * 101}, False),
    ({"version": ...}, True),
    ({"version": None}, True),
    ({"version": {}}, False),
    ({"clean": ...}, False),
    ({"clean": 0}, False),
    ({"clean": "false"}, False),
    ({"question_sha256": ...}, True),
    ({"question_sha256": None}, True),
    ({"question_sha256": "How many tides?"}, False),
    ({"question_sha256": "A" * 64}, False),
    ({"question_sha256": 5}, False),
    ({"more": {"deep": [1, None]}}, True),
]


@pytest.mark.parametrize(("changed", "good"), VALUES, ids=lambda value: repr(value)[:40])
def test_the_reader_and_the_schema_take_the_same(
    changed: dict[str, Any], good: bool, tmp_path: Path
) -> None:
    held = {key: value for key, value in {**GOOD, **changed}.items() if value is not ...}
    (found,) = lines(tmp_path / "log", json.dumps(held))
    assert isinstance(found, Entry) is good
    assert jsonschema.Draft202012Validator(schema("integrity")).is_valid(held) is good


@pytest.mark.parametrize(
    "changed",
    [
        {"unsupported_claims": 3},
        {"quote_mismatches": 2},
        {"unchecked_sources": 2},
        {"truncated_sources": 2},
        {"clean": True},
        {"time": "2026-02-30T12:00:00Z"},
        {"time": "2026-03-31T12:00:00Z\n"},
    ],
)
def test_what_cannot_be_is_foreign(changed: dict[str, Any], tmp_path: Path) -> None:
    (found,) = lines(tmp_path / "log", json.dumps({**GOOD, **changed}))
    assert isinstance(found, Foreign)


def test_unknown_fields_are_kept(tmp_path: Path) -> None:
    (found,) = lines(tmp_path / "log", json.dumps({**GOOD, "model": "x", "tags": [1]}))
    assert isinstance(found, Entry)
    assert found.more == {"model": "x", "tags": [1]}
    assert found.to_json() == {**GOOD, "model": "x", "tags": [1]}


@pytest.mark.parametrize(
    "line",
    [
        json.dumps(GOOD)[:-20],
        json.dumps(GOOD) + json.dumps(GOOD),
        json.dumps({**GOOD, "claims": float("nan")}),
        json.dumps({**GOOD, "more": float("inf")}),
        json.dumps(GOOD).replace('"claims": 2', '"claims": 1' + "0" * 5000),
        json.dumps([GOOD]),
        "null",
        "[" * 100_000,
        "# a remark",
        b'{"time": "\xff"}\n',
        b"\x00\n",
        json.dumps({**GOOD, "more": "\ud800"}),
        json.dumps({**GOOD, "more": "x" * LONGEST_LINE}),
    ],
    ids=lambda line: repr(line)[:30],
)
def test_a_foreign_line_is_said_and_stops_nothing(line: bytes | str, tmp_path: Path) -> None:
    first, foreign, last = lines(tmp_path / "log", json.dumps(GOOD), line, json.dumps(GOOD))
    assert isinstance(first, Entry)
    assert isinstance(foreign, Foreign)
    assert foreign.line == 2
    assert isinstance(last, Entry)


def test_lines_keep_their_numbers(tmp_path: Path) -> None:
    """Empty ones count; a byte order mark, ends of Windows and a missing last end do not matter."""
    good = json.dumps(GOOD).encode()
    found = lines(
        tmp_path / "log", b"\xef\xbb\xbf" + good + b"\r\n", "", " \t", "x", good + b"\r\n" + good
    )
    assert [isinstance(item, Foreign) for item in found] == [False, True, False, False]
    assert [item.line for item in found if isinstance(item, Foreign)] == [4]
    assert lines(tmp_path / "log") == []


def test_a_line_without_end_is_not_held(tmp_path: Path) -> None:
    """200 MB on one line."""
    log = tmp_path / "log"
    with log.open("wb") as stream:
        stream.write(json.dumps(GOOD).encode() + b"\n")
        stream.seek(200_000_000, os.SEEK_CUR)
        stream.write(b"\n" + json.dumps(GOOD).encode())
    code = (
        "import sys, tracemalloc; from pathlib import Path;"
        "from cite_filter.integrity_log import read;"
        "tracemalloc.start(); print([type(item).__name__ for item in read(Path(sys.argv[1]))]);"
        "print(tracemalloc.get_traced_memory()[1] < 20_000_000)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(log)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["['Entry', 'Foreign', 'Entry']", "True"]


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(CiteError, match="cannot be read"):
            list(read(path))

"""`cite stats`: its arguments, its exit status, what it prints and says."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cite_filter import stats_command
from cite_filter.errors import CiteError
from cite_filter.integrity_entry import Entry
from test_schemas import schema
from test_stats import MONDAY, entry, weeks


@dataclass(frozen=True, slots=True)
class Done:
    status: int
    out: str
    said: list[tuple[str, str]]

    @property
    def levels(self) -> list[str]:
        return [level for level, _ in self.said]


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """`cite stats`, with what it printed and said."""

    def stats(*arguments: str | Path) -> Done:
        said: list[tuple[str, str]] = []
        parser = argparse.ArgumentParser()
        stats_command.add_parser(
            parser.add_subparsers(), lambda level, message: said.append((level, message))
        )
        parsed = parser.parse_args(["stats", *map(str, arguments)])
        status = parsed.command(parsed)
        assert all("\n" not in message for _, message in said)
        return Done(status, capsys.readouterr().out, said)

    return stats


def write(path: Path, made: Sequence[Entry], *more: str) -> Path:
    written = [json.dumps(one.to_json()) for one in made]
    path.write_text("".join(f"{line}\n" for line in [*written, *more]), encoding="utf-8")
    return path


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write(tmp_path / "good.jsonl", weeks([2, 3, 2]))


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A rise, with all that can be wrong of a log that is one."""
    made = [*weeks([2] * 10), *weeks([1], answers=1, fabricated_urls=1)]
    after = [replace(one, time=one.time + timedelta(weeks=10)) for one in weeks([30])]
    old = replace(made[0], method="0")
    return write(tmp_path / "bad.jsonl", [old, *made, *after], "# <b>remark</b>", '{"torn')


def report(done: Done) -> Any:
    held = json.loads(done.out)
    jsonschema.validate(held, schema("stats"))
    return held


def test_a_log_with_nothing_to_warn_of(good: Path, run: Run) -> None:
    done = run(good)
    assert (done.status, done.said) == (0, [])
    head, *rows = done.out.splitlines()[1:]
    assert head.split()[:4] == ["week", "answers", "clean", "claims"]
    assert [row.split()[0] for row in rows] == ["2026-W02", "2026-W03", "2026-W04", "all"]
    assert " ".join(rows[-1].split()[1:]) == "18 61.1 % 180 0 % 180 3.9 % 0 0 % 0 %"


def test_the_table_fits_eighty_columns(tmp_path: Path, run: Run, monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    made = [
        entry(MONDAY + timedelta(days=n // 100), unsupported_claims=1, quote_mismatches=1)
        for n in range(2000)
    ]
    out = run(write(tmp_path / "log", made), "--by", "day").out
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out
    assert len(out.splitlines()) == 2 + 20 + 1


def test_warnings_are_said_and_lead_to_1(bad: Path, run: Run) -> None:
    done = run(bad)
    assert done.status == 1
    assert done.levels == ["WARNING"] * 4
    skipped, *others = [message for _, message in done.said]
    assert skipped == f"{bad}: lines 69, 70 are no entry (no JSON, or not all of it); skipped"
    assert [message.split(maxsplit=2)[1] for message in others] == [
        "fabricated",
        "mismatch",
        "versions",
    ]


def test_json_is_as_its_schema_says(bad: Path, good: Path, tmp_path: Path, run: Run) -> None:
    missing = tmp_path / "missing"
    done = run(bad, good, missing, "--json", "--by", "month", "--since", "2026-01-01")
    assert done.status == 2
    held = report(done)
    assert held["files"] == [str(bad), str(good), str(missing)]
    assert (held["by"], held["since"]) == ("month", "2026-01-01")
    assert held["skipped"] == [
        {"file": str(bad), "lines": 2, "first": [69, 70], "why": "no JSON, or not all of it"}
    ]
    assert [error["file"] for error in held["errors"]] == [str(missing)]
    assert held["totals"]["answers"] == sum(period["answers"] for period in held["periods"]) == 86
    assert [use["answers"] for use in held["methods"]] == [1, 85]


def test_every_warning_is_as_the_schema_says(bad: Path, tmp_path: Path, run: Run) -> None:
    kinds = {warning["kind"] for warning in report(run(bad, "--json"))["warnings"]}
    empty = report(run(write(tmp_path / "empty", []), "--json"))
    kinds |= {warning["kind"] for warning in empty["warnings"]}
    listed = schema("stats")["$defs"]["warning"]["properties"]["kind"]["enum"]
    assert kinds == set(listed)


def test_an_empty_log_is_a_log(tmp_path: Path, run: Run) -> None:
    done = run(write(tmp_path / "empty", []))
    assert (done.status, done.levels, done.out) == (1, ["WARNING"], "no answers\n")


def test_what_is_no_log_is_an_error_and_stops_no_other(
    good: Path, tmp_path: Path, run: Run
) -> None:
    other = tmp_path / "README.md"
    other.write_text("\n# Tides\n\nTwice a day.\n")
    done = run(other, tmp_path, good)
    assert (done.status, done.levels) == (2, ["ERROR", "ERROR"])
    assert done.said[0][1].startswith(f"{other}:2: no JSON")
    assert "2026-W02" in done.out
    assert run(other).out == ""


def test_many_skipped_lines_are_one_warning(tmp_path: Path, run: Run) -> None:
    done = run(write(tmp_path / "log", [entry()], *["x"] * 1000))
    assert (done.status, done.levels) == (0, ["WARNING"])  # or a torn line would be red for ever
    assert "lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 990 more are no entry" in done.said[0][1]


def test_a_log_named_twice_is_read_once(good: Path, tmp_path: Path, run: Run) -> None:
    link = tmp_path / "link"
    link.symlink_to(good)
    held = report(run(good, link, tmp_path / "." / good.name, "--json"))
    assert (held["totals"]["answers"], len(held["files"])) == (18, 1)


def test_bad_arguments(good: Path, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--since", "yesterday"], ["--since", "2026-02-30"], ["--by", "year"]):
        with pytest.raises(SystemExit) as caught:
            run(good, *arguments)
        assert caught.value.code == 2
        assert arguments[1] in capsys.readouterr().err


def test_the_page_is_never_written_over_a_log(good: Path, tmp_path: Path, run: Run) -> None:
    before = good.read_bytes()
    link = tmp_path / "link"
    link.hardlink_to(good)
    for target in (good, link):
        with pytest.raises(CiteError, match="is a log"):
            run(good, "--html", target)
    assert good.read_bytes() == before
    with pytest.raises(CiteError, match="cannot be written"):
        run(good, "--html", tmp_path / "missing" / "page.html")


def test_the_command_writes_the_page(bad: Path, tmp_path: Path, run: Run) -> None:
    target = tmp_path / "page.html"
    done = run(bad, tmp_path / "missing", "--html", target)
    assert done.status == 2
    html = target.read_text(encoding="utf-8")
    text = unescape(html).replace("\u00a0", " ")
    for _, message in done.said:
        assert message in text
    assert "<b>" not in html

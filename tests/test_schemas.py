"""The schemas say of data what the code does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cite_filter.source_lists import SourcesError, read_yaml

ROOT = Path(__file__).parents[1]


def schema(name: str) -> Any:
    return json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted((ROOT / "schemas").glob("*.json")), ids=lambda p: p.stem)
def test_each_is_a_schema(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("sources", "valid"),
    [
        ([], True),
        ([{"index": 1, "title": "T", "url": "https://a.example/", "host": "a"}], True),
        ([{"url": "https://a.example/"}, {"title": None, "url": "x"}], True),
        ([{"index": 1, "url": "a"}, {"url": "b"}], False),
        ([{"index": 0, "url": "a"}], False),
        ([{"title": "T"}], False),
        ([{"url": " "}], False),
        (["https://a.example/"], False),
        ({"1": "https://a.example/"}, False),
    ],
)
def test_sources(sources: Any, valid: bool) -> None:
    assert jsonschema.Draft202012Validator(schema("sources")).is_valid(sources) is valid
    try:
        read_yaml(json.dumps(sources))
        read = True
    except SourcesError:
        read = False
    assert read is valid


def test_reports(tmp_path: Path) -> None:
    bad = tmp_path / "bad.md"
    bad.write_bytes(b"\xff")
    report = tmp_path / "report.json"
    cite = Path(sys.executable).parent / "cite"
    examples = sorted((ROOT / "examples").glob("*.md"))
    check: list[str | Path] = [cite, "check", "--json", *examples]
    checked = subprocess.run(check, capture_output=True, check=False)
    built: list[str | Path] = [
        cite,
        "build",
        *examples,
        bad,
        "--to",
        "txt",
        "--out-dir",
        tmp_path,
        "--report",
        report,
    ]
    subprocess.run(built, capture_output=True, check=False)
    for text in (checked.stdout.decode(), report.read_text(encoding="utf-8")):
        jsonschema.validate(json.loads(text), schema("report"))
    assert "error" in json.loads(report.read_text(encoding="utf-8"))[-1]

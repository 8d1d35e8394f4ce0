"""Runs the case files: prose, an input, what is drawn of it, for every reader they name.

`pytest --accept` writes what is drawn into the files; read the difference before it is committed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from cite_filter import link
from cite_filter.source_lists import Sources
from conftest import read
from drawing import draw

CASES = Path(__file__).with_name("cases")
_SECTION = re.compile(r"^## (.*?)\n(.*?)(?=^## |\Z)", re.M | re.S)
_FENCE = re.compile(r"^````(input|output|warnings)\n(.*?)^````$", re.M | re.S)


@dataclass(frozen=True)
class Case:
    path: Path
    title: str
    reader: str
    parts: dict[str, str]
    own_sources: bool
    list_shown: str

    def __str__(self) -> str:
        return f"{self.path.stem}: {self.title} ({self.reader})"


def _cases() -> list[Case]:
    cases = []
    for path in sorted(CASES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        head = text.partition("\n## ")[0]
        settings = dict(re.findall(r"^(Readers|Sources|List): (.*)$", head, re.M))
        for title, body in _SECTION.findall(text):
            parts = dict(_FENCE.findall(body))
            for reader in settings["Readers"].split(", "):
                own, shown = settings.get("Sources") == "own", settings.get("List", "none")
                cases.append(Case(path, title, reader, parts, own, shown))
    return cases


@pytest.mark.parametrize(
    "case", _cases(), ids=lambda case: f"{case.path.stem}-{case.title}-{case.reader}"
)
def test_case(case: Case, known: Sources, accept: bool) -> None:
    document = read(case.parts["input"], case.reader)
    document["meta"]["cite-filter-list"] = {"t": "MetaString", "c": case.list_shown}
    result = link(document, "html", sources=None if case.own_sources else known)
    drawn = draw(result.document["blocks"]) + "\n"
    warnings = "".join(f"{warning}\n" for warning in result.warnings)
    if accept:
        _accept(case, drawn, warnings)
        return
    assert drawn == case.parts["output"]
    assert warnings == case.parts.get("warnings", "")


def _accept(case: Case, drawn: str, warnings: str) -> None:
    text = case.path.read_text(encoding="utf-8")
    section = next(found for found in _SECTION.finditer(text) if found[1] == case.title)
    new = section[0]
    for part, value in (("output", drawn), ("warnings", warnings)):
        pattern = re.compile(rf"^````{part}\n.*?^````$", re.M | re.S)
        new = pattern.sub(lambda _, part=part, value=value: f"````{part}\n{value}````", new)  # type: ignore[misc]
    if warnings and "warnings" not in case.parts:
        new = f"{new.rstrip()}\n\n````warnings\n{warnings}````\n\n"
    case.path.write_text(text.replace(section[0], new), encoding="utf-8")

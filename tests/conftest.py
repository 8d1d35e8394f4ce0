"""What the tests share: Pandoc, and the sources that cases cite."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from cite_filter import cli, pandoc
from cite_filter.source_lists import Sources, read_yaml

# What a program writes must come also where Python buffers it.
os.environ.pop("PYTHONUNBUFFERED", None)

# No test finds what another, or the user, has built.
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="cite-filter-tests-")

# No test is timed: machines differ, and a benchmark tells more.
FUZZ = int(os.environ.get("FUZZ_EXAMPLES", "0"))
hypothesis.settings.register_profile("default", deadline=None, max_examples=FUZZ or 100)
hypothesis.settings.load_profile("default")


def many(examples: int) -> hypothesis.settings:
    """Settings for a property that needs more examples; `make fuzz` gives all of them far more."""
    return hypothesis.settings(max_examples=FUZZ or examples)


sys.path.insert(0, str(Path(__file__).parent))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write goldens instead of comparing")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--accept"))


@pytest.fixture
def known() -> Sources:
    """1, 2 and 3 may be linked; 4 has an unsafe URL."""
    return read_yaml(
        "- {title: One, url: 'https://1.example/'}\n"
        "- {title: Two, url: 'https://2.example/'}\n"
        "- {title: Three, url: 'https://3.example/'}\n"
        "- {title: Four, url: 'javascript:four'}\n"
    )


Builder = Callable[[str, str, str], Path]


@pytest.fixture(scope="session")
def build_once(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """`cite build` of a text, under a name, into one format: once in each xdist worker."""
    folder = tmp_path_factory.mktemp("built")

    @cache
    def build(name: str, text: str, ending: str) -> Path:
        source = folder / "in" / f"{name}.md"
        source.parent.mkdir(exist_ok=True)
        source.write_text(text, encoding="utf-8")
        target = folder / f"{name}.{ending}"
        assert cli.main(["build", str(source), "--to", ending, "-o", str(target)]) == 0
        return target

    return build


def read(text: str, reader: str) -> dict[str, Any]:
    """The document that Pandoc reads."""
    document: dict[str, Any] = json.loads(
        pandoc.run(["-f", reader, "-t", "json"], text.encode()).data
    )
    return document

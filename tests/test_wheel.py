"""An installed package works away from the checkout: built as a wheel, run in another folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the unpacked wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    target = folder / "installed"
    zipfile.ZipFile(wheel).extractall(target)
    return target


def run(installed: Path, folder: Path, module: str, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(installed)},
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout


def test_it_builds_every_format(installed: Path, tmp_path: Path) -> None:
    chat = tmp_path / "chat.md"
    chat.write_text("Fact [1].\n\n```sources\n- url: https://1.example/\n```\n")
    run(installed, tmp_path, "cite_filter.cli", "build", "chat.md", "--to", "html,docx,pdf,epub")
    assert {path.suffix for path in tmp_path.iterdir()} == {
        ".md",
        ".html",
        ".docx",
        ".pdf",
        ".epub",
    }


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    pinned = {
        line.partition("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().split()
    }
    assert {re.split("[<>=]", name)[0].lower() for name in wanted} <= pinned


def test_its_templates_are_its_own(installed: Path, tmp_path: Path) -> None:
    printed = run(installed, tmp_path, "cite_filter.cli", "makefile")
    assert Path(printed.strip()).is_relative_to(installed)


def test_it_carries_its_types_and_nothing_of_the_tests(installed: Path) -> None:
    assert (installed / "cite_filter" / "py.typed").exists()
    assert not list(installed.rglob("test_*"))
    assert not list(installed.rglob("*.pyc"))

"""The templates that come with the package, and where they are."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def folder() -> Path:
    """The folder of the templates: inside the installed package, else beside it in a checkout."""
    installed = Path(__file__).with_name("templates")
    return installed if installed.is_dir() else Path(__file__).parents[2] / "templates"


def path(name: str) -> Path:
    """The path of one template."""
    return folder() / name

"""The table that `cite check` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cite_filter.check import Report, defined_twice, never_cited
from cite_filter.pandoc_ast import clean
from cite_filter.turns import Turn

_COLUMNS = (
    "turn",
    "line",
    "linked",
    "unknown",
    "unsafe",
    "foreign",
    "never cited",
    "defined twice",
)
_LONGEST = 12


def print_reports(reports: Sequence[Report]) -> None:
    """Prints a table for each file, as wide as the terminal."""
    console = Console(highlight=False, markup=False, emoji=False)
    for report in reports:
        name = clean(str(report.path))
        table = Table(title=Text(name), title_justify="left", box=None, pad_edge=False)
        for column in _COLUMNS:
            table.add_column(column, justify="right" if column in ("line", "linked") else "left")
        for turn in report.turns:
            table.add_row(*map(Text, _row(turn)))
        console.print(table if report.turns else Text(f"{name}: no sources, no markers"))


def _row(turn: Turn) -> list[str]:
    return [
        turn.place,
        str(turn.line or ""),
        str(turn.linked),
        _with_lines(turn.unknown),
        _with_lines(turn.unsafe),
        _with_lines(turn.foreign),
        ", ".join(never_cited(turn)),
        _with_lines(defined_twice(turn)),
    ]


def _with_lines(found: Mapping[str, Sequence[int | None]]) -> str:
    """`[9] 12, 40`: each number with the lines where it stands."""
    return "; ".join(
        f"[{_short(number)}] {', '.join(str(line) for line in lines if line is not None)}".strip()
        for number, lines in found.items()
    )


def _short(number: str) -> str:
    return number if len(number) <= _LONGEST else number[:_LONGEST] + "…"

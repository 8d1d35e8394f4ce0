"""Plots as SVG for a page of HTML: lines of rates, bars of counts, over periods of time.

A plot is as wide as its column. Its outer `svg` has places in percent, so that text keeps its size;
an inner one, 1,000 units wide and high, is stretched, and its lines keep their width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

_MOST_MARKED = 60
"""Points; with more of them their markers would hide the line."""
_RATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_STRIP = (840, 1000)
"""From where to where the bars of counts under a line stand."""
_LINE = (0, 670)
_KEPT = 'vector-effect="non-scaling-stroke"'
"""Lines keep their width where the drawing is stretched."""
_TABLE = "The table at the end of the page has the numbers."


@dataclass(frozen=True, slots=True)
class Point:
    """What is shown of one period."""

    name: str
    slot: int
    """Counts the periods, those without a point too."""
    count: int
    """How many the rate is of, or what is counted."""
    rate: float | None = None
    """From 0 to 1; None where there is none."""


def rate_plot(name: str, title: str, counted: str, points: Sequence[Point]) -> str:
    """A line of rates over bars that show how many each is of; there is at least one point.

    `name` is an identifier for the page, and `counted` says what the bars count.
    """
    top = next((top for top in _RATES if top >= max((p.rate or 0 for p in points), default=0)), 1.0)
    most = max((point.count for point in points), default=0)
    axis = list(_axis(_LINE, [(0, "0"), (0.5, _share(top / 2)), (1, _share(top))]))
    places = [
        (_across(point, points), _LINE[1] - point.rate / top * _LINE[1])
        for point in points
        if point.rate is not None
    ]
    strip = f'<text class="of" x="0" y="{_STRIP[0] / 10:g}%" dy="-.45em">{escape(counted)}</text>'
    axis += [strip, *_axis(_STRIP, [(1, f"{most:,}")] if most else [])]
    told = f"A line of shares for {_spanned(points)}, over bars of {counted}. {_TABLE}"
    drawn = [*_line(places), *_bars(points, most)]
    return _plot(name, title, told, [*axis, *_names(points)], drawn)


def count_plot(name: str, title: str, points: Sequence[Point]) -> str:
    """Bars of counts; `name` is as for `rate_plot`."""
    most = _round(max((point.count for point in points), default=0))
    middle = [(0.5, f"{most // 2:,}")] if most % 2 == 0 else []
    axis = _axis((0, 1000), [(0, "0"), *middle, (1, f"{most:,}")])
    bars = _bars(points, most, (0, 1000), "bars strong")
    told = f"Bars for {_spanned(points)}. {_TABLE}"
    return _plot(name, title, told, [*axis, *_names(points)], bars)


def _spanned(points: Sequence[Point]) -> str:
    names = list(dict.fromkeys(point.name for point in (points[0], points[-1])))
    return " to ".join(names)


def _plot(
    name: str, title: str, told: str, axis: Sequence[str], drawn: Sequence[str] | Iterator[str]
) -> str:
    return (
        f'<svg class="plot" role="img" aria-labelledby="{name}-title {name}-told">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-told">{escape(told)}</desc>'
        f'{"".join(axis)}<svg class="drawn" viewBox="0 0 1000 1000" preserveAspectRatio="none">'
        f"{''.join(drawn)}</svg></svg>"
    )


def _axis(extent: tuple[int, int], marks: Sequence[tuple[float, str]]) -> Iterator[str]:
    """Lines across with what they stand for, each mark at a part of the height."""
    high, low = extent
    for part, text in marks:
        y = f"{(low - part * (low - high)) / 10:g}%"
        yield f'<line class="grid" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
        yield f'<text class="of-y" x="-8" y="{y}" dy=".33em">{escape(text)}</text>'


def _names(points: Sequence[Point]) -> Iterator[str]:
    """The names of the first and the last period, and of two between where there is room."""
    if points[0].slot == points[-1].slot:
        yield f'<text class="of-x" x="50%" y="100%" dy="1.4em">{escape(points[0].name)}</text>'
        return
    shown = [(points[0], ""), (points[-1], "")]
    for third in (1, 2):
        wanted = 1000 * third / 3
        between = min(points, key=lambda point: abs(_across(point, points) - wanted))
        if abs(_across(between, points) - wanted) < 80:
            shown.append((between, " extra"))
    for point, more in shown:
        across = _across(point, points)
        side = " first" if across < 150 else " last" if across > 850 else ""
        place = f'x="{across / 10:.3g}%" y="100%" dy="1.4em"'
        yield f'<text class="of-x{side}{more}" {place}>{escape(point.name)}</text>'


def _line(places: Sequence[tuple[float, float]]) -> Iterator[str]:
    if len(places) > 1:
        corners = " ".join(f"{x:.4g},{y:.4g}" for x, y in places)
        yield f'<polyline class="line" {_KEPT} points="{corners}"/>'
    if places and len(places) <= _MOST_MARKED:
        dots = "".join(f"M{x:.4g} {y:.4g}h.01" for x, y in places)
        yield f'<path class="dots" {_KEPT} d="{dots}"/>'


def _bars(
    points: Sequence[Point],
    most: int,
    extent: tuple[int, int] = _STRIP,
    classes: str = "bars",
) -> Iterator[str]:
    """One path of all bars. Those that are not nothing can be seen, however many there are."""
    high, low = extent
    wide = max(1.5, min(60.0, 700 / _slots(points)))
    path = "".join(
        f"M{_across(point, points) - wide / 2:.4g} {low}"
        f"v{-max(8.0, point.count / most * (low - high)):.4g}h{wide:.4g}V{low}z"
        for point in points
        if point.count
    )
    if path:
        yield f'<path class="{classes}" d="{path}"/>'


def _across(point: Point, points: Sequence[Point]) -> float:
    """Where the middle of a period is, of 1,000: time goes evenly, also where nothing was."""
    return (point.slot - points[0].slot + 0.5) / _slots(points) * 1000


def _slots(points: Sequence[Point]) -> int:
    return points[-1].slot - points[0].slot + 1


def _round(most: int) -> int:
    """The least of 1, 2, 5, 10, 20, 50 … that is not less."""
    unit = 1
    while True:
        for factor in (1, 2, 5):
            if most <= factor * unit:
                return factor * unit
        unit *= 10


def _share(rate: float) -> str:
    return f"{rate * 100:g}\u00a0%"

"""The page of `cite stats --html`: nothing in it runs or loads, and it shows what there is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cite_filter import templates
from cite_filter.integrity_entry import Entry
from cite_filter.stats import Span, collect
from cite_filter.stats_page import page
from cite_filter.stats_warnings import warnings
from test_stats import MONDAY, entry, of_kind, weeks


class Parsed(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, tag: str) -> list[Mapping[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def drawn(made: Sequence[Entry], span: Span = "week", names: Sequence[str] = ("a.jsonl",)) -> str:
    stats = collect(made, span)
    return page(stats, [warning.message for warning in warnings(stats)], [Path(n) for n in names])


MANY = [entry(MONDAY + timedelta(hours=7 * n), quote_mismatches=n % 3) for n in range(6_000)]
PAGES: Mapping[str, str] = {
    "none": drawn([]),
    "one": drawn([entry()]),
    "unchecked": drawn([entry(claims=0, quotes_checked=0, sources=0)]),
    "weeks": drawn(weeks([2] * 17 + [30] * 3, fabricated_urls=1)),
    "many": drawn(MANY),
    "days": drawn(MANY, "day"),
}
EACH = pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)


@EACH
def test_a_page_loads_and_runs_nothing(html: str) -> None:
    found = Parsed(html)
    names = {name for name, _ in found.elements}
    assert not names & {"script", "img", "link", "iframe", "object", "embed", "use", "image", "a"}
    for _, attributes in found.elements:
        assert not [key for key in attributes if key.startswith("on")]
        assert not {"src", "href", "xlink:href", "style"} & set(attributes)
    assert not re.search(r"url\(|@import|https?:", html)
    policy = [m for m in found.of("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert "default-src 'none'" in str(policy[0]["content"])


@EACH
def test_every_plot_has_its_words(html: str) -> None:
    found = Parsed(html)
    plots = [svg for svg in found.of("svg") if svg.get("role") == "img"]
    assert len(plots) == (0 if html is PAGES["none"] else 4)
    known = {str(attributes["id"]) for _, attributes in found.elements if "id" in attributes}
    for plot in plots:
        assert set(str(plot["aria-labelledby"]).split()) <= known
    identifiers = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))


@EACH
def test_drawings_stay_in_their_frames(html: str) -> None:
    for points in re.findall(r'points="([^"]*)"', html):
        for pair in points.split():
            x, y = map(float, pair.split(","))
            assert 0 <= x <= 1000
            assert 0 <= y <= 1000
    assert not re.search(r"\b(?:nan|inf)\b", html)


def test_the_line_shows_the_rates() -> None:
    """0 %, 20 % and 40 % of an axis that ends at 50 %, over bars as high as what they count."""
    made = [*weeks([0, 12, 24]), *weeks([0], answers=1)]
    html = drawn(made)
    line = re.search(r'class="line"[^>]*points="([^"]*)"', html)
    assert line is not None
    heights = [670 - float(pair.split(",")[1]) for pair in line[1].split()]
    assert [round(height / 670 * 0.5, 2) for height in heights] == [0, 0.2, 0.4]
    assert [float(pair.split(",")[0]) for pair in line[1].split()] == pytest.approx(
        [500 / 3, 500, 2500 / 3], rel=1e-3
    )
    bars = re.search(r'class="bars" d="([^"]*)"', html)
    assert bars is not None
    high = [float(number) for number in re.findall(r"v-([\d.]+)", bars[1])]
    assert high == pytest.approx([160, 160 * 60 / 70, 160 * 60 / 70], rel=1e-3)


def test_time_goes_evenly() -> None:
    """Weeks without an answer take their room."""
    made = [entry(MONDAY + timedelta(weeks=week)) for week in (0, 1, 9)]
    line = re.search(r'class="line"[^>]*points="([^"]*)"', drawn(made))
    assert line is not None
    assert [float(pair.split(",")[0]) for pair in line[1].split()] == [50, 150, 950]


def test_the_table_has_every_number() -> None:
    text = Parsed(drawn(weeks([2, 30, 0], truncated_sources=1))).text
    assert "30 (50.0\u00a0%)" in text
    assert "2026-W04" in text
    assert "18 (20.0\u00a0%)" in text
    assert len(Parsed(PAGES["days"]).of("tr")) == 2 + len(collect(MANY, "day").periods)


def test_hostile_text_stays_text() -> None:
    nasty = "</title><script>alert(1)</script>${x}$files\x1b[31m\u202e\x00\"'&"
    html = drawn([entry(method=nasty[:100])], names=[nasty.replace("/", "∕").replace("\0", "")])
    assert "<script" not in html
    assert not set("\x1b\u202e\0") & set(html)
    assert "${x}$files" in unescape(Parsed(html).text)


def test_a_thousand_methods_do_not_fill_the_page() -> None:
    made = [entry(MONDAY + timedelta(hours=n), method=f"m{n}" * 10) for n in range(1000)]
    stats = collect(made)
    warning = of_kind(stats, "methods_differ")
    assert warning is not None
    assert len(warning.message) < 1000
    assert "995 before" in drawn(made)


def _colours(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", css))


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast(dark: bool) -> None:
    css = templates.path("stats.html").read_text(encoding="utf-8")
    light_part, dark_part = css.split("prefers-color-scheme: dark", 1)
    colours = {**_colours(light_part), **(_colours(dark_part) if dark else {})}
    for text in ("ink", "quiet", "accent", "warning"):
        for ground in ("paper", "wash"):
            assert _contrast(colours[text], colours[ground]) >= 4.5
    for shape in ("accent", "bars"):
        assert _contrast(colours[shape], colours["paper"]) >= 3


@pytest.mark.programs
@EACH
def test_a_page_is_valid_and_fits_a_telephone(html: str, tmp_path: Path) -> None:
    from test_programs import html_messages, look, serving

    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    assert html_messages(path) == []
    with serving() as server:
        seen = look(html, server, tmp_path)
        assert server.asked == ["/frame", "/page"]
    assert (seen["inner"], seen["wide"]) == (360, 360)

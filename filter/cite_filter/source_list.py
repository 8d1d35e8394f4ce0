"""The list of sources under an answer. `docs/format.md`, section 4."""

from __future__ import annotations

from cite_filter import pandoc_ast as ast
from cite_filter import urls
from cite_filter.pandoc_ast import Blocks, Inlines
from cite_filter.source_lists import NumberedSource
from cite_filter.style import Style
from cite_filter.turns import Turn

TITLES = {
    "ar": "المصادر",
    "bg": "Източници",
    "ca": "Fonts",
    "cs": "Zdroje",
    "da": "Kilder",
    "de": "Quellen",
    "el": "Πηγές",
    "en": "Sources",
    "es": "Fuentes",
    "fa": "منابع",
    "fi": "Lähteet",
    "fr": "Sources",
    "he": "מקורות",
    "hi": "स्रोत",
    "hr": "Izvori",
    "hu": "Források",
    "id": "Sumber",
    "it": "Fonti",
    "ja": "出典",
    "ko": "출처",
    "nb": "Kilder",
    "nl": "Bronnen",
    "no": "Kilder",
    "pl": "Źródła",
    "pt": "Fontes",
    "ro": "Surse",
    "ru": "Источники",
    "sk": "Zdroje",
    "sl": "Viri",
    "sv": "Källor",
    "tr": "Kaynaklar",
    "uk": "Джерела",
    "vi": "Nguồn",
    "zh": "来源",
    "zh-hant": "來源",
    "zh-tw": "來源",
}
"""What a list is called, by language tag in lower case."""

_BACK = "↩"


def render(turn: Turn, style: Style, *, titled: bool = True) -> Blocks:
    """The title (unless the place has one) and the list of `turn`; nothing where it has none."""
    sources = _shown(turn, style.options.list)
    if not sources:
        return []
    items: list[Blocks] = [[{"t": "Plain", "c": _entry(source, turn, style)}] for source in sources]
    title = _title(turn, style) if titled else []
    return [*title, {"t": "BulletList", "c": items}]


def _shown(turn: Turn, which: str) -> list[NumberedSource]:
    sources = turn.sources.in_order()
    if which == "none":
        return []
    if which == "all" or not turn.named:
        return sources
    return [source for source in sources if str(source.number) in turn.named]


def _title(turn: Turn, style: Style) -> Blocks:
    level = style.options.heading
    inlines = style.words(style.options.title or _word_for_sources(turn.language))
    if level:
        attributes = ["", list(style.classes("unnumbered", "unlisted")), []]
        return [{"t": "Header", "c": [level, attributes, inlines]}]
    return [{"t": "Para", "c": [{"t": "Emph", "c": inlines}]}]


def _word_for_sources(language: str | None) -> str:
    tag = (language or "en").lower().replace("_", "-")
    while tag and tag not in TITLES:
        tag = tag.rpartition("-")[0]
    return TITLES[tag or "en"]


def _entry(source: NumberedSource, turn: Turn, style: Style) -> Inlines:
    """`[n]` as a link, a space, the title; text alone where the source may not be linked."""
    label = [ast.string(f"[{source.number}]")]
    if source.is_linkable:
        label = [style.to_source(label, source)]
    number = str(source.number)
    if style.to_list and number in turn.cited:
        label = [ast.anchor(style.identifier(turn, "source", number), label)]
    inlines = [*label, ast.space(), *style.words(source.label)]
    host = urls.host(source.url) if style.options.host and source.is_linkable else None
    if host and host != source.label:
        inlines += [ast.space(), ast.string(f"({host})")]
    if style.to_list and number in turn.anchored:
        back = "#" + style.identifier(turn, "citation", number)
        inlines += [ast.space(), ast.link([ast.string(_BACK)], back)]
    return inlines

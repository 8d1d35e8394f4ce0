"""Whether a quotation stands in a source, and what a failed one should have been.

The verdict is containment of the whole quotation under the equivalences of `equivalences`, at the
boundaries that `edges` demands; never a score.
"""

from __future__ import annotations

from collections.abc import Sequence

from cite_filter.answers import Form, RetrievedSource
from cite_filter.quotations import elisions, nearest, pages
from cite_filter.quotations.prepared import Hit, Prepared, Quote
from cite_filter.quotations.verdicts import Nearest, Reason, Verdict
from cite_filter.quotations.visible import Visible
from cite_filter.quotations.words import compact

_ALIKE = 50
"""Similarity, of 100, from which on a passage explains a quotation."""


class Quotations:
    """Looks for quotations in the sources of one answer, each of which is prepared once."""

    def __init__(self, sources: Sequence[RetrievedSource]) -> None:
        self.sources = sources
        self._prepared: dict[int, Prepared] = {}
        self._readable = [pages.is_readable(source.text) for source in sources]

    def is_readable(self, position: int) -> bool:
        """Whether a source has a text to look in, and not that of an error or a consent page."""
        return self._readable[position]

    def check(self, quote: str, cited: Sequence[int]) -> Verdict:
        """Whether `quote` stands in one of the sources at the positions `cited`."""
        if not any(self._readable[position] for position in cited):
            return self._elsewhere(_forms(quote), cited, "unchecked") or Verdict(False, "unchecked")
        forms = _forms(quote)
        if not forms or all(form.is_short for form in forms):
            return Verdict(False, "too_short")
        readable = [position for position in cited if self._readable[position]]
        found = self._best(forms, readable)
        if found and found[1].gravity <= 1:
            return self._verified(*found)
        sources = [self._at(position) for position in readable]
        return (
            elisions.check(forms[min(1, len(forms) - 1)].text, sources)
            or self._altered(found, minor=True)
            or self._elsewhere(forms, cited, "found_elsewhere")
            or (Verdict(False, "unchecked") if len(readable) < len(cited) else None)
            or self._altered(found, minor=False)
            or _explained(forms[0], sources)
        )

    def _at(self, position: int) -> Prepared:
        if position not in self._prepared:
            self._prepared[position] = Prepared(self.sources[position])
        return self._prepared[position]

    def _best(
        self, forms: Sequence[Quote], positions: Sequence[int]
    ) -> tuple[Prepared, Hit, Quote] | None:
        """The place nearest to a quotation, of all with its letters."""
        best: tuple[Prepared, Hit, Quote] | None = None
        for position in positions:
            for form in forms:
                hit = self._at(position).best(form)
                if hit is not None and (best is None or hit.gravity < best[1].gravity):
                    best = self._at(position), hit, form
                if best is not None and not best[1].gravity:
                    return best
        return best

    def _verified(self, source: Prepared, hit: Hit, form: Quote) -> Verdict:
        passage = source.passage(hit.start, hit.end, form.text)
        return Verdict(True, "truncated" if hit.truncated else None, [passage])

    def _altered(self, found: tuple[Prepared, Hit, Quote] | None, *, minor: bool) -> Verdict | None:
        """What became of a quotation all of whose letters stand in a source, but not as they do."""
        if found is None:
            return None
        source, hit, form = found
        if hit.difference is None or minor is (hit.difference == "altered"):
            return None
        return Verdict(
            False, hit.difference, nearest=source.nearest_at(hit.start, hit.end, form.text)
        )

    def _elsewhere(
        self, forms: Sequence[Quote], cited: Sequence[int], reason: Reason
    ) -> Verdict | None:
        """Where a quotation stands, if in a source that the claim does not cite."""
        others = [p for p, readable in enumerate(self._readable) if readable and p not in cited]
        found = self._best(forms, others)
        if found is None or found[1].gravity > 1:
            return None
        source, hit, form = found
        return Verdict(False, reason, [source.passage(hit.start, hit.end, form.text)])


def _forms(quote: str) -> list[Quote]:
    """The ways to read a quotation: as text, as Markdown or HTML, and with its markers as text."""
    forms: tuple[Form, ...] = ("text", "markdown")
    seen = [Visible(quote, form, is_passage=True).text for form in forms]
    texts = dict.fromkeys(elisions.bare(compact(text)) for text in (*seen, quote))
    return [form for form in map(Quote, texts) if form.letters]


def _explained(form: Quote, sources: Sequence[Prepared]) -> Verdict:
    """What a quotation may have been made of that stands nowhere."""
    found: list[Nearest] = [near for source in sources if (near := source.nearest_to(form))]
    best = max(found, key=lambda near: near.similarity, default=None)
    if best is None or best.similarity < _ALIKE:
        return Verdict(False, "fabricated", nearest=None)
    return Verdict(False, nearest.reason(best.changes), nearest=best)

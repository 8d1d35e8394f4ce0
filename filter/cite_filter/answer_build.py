"""`cite build` of a structured answer: it is read, verified anew, rendered, made harmless.

Verdicts that stand in the file are never believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cite_filter import answer_document, answer_files, untrusted
from cite_filter.build import Prepared, is_option, with_metadata
from cite_filter.errors import CiteError
from cite_filter.pandoc_ast import Document
from cite_filter.verification import VerifiedAnswer, verify
from cite_filter.writers import Settings

_MOST = 12
"""Numbers that a message names."""
_RENDERED = {"md": "gfm", "txt": "plain"}
"""The formats that are rendered for their own writer; the others share a document."""
_SAID = {
    "unsupported": "unsupported",
    "quote_mismatch": "quotation withheld",
    "ok": "quotation with a reservation",
}
_SAID_OF = {"elided": "quotation shortened"}


@dataclass(frozen=True, slots=True)
class AnswerReport:
    """What was found in one answer."""

    path: Path
    verified: VerifiedAnswer

    @property
    def is_clean(self) -> bool:
        """Whether something was checked and nothing was found wrong."""
        return self.verified.integrity.is_clean

    def to_json(self) -> dict[str, Any]:
        """The report as plain data; claims are numbered from 1 on."""
        return {
            "file": str(self.path),
            "clean": self.is_clean,
            "claims": [
                {
                    "claim": number,
                    "status": claim.status,
                    "reason": claim.reason,
                    "severity": claim.severity,
                    "quote_verified": claim.quote_verified,
                    "fabricated_urls": list(claim.fabricated_urls),
                }
                for number, claim in enumerate(self.verified.claims, start=1)
            ],
            "integrity": self.verified.integrity.to_json(),
            "method": self.verified.method,
        }


def prepare(path: Path, targets: Iterable[str], settings: Settings, most_bytes: int) -> Prepared:
    """The answer in a file, verified, for each format. Raises CiteError; also by strictness."""
    verified = verify(answer_files.read(path, most_bytes))
    said = list(findings(verified))
    if settings.strict and not verified.integrity.is_clean:
        message = f"strict: {'; '.join(said)}; mend the answer or build without --strict"
        raise CiteError(message, path, status=1)
    rendered: dict[str, Document] = {}
    documents: dict[str, Document] = {}
    for name in targets:
        target = _RENDERED.get(name, "html")
        if target not in rendered:
            rendered[target] = _document(verified, target, settings, said)
        documents[name] = rendered[target]
    return Prepared(documents, AnswerReport(path, verified), said)


def _document(
    verified: VerifiedAnswer, target: str, settings: Settings, said: list[str]
) -> Document:
    """The rendered answer; what is disarmed should be nothing, but is a wall of its own."""
    language = None
    for pair in settings.metadata:
        key, _, value = pair.partition("=")
        language = value if key == "lang" else language
    document = answer_document.render(verified, target=target, language=language)
    said += untrusted.disarm(document, titles=target == "html", is_answer=True)
    return with_metadata(document, [pair for pair in settings.metadata if not is_option(pair)])


def findings(verified: VerifiedAnswer) -> Iterator[str]:
    """What a reader should know, a line for each kind, with the numbers of the claims."""
    kinds: dict[str, list[int]] = {}
    for number, claim in enumerate(verified.claims, start=1):
        what = _SAID_OF.get(claim.reason or "", _SAID[claim.status])
        said = [f"{what} ({claim.reason})"] if claim.reason else []
        if claim.lacks_quote:
            said.append("stated without a quotation")
        if claim.fabricated_urls:
            said.append("URLs that were not retrieved")
        if claim.missing_numbers:
            said.append("numbers that the quotation has not")
        for what in said:
            kinds.setdefault(what, []).append(number)
    for what, numbers in kinds.items():
        yield f"{_named('claim', numbers)}: {what}"
    numbered = list(enumerate(verified.sources, start=1))
    for numbers, what in (
        ([n for n, source in numbered if not source.is_readable], "could not be read"),
        ([n for n, source in numbered if source.source.truncated], "read only in part"),
    ):
        if numbers:
            yield f"{_named('source', numbers)}: {what}"
    if not verified.integrity.quotes_checked:
        yield "no quotation could be checked, so nothing is verified"


def _named(what: str, numbers: list[int]) -> str:
    """`claims 1, 2, 3 and 4 more`."""
    shown = ", ".join(map(str, numbers[:_MOST]))
    more = f" and {len(numbers) - _MOST} more" if len(numbers) > _MOST else ""
    return f"{what}{'s' if len(numbers) > 1 else ''} {shown}{more}"

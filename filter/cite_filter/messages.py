"""What is said of the citations that could not be verified: one line a number and turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cite_filter import pandoc_ast as ast
from cite_filter.turns import Lines, Turn

_MOST_LINES = 20


def messages(turns: Sequence[Turn]) -> Iterator[str]:
    """One line for each thing to be said; it names its turn where there are several."""
    alone = len(turns) == 1 and turns[0].scope != "turn"
    for turn in turns:
        place = "" if alone else f"{turn.place}: "
        for message in _of_turn(turn):
            yield place + message


def _of_turn(turn: Turn) -> Iterator[str]:
    for source in turn.sources.in_order():
        if source.altered:
            yield (
                f"source {source.number}: Pandoc's reader altered the URL, so it is not linked; "
                "write it as <URL> or use a sources block"
            )
    for key, sources in turn.sources.conflicts.items():
        urls = " and ".join(dict.fromkeys(ast.clean(source.url) for source in sources))
        yield f"source {key} has several URLs ({urls}), so the number is unknown; give each its own"
    for key, lines in _in_order(turn.unknown):
        yield f"{_shown(key)}{_times(lines)} names no source; left as written"
    for key, lines in _in_order(turn.unsafe):
        url = ast.clean(turn.sources.by_number[key].url)
        why = f"has an unsafe URL ({url})"
        if url.startswith("file:"):
            why = f"is a file and no page ({url.removeprefix('file:')})"
        yield f"{_shown(key)}{_times(lines)} {why}; left as written"
    for key, lines in _in_order(turn.foreign):
        yield f"{_shown(key)}{_times(lines)} is a link that does not lead to such a source"
    if turn.footnotes:
        shown = ", ".join(f"[^{key}]" for key in sorted(turn.footnotes))
        yield f"{shown} has a note of its own in the text, no copy of the source; left as written"


def _in_order(found: Mapping[str, Lines]) -> list[tuple[str, Lines]]:
    """By number; a number may be too long to be made one."""
    return sorted(found.items(), key=lambda pair: (len(pair[0]), pair[0]))


def _shown(key: str) -> str:
    return f"[{key if len(key) <= 20 else key[:20] + '…'}]"


def _times(lines: Lines) -> str:
    """Where, as far as lines are known, else how often."""
    known = [str(line) for line in dict.fromkeys(lines) if line is not None]
    if known:
        more = f" and {len(known) - _MOST_LINES} more" if len(known) > _MOST_LINES else ""
        return f" (line {', '.join(known[:_MOST_LINES])}{more})"
    return f" ({len(lines)} times)" if len(lines) > 1 else ""

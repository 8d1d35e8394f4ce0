r"""Mathematics as chats write it, `\( … \)` and `\[ … \]`, as the dollars that Pandoc reads."""

from __future__ import annotations

import re

from cite_filter.prose import mask_code

# A formula of a line of its own may run over lines, but over no empty one.
_INLINE = re.compile(r"(?<!\\)\\\(((?:(?!\\\)|\n[ \t]*\n).)+?)\\\)", re.S)
_DISPLAY = re.compile(r"(?<!\\)\\\[((?:(?!\\\]|\n[ \t]*\n).)+?)\\\]", re.S)
# What a bracket that is merely escaped holds: words, a number.
_NO_FORMULA = re.compile(r"[^\\^_=+<>{}|]*")


def convert(text: str) -> str:
    r"""The Markdown with its formulas between dollars; code stays as it is.

    >>> print(convert(r"By \(x\), `\(y\)` and \[1\]."))
    By $x$, `\(y\)` and \[1\].
    """
    if "\\(" not in text and "\\[" not in text:
        return text
    masked = mask_code(text)
    pieces: list[str] = []
    done = 0
    found = sorted(
        [
            *((match.start(), match.end(), "$") for match in _INLINE.finditer(masked)),
            *(
                (match.start(), match.end(), "$$")
                for match in _DISPLAY.finditer(masked)
                if "\n" in match[1] or not _NO_FORMULA.fullmatch(match[1])
            ),
        ]
    )
    for start, end, dollars in found:
        if start < done:
            continue
        inner = text[start + 2 : end - 2]
        formula = inner.strip() if dollars == "$" else inner
        pieces += [text[done:start], dollars, formula, dollars]
        done = end
    return "".join([*pieces, text[done:]])

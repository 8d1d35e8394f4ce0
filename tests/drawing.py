"""Draws a document as text, so that a case can be read: a raised citation is `⟨1⟩`.

A citation whose target is the page of its number (`https://1.example/`) is drawn as the number
alone; any other shows where it leads: `⟨1→https://…⟩`. One that is not raised is `‹1›`.
"""

from __future__ import annotations

from typing import Any

from cite_filter.pandoc_ast import Blocks, Inlines, Node, child_blocks, child_inlines

_WRAPS = {"Emph": "*", "Strong": "**", "Strikeout": "~~", "Subscript": "~", "Underline": "_"}


def draw(blocks: Blocks) -> str:
    return "\n\n".join(_block(block) for block in blocks)


def _block(block: Node) -> str:
    kind: str = block["t"]
    content: Any = block.get("c")
    if kind in ("Para", "Plain"):
        return inline_text(content)
    if kind == "Header":
        classes = " {." + " .".join(content[1][1]) + "}" if content[1][1] else ""
        return f"{'#' * content[0]} {inline_text(content[2])}{classes}"
    if kind == "Div":
        name = ".".join(content[0][1]) or "div"
        return f"::: {name}\n{draw(content[1])}\n:::"
    if kind == "CodeBlock":
        return f"```{' '.join(content[0][1])}\n{content[1]}\n```"
    if kind == "RawBlock":
        return f"{{{content[1].strip()}}}"
    if kind == "HorizontalRule":
        return "---"
    if kind == "Table":
        return " | ".join(draw(cell) for cell in child_blocks(block) if cell)
    mark = {"BulletList": "- ", "OrderedList": "1. ", "BlockQuote": "> "}.get(kind, ": ")
    lines = [inline_text(inlines) for inlines in child_inlines(block)]
    return "\n".join([*lines, *(mark + draw(inner) for inner in child_blocks(block))])


def inline_text(inlines: Inlines) -> str:
    return "".join(map(_inline, inlines))


def _inline(inline: Node) -> str:
    kind: str = inline["t"]
    content: Any = inline.get("c")
    if kind == "Str":
        return str(content)
    if kind in ("Space", "SoftBreak", "LineBreak"):
        return {"Space": " ", "SoftBreak": "\n", "LineBreak": "\\\n"}[kind]
    if kind in _WRAPS:
        return _WRAPS[kind] + inline_text(content) + _WRAPS[kind]
    if kind == "Superscript":
        cited = all(_is_citation(inner) or inner["t"] == "Space" for inner in content)
        text = inline_text(content)
        return "⟨" + text.replace("‹", "").replace("›", "") + "⟩" if cited else f"^{text}^"
    if kind == "Link":
        return _link(inline)
    return _other(kind, content)


def _link(link: Node) -> str:
    _, inlines, (url, _) = link["c"]
    text = inline_text(inlines)
    if not _is_citation(link):
        return f"[{text}]({url})"
    return f"‹{text}›" if url == f"https://{text}.example/" else f"‹{text}→{url}›"


def _is_citation(inline: Node) -> bool:
    if inline["t"] == "Span":
        return all(map(_is_citation, inline["c"][1]))
    return inline["t"] == "Link" and "citation" in inline["c"][0][1]


def _other(kind: str, content: Any) -> str:
    if kind == "Code":
        return f"`{content[1]}`"
    if kind == "Math":
        return f"${content[1]}$"
    if kind == "RawInline":
        return str(content[1])
    if kind == "Quoted":
        return "“" + inline_text(content[1]) + "”"
    if kind == "Note":
        return "^[" + draw(content) + "]"
    if kind == "Image":
        return f"![{inline_text(content[1])}]({content[2][0]})"
    if kind == "Span" and content[0][0]:
        return f"{{#{content[0][0]}}}" + inline_text(content[1])
    return inline_text(content[1] if kind in ("Span", "Cite") else content)

"""Makes reference.docx, the Word styles of our documents, out of the one that Pandoc carries.

    python reference_docx.py [--pandoc PANDOC] [OUTPUT]

Needs python-docx. The output is the same, byte for byte, on every run.
"""

from __future__ import annotations

import argparse
import datetime
import io
import subprocess
import zipfile
from pathlib import Path
from typing import Any

from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_TAB_ALIGNMENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

SERIF, SANS, MONO = "Cambria", "Calibri", "Consolas"
INK, QUIET, HAIR, WASH, ACCENT = "1C1C1A", "5A5A55", "C9C8C2", "F4F3EE", "1D4E7E"
GREEN, VIOLET, BROWN, RED = "2C6240", "5B3F86", "7D4E00", "9A2A25"

# The order in which the schema wants the children of w:pPr and w:rPr that are made here.
PPR = (
    "keepNext",
    "keepLines",
    "pageBreakBefore",
    "widowControl",
    "numPr",
    "suppressLineNumbers",
    "pBdr",
    "shd",
    "tabs",
    "suppressAutoHyphens",
    "spacing",
    "ind",
    "contextualSpacing",
    "jc",
    "outlineLvl",
)


def element(name: str, **attributes: str) -> Any:
    new = OxmlElement(f"w:{name}")
    for key, value in attributes.items():
        new.set(qn(f"w:{key}"), value)
    return new


def put(properties: Any, new: Any) -> None:
    """Replace or insert a child of w:pPr at its place in the schema."""
    for old in properties.findall(new.tag):
        properties.remove(old)
    later = {qn(f"w:{name}") for name in PPR[PPR.index(new.tag.split("}")[1]) + 1 :]}
    for position, child in enumerate(properties):
        if child.tag in later:
            properties.insert(position, new)
            return
    properties.append(new)


def style_of(
    document: Any, name: str, kind: WD_STYLE_TYPE = WD_STYLE_TYPE.PARAGRAPH, base: str | None = None
) -> Any:
    # Not `document.styles[name]`: it takes names and ids for one another, with a warning.
    for style in document.styles:
        if style.name == name:
            break
    else:
        style = document.styles.add_style(name, kind)
        style.quick_style = True
        style.hidden = False
    if base:
        style.base_style = style_of(document, base, kind)
    return style


def font(
    style: Any,
    *,
    face: str | None = None,
    size: float | None = None,
    colour: str | None = None,
    bold: bool | None = None,
    italic: bool | None = None,
    underline: bool | None = None,
) -> None:
    f = style.font
    if face:
        properties = style.element.get_or_add_rPr()
        for old in properties.findall(qn("w:rFonts")):
            properties.remove(old)
        # The faces of Chinese, Japanese … stay those of the theme: Word picks them by language.
        properties.insert(
            0,
            element(
                "rFonts",
                ascii=face,
                hAnsi=face,
                eastAsiaTheme="minorEastAsia",
                cs="Courier New" if face == MONO else "Times New Roman",
            ),
        )
    if size:
        f.size = Pt(size)
        properties = style.element.get_or_add_rPr()
        for old in properties.findall(qn("w:szCs")):
            properties.remove(old)
        properties.find(qn("w:sz")).addnext(element("szCs", val=str(round(size * 2))))
    if colour:
        f.color.rgb = RGBColor.from_string(colour)
    if bold is not None:
        f.bold = bold
        properties = style.element.get_or_add_rPr()
        for old in properties.findall(qn("w:bCs")):
            properties.remove(old)
        if bold:  # of scripts that run from the right, too
            properties.find(qn("w:b")).addnext(element("bCs"))
    if italic is not None:
        f.italic = italic
    if underline is not None:
        f.underline = underline


def paragraph(
    style: Any,
    *,
    before: float = 0,
    after: float = 0,
    line: float | None = None,
    start: float = 0,
    end: float = 0,
    first: float = 0,
    keep_next: bool = False,
    keep: bool = False,
    align: Any = WD_ALIGN_PARAGRAPH.LEFT,
) -> None:
    """Spacing in points, indents in millimetres."""
    p = style.paragraph_format
    p.space_before, p.space_after = Pt(before), Pt(after)
    if line:
        p.line_spacing = line
    p.left_indent, p.right_indent, p.first_line_indent = Mm(start), Mm(end), Mm(first)
    p.keep_with_next, p.keep_together, p.widow_control = keep_next, keep, True
    p.alignment = align
    for old in style.element.pPr.findall(qn("w:contextualSpacing")):
        style.element.pPr.remove(old)


def border(style: Any, side: str, colour: str, eighths: int, space: int) -> None:
    edges = element("pBdr")
    if side == "right":
        edges.append(element("left", val="nil"))
    edges.append(element(side, val="single", sz=str(eighths), space=str(space), color=colour))
    put(style.element.get_or_add_pPr(), edges)


def shade(style: Any, colour: str) -> None:
    put(style.element.get_or_add_pPr(), element("shd", val="clear", color="auto", fill=colour))


def text_styles(doc: Any) -> None:
    # The face and size of the text are the defaults of the document, not of the style Normal:
    # what a paragraph style says would win over the table style.
    defaults = (
        doc.styles.element.find(qn("w:docDefaults")).find(qn("w:rPrDefault")).find(qn("w:rPr"))
    )
    defaults.replace(
        defaults.find(qn("w:rFonts")),
        element(
            "rFonts", ascii=SERIF, hAnsi=SERIF, eastAsiaTheme="minorEastAsia", cs="Times New Roman"
        ),
    )
    for name in ("sz", "szCs"):
        defaults.find(qn(f"w:{name}")).set(qn("w:val"), "22")
    body = style_of(doc, "Normal")
    paragraph(body, after=7, line=1.2)
    # Word takes the larger of two neighbouring distances: `before` shows after tables and lists.
    for name in ("Body Text", "First Paragraph"):
        paragraph(style_of(doc, name), before=6, after=7, line=1.2)
    paragraph(style_of(doc, "Compact"), before=1, after=2, line=1.15)

    title = style_of(doc, "Title")
    font(title, face=SERIF, size=22, colour=INK, bold=False)
    paragraph(title, after=9, line=1.0, keep_next=True)
    subtitle = style_of(doc, "Subtitle")
    font(subtitle, face=SERIF, size=13, colour=QUIET, italic=True, bold=False)
    for old in subtitle.element.rPr.findall(qn("w:spacing")):
        subtitle.element.rPr.remove(old)
    paragraph(subtitle, after=8, line=1.05, keep_next=True)
    for name in ("Author", "Date"):
        font(style_of(doc, name), face=SANS, size=9.5, colour=QUIET)
        paragraph(style_of(doc, name), after=1)
    paragraph(style_of(doc, "Date"), after=8)
    abstract = style_of(doc, "Abstract Title")
    font(abstract, face=SANS, size=9.5, colour=QUIET, bold=True)
    paragraph(abstract, before=10, after=3, start=9, end=9, keep_next=True)
    font(style_of(doc, "Abstract"), size=10.5)
    paragraph(style_of(doc, "Abstract"), after=12, start=9, end=9)

    sizes = {1: 15, 2: 13, 3: 11.5, 4: 11, 5: 11, 6: 11, 7: 11, 8: 11, 9: 11}
    for level, size in sizes.items():
        heading = style_of(doc, f"Heading {level}")
        font(
            heading,
            face=SERIF,
            size=size,
            colour=INK if level < 5 else QUIET,
            bold=level < 4,
            italic=level > 3,
        )
        paragraph(
            heading, before=18 - 2 * min(level, 4), after=5, line=1.05, keep_next=True, keep=True
        )
    toc = style_of(doc, "TOC Heading")
    font(toc, face=SANS, size=9.5, colour=QUIET, bold=True)
    paragraph(toc, before=10, after=4, keep_next=True)

    quote = style_of(doc, "Block Text")
    font(quote, face=SERIF, size=11, colour=QUIET)
    paragraph(quote, before=2, after=6, line=1.2, start=5)
    border(quote, "left", HAIR, 6, 9)

    font(style_of(doc, "Definition Term"), bold=True)
    paragraph(style_of(doc, "Definition Term"), before=4, after=1, keep_next=True)
    paragraph(style_of(doc, "Definition"), after=5, start=7)
    for name in ("Caption", "Table Caption", "Image Caption"):
        font(style_of(doc, name), face=SANS, size=9, colour=QUIET, italic=False, bold=False)
        paragraph(
            style_of(doc, name),
            before=6,
            after=4,
            keep_next=name == "Table Caption",
            align=WD_ALIGN_PARAGRAPH.CENTER,
        )
    for name in ("Footnote Text", "Footnote Block Text"):
        font(style_of(doc, name), size=9)
        paragraph(style_of(doc, name), after=2, line=1.05)


def own_styles(doc: Any) -> None:
    """The styles that styles.lua names."""
    prompt = style_of(doc, "Prompt", base="Normal")
    font(prompt, face=SANS, size=11, colour=INK)
    paragraph(prompt, before=0, after=6, line=1.2, start=5, keep_next=True)
    border(prompt, "left", ACCENT, 24, 10)
    listed = style_of(doc, "Prompt List", base="Prompt")
    paragraph(listed, before=0, after=3, line=1.15)
    nothing = element("pBdr")
    nothing.append(element("left", val="nil"))
    put(listed.element.pPr, nothing)
    first = style_of(doc, "Prompt First", base="Prompt")
    paragraph(first, before=24, after=6, line=1.2, start=5, keep_next=True)

    heading = style_of(doc, "Sources Heading", base="Normal")
    font(heading, face=SANS, size=9.5, colour=QUIET, bold=True)
    paragraph(heading, before=14, after=3, keep_next=True)
    border(heading, "top", HAIR, 4, 5)
    sources = style_of(doc, "Sources", base="Normal")
    font(sources, face=SANS, size=9, colour=INK)
    paragraph(sources, after=2.5, line=1.05, start=9, first=-9, keep=True)
    sources.paragraph_format.tab_stops.add_tab_stop(Mm(9), WD_TAB_ALIGNMENT.LEFT)
    put(sources.element.pPr, element("suppressAutoHyphens"))

    rule = style_of(doc, "Rule", base="Normal")
    font(rule, size=6)
    paragraph(rule, before=14, after=8, start=58, end=58)
    border(rule, "top", QUIET, 4, 1)

    alert = style_of(doc, "Alert", base="Normal")
    paragraph(alert, after=6, line=1.2, start=5)
    border(alert, "left", QUIET, 12, 9)
    alert_title = style_of(doc, "Alert Title", base="Alert")
    font(alert_title, face=SANS, size=10, colour=ACCENT, bold=True)
    paragraph(alert_title, before=6, after=2, start=5, keep_next=True)
    border(alert_title, "left", QUIET, 12, 9)

    # In text that runs from the right, the rule stands on the right.
    quote = style_of(doc, "Block Text RTL", base="Block Text")
    quote.quick_style = False
    border(quote, "right", HAIR, 6, 9)
    for name in ("Prompt", "Prompt First", "Prompt List", "Alert", "Alert Title"):
        mirrored = style_of(doc, f"{name} RTL", base=name)
        mirrored.quick_style = False
        if name != "Prompt List":
            alerting = name.startswith("Alert")
            border(
                mirrored,
                "right",
                QUIET if alerting else ACCENT,
                12 if alerting else 24,
                9 if alerting else 10,
            )


def box(style: Any, kind: str, colour: str, eighths: int, space: int = 3) -> None:
    """A border on all sides, the same whatever the direction of the text."""
    edges = element("pBdr")
    for side in ("top", "left", "bottom", "right"):
        edges.append(element(side, val=kind, sz=str(eighths), space=str(space), color=colour))
    put(style.element.get_or_add_pPr(), edges)


def answer_styles(doc: Any) -> None:
    """The parts of an answer: they differ in words, weight and rule, in grey as in colour."""
    summary = style_of(doc, "Summary", base="Normal")
    paragraph(summary, after=0, line=1.2, start=3, end=3, keep=True)
    box(summary, "dashed", QUIET, 4, 6)
    label = style_of(doc, "Summary Label", base="Summary")
    font(label, face=SANS, size=9.5, colour=QUIET)
    paragraph(label, before=6, after=0, line=1.2, start=3, end=3, keep_next=True)
    tally = style_of(doc, "Tally", base="Normal")
    font(tally, face=SANS, size=9.5)
    paragraph(tally, before=16, after=8, line=1.15)

    label = style_of(doc, "Claim Label", base="Normal")
    font(label, face=SANS, size=9.5)
    paragraph(label, before=14, after=3, line=1.1, keep_next=True)
    border(label, "top", HAIR, 4, 5)
    quotation = style_of(doc, "Quotation", base="Normal")
    paragraph(quotation, before=2, after=4, line=1.2, start=8)
    for name in ("Finding", "Finding Minor", "Finding Unsupported"):
        finding = style_of(doc, name, base="Normal")
        font(finding, face=SANS, size=10)
        paragraph(finding, before=5, after=6, line=1.1, start=2, end=2, keep=True)
    box(style_of(doc, "Finding"), "double", INK, 4)
    box(style_of(doc, "Finding Minor"), "dashed", INK, 6)
    box(style_of(doc, "Finding Unsupported"), "single", INK, 24)
    style_of(doc, "Finding Unsupported").paragraph_format.keep_with_next = True
    remark = style_of(doc, "Remark", base="Normal")
    font(remark, face=SANS, size=10, italic=True)
    paragraph(remark, before=2, after=4, line=1.1)
    hashes = style_of(doc, "Hashes", base="Normal")
    font(hashes, face=SANS, size=8.5, colour=QUIET)
    paragraph(hashes, before=6, after=4, line=1.1)


def character_styles(doc: Any) -> None:
    kind = WD_STYLE_TYPE.CHARACTER
    font(style_of(doc, "Hyperlink", kind), colour=ACCENT, underline=True)
    # A raised number: no line under it, the colour says that it can be followed.
    font(style_of(doc, "Citation", kind, "Default Paragraph Font"), colour=ACCENT, underline=False)
    font(
        style_of(doc, "Source URL", kind, "Default Paragraph Font"),
        size=8,
        colour=QUIET,
        underline=False,
    )
    font(
        style_of(doc, "Source Number", kind, "Default Paragraph Font"),
        colour=ACCENT,
        underline=False,
    )
    for name, line in (
        ("Badge", "single"),
        ("Badge Implied", "dashed"),
        ("Badge Inferred", "dotted"),
    ):
        badge = style_of(doc, name, kind, "Default Paragraph Font")
        font(badge, face=SANS, size=9.5)
        eighths = "8" if line == "dotted" else "4"
        badge.element.get_or_add_rPr().append(element("bdr", val=line, sz=eighths, space="1"))
    verbatim = style_of(doc, "Verbatim Char", kind)
    font(verbatim, face=MONO, size=9.5)
    code = style_of(doc, "Source Code", base="Normal")
    font(code, face=MONO, size=8.5)
    paragraph(code, before=6, after=10, line=1.1, start=2.5, end=2.5)
    shade(code, WASH)
    edges = element("pBdr")
    for side in ("top", "left", "bottom", "right"):
        edges.append(element(side, val="single", sz="4", space="5", color=WASH))
    put(code.element.pPr, edges)

    tokens = {
        ACCENT: "Keyword ControlFlow Import Preprocessor",
        VIOLET: "DataType BuiltIn Extension Function Attribute Other",
        GREEN: "String Char SpecialChar SpecialString VerbatimString Variable",
        BROWN: "DecVal BaseN Float Constant",
        QUIET: "Comment Documentation Annotation CommentVar Information",
        RED: "Warning Alert Error",
        INK: "Operator RegionMarker Normal",
    }
    for colour, names in tokens.items():
        for name in names.split():
            token = style_of(doc, f"{name}Tok", kind, "Verbatim Char")
            bold, italic = colour == ACCENT or None, colour == QUIET or None
            font(token, face=MONO, size=8.5, colour=colour, bold=bold, italic=italic)


def table_style(doc: Any) -> None:
    """Rules above, under the head and below; no lines between the columns."""
    style = style_of(doc, "Table", WD_STYLE_TYPE.TABLE).element
    for old in [
        child
        for child in style
        if child.tag in (qn("w:pPr"), qn("w:rPr"), qn("w:tblPr"), qn("w:tblStylePr"))
    ]:
        style.remove(old)
    ppr = element("pPr")
    ppr.append(element("spacing", before="30", after="30", line="252", lineRule="auto"))
    rpr = element("rPr")
    rpr.append(
        element(
            "rFonts", ascii=SANS, hAnsi=SANS, eastAsiaTheme="minorEastAsia", cs="Times New Roman"
        )
    )
    rpr.append(element("sz", val="19"))
    rpr.append(element("szCs", val="19"))
    table = element("tblPr")
    edges = element("tblBorders")
    edges.append(element("top", val="single", sz="8", space="0", color=INK))
    edges.append(element("bottom", val="single", sz="8", space="0", color=INK))
    edges.append(element("insideH", val="single", sz="2", space="0", color=HAIR))
    margins = element("tblCellMar")
    for side, width in (("top", "20"), ("left", "90"), ("bottom", "20"), ("right", "90")):
        margins.append(element(side, w=width, type="dxa"))
    table.append(element("tblInd", w="0", type="dxa"))
    table.append(edges)
    table.append(margins)
    head = element("tblStylePr", type="firstRow")
    bold = element("rPr")
    bold.append(element("b"))
    bold.append(element("bCs"))
    head.append(bold)
    repeat = element("trPr")
    repeat.append(element("tblHeader"))
    cell = element("tcPr")
    under = element("tcBorders")
    under.append(element("bottom", val="single", sz="4", space="0", color=INK))
    cell.append(under)
    cell.append(element("vAlign", val="bottom"))
    head.append(repeat)
    head.append(cell)
    for part in (ppr, rpr, table, head):
        style.append(part)


def page(doc: Any) -> None:
    section = doc.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(29)
    section.top_margin, section.bottom_margin = Mm(27), Mm(27)
    section.header_distance = section.footer_distance = Mm(13)
    footer = style_of(doc, "Footer", base="Normal")
    font(footer, face=SANS, size=8.5, colour=QUIET)
    paragraph(footer, align=WD_ALIGN_PARAGRAPH.CENTER)
    line = section.footer.paragraphs[0]
    line.style = footer
    for kind, text in (
        ("begin", None),
        (None, " PAGE "),
        ("separate", None),
        (None, "1"),
        ("end", None),
    ):
        run = line.add_run(text if text == "1" else None)
        if kind:
            run._r.append(element("fldChar", fldCharType=kind))
        elif text != "1":
            code = element("instrText")
            code.set(qn("xml:space"), "preserve")
            code.text = text
            run._r.append(code)


def repack(data: bytes) -> bytes:
    """The same archive without the time of its making."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in sorted(old.namelist(), key=lambda n: (n != "[Content_Types].xml", n)):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, old.read(name))
    return out.getvalue()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pandoc", default="pandoc", help="the pandoc program")
    options.add_argument(
        "output", nargs="?", type=Path, default=Path(__file__).with_name("reference.docx")
    )
    args = options.parse_args()
    default = subprocess.run(
        [args.pandoc, "--print-default-data-file", "reference.docx"],
        check=True,
        capture_output=True,
    ).stdout
    doc = Document(io.BytesIO(default))
    text_styles(doc)
    own_styles(doc)
    answer_styles(doc)
    character_styles(doc)
    table_style(doc)
    page(doc)
    core = doc.core_properties
    core.author, core.title, core.last_modified_by, core.comments = "", "", "", ""
    core.created = core.modified = datetime.datetime(2025, 1, 1)
    core.revision = 1
    buffer = io.BytesIO()
    doc.save(buffer)
    args.output.write_bytes(repack(buffer.getvalue()))


if __name__ == "__main__":
    main()

"""Quotations compared with the sources that they are said to stand in.

The way through: what a reader sees of a source (`visible`), the letters by which a quotation is
found (`letters`), whether it stands there (`equivalences` within, `edges` at both ends), what marks
of something left out or put in mean (`elisions`), what it may have been made of (`nearest`); all of
a source together (`prepared`), and the order of the questions (`checking`).
"""

from cite_filter.quotations.checking import Quotations
from cite_filter.quotations.equivalences import METHOD
from cite_filter.quotations.verdicts import Change, Nearest, Passage, Reason, Verdict

__all__ = ["METHOD", "Change", "Nearest", "Passage", "Quotations", "Reason", "Verdict"]

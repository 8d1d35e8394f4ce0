"""Quotations compared with the sources that they are said to stand in.

The way through: what a reader sees of a source (`references`, `raised`, `pieces`, `tags`,
`lines`, `markup`, `visible`), the letters by which a quotation is found (`letters`), whether it
stands there (`words`, `gaps`, `equivalences` within, `boundaries`, `edges` at both ends), what
marks of something left out or put in mean (`elisions`), what it may have been made of
(`operators`, `nearest`), what is printed of it (`seen`, `fragments`); all of a source together
(`pages`, `prepared`), and the order of the questions (`checking`).
"""

from cite_filter.quotations.checking import Quotations
from cite_filter.quotations.equivalences import METHOD
from cite_filter.quotations.verdicts import Change, Nearest, Passage, Reason, Verdict

__all__ = ["METHOD", "Change", "Nearest", "Passage", "Quotations", "Reason", "Verdict"]

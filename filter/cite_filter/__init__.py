"""Verified citations for exported AI chats.

>>> from cite_filter import link
>>> str = lambda text: {"t": "Str", "c": text}
>>> entry = {"t": "MetaMap", "c": {"url": {"t": "MetaString", "c": "https://example.org/"}}}
>>> result = link({
...     "pandoc-api-version": [1, 23, 1],
...     "meta": {"sources": {"t": "MetaList", "c": [entry]}},
...     "blocks": [{"t": "Para", "c": [str("Fact"), {"t": "Space"}, str("[1].")]}],
... })
>>> result.cited
{1: [1]}
"""

from cite_filter.linking import Result, link
from cite_filter.options import Options
from cite_filter.source_lists import NumberedSource, Sources, SourcesError
from cite_filter.turns import Turn

__version__ = "0.1.0"
__all__ = [
    "NumberedSource",
    "Options",
    "Result",
    "Sources",
    "SourcesError",
    "Turn",
    "__version__",
    "link",
]

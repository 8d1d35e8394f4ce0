"""Keys and addresses of services, from the environment. A key is never part of a message."""

from __future__ import annotations

import os

from cite_filter import urls
from cite_filter.errors import CiteError


def key(variable: str, service: str) -> str:
    """The key in `variable`. Raises CiteError where there is none.

    A key with other characters would end as an error of the HTTP library, which shows it.
    """
    value = os.environ.get(variable, "").strip()
    if not value:
        raise CiteError(f"asking needs a key of {service}; set {variable}")
    if not value.isascii() or not value.isprintable() or " " in value:
        raise CiteError(f"{variable} holds characters that no key has; set it again")
    return value


def address(variable: str, default: str) -> str:
    """The base URL in `variable`, or `default`, without a slash at its end. Raises CiteError."""
    value = os.environ.get(variable, "").strip() or default
    if not urls.is_linkable(value) or "?" in value or "#" in value:  # it may hold a password
        raise CiteError(f"{variable} is no plain http or https address; unset it or mend it")
    return value.rstrip("/")

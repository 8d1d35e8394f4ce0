"""Which URLs may be linked: 167 vectors with their verdict and the host a browser goes to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cite_filter.urls import host, is_linkable

VECTORS = json.loads(Path(__file__).with_name("data").joinpath("url-vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: ascii(vector["url"])[:60])
def test_vector(vector: dict[str, Any]) -> None:
    assert is_linkable(vector["url"]) is vector["link"]
    assert host(vector["url"]) == vector.get("host")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/" + "a" * 1_000_000,
        "https://" + "a." * 200_000 + "com/",
        "https://example.org:" + "1" * 100_000,
        "https://" + "[" * 100_000,
    ],
    ids=["long path", "many labels", "long port", "brackets"],
)
def test_no_url_takes_long(url: str) -> None:
    assert isinstance(is_linkable(url), bool)


@pytest.mark.parametrize(
    "url",
    [
        "httpſ://evil.example/",
        "https://exam\u3164ple.org/",
        "https://example.org/\u2800",
        "https://example.org/\ufffe",
        "https://example.org/\u034f",
    ],
)
def test_look_alikes_and_fillers_are_text(url: str) -> None:
    assert not is_linkable(url)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://paypal.ſite/x", "paypal.site"),
        ("https://\u212aelvin.example/", "kelvin.example"),
        ("https://exaımple.example/", "xn--example-q9a.example"),
    ],
)
def test_a_host_is_shown_in_ascii(url: str, shown: str) -> None:
    found = host(url)
    assert found is not None
    assert found.isascii()
    assert found == shown or found.startswith("xn--")

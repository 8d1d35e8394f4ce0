"""Servers on the loopback that speak as Serply and as Anthropic's Messages API do, and worse."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote


@dataclass(frozen=True)
class Request:
    """What a server was sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """What a server sends, and how badly."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds until it begins."""
    missing: int = 0
    """Bytes that Content-Length promises and that never come."""
    endless: bool = False
    """Whether `body` is sent again and again, until the client leaves."""
    pause: float = 0.0
    """Seconds between one and the next."""


JSON = {"Content-Type": "application/json"}


def as_json(value: Any, status: int = 200, **headers: str) -> Reply:
    return Reply(json.dumps(value).encode(), status, {**JSON, **headers})


def as_text(text: str, charset: str = "utf-8") -> Reply:
    return Reply(text.encode(charset), 200, {"Content-Type": f"text/plain; charset={charset}"})


class Server:
    """Answers each request with what `reply` makes of it, and keeps the requests."""

    def __init__(self, reply: Callable[[Request], Reply]) -> None:
        self.requests: list[Request] = []
        self.at_once = 0
        """The most requests that were answered at the same time."""
        self.left = False
        """Whether a client left an endless body."""
        running = 0
        lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def handle_one(self) -> None:
                nonlocal running
                size = int(self.headers.get("Content-Length") or 0)
                request = Request(
                    self.command, self.path, dict(self.headers), self.rfile.read(size)
                )
                with lock:
                    running += 1
                    server.at_once = max(server.at_once, running)
                    server.requests.append(request)
                try:
                    self.send(reply(request))
                except (BrokenPipeError, ConnectionResetError):
                    server.left = True
                finally:
                    with lock:
                        running -= 1

            do_GET = do_POST = handle_one  # noqa: N815

            def send(self, given: Reply) -> None:
                time.sleep(given.delay)
                self.send_response(given.status)
                for name, value in given.headers.items():
                    self.send_header(name, value)
                if given.endless:
                    self.end_headers()
                    while True:
                        self.wfile.write(given.body)
                        time.sleep(given.pause)
                self.send_header("Content-Length", str(len(given.body) + given.missing))
                self.end_headers()
                self.wfile.write(given.body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def running(self) -> Iterator[Server]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()


@dataclass
class Serply:
    """The search and the pages of one test."""

    pages: dict[str, Reply | list[Reply]]
    """By URL; of a list each request gets the next, and then the last again."""
    results: list[Any] | None = None
    """Of the search; the pages, if it is None."""
    search: list[Reply] = field(default_factory=list)
    """What searches get first, instead of results."""

    def reply(self, request: Request) -> Reply:
        if request.headers.get("X-Api-Key") != SERPLY_KEY:
            return as_json({"detail": f"bad key {request.headers.get('X-Api-Key')}"}, 401)
        if request.method == "GET" and request.path.startswith("/v1/search/q="):
            return self.search.pop(0) if self.search else self._found(request)
        if (request.method, request.path) == ("POST", "/v1/request"):
            assert request.headers["Content-Type"] == "application/json"
            assert request.json["method"] == "GET"
            assert request.json["response_type"] == "markdown"
            return self._page(request.json["url"])
        return as_json({"detail": "Not Found"}, 404)

    def _found(self, request: Request) -> Reply:
        query, _, number = request.path.removeprefix("/v1/search/q=").partition("&num=")
        results = self.results
        if results is None:
            results = [
                {
                    "title": f"Page {position}",
                    "link": url,
                    "description": "What is said of it.",
                    "additional_links": [],
                    "cite": {"domain": url, "span": ""},
                }
                for position, url in enumerate(self.pages, 1)
            ]
        data = {"results": results[: int(number)], "total": len(results), "answers": [], "ts": 0.7}
        return as_json({**data, "query": unquote(query), "device_region": "US"})

    def _page(self, url: str) -> Reply:
        given = self.pages.get(url, Reply(b"", 404))
        if isinstance(given, list):
            return given.pop(0) if len(given) > 1 else given[0]
        return given


@dataclass
class Claude:
    """The Messages API, which answers with each reply in turn."""

    replies: list[Reply]
    forcible: bool = True
    """Whether the model lets its tool be forced."""

    def reply(self, request: Request) -> Reply:
        if ANTHROPIC_KEY not in (
            request.headers.get("X-Api-Key") or "",
            (request.headers.get("Authorization") or "").removeprefix("Bearer "),
        ):
            return fault(401, "authentication_error", "invalid key")
        if (request.method, request.path) != ("POST", "/v1/messages"):
            return fault(404, "not_found_error", "no such thing")
        assert request.headers["anthropic-version"]
        if not self.forcible and request.json["tool_choice"]["type"] in ("any", "tool"):
            said = 'tool_choice: type "tool" and "any" are not supported for this model.'
            return fault(400, "invalid_request_error", said)
        return self.replies.pop(0)


SERPLY_KEY = "serply-0123456789-secret"
ANTHROPIC_KEY = "sk-ant-api03-0123456789-secret"


def fault(status: int, kind: str, said: str, **headers: str) -> Reply:
    """An error as the Messages API sends it."""
    error = {"type": kind, "message": said}
    return as_json({"type": "error", "error": error, "request_id": "req_1"}, status, **headers)


def message(content: Sequence[Any], stop_reason: str = "tool_use") -> Reply:
    return as_json(
        {
            "id": "msg_01",
            "type": "message",
            "role": "assistant",
            "model": "claude-haiku-5-5",
            "content": list(content),
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 900, "output_tokens": 80},
        }
    )


def given(answer: Any, stop_reason: str = "tool_use") -> Reply:
    """A message that uses the tool."""
    return message([used(answer)], stop_reason)


def used(answer: Any, name: str = "give_answer") -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_01", "name": name, "input": answer}

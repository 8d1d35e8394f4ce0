"""One HTTP request: bounded in time and size, never redirected, with errors that hold no secret.

The standard library is enough for two kinds of request. The client that the Anthropic SDK brings
changed its name with a version of the SDK, and would have to be bounded by hand as well.
"""

from __future__ import annotations

import http.client
import ssl
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import IO, Any

from cite_filter.asking.attempts import PassingFault, retry_after
from cite_filter.errors import CiteError

_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Body:
    """What a server sent."""

    data: bytes
    is_whole: bool
    """Whether there was no more than that."""
    charset: str | None
    """As the server names it, in lower case."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service that is called over HTTP."""

    name: str
    """As messages call it."""
    key_variable: str
    """Where its key comes from; messages name it."""
    seconds: float
    """How long one attempt may take, to connect and for each piece, and for the body as a whole."""
    _opener: urllib.request.OpenerDirector = field(
        default_factory=lambda: urllib.request.build_opener(_NoRedirects), init=False, repr=False
    )
    """Built once: with it comes what certificates are trusted. It holds no state of a request."""

    def fetch(self, request: urllib.request.Request, most_bytes: int) -> Body:
        """What the service answers with status 200, up to `most_bytes`.

        Raises PassingFault where it is worth another attempt, and else CiteError.
        """
        try:
            with self._opener.open(request, timeout=self.seconds) as response:
                return self._body(response, most_bytes)
        except urllib.error.HTTPError as error:
            with error:  # its body is not read
                raise self._refused(error.code, error.headers.get("Retry-After")) from None
        except urllib.error.URLError as error:
            raise self._unreachable(error.reason) from None
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from None

    def _body(self, response: Any, most_bytes: int) -> Body:
        if response.status != 200:
            raise self._refused(response.status, None)
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise CiteError(f"{self.name} sends what was not asked for, a compressed body")
        end = time.monotonic() + self.seconds
        data = bytearray()
        while len(data) <= most_bytes:
            chunk = response.read1(_CHUNK)
            if not chunk:
                break
            data += chunk
            if time.monotonic() > end:
                raise TimeoutError
        else:
            charset = response.headers.get_content_charset()
            return Body(bytes(data[:most_bytes]), False, charset)
        if response.length:  # of what Content-Length promised
            raise http.client.IncompleteRead(b"")
        return Body(bytes(data), True, response.headers.get_content_charset())

    def _refused(self, status: int, wait: str | None) -> Exception:
        """What the server says of an error is not shown: it might repeat the request."""
        if status == 429:
            return PassingFault(f"{self.name} gets too many requests (429)", retry_after(wait))
        if status >= 500:
            return PassingFault(f"{self.name} is in trouble ({status})", retry_after(wait))
        if status in (401, 403):
            return CiteError(f"{self.name} refuses the key ({status}); check {self.key_variable}")
        if status == 402:
            return CiteError(f"{self.name} wants to be paid first (402); see your account there")
        if 300 <= status < 400:
            return CiteError(f"{self.name} leads elsewhere ({status}), where the key is not sent")
        return CiteError(f"{self.name} answers with status {status}")

    def _unreachable(self, reason: object) -> Exception:
        """The texts of these errors are not shown: some repeat what was sent."""
        if isinstance(reason, ssl.SSLCertVerificationError):
            return CiteError(f"{self.name} has no valid certificate; it is not asked")
        if isinstance(reason, TimeoutError):
            return PassingFault(f"{self.name} takes longer than {self.seconds:g} s")
        if isinstance(reason, http.client.HTTPException | ConnectionError):
            return PassingFault(f"{self.name} cannot be reached, or broke off")
        return PassingFault(f"{self.name} cannot be reached")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the key to another host."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        return None

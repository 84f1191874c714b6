"""Requests without redirects or proxies, with checked certificates, and when they are repeated."""

import http.client
import ipaddress
import json
import random
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from .errors import Refused

# A longer body is not an answer to a question with a few words.
MOST_BYTES: Final = 2 * 1024 * 1024
N_ATTEMPTS: Final = 6
_LONGEST_WAIT_SECONDS: Final = 600.0
_LONGEST_PAUSE_SECONDS: Final = 60.0
_PASSING: Final = frozenset((408, 429))


class Lost(Exception):
    """A connection that could not be made, was lost, or took too long."""


@dataclass(frozen=True, slots=True)
class Reply:
    """``body`` is None if it was longer than MOST_BYTES."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None

    def data(self) -> Any:
        """Return the body's JSON; None if it is none."""
        try:
            return json.loads((self.body or b"").decode())
        except (ValueError, RecursionError):
            return None


def checked_address(text: str) -> SplitResult:
    """Return the parts of an address; raise Refused unless pictures and keys may travel to it."""
    try:
        address = urlsplit(text)
        _ = address.port
    except ValueError:
        raise Refused(f"{text} is not an address.") from None
    if address.scheme not in ("http", "https") or not address.hostname:
        raise Refused("The address must begin with https:// or, on this machine, http://.")
    if address.username is not None or address.password is not None:
        raise Refused("Leave user and password out of the address; use --key-env.")
    if address.query or address.fragment:
        raise Refused("Leave ? and # out of the address.")
    if address.scheme == "http" and not _is_loopback(address.hostname):
        raise Refused(f"Plain http is for this machine only; use https for {address.hostname}.")
    return address


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def send(
    method: str,
    address: str,
    *,
    headers: Mapping[str, str],
    body: bytes | None = None,
    timeout: float,
) -> Reply:
    """Send one request and return the reply, whatever its status; raise Lost without one."""
    parts = urlsplit(address)
    host, until = parts.hostname or "", time.monotonic() + timeout
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, parts.port, timeout=timeout, context=context)
    else:
        connection = http.client.HTTPConnection(host, parts.port, timeout=timeout)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, path, body, dict(headers))
        response = connection.getresponse()
        read = bytearray()
        while len(read) <= MOST_BYTES and (piece := response.read1(65536)):
            read += piece
            if time.monotonic() > until:
                raise TimeoutError("timed out")
        if response.length and len(read) <= MOST_BYTES:
            raise http.client.IncompleteRead(bytes(read), response.length)
        whole = bytes(read) if len(read) <= MOST_BYTES else None
        return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, whole)
    except (OSError, http.client.HTTPException) as fault:
        raise Lost(str(fault) or type(fault).__name__) from fault
    finally:
        connection.close()


def insist(once: Callable[[], Reply]) -> Reply | Lost:
    """Repeat a request that fails in passing; return the last reply, or why there is none."""
    for attempt in range(1, N_ATTEMPTS + 1):
        found: Reply | Lost
        try:
            found = once()
        except Lost as lost:
            found = lost
        is_passing = isinstance(found, Lost) or found.status in _PASSING or found.status >= 500
        if not is_passing:
            break
        if attempt < N_ATTEMPTS:
            _wait(_seconds(found, attempt))
    return found


_wait: Final = time.sleep


def _seconds(found: Reply | Lost, attempt: int) -> float:
    asked = None if isinstance(found, Lost) else found.headers.get("retry-after")
    try:
        return min(max(_retry_after(asked or ""), 0.0), _LONGEST_WAIT_SECONDS)
    except ValueError:
        return min(2.0 ** (attempt - 1), _LONGEST_PAUSE_SECONDS) * random.uniform(0.75, 1.25)


def _retry_after(text: str) -> float:
    """Return the seconds of a number or a date; raise ValueError if it is neither."""
    if text.strip().isdecimal():
        return float(text)
    return parsedate_to_datetime(text).timestamp() - time.time()

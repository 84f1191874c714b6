"""Trusted proxies, whose headers give a client's address, scheme and request number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    collapse_addresses,
    ip_address,
    ip_network,
)
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

# For a proxy that connects through a Unix socket, and so has no address.
SOCKET: Final = "unix"
# X-Forwarded-For stays: only `client_address` reads it, and /metrics refuses requests with it.
_OF_PROXIES: Final = (
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_REQUEST_ID",
)
Answer = Callable[[HttpRequest], HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Proxies:
    """Trusted proxies: their networks, and whether one connects through a Unix socket."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    by_socket: bool = False

    def __bool__(self) -> bool:
        return bool(self.networks) or self.by_socket

    def trust(self, peer: str) -> bool:
        """Return whether this peer is a trusted proxy; ``peer`` is empty for a socket."""
        if not peer:
            return self.by_socket
        address = _address(peer)
        return address is not None and any(address in network for network in self.networks)


def read(names: Sequence[str]) -> Proxies:
    """Parse addresses and networks of proxies.

    Raises ValueError with a sentence for a name that is neither, and for networks that together
    hold every address: any client could then choose its own.
    """
    networks: list[IPv4Network | IPv6Network] = []
    for name in names:
        if name == SOCKET:
            continue
        if name == "*":
            raise ValueError(_EVERYBODY)
        try:
            networks.append(ip_network(name))
        except ValueError as fault:
            raise ValueError(
                f"{name!r} is neither an address nor a network, such as 127.0.0.1 or 10.0.0.0/24, "
                f"nor {SOCKET}."
            ) from fault
    of_4 = collapse_addresses(one for one in networks if isinstance(one, IPv4Network))
    of_6 = collapse_addresses(one for one in networks if isinstance(one, IPv6Network))
    if IPv4Network("0.0.0.0/0") in of_4 or IPv6Network("::/0") in of_6:
        raise ValueError(_EVERYBODY)
    return Proxies(tuple(networks), SOCKET in names)


_EVERYBODY: Final = (
    "These networks hold every address, so that any client could pretend to be another. Name only "
    "the proxies."
)


def forwarded(get_response: Answer) -> Answer:
    """Take the client's address from a trusted proxy; drop proxy headers from other peers.

    Code after this middleware finds the client in REMOTE_ADDR and trusts the remaining headers.
    """

    def answer(request: HttpRequest) -> HttpResponseBase:
        proxies: Proxies = settings.TRUSTED_PROXIES
        peer = request.META.get("REMOTE_ADDR", "")
        if proxies.trust(peer):
            said = request.META.get("HTTP_X_FORWARDED_FOR", "")
            request.META["REMOTE_ADDR"] = client_address(peer, said, proxies)
        else:
            for name in _OF_PROXIES:
                request.META.pop(name, None)
        return get_response(request)

    return answer


def client_address(peer: str, said: str, proxies: Proxies) -> str:
    """Return the rightmost address of X-Forwarded-For that is not a trusted proxy's.

    Each proxy appends the address of its own peer, so everything to the left of that address may be
    forged. If an entry is not an address, the proxy that wrote it counts as the client.
    """
    for part in reversed(said.split(",")):
        address = _address(part.strip())
        if address is None:
            return peer
        peer = str(address)
        if not proxies.trust(peer):
            return peer
    return peer


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address without its port, converting an IPv4-mapped IPv6 address to IPv4."""
    try:
        address = ip_address(text)
    except ValueError:
        try:
            address = ip_address(urlsplit(f"//{text}").hostname or "")
        except ValueError:
            return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address

"""What requests carry: a person who is signed in, and the network that they come from."""

from ipaddress import IPv6Network, ip_address
from typing import Final

from django.contrib.auth.models import User
from django.http import HttpRequest

# One subscriber has as many addresses of IPv6 as this network holds. The account library counts by it, too.
_PREFIX_6: Final = 64


class SignedInRequest(HttpRequest):
    """A request of somebody who is signed in; for annotations only, Django makes plain ones."""

    user: User


def network_of(address: str) -> str:
    """Return what limits count by: an IPv4 address as it is, of an IPv6 address its network."""
    try:
        is_6 = ip_address(address).version == 6
    except ValueError:
        return address
    return str(IPv6Network((address, _PREFIX_6), strict=False)) if is_6 else address

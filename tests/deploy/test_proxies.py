"""Which proxies are believed, and what becomes of the headers of other peers."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from tests.support.cases import cases
from text_rankings.site.proxies import client_address, forwarded, read

CHAIN = read(["127.0.0.1", "10.0.0.0/24", "2001:db8:7::/48"])


@cases(
    "names",
    [
        ["*"],
        ["0.0.0.0/0"],
        ["::/0"],
        ["127.0.0.1", "0.0.0.0/1", "128.0.0.0/1"],
        ["::/1", "8000::/2", "c000::/2"],
    ],
)
def test_proxies_that_are_everybody_are_refused(names):
    with pytest.raises(ValueError, match=r"hold every address.* Name only the proxies\."):
        read(names)


@cases("name", ["proxy", "10.0.0.5/24", "10.0.0", "10.0.0.1:80"])
def test_a_name_that_is_no_address_is_refused_by_name(name):
    with pytest.raises(ValueError, match=f"'{name}' is neither an address nor a network"):
        read(["127.0.0.1", name])


def test_without_a_name_nobody_is_trusted():
    nobody = read([])
    assert not nobody
    assert not any(map(nobody.trust, ["127.0.0.1", "::1", "", "x"]))


@cases(
    ("peer", "is_trusted"),
    [
        ("127.0.0.1", True),
        # The same, at a server that listens on IPv6.
        ("::ffff:127.0.0.1", True),
        ("10.0.0.255", True),
        ("10.0.1.0", False),
        ("2001:db8:7::1", True),
        ("2001:db8:8::1", False),
        ("", False),
        ("not an address", False),
    ],
)
def test_a_peer_is_trusted_by_its_address(peer, is_trusted):
    assert CHAIN.trust(peer) == is_trusted


@cases(
    ("said", "client"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("192.0.2.1, 203.0.113.7", "203.0.113.7"),
        ("192.0.2.1, 203.0.113.7, 10.0.0.4", "203.0.113.7"),
        # A trusted address further left may be invented.
        ("10.0.0.9, 203.0.113.7, 10.0.0.4", "203.0.113.7"),
        ("10.0.0.9,10.0.0.4", "10.0.0.9"),
        ("203.0.113.7:4711", "203.0.113.7"),
        ("[2001:db8::5]:4711", "2001:db8::5"),
        ("2001:db8::5", "2001:db8::5"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        # Without an address the nearest proxy that is known counts.
        ("", "127.0.0.1"),
        ("unknown", "127.0.0.1"),
        ("192.0.2.1, unknown, 10.0.0.4", "10.0.0.4"),
    ],
)
def test_the_client_is_the_rightmost_address_that_is_no_proxy(said, client):
    assert client_address("127.0.0.1", said, CHAIN) == client


def seen(settings, trusted, peer, **headers):
    """Return the request that the site sees."""
    settings.TRUSTED_PROXIES = read(trusted)
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    request = RequestFactory(REMOTE_ADDR=peer, **headers).get("/")
    forwarded(lambda _: HttpResponse())(request)
    return request


SAID = {
    "HTTP_X_FORWARDED_FOR": "203.0.113.7",
    "HTTP_X_FORWARDED_PROTO": "https",
    "HTTP_X_FORWARDED_HOST": "elsewhere.example.org",
    "HTTP_X_FORWARDED_PORT": "4711",
    "HTTP_X_REQUEST_ID": "abcdef-0123456789",
}


@pytest.mark.parametrize("trusted", [[], ["10.0.0.1"], ["unix"]])
def test_of_another_peer_neither_address_nor_scheme_nor_host_nor_number_counts(settings, trusted):
    settings.USE_X_FORWARDED_HOST = settings.USE_X_FORWARDED_PORT = True
    request = seen(settings, trusted, "127.0.0.1", **SAID)
    assert request.META["REMOTE_ADDR"] == "127.0.0.1"
    assert not request.is_secure()
    assert request.get_host() == "testserver"
    assert "X-Request-Id" not in request.headers


@pytest.mark.parametrize(("trusted", "peer"), [("127.0.0.1", "127.0.0.1"), ("unix", "")])
def test_a_trusted_proxy_is_believed_by_its_address_or_on_a_socket(settings, trusted, peer):
    request = seen(settings, [trusted], peer, **SAID)
    assert request.META["REMOTE_ADDR"] == "203.0.113.7"
    assert request.is_secure()
    assert request.headers["X-Request-Id"] == SAID["HTTP_X_REQUEST_ID"]

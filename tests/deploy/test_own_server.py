"""Django's own server, which `text-rankings demo` starts: bodies that the site refuses."""

import socket
import threading
from contextlib import closing
from http.client import HTTPConnection

import pytest
from django.conf import settings
from django.core.servers.basehttp import WSGIServer, run

from annotate.management.own_server import OwnServer

SENT = b"x" * 2**16


@pytest.fixture
def port():
    """The port of a running server."""
    servers, ports = [], []
    is_bound = threading.Event()

    class Server(WSGIServer):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            servers.append(self)

    def bound(number):
        ports.append(number)
        is_bound.set()

    handler = OwnServer().get_handler(use_static_handler=True, insecure_serving=False)
    more = {"threading": True, "on_bind": bound, "server_cls": Server}
    thread = threading.Thread(target=run, args=("127.0.0.1", 0, handler), kwargs=more)
    thread.start()
    assert is_bound.wait(60)
    yield ports[0]
    servers[0].shutdown()
    servers[0].server_close()
    thread.join()


def all_of(connection):
    found = b""
    while piece := connection.recv(2**16):
        found += piece
    return found


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/accounts/login/", "/api/v1/studies/"])
def test_a_body_that_is_too_large_is_refused_and_the_connection_closed(port, path):
    """The server would wait for all of the body, of which little is sent."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=60)) as connection:
        length = 2 * settings.BODY_MAX_BYTES
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
        connection.sendall(head.encode() + SENT)
        answer = all_of(connection)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"\r\nConnection: close\r\n" in answer
    assert answer.count(b"HTTP/1.1") == 1, "what came of the body is no request"
    assert b"too large" in answer.lower()


@pytest.mark.django_db(transaction=True)
def test_other_connections_stay_open(port):
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        for _ in range(2):
            connection.request("POST", "/accounts/login/", body=SENT)
            response = connection.getresponse()
            assert response.status == 403
            assert not response.will_close
            response.read()

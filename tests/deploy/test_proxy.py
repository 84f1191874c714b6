"""The shipped configuration of the proxy, with a real nginx and TLS in front of a site as on a server."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path
from string import Template

import pytest
from django.conf import settings

from benchmarks.own_site import OwnSite, free_port, gunicorn
from tests.support.servers import set_up_server

ROOT = Path(__file__).resolve().parents[2]
HOST = "rankings.test"
pytestmark = pytest.mark.skipif(
    not (shutil.which("nginx") and shutil.which("openssl")), reason="nginx or openssl is missing"
)
_AROUND = """
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
daemon off;
{user}
events {{}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    include {folder}/site.conf;
}}
"""


def configured(folder, *, site, http, https, below=""):
    """Write a certificate and the shipped configuration; return the command of the proxy."""
    named = ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
    keys = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    openssl = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run([*openssl, *keys, *named], check=True, capture_output=True)
    filled = Template((ROOT / "deploy/nginx.conf.template").read_text()).safe_substitute(
        SITE=f"127.0.0.1:{site}",
        SITE_NAME=HOST,
        SCRIPT_NAME=below,
        HTTP_PORT=f"127.0.0.1:{http}",
        HTTPS_PORT=f"127.0.0.1:{https}",
        CERTIFICATES=str(folder),
    )
    (folder / "site.conf").write_text(filled.replace("/tmp/static", str(folder / "static")))
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(_AROUND.format(folder=folder, user=user))
    return ["nginx", "-c", str(folder / "nginx.conf")]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    environment = {
        "DJANGO_SETTINGS_MODULE": "tests.support.quick_settings",
        "SECRET_KEY": "only-for-this-test-" + "x7Q" * 20,
        "ALLOWED_HOSTS": HOST,
        "TRUSTED_PROXIES": "127.0.0.1",
        "DATA_DIR": str(folder / "data"),
        **set_up_server(folder),
        "WEB_PROCESSES": "1",
    }
    return OwnSite(folder, environment)


@pytest.fixture(scope="module")
def proxied(site, tmp_path_factory):
    """Start site and proxy; give the proxy's port and what trusts its certificate."""
    folder = tmp_path_factory.mktemp("proxy")
    port, http, https = free_port(), free_port(), free_port()
    command = gunicorn(port, "--config", "text_rankings/site/gunicorn.py")
    nginx = configured(folder, site=port, http=http, https=https)
    trusting = ssl.create_default_context(cafile=str(folder / "fullchain.pem"))
    with site.served(command, port):
        proxy = subprocess.Popen(nginx, stderr=subprocess.DEVNULL)
        try:
            wait_until_it_answers(https, trusting)
            yield http, https, trusting
        finally:
            proxy.terminate()
            proxy.wait()


@pytest.fixture(scope="module")
def session_of_an_admin(site):
    """Return the header of a signed-in admin of that site."""
    made = (
        "from django.contrib.auth.models import User; from importlib import import_module;"
        "from django.contrib.auth import *; from django.conf import settings;"
        "person = User.objects.create_superuser('root', None, 'x');"
        "session = import_module(settings.SESSION_ENGINE).SessionStore();"
        "session[SESSION_KEY] = str(person.pk);"
        "session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0];"
        "session[HASH_SESSION_KEY] = person.get_session_auth_hash(); session.save();"
        "print(session.session_key)"
    )
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", made]
    environment = os.environ | site.environment
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    return session(done.stdout.split()[-1])


@pytest.fixture
def alone(tmp_path, request):
    """Start a proxy without a site, which refuses at once; yield a function that counts statuses."""
    https, below = free_port(), getattr(request, "param", "")
    nginx = configured(tmp_path, site=free_port(), http=free_port(), https=https, below=below)
    server = subprocess.Popen(nginx, stderr=subprocess.DEVNULL)
    trusting = ssl.create_default_context(cafile=str(tmp_path / "fullchain.pem"))

    def statuses(n, headers="", path="/x"):
        """Send n requests over one connection at once."""
        head = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n{headers}"
        last = f"{head}Connection: close\r\n\r\n"
        said = exchanged(https, trusting, (f"{head}\r\n" * (n - 1) + last).encode())
        return Counter(re.findall(rb"^HTTP/1\.1 (\d+)", said, re.MULTILINE))

    try:
        wait_until_it_answers(https, trusting, b"HTTP/1.1 404" if below else b"HTTP/1.1 502")
        yield statuses
    finally:
        server.terminate()
        server.wait()


def wait_until_it_answers(port, trusting, status=b"HTTP/1.1 200"):
    ends = time.monotonic() + 120
    request = f"GET /healthz HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"
    while True:
        try:
            if exchanged(port, trusting, request.encode()).startswith(status):
                return
        except OSError:
            pass  # the proxy does not listen yet
        assert time.monotonic() < ends, "Site and proxy did not start."
        time.sleep(0.2)


def asked(port, trusting, path, body=b"", headers=""):
    """Send one request by hand; return its status line and headers, and its body."""
    method = "POST" if body else "GET"
    head = f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n{headers}"
    if body:
        head += f"Content-Length: {len(body)}\r\n"
    answer = exchanged(port, trusting, f"{head}\r\n".encode() + body)
    said, _, content = answer.partition(b"\r\n\r\n")
    if not said:
        raise ConnectionError("no answer")
    return said.decode(), content


def exchanged(port, trusting, sent, source="127.0.0.1"):
    """Send bytes over TLS and return all that comes back."""
    with (
        socket.create_connection(("127.0.0.1", port), 120, (source, 0)) as plain,
        trusting.wrap_socket(plain, server_hostname=HOST) as stream,
    ):
        stream.sendall(sent)
        return b"".join(iter(lambda: stream.recv(65536), b""))


def test_pages_come_over_tls_with_secure_cookies_and_no_loop_of_redirects(proxied):
    _, https, trusting = proxied
    said, content = asked(https, trusting, "/accounts/login/")
    assert said.startswith("HTTP/1.1 200")
    assert "Strict-Transport-Security: max-age=86400" in said
    assert "csrftoken=" in said
    assert "Secure" in said
    assert b"Sign in" in content


def test_plain_http_is_sent_to_https(proxied):
    http, _, _ = proxied
    with socket.create_connection(("127.0.0.1", http)) as sent:
        sent.sendall(f"GET /x HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
        said = b"".join(iter(lambda: sent.recv(65536), b"")).decode()
    assert f"Location: https://{HOST}/x" in said


@pytest.mark.parametrize(
    ("n", "status", "words"),
    [(7_000, 404, b"<h1>"), (10_000, 414, b"The link is incomplete.")],
)
def test_a_link_that_is_too_long_is_refused_in_words(proxied, n, status, words):
    _, https, trusting = proxied
    said, content = asked(https, trusting, f"/join/a/?PROLIFIC_PID={'x' * n}")
    assert said.startswith(f"HTTP/1.1 {status}")
    assert words in content


def test_scripts_and_styles_come_through_and_may_be_kept(proxied):
    _, https, trusting = proxied
    _, page = asked(https, trusting, "/accounts/login/")
    name = page.partition(b'<link rel="stylesheet" href="')[2].partition(b'"')[0].decode()
    for _ in range(2):  # from the site, then from the proxy
        said, content = asked(https, trusting, name)
        assert said.startswith("HTTP/1.1 200")
        assert "immutable" in said
        assert content


@contextmanager
def slow_uploads(n, https, trusting):
    """Hold n uploads of which half was sent, each with a session of its own."""
    with ExitStack() as slow:
        for number in range(n):
            plain = socket.create_connection(("127.0.0.1", https))
            sent = slow.enter_context(trusting.wrap_socket(plain, server_hostname=HOST))
            head = f"POST /accounts/login/ HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 20000\r\n"
            sent.sendall(f"{head}{session(number)}\r\n".encode() + b"a" * 10_000)
        yield


def test_the_site_sees_a_slow_upload_when_it_is_whole(proxied):
    """Twelve slow uploads, as many as the site has threads, block no other client."""
    _, https, trusting = proxied
    with slow_uploads(12, https, trusting):
        said, _ = asked(https, trusting, "/accounts/login/")
    assert said.startswith("HTTP/1.1 200")


def test_an_address_holds_300_requests_and_others_are_served(proxied):
    _, https, trusting = proxied
    head = f"GET /healthz HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode()
    with slow_uploads(299, https, trusting):
        assert exchanged(https, trusting, head).startswith(b"HTTP/1.1 200")
        with slow_uploads(1, https, trusting):
            assert exchanged(https, trusting, head).startswith(b"HTTP/1.1 429")
            assert exchanged(https, trusting, head, "127.0.0.2").startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    ("path", "length"),
    [
        ("/accounts/login/", "Content-Length: 1000000000"),
        ("/data/load/", "Content-Length: 1000000000"),
        ("/data/load/", "Transfer-Encoding: chunked"),
        ("/api/v1/loads/1/files", "Authorization: Bearer x\r\nContent-Length: 1000000000"),
        ("/data/load/7/add/?x=1", "Cookie: sessionid=x\r\nContent-Length: 3000000000"),
    ],
)
def test_a_large_body_is_refused_before_any_of_it_is_read(proxied, path, length):
    """The answer comes although the client sends nothing after the head."""
    _, https, trusting = proxied
    head = f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n{length}\r\n\r\n"
    assert exchanged(https, trusting, head.encode()).startswith(b"HTTP/1.1 413")


def test_an_admin_may_send_a_large_file_through_the_proxy(proxied, session_of_an_admin):
    _, https, trusting = proxied
    # The site itself reads it and misses the token of the form.
    said, content = asked(https, trusting, "/data/load/", b"a" * 4_000_000, session_of_an_admin)
    assert said.startswith("HTTP/1.1 403")
    assert b"<h1>" in content
    said, _ = asked(https, trusting, "/accounts/login/", b"a" * 4_000_000, session_of_an_admin)
    assert said.startswith("HTTP/1.1 413")


def test_pages_that_take_files_are_read_without_a_session(proxied):
    _, https, trusting = proxied
    said, _ = asked(https, trusting, "/data/load/")
    assert said.startswith("HTTP/1.1 302")


def test_what_a_client_says_of_its_address_is_dropped(proxied):
    """Thirty failures lock an address out, whatever other address each of them claims."""
    _, https, trusting = proxied
    said, page = asked(https, trusting, "/accounts/login/")
    cookie = said.partition("csrftoken=")[2].partition(";")[0]
    token = page.partition(b'name="csrfmiddlewaretoken" value="')[2].partition(b'"')[0].decode()
    for number in range(31):
        body = f"csrfmiddlewaretoken={token}&login=guess-{number}&password=x".encode()
        headers = (
            f"Cookie: csrftoken={cookie}\r\nReferer: https://{HOST}/\r\n"
            f"X-Forwarded-For: 192.0.2.{number}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
        )
        said, page = asked(https, trusting, "/accounts/login/", body, headers)
    assert b"Too many failed" in page


def session(name):
    return f"Cookie: theme=dark; sessionid={name}\r\n"


def test_forty_people_behind_one_address_are_not_limited_by_it(alone):
    """Each opens the site, signs in, and asks for twenty pages in the same second."""
    passed = Counter({b"502": 40 * 4 + 40 * 20})
    assert (
        alone(40 * 4) + sum((alone(20, session(f"p{n}")) for n in range(40)), Counter()) == passed
    )


def test_a_user_who_asks_too_often_is_refused_alone(alone):
    counted = alone(400, session("busy"))
    assert set(counted) == {b"502", b"429"}
    assert counted[b"502"] >= 100
    assert alone(20, session("other")) == {b"502": 20}


def test_visitors_who_ask_too_often_do_not_hold_up_users_at_their_address(alone):
    assert alone(400)[b"429"] > 0
    assert alone(20, session("ana")) == {b"502": 20}
    assert alone(20, "Authorization: Bearer x\r\n") == {b"502": 20}


def test_invented_sessions_are_limited_by_their_address(alone):
    statuses = Counter()
    for number in range(150):
        statuses += alone(20, session(f"invented-{number}"))
    assert statuses[b"429"] > 0


@pytest.mark.parametrize("alone", ["/rankings"], indirect=True)
def test_below_a_path_all_else_of_the_host_is_not_found_and_does_not_reach_the_site(alone):
    """The site itself answers 500 to a request above its path."""
    for path, status in {
        "/": b"404",
        "/favicon.ico": b"404",
        "/static/css/base.css": b"404",
        "/rankingsx/": b"404",
        "/rankings": b"301",
        "/rankings/": b"502",
        "/rankings/static/css/base.css": b"502",
        "/rankings/join/x/": b"502",
    }.items():
        assert alone(1, path=path) == {status: 1}, path


def test_no_log_of_the_proxy_has_addresses_and_secret_links(alone, tmp_path):
    """In the server that redirects to TLS neither."""
    alone(1, path="/public/a-secret/?PROLIFIC_PID=x")
    plain = re.search(r"listen 127.0.0.1:(\d+);", (tmp_path / "site.conf").read_text())[1]
    with socket.create_connection(("127.0.0.1", int(plain))) as sent:
        sent.sendall(f"GET /join/x HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
        assert sent.recv(65536).startswith(b"HTTP/1.1 301")
    assert (tmp_path / "access.log").read_text() == ""


def test_the_limits_count_by_the_cookie_that_the_site_sets():
    named = set(re.findall(r"\$cookie_(\w+)", (ROOT / "deploy/nginx.conf.template").read_text()))
    assert named == {settings.SESSION_COOKIE_NAME}

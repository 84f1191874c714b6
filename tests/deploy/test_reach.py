"""The shipped server is reached through its proxy alone, and only that proxy is believed."""

import os
import runpy
import subprocess
import sys
from configparser import ConfigParser
from contextlib import contextmanager
from http.cookiejar import CookieJar
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

import pytest
import yaml
from django.contrib.auth.models import User

from benchmarks.own_site import OwnSite, free_port
from tests.support.processes import database_url
from text_rankings.site.proxies import read

ROOT = Path(__file__).resolve().parents[2]
PHRASE = "a-long-phrase-93"
SIGN_IN = "/accounts/login/"


def compose():
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


def configured():
    before = dict(os.environ)
    try:
        return runpy.run_path(str(ROOT / "text_rankings/site/gunicorn.py"))
    finally:
        os.environ.clear()
        os.environ.update(before)


def test_the_server_binds_to_the_loopback_and_leaves_the_headers_of_proxies_to_the_site():
    found = configured()
    host, _, _ = found["bind"].rpartition(":")
    assert ip_address(host).is_loopback
    assert found["forwarded_allow_ips"] == ""
    assert found["secure_scheme_headers"] == {}


def unit():
    found = ConfigParser(strict=False, interpolation=None)
    found.read(ROOT / "deploy/systemd/rankings-site.service")
    return found["Service"]


def test_an_answer_that_waits_for_the_database_is_stored_before_the_server_stops(settings):
    if "timeout" not in settings.DATABASES["default"]["OPTIONS"]:
        pytest.skip("PostgreSQL has writers beside each other")
    of_sqlite = settings.DATABASES["default"]["OPTIONS"]["timeout"]
    stopping = {int(unit()["timeoutstopsec"])}
    stopping.add(int(compose()["services"]["site"]["stop_grace_period"].removesuffix("s")))
    assert of_sqlite < configured()["graceful_timeout"] < min(stopping)


def test_the_unit_binds_to_nothing_else():
    command = unit()["execstart"].split()
    assert command[1:] == ["--config", "text_rankings/site/gunicorn.py", "text_rankings.site.wsgi"]


def test_compose_publishes_the_proxy_alone():
    published = {
        name
        for name, service in compose()["services"].items()
        if "ports" in service or service.get("network_mode") == "host"
    }
    assert published == {"proxy"}


def test_the_site_of_compose_believes_the_address_that_its_proxy_alone_has():
    services, networks = compose()["services"], compose()["networks"]
    [network] = services["proxy"]["networks"]
    address = services["proxy"]["networks"][network]["ipv4_address"]
    assert services["site"]["environment"]["TRUSTED_PROXIES"] == address
    assert network in services["site"]["networks"]
    [given] = networks[network]["ipam"]["config"]
    assert ip_address(address) in ip_network(given["subnet"])
    # Other containers get theirs from this range.
    assert ip_address(address) not in ip_network(given["ip_range"])
    assert address != given["gateway"]


def test_the_example_of_a_server_believes_the_loopback_alone():
    [line] = [
        line
        for line in (ROOT / ".env.example").read_text().splitlines()
        if line.startswith("TRUSTED_PROXIES=")
    ]
    [network] = read(line.partition("=")[2].split(",")).networks
    assert network.is_loopback


# A real server


@contextmanager
def served(folder, trusted):
    port = free_port()
    environment = {
        "DJANGO_SETTINGS_MODULE": "tests.support.quick_settings",
        "DEBUG": "true",
        "SECRET_KEY": "only-for-this-test-" + "x7Q" * 20,
        "ALLOWED_HOSTS": "127.0.0.1",
        "DATA_DIR": str(folder),
        "DATABASE_URL": database_url(),
        "WEB_PROCESSES": "1",
        "TRUSTED_PROXIES": trusted,
    }
    command = [
        "-m",
        "gunicorn",
        "--config",
        "text_rankings/site/gunicorn.py",
        "text_rankings.site.wsgi",
    ]
    with OwnSite(folder, environment).served([*command, "--bind", f"127.0.0.1:{port}"], port):
        yield f"http://127.0.0.1:{port}{SIGN_IN}"


class Visitor:
    """A browser that says in X-Forwarded-For whatever it likes."""

    def __init__(self, url: str) -> None:
        self.url, self._cookies = url, CookieJar()
        kept = HTTPCookieProcessor(self._cookies)
        self._opened = build_opener(ProxyHandler({}), kept).open
        self._opened(url).close()

    def signs_in(self, name: str, password: str, said: str) -> bool:
        [token] = [cookie.value for cookie in self._cookies if cookie.name == "csrftoken"]
        form = {"login": name, "password": password, "csrfmiddlewaretoken": token}
        asked = Request(self.url, urlencode(form).encode(), {"X-Forwarded-For": said})
        with self._opened(asked) as answer:
            # It leads on to the start page.
            return answer.url != self.url


@pytest.mark.django_db(transaction=True)
def test_invented_addresses_sent_straight_to_the_server_are_one_address(tmp_path):
    User.objects.create_user("ana", password=PHRASE)
    with served(tmp_path, trusted="192.0.2.200") as url:
        visitor = Visitor(url)
        for number in range(30):
            assert not visitor.signs_in(f"guess-{number}", "wrong", said=f"192.0.2.{number}")
        assert not visitor.signs_in("ana", PHRASE, said="192.0.2.99")


@pytest.mark.django_db(transaction=True)
def test_behind_a_named_proxy_the_client_counts_and_what_it_invents_does_not(tmp_path):
    User.objects.create_user("ana", password=PHRASE)
    with served(tmp_path, trusted="127.0.0.1") as url:
        visitor = Visitor(url)
        for number in range(30):
            said = f"192.0.2.{number}, 203.0.113.7"
            assert not visitor.signs_in(f"guess-{number}", "wrong", said)
        assert not visitor.signs_in("ana", PHRASE, said="192.0.2.99, 203.0.113.7")
        assert visitor.signs_in("ana", PHRASE, said="203.0.113.8")


# Faults that stop the start


def started(**variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "import text_rankings.site.settings"],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_setting_that_believes_everybody_stops_the_start_with_a_sentence():
    done = started(TRUSTED_PROXIES="0.0.0.0/0")
    assert done.returncode != 0
    assert "TRUSTED_PROXIES: These networks hold every address" in done.stderr

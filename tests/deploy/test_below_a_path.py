"""A site below a path of its host: pages, styles, scripts, cookies, the API and addresses made by jobs."""

import http.client
import logging
import re
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse, set_script_prefix
from django.utils.module_loading import import_string

from annotate.exchange.bundles.reading import import_study
from annotate.jobs import registry, services
from annotate.stopping.presentation import ending_of
from annotate.studies.models import Study
from annotate.tables import moment
from benchmarks.own_site import OwnSite, free_port, gunicorn
from tests.support.factories import add_researcher, make_study
from tests.support.servers import set_up_server
from tests.support.work import make_follower, work_for_followers
from text_rankings.site import env

ROOT = Path(__file__).resolve().parents[2]
BELOW = "/rankings"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Start the server's own configuration below a path; yield a function that gets an address."""
    folder, port = tmp_path_factory.mktemp("below"), free_port()
    environment = {
        "DJANGO_SETTINGS_MODULE": "tests.support.quick_settings",
        "SECRET_KEY": "only-for-this-test-" + "x7Q" * 20,
        "HTTPS": "false",
        "SCRIPT_NAME": BELOW,
        "TIME_ZONE": "Europe/Paris",
        "DATA_DIR": str(folder / "data"),
        **set_up_server(folder),
        "WEB_PROCESSES": "1",
    }

    def get(address):
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            connection.request("GET", address)
            response = connection.getresponse()
            return response, response.read().decode(errors="replace")

    command = gunicorn(port, "--config", "text_rankings/site/gunicorn.py")
    with OwnSite(folder, environment).served(command, port):
        yield get


def addresses_in(page):
    return re.findall(r'(?:href|src|action)="(/[^"]*)"', page)


@pytest.mark.parametrize("start", ["/accounts/login/", "/protocols/"])
def test_every_address_of_a_page_is_below_the_path_and_answers(site, start):
    response, page = site(BELOW + start)
    assert response.status == 200, page[:300]
    found = addresses_in(page)
    assert len(found) > 5
    assert [address for address in found if not address.startswith(f"{BELOW}/")] == []
    files = [address for address in found if "/static/" in address]
    assert files
    assert {site(address.partition("?")[0])[0].status for address in files} == {200}


def test_cookies_are_for_the_path(site):
    response, _ = site(f"{BELOW}/accounts/login/")
    cookies = response.headers.get_all("Set-Cookie")
    assert cookies
    assert all(f"Path={BELOW}" in cookie for cookie in cookies)


def test_what_is_not_there_is_a_problem_document_of_the_api_and_a_page_elsewhere(site):
    response, text = site(f"{BELOW}/api/v1/nothing")
    assert (response.status, response.headers["Content-Type"]) == (404, "application/problem+json")
    assert f'"{BELOW}/api/v1/nothing"' in text
    response, _ = site(f"{BELOW}/nothing/")
    assert response.headers["Content-Type"].startswith("text/html")
    assert site(f"{BELOW}/readyz")[0].status in (200, 503)


@pytest.fixture
def below(settings):
    """Give this process the path, as Django does when a command or a server starts."""
    settings.FORCE_SCRIPT_NAME = BELOW
    set_script_prefix(BELOW)
    yield
    set_script_prefix("/")


@pytest.mark.django_db
def test_a_bundle_is_loaded_into_a_site_below_a_path(below):
    bundle = ROOT / "tests" / "annotate" / "upgrade" / "study-0.1.zip"
    assert import_study(bundle).study.name == "Finished"


@pytest.mark.django_db
def test_the_command_for_a_program_names_the_address_with_its_path(below):
    study, client = make_study(2), Client()
    client.force_login(add_researcher(study))
    page = client.get(reverse("judges:judges", args=[study.slug]).removeprefix(BELOW))
    assert f"--site http://testserver{BELOW} --token-env" in page.text


@pytest.mark.django_db
def test_jobs_write_addresses_below_the_path(settings, monkeypatch):
    """A worker's threads do not have the prefix that Django gives its first one."""
    settings.FORCE_SCRIPT_NAME = BELOW

    def work(arguments, job):
        with job.publishing() as outcome:
            outcome.address = reverse("home")

    monkeypatch.setitem(registry._KINDS, "test", work_for_followers(work))
    try:
        assert services.start(kind="test", person=make_follower()).address == f"{BELOW}/"
    finally:
        set_script_prefix("/")


@pytest.mark.parametrize("given", ["rankings", "/rankings/", "/", "/a b", "//x"])
def test_what_is_no_path_stops_the_start(given, monkeypatch):
    monkeypatch.setenv("SCRIPT_NAME", given)
    with pytest.raises(ImproperlyConfigured, match="SCRIPT_NAME must be a path such as /rankings"):
        env.prefix("SCRIPT_NAME")


@pytest.mark.parametrize("given", ["Mars/Olympus", "../etc/passwd", "Europe"])
def test_what_is_no_time_zone_stops_the_start(given, monkeypatch):
    monkeypatch.setenv("TIME_ZONE", given)
    with pytest.raises(ImproperlyConfigured, match="TIME_ZONE must be a time zone such as"):
        env.zone("TIME_ZONE", "UTC")


def test_times_are_of_the_zone_that_is_set_and_say_so(settings):
    """Noon of UTC in winter and summer, by the rules of Central Europe."""
    settings.TIME_ZONE = "Europe/Paris"
    winter, summer = datetime(2026, 1, 5, 12, tzinfo=UTC), datetime(2026, 7, 5, 12, tzinfo=UTC)
    assert ">2026-01-05 13:00 CET</time>" in moment(winter).words
    assert ">2026-07-05 14:00 CEST</time>" in moment(summer).words
    assert ending_of(Study(ended=summer)).endswith("on 2026-07-05 14:00 CEST.")


def test_logs_have_times_in_utc_in_every_zone(settings):
    """Django gives the zone of the pages to the process, too; a second after the epoch."""
    settings.TIME_ZONE = "Europe/Paris"
    assert time.localtime(1).tm_hour == 1
    plain = settings.LOGGING["formatters"]["plain"]
    record = logging.makeLogRecord({"created": 1.0, "msecs": 7.0, "version": "", "request_id": ""})
    line = import_string(plain["()"])(plain["format"]).format(record)
    assert line.startswith("1970-01-01 00:00:01,007Z ")

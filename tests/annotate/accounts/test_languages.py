"""The language of a user's pages: the browser's, or the chosen one in all their browsers."""

from pathlib import Path

import allauth
import pytest
from babel.messages.pofile import read_po
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotate.accounts.adapter import SAID_BY_THE_LIBRARY
from annotate.accounts.models import Preferences
from tests.support.factories import make_person
from tools import catalogues

pytestmark = pytest.mark.django_db
SIGN_IN = "account_login"
PHRASE = "a-long-phrase-93"


def language_of(client, **headers):
    page = client.get(reverse("guide:list"), headers=headers)
    return page.content.split(b'<html lang="')[1].split(b'"')[0].decode()


def choose(client, language, next_page="/"):
    return client.post(reverse("language"), {"language": language, "next": next_page})


@pytest.mark.parametrize(
    ("asked", "language"),
    [("fr-CH,fr;q=0.9", "fr"), ("de,en;q=0.5", "en"), ("xx", "en"), ("", "en"), ("fr", "fr")],
)
def test_a_stranger_reads_in_the_language_of_the_browser(client, asked, language):
    assert language_of(client, **{"accept-language": asked}) == language


def test_a_choice_holds_against_the_browser_and_leads_back(client):
    answer = choose(client, "fr", reverse("guide:list"))
    assert answer.url == reverse("guide:list")
    assert language_of(client, **{"accept-language": "en"}) == "fr"
    choose(client, "en")
    assert language_of(client, **{"accept-language": "fr"}) == "en"


@pytest.mark.parametrize("language", ["xx", "", "../fr", "de", "fr-ca", "FR"])
def test_a_language_the_site_has_not_changes_nothing(client, language):
    person = make_person("ana")
    client.force_login(person)
    choose(client, "fr")
    assert choose(client, language).status_code == 302
    assert language_of(client, **{"accept-language": "en"}) == "fr"
    assert Preferences.objects.get(person=person).language == "fr"


def test_a_choice_leads_nowhere_outside_the_site(client):
    assert choose(client, "fr", "https://elsewhere.example/").url == "/"


def test_the_next_browser_a_person_signs_in_with_knows_the_choice(client, django_user_model):
    person = django_user_model.objects.create_user("ana", password=PHRASE)
    client.force_login(person)
    choose(client, "fr")
    assert person.preferences.language == "fr"
    other = Client()
    other.post(reverse(SIGN_IN), {"login": "ana", "password": PHRASE})
    assert other.get(reverse("preferences")).headers["Content-Language"] == "fr"


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_the_account_library_speaks_in_our_words(language):
    path = Path(allauth.__file__).parent / "locale" / language / "LC_MESSAGES" / "django.po"
    with path.open("rb") as file:
        theirs = read_po(file)
    with translation.override(language):
        for words in SAID_BY_THE_LIBRARY:
            assert theirs.get(words), f"the library no longer says {words!r}"
            assert translation.gettext(words) != words


def test_a_wrong_password_is_told_in_french(client):
    wrong = {"login": "nobody", "password": "wrong"}
    page = client.post(reverse("account_login"), wrong, HTTP_ACCEPT_LANGUAGE="fr").text
    assert "Le nom d’utilisateur ou le mot de passe est incorrect." in page
    assert "Nom d’utilisateur" in page


def test_preferences_choose_the_language_and_give_it_back_to_the_browser(client):
    client.force_login(make_person("ana"))
    kept = {"theme": "", "single_keys": "on", "keys": "{}"}
    client.post(reverse("preferences"), {**kept, "language": "fr"})
    assert client.get(reverse("preferences")).headers["Content-Language"] == "fr"
    client.post(reverse("preferences"), {**kept, "language": ""})
    assert client.get(reverse("preferences")).headers["Content-Language"] == "en"
    refused = client.post(reverse("preferences"), {**kept, "language": "xx"})
    assert refused.status_code == 422


def test_programs_read_english_whatever_they_ask_for(client):
    client.force_login(make_person("ana"))
    choose(client, "fr")
    answer = client.get(reverse("api:me") + "/nothing")
    assert answer.headers["Content-Language"] == "en"
    assert answer.json()["title"] == "Not found"
    assert client.get(reverse("api:docs")).headers["Content-Language"] == "fr"


def test_a_refused_address_is_told_in_the_readers_language_not_the_one_before(client):
    """A thread serves one reader after the other."""
    for language in ("fr", "en"):
        assert language_of(client, **{"accept-language": language}) == language
        other = {"fr": "en", "en": "fr"}[language]
        refused = client.get("/?page=%00", headers={"accept-language": other})
        assert refused.status_code == 400
        assert f'<html lang="{other}"' in refused.text

"""Challenges through the API: entries, standings, images, log."""

import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotate.challenges import services
from annotate.challenges.models import Challenge, Entry
from tests.support.addresses import operations
from tests.support.challenges import WORDS, make_challenge, make_team, submit, upload
from tests.support.documents import ROOT
from tests.support.factories import make_admin, make_dataset, make_image, make_person
from tests.support.world import add_photograph, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def challenge():
    return make_challenge()


@pytest.fixture
def team(challenge):
    return make_team(challenge, "Ada", make_person("ada"))


@pytest.fixture
def api(team):
    return signed_in(team.members.get().person)


def at(challenge, rest=""):
    return f"/api/v1/challenges/{challenge.slug}{rest}"


def test_a_team_submits_follows_and_chooses_an_entry(api, challenge):
    sent = {"file": SimpleUploadedFile("mine.zip", upload(1)), "description": "By program"}
    answer = api.post(at(challenge, "/entries"), sent, format="multipart")
    assert answer.status_code == 201
    assert (answer.json()["state"], answer.json()["scores"]) == ("checking", [])
    Entry.objects.update(told=timezone.now())
    [entry] = api.get(at(challenge, "/entries")).json()
    assert entry["state"] == "scored"
    # The hidden scores wait for the end.
    assert [(row["split"], row["protocol"]) for row in entry["scores"]] == [
        ("visible", "IOU"),
        ("visible", "DETEVAL"),
    ]
    own = at(challenge, f"/entries/{entry['id']}")
    assert api.post(f"{own}/final").json()["state"] == "final"
    assert api.post(f"{own}/withdraw").json()["state"] == "withdrawn"
    assert api.get(own).json()["state"] == "withdrawn"
    again = api.post(
        at(challenge, "/entries"),
        {"file": SimpleUploadedFile("x.zip", upload(1))},
        format="multipart",
    )
    assert again.status_code == 422
    assert "same file as entry 1" in again.json()["detail"]


def test_a_refused_entry_says_why(api, challenge, team):
    submit(team, b"no zip")
    [entry] = api.get(at(challenge, "/entries")).json()
    assert entry["state"] == "refused"
    assert "zip" in entry["findings"][0]


def test_standings_settings_images_and_log_are_those_of_the_pages(api, challenge, team):
    submit(team)
    found = api.get(at(challenge, "/standings"), {"split": "visible"}).json()
    assert [(row["place"], row["team"]) for row in found["places"]] == [(1, f"Team {team.number}")]
    assert api.get(at(challenge, "/standings")).status_code == 404
    challenge.entries_a_day = 2
    services.save_challenge(challenge)
    [change] = api.get(at(challenge, "/log")).json()["results"]
    assert (change["setting"], change["before"], change["after"]) == ("entries_a_day", "5", "2")
    assert api.get(at(challenge)).json()["entries_a_day"] == 2
    images = api.get(at(challenge, "/images")).json()["results"]
    assert len(images) == 24
    assert images[0].keys() == {"name", "width", "height", "photograph", "truth"}
    assert [len(image["truth"] or ()) for image in images] == [2, 0] * 12
    assert images[1]["truth"] is None


def test_what_is_of_others_is_not_there(api, challenge):
    other = make_challenge()
    entry = submit(make_team(challenge))
    assert [row["slug"] for row in api.get("/api/v1/challenges").json()["results"]] == [
        challenge.slug
    ]
    assert api.get(at(other)).status_code == 404
    assert api.get(at(challenge, f"/entries/{entry.pk}")).status_code == 404
    assert api.post(at(challenge, f"/entries/{entry.pk}/withdraw")).status_code == 404


def test_an_admin_makes_and_an_organiser_changes_a_challenge():
    dataset, olga = make_dataset("street"), make_person("olga")
    for n in range(3):
        make_image(dataset, f"img_{n}", truth=[(0, 0, 99, 39)])
    sent = {
        "dataset": "street",
        "title": "Street 2027",
        "protocols": [{"slug": "iou", "parameters": {"min_iou": 0.7}}, {"slug": "deteval"}],
        "hidden": ["img_1"],
        "time_zone": "Europe/Paris",
        "opens": "2026-07-01T12:00:00+02:00",
        "closes": "2036-07-31T12:00:00+02:00",
    }
    admin, organiser = signed_in(make_admin()), signed_in(olga)

    def made(**changed):
        return admin.post("/api/v1/challenges", sent | changed, format="json")

    assert "after the opening" in made(closes=sent["opens"]).json()["detail"]
    assert "no image img_9" in made(hidden=["img_9"]).json()["detail"]
    assert made(time_zone="Mars/Base").status_code == 422
    answer = made()
    assert answer.status_code == 201, answer.json()
    challenge = Challenge.objects.get()
    assert challenge.protocols[0]["parameters"] == {"min_iou": 0.7}
    assert [image.name for image in challenge.hidden.all()] == ["img_1"]
    assert challenge.opens.isoformat() == "2026-07-01T10:00:00+00:00"
    assert organiser.patch(at(challenge), {"team_size": 2}, format="json").status_code == 404
    services.set_organiser(challenge=challenge, username="olga", is_organiser=True)
    assert organiser.patch(at(challenge), {"team_size": 2}, format="json").json()["team_size"] == 2
    early = {"freezes": "2025-01-01T00:00:00Z"}
    assert organiser.patch(at(challenge), early, format="json").status_code == 422
    [change] = organiser.get(at(challenge, "/log")).json()["results"]
    assert (change["setting"], change["before"], change["after"]) == ("team_size", "10", "2")


def test_a_person_joins_by_the_link_once_and_sees_the_photographs(challenge):
    image = challenge.dataset.images.first()
    sha256 = add_photograph(image)
    person = signed_in(make_person())
    photograph = f"/api/v1/photographs/{sha256}"
    assert person.get(photograph).status_code == 404
    link = reverse("public_challenges:page", args=[challenge.address])

    def join(link):
        return person.post("/api/v1/challenges/join", {"link": link}, format="json")

    assert join("elsewhere").status_code == 404
    joined = join(f"http://testserver{link}")
    assert joined.status_code == 201
    assert joined["Location"].endswith(at(challenge))
    assert joined.json()["link"] == f"http://testserver{link}"
    assert [join(one).status_code for one in (f"{link}join/", challenge.address)] == [201, 201]
    assert challenge.members.count() == 1
    assert person.get(at(challenge)).status_code == 200
    assert person.get(photograph).getvalue()
    [first, *_] = person.get(at(challenge, "/images")).json()["results"]
    assert first["photograph"].endswith(photograph)
    # The right is to the photograph: the image with its ground truth stays closed.
    assert person.get(f"/api/v1/images/{image.pk}").status_code == 404
    Challenge.objects.update(opens=timezone.now() - timedelta(days=2), closes=timezone.now())
    late = signed_in(make_person()).post("/api/v1/challenges/join", {"link": link}, format="json")
    assert (late.status_code, late.json()["detail"]) == (422, "The challenge is over.")


def test_an_admin_gives_and_takes_the_role_of_an_organiser(api, challenge):
    make_person("olga")
    admin, olga = signed_in(make_admin()), {"username": "olga"}
    address = at(challenge, "/organisers")
    assert admin.put(address, olga, format="json").status_code == 204
    assert admin.get(address).json() == [olga | {"is_organiser": True}]
    organiser = signed_in(challenge.members.get(role="organiser").person)
    assert organiser.get(address).status_code == 200
    for other in (organiser, api):
        assert other.put(address, olga, format="json").status_code == 404
    assert api.get(address).status_code == 404
    refused = admin.put(address, {"username": "ada"}, format="json")
    assert "in a team" in refused.json()["detail"]
    admin.put(address, olga | {"is_organiser": False}, format="json")
    assert admin.get(address).json() == []
    assert organiser.get(at(challenge)).status_code == 404


def test_an_entry_is_described_and_has_its_visible_images(api, challenge, team):
    entry = submit(team, upload(n_visible=1, img_2=WORDS))
    own = at(challenge, f"/entries/{entry.pk}")
    described = api.patch(own, {"description": "Better"}, format="json").json()
    assert (described["description"], described["link"]) == ("Better", "")
    linked = api.patch(own, {"link": "https://example.org/"}, format="json").json()
    assert (linked["description"], linked["link"]) == ("Better", "https://example.org/")
    assert api.patch(own, {"link": "javascript:alert(1)"}, format="json").status_code == 422
    images = api.get(f"{own}/images").json()
    # One of two words: recall 1/2, precision 1.
    assert images[0] == {"image": "img_0", "f_score": pytest.approx(2 / 3)}
    assert images[-1] == {"image": "img_2", "f_score": 1}
    assert len(images) == 12


def test_organisers_read_all_teams_and_entries_and_change_none(api, challenge, team):
    entry = submit(team)
    admin = signed_in(make_admin())
    [found] = admin.get(at(challenge, "/teams")).json()["results"]
    assert (found["name"], found["people"], found["is_trial"]) == ("Ada", ["ada"], False)
    assert found["entries"] == [{"id": entry.pk, "number": 1, "state": "scored"}]
    assert api.get(at(challenge, "/teams")).status_code == 404
    own = at(challenge, f"/entries/{entry.pk}")
    assert {score["split"] for score in admin.get(own).json()["scores"]} == {"visible", "hidden"}
    assert len(admin.get(f"{own}/images").json()) == 12
    assert admin.patch(own, {"description": "mine"}, format="json").status_code == 404
    assert admin.post(f"{own}/withdraw").status_code == 404


def test_a_challenge_that_lacks_its_protocols_has_no_standings_and_takes_no_entry(api, challenge):
    Challenge.objects.update(protocols=[])
    assert api.get(at(challenge)).json()["phase"] == "before"
    assert api.get(at(challenge, "/standings")).status_code == 404
    assert api.get(at(challenge, "/study")).status_code == 404
    file = {"file": SimpleUploadedFile("x.zip", upload())}
    answer = api.post(at(challenge, "/entries"), file, format="multipart")
    assert "not open yet" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["how-to/run-a-challenge", "tutorials/enter-a-challenge"])
def test_the_addresses_of_the_documents_are_there(name):
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").replace("SLUG", "{slug}")
    known = set(operations())
    named = {f"{method} {path}" for method, path in re.findall(r"`([A-Z]+) /api/v1/(\S+?)`", text)}
    for paths, does in re.findall(r"^\| (`[\w/`, ]+`) \| (`[A-Z]+`.*) \|$", text, re.MULTILINE):
        for path in re.findall(r"`(\S+)`", paths.replace("ID", "{id}")):
            methods = re.findall(r"`([A-Z]{3,})`", does)
            named |= {f"{method} challenges/{{slug}}/{path}" for method in methods}
    assert len(named) >= 3
    assert named <= known


def test_people_make_join_and_leave_a_team(challenge):
    ann, bob = make_person(), make_person()
    for person in (ann, bob):
        services.join(challenge=challenge, person=person)
    ann, bob, team = signed_in(ann), signed_in(bob), at(challenge, "/team")
    assert ann.get(team).status_code == 404
    made = ann.post(team, {"name": "Lovelace"}, format="json")
    assert (made.status_code, made.json()["people"]) == (201, 1)
    assert bob.post(team, {"code": "NONE"}, format="json").status_code == 422
    assert bob.post(team, {"code": made.json()["code"]}, format="json").json()["people"] == 2
    assert bob.delete(team).status_code == 204
    assert (bob.get(team).status_code, ann.get(team).json()["people"]) == (404, 1)

"""After the end: a study on the final entries, people's places, and the archive."""

import json
from datetime import timedelta
from hashlib import sha256

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.challenges import files, final, services
from annotate.challenges.errors import ChallengeRefused
from annotate.challenges.models import Challenge, ChallengeArchive, Entry
from annotate.datasets.models import Method
from annotate.studies.models import Study
from tests.support.challenges import (
    judge_final,
    make_challenge,
    make_team,
    secret_of,
    submit,
    upload,
)
from tests.support.factories import make_admin, make_person
from tests.support.world import add_photograph, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def challenge():
    """A challenge that is over, with three teams: the first finds most of the hidden words."""
    made = make_challenge(title="Street", sees="closed")
    for name, n_hidden in (("Ada", 3), ("Bob", 2), ("Eve", 1)):
        submit(make_team(made, name), upload(2, n_hidden), description=f"by {name}")
    now = timezone.now()
    Challenge.objects.update(opens=now - timedelta(days=9), closes=now - timedelta(days=1))
    made.refresh_from_db()
    return made


@pytest.fixture
def admin(client):
    person = make_admin()
    client.force_login(person)
    return client


def ask(browser, challenge, difference="0.03"):
    address = reverse("challenges:study", args=[challenge.slug])
    return browser.post(address, {"difference": difference})


def test_a_study_on_the_final_entries_is_made_in_one_click(admin, challenge):
    ask(admin, challenge)
    study = Study.objects.get()
    challenge.refresh_from_db()
    assert (challenge.study, study.state, study.name) == (study, "draft", "Final of Street")
    numbers = sorted(challenge.teams.values_list("number", flat=True))
    assert sorted(study.methods.values_list("name", flat=True)) == sorted(
        f"Street: team {number}" for number in numbers
    )
    hidden = set(challenge.images_of("hidden").values_list("pk", flat=True))
    assert set(study.images.values_list("pk", flat=True)) <= hidden
    # The boxes are those of the entry: of three hidden words Eve found one.
    eve = challenge.teams.get(name="Eve").number
    results = Method.objects.get(name=f"Street: team {eve}").results.filter(image__in=hidden)
    assert {result.n_regions for result in results} == {1}
    # By the protocols of the challenge, so that a report compares them with people.
    assert set(study.dataset.runs.values_list("name", flat=True)) == {"IOU", "DETEVAL"}
    ask(admin, challenge)
    assert Study.objects.count() == 1


def test_a_second_run_of_the_job_loads_nothing_twice(challenge):
    person = make_admin()
    names = final.load_finals(challenge, person)
    assert final.load_finals(challenge, person) == names
    assert Method.objects.count() == 3


def test_a_study_needs_the_end_two_teams_and_the_uploads(challenge):
    person = make_admin()
    asked = {"challenge": challenge, "difference": 0.03, "person": person}
    Entry.objects.exclude(team__name="Ada").update(state="withdrawn")
    with pytest.raises(ChallengeRefused, match="two teams"):
        final.start_study(**asked)
    Challenge.objects.update(closes=timezone.now() + timedelta(days=1))
    challenge.refresh_from_db()
    with pytest.raises(ChallengeRefused, match="not over"):
        final.start_study(**asked)


def test_a_team_that_erased_itself_does_not_keep_the_others_from_a_study(challenge):
    challenge.members.filter(team__name="Bob").delete()
    services.forget_teams()
    bob = challenge.teams.exclude(name__in=("Ada", "Eve")).get()
    names = final.load_finals(challenge, make_admin())
    assert len(names) == 2
    assert f"Street: team {bob.number}" not in names
    Entry.objects.filter(team__name="Eve").update(erased=timezone.now())
    with pytest.raises(ChallengeRefused, match="two teams"):
        final.start_study(challenge=challenge, difference=0.03, person=make_person())


@pytest.fixture
def judged(challenge):
    """People prefer Bob to Ada everywhere; Ada scores higher but on img_1, and most on img_5.

    On img_5 Bob found one word of three and Ada all: 0.5 and 1. On img_1 Bob found all, too.
    """
    entry = Entry.objects.get(team__name="Bob")
    content = upload(2, 2, img_1=secret_of(1), img_5=secret_of(5)[:1])
    files.upload_of(entry.key).write_bytes(content)
    entry.scores.all().delete()
    Entry.objects.filter(pk=entry.pk).update(state="checking")
    services.start_scoring(entry)
    Entry.objects.update(told=timezone.now() - timedelta(days=2))
    return judge_final(challenge, ("Bob", "Ada", "Eve"), make_admin())


def images_against(study):
    names = study.images.in_order().values_list("name", flat=True)
    assert {"img_1", "img_5"} <= set(names)
    return ["img_5", *(name for name in names if name not in ("img_1", "img_5"))]


def test_places_of_people_are_next_to_the_scores(admin, challenge, judged):
    shown = admin.get(reverse("challenges:standings", args=[challenge.slug]))
    [(_, _found, rows), _visible] = shown.context["tables"]
    assert [entry.team.name for entry, _row, _place in rows] == ["Ada", "Bob", "Eve"]
    assert [place for _entry, _row, place in rows] == [2, 1, 3]


def test_where_people_and_scores_disagree_organisers_see_the_images(admin, challenge, judged):
    shown = admin.get(reverse("challenges:standings", args=[challenge.slug]))
    [pair] = shown.context["against"]
    assert (pair.by_scores, pair.by_people) == ("Ada", "Bob")
    assert pair.images == images_against(judged)
    link = reverse("evidence:compare", args=[judged.slug, "img_5"])
    assert f'href="{link}?{pair.query.replace("&", "&amp;")}"' in shown.text
    viewer = admin.get(f"{link}?{pair.query}")
    left, right = (side.method.name for side in viewer.context["sides"])
    teams = {team.name: team.number for team in challenge.teams.all()}
    assert (left, right) == (f"Street: team {teams['Ada']}", f"Street: team {teams['Bob']}")


def test_others_see_the_pairs_without_the_images(client, challenge, judged):
    participant = challenge.members.filter(team__name="Ada").get().person
    client.force_login(participant)
    address = reverse("public_challenges:page", args=[challenge.address])
    for shown in (
        client.get(reverse("challenges:standings", args=[challenge.slug])),
        Client().get(address),
    ):
        assert "Where people and scores disagree" in shown.text
        [pair] = shown.context["against"]
        assert (pair.by_scores, pair.images, pair.query) == ("Ada", (), "")
    # An organiser who came later and does not follow the study.
    later = make_person()
    challenge.members.create(person=later, role="organiser")
    client.force_login(later)
    shown = client.get(reverse("challenges:standings", args=[challenge.slug]))
    assert shown.context["against"][0].images == ()


def test_the_api_has_peoples_order_and_where_the_scores_disagree(challenge, judged):
    address = f"/api/v1/challenges/{challenge.slug}/study"
    found = signed_in(make_admin()).get(address).json()
    assert found["places"] == [
        {"team": "Ada", "place": 2},
        {"team": "Bob", "place": 1},
        {"team": "Eve", "place": 3},
    ]
    pair = {"by_scores": "Ada", "by_people": "Bob"}
    assert found["against"] == [pair | {"images": images_against(judged)}]
    participant = challenge.members.filter(team__name="Ada").get().person
    assert signed_in(participant).get(address).json()["against"] == [pair | {"images": []}]
    Challenge.objects.update(closes=timezone.now() + timedelta(days=1))
    assert signed_in(participant).get(address).status_code == 404


def test_an_organiser_makes_and_opens_the_study_through_the_api(challenge):
    person, address = make_person(), f"/api/v1/challenges/{challenge.slug}/study"
    organiser = signed_in(person)
    assert organiser.post(address, {}, format="json").status_code == 404
    challenge.members.create(person=person, role="organiser")
    for image in challenge.dataset.images.all():
        add_photograph(image)
    assert "no study" in organiser.put(address, {"state": "open"}, format="json").json()["detail"]
    assert organiser.post(address, {"difference": 0}, format="json").status_code == 422
    assert organiser.post(address, {"difference": 0.05}, format="json").status_code == 202
    assert organiser.put(address, {"state": "open"}, format="json").status_code == 204
    assert Study.objects.get().state == "open"


def test_the_archive_is_kept_once_with_a_checksum(challenge):
    final.keep_archives()
    archive = ChallengeArchive.objects.get()
    assert archive.checksum == sha256(archive.content.encode()).hexdigest()
    content = json.loads(archive.content)
    hidden = content["standings"]["hidden"]
    assert [(row["place"], row["team"]) for row in hidden] == [(1, "Ada"), (2, "Bob"), (3, "Eve")]
    # Two of three words, none wrong: 0.8.
    assert hidden[1]["f_score"]["IOU"] == pytest.approx(0.8)
    assert content["settings"]["sees"] == "closed"
    Challenge.objects.update(text="changed later")
    final.keep_archives()
    assert ChallengeArchive.objects.get().content == archive.content
    address = reverse("public_challenges:archive", args=[challenge.address])
    assert Client().get(address).text == archive.content
    page = Client().get(reverse("public_challenges:page", args=[challenge.address]))
    assert archive.checksum[:16] in page.text


def test_before_the_end_and_while_entries_wait_there_is_no_archive(challenge):
    entry = Entry.objects.first()
    Entry.objects.filter(pk=entry.pk).update(state="checking", told=None)
    final.keep_archives()
    Entry.objects.filter(pk=entry.pk).update(state="scored", told=timezone.now())
    Challenge.objects.update(closes=timezone.now() + timedelta(days=1))
    final.keep_archives()
    assert not ChallengeArchive.objects.exists()
    address = reverse("public_challenges:archive", args=[challenge.address])
    assert Client().get(address).status_code == 404


def test_an_organiser_who_is_no_admin_makes_and_opens_the_study(client, challenge):
    person, other = make_person("olga"), make_person()
    challenge.members.create(person=person, role="organiser")
    client.force_login(person)
    for image in challenge.dataset.images.all():
        add_photograph(image)
    ask(client, challenge)
    study = Study.objects.get()
    settings = reverse("challenges:settings", args=[challenge.slug])
    assert "Open the study" in client.get(settings).text
    client.post(reverse("challenges:study", args=[challenge.slug]), {"do": "open"})
    study.refresh_from_db()
    assert study.state == "open"
    assert client.get(reverse("studies:detail", args=[study.slug])).status_code == 200
    # The right is on this challenge alone.
    assert ask(client, make_challenge()).status_code == 404
    challenge.members.create(person=other, role="participant")
    client.force_login(other)
    assert ask(client, challenge).status_code == 404

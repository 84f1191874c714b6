"""Pages of a challenge: the way in, a team's entries, standings, settings, and what no byte may say."""

import json
import re
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from io import BytesIO
from itertools import product
from zipfile import ZipFile

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import escape

from annotate.challenges import files, final, services
from annotate.challenges.errors import ChallengeRefused
from annotate.challenges.models import (
    Challenge,
    ChallengeArchive,
    ChallengeMember,
    Entry,
    EntryScore,
)
from protocols.core.regions import canonical_bytes, encode_regions
from tests.support.addresses import names_of_addresses
from tests.support.archives import zip_bytes
from tests.support.challenges import make_challenge, make_team, secret_of, submit, upload
from tests.support.factories import make_admin, make_dataset, make_image, make_person, regions

pytestmark = pytest.mark.django_db


@pytest.fixture
def challenge():
    return make_challenge(text="Find *all* words.", terms="Be fair.")


@pytest.fixture
def person():
    return make_person("ada")


@pytest.fixture
def team(challenge, person):
    return make_team(challenge, "Lovelace", person)


@pytest.fixture
def participant(client, person, team):
    client.force_login(person)
    return client


def at(name, challenge, *arguments):
    return reverse(f"challenges:{name}", args=[challenge.slug, *arguments])


def public(challenge, name="page", *arguments):
    return reverse(f"public_challenges:{name}", args=[challenge.address, *arguments])


def test_a_visitor_signs_up_by_the_link_and_has_the_challenge_and_no_more(client, challenge):
    shown = client.get(public(challenge))
    assert "Find <em>all</em> words." in shown.text
    assert client.get(reverse("account_signup")).status_code == 200
    assert "form" not in client.get(reverse("account_signup")).context
    assert "Be fair." in client.get(public(challenge, "join")).text
    account = {
        "username": "grace",
        "email": "",
        "password1": "kite-ladder-7",
        "password2": "kite-ladder-7",
    }
    answer = client.post(reverse("account_signup"), account)
    assert answer["Location"] == at("challenge", challenge)
    member = ChallengeMember.objects.get(person__username="grace")
    assert (member.role, member.challenge) == ("participant", challenge)
    other = make_challenge()
    assert client.get(at("challenge", challenge)).status_code == 200
    closed = [
        at("challenge", other),
        at("settings", challenge),
        reverse("datasets:detail", args=[challenge.dataset.slug]),
        reverse("datasets:list"),
        reverse("imports:start"),
    ]
    assert {client.get(address).status_code for address in closed} == {404}
    assert challenge.title in client.get(reverse("home")).text


def test_a_person_with_an_account_agrees_to_the_terms_and_makes_a_team(client, challenge, person):
    client.force_login(person)
    assert client.post(public(challenge, "join"))["Location"] == at("challenge", challenge)
    client.post(at("team", challenge), {"name": "Lovelace"})
    shown = client.get(at("challenge", challenge))
    team = challenge.teams.get()
    assert team.code in shown.text
    other = make_person()
    services.join(challenge=challenge, person=other)
    browser = Client()
    browser.force_login(other)
    browser.post(at("team", challenge), {"code": "wrong"})
    assert "No team has this code." in browser.get(at("challenge", challenge)).text
    browser.post(at("team", challenge), {"code": team.code})
    assert team.members.count() == 2


def test_an_upload_is_shown_with_its_state_scores_and_images(participant, challenge):
    sent = {"file": SimpleUploadedFile("mine.zip", upload(1, 1)), "description": "First try"}
    answer = participant.post(at("challenge", challenge), sent)
    entry = Entry.objects.get()
    assert answer["Location"] == at("entry", challenge, entry.pk)
    waiting = participant.get(at("entry", challenge, entry.pk))
    assert "Reading and scoring" in waiting.text
    assert "0.6667" not in waiting.text
    told = participant.get(at("entry", challenge, entry.pk), {"as": "json"}).json()
    assert told == {"doing": "Reading and scoring", "total": 0}
    Entry.objects.update(told=timezone.now())
    shown = participant.get(at("entry", challenge, entry.pk))
    # One of two visible words is found: F is 2/3. The hidden score waits for the end.
    assert "0.6667" in shown.text
    assert "hidden images" not in shown.text
    image = challenge.images_of("visible").first()
    assert shown.context["n_images"] == 12
    drawn = participant.get(at("image", challenge, entry.pk, image.pk))
    assert drawn.text.count("<polygon") == 6
    listed = participant.get(at("challenge", challenge))
    assert "First try" in listed.text
    assert "Left today: 4; in all: 29." in listed.text


def test_a_refused_upload_says_why(participant, challenge, team):
    entry = submit(team, zip_bytes({"res_img_1.txt": "1,2,x,4"}))
    shown = participant.get(at("entry", challenge, entry.pk))
    assert "Why it is refused" in shown.text
    assert "res_img_1.txt" in shown.text
    assert "F-score" not in shown.text


def test_a_refusal_of_the_quota_is_shown_with_the_form(participant, challenge, team):
    Challenge.objects.update(entries_a_day=1)
    submit(team)
    sent = {"file": SimpleUploadedFile("mine.zip", upload(1))}
    answer = participant.post(at("challenge", challenge), sent)
    assert answer.status_code == 422
    assert "today's entries" in answer.text


def test_a_team_chooses_describes_and_withdraws_its_entries(participant, challenge, team):
    entry = submit(team)
    address = at("act", challenge, entry.pk)
    participant.post(address, {"do": "final"})
    participant.post(address, {"description": "Better", "link": "https://example.org/"})
    entry.refresh_from_db()
    assert (entry.is_final, entry.description) == (True, "Better")
    participant.post(address, {"description": "", "link": "javascript:alert(1)"})
    entry.refresh_from_db()
    assert entry.link == "https://example.org/"
    participant.post(address, {"do": "withdraw"})
    entry.refresh_from_db()
    assert (entry.shown_state, entry.is_final) == ("withdrawn", False)


def test_a_team_sees_no_entry_of_another(participant, challenge):
    entry = submit(make_team(challenge))
    image = challenge.images_of("visible").first()
    for address in (
        at("entry", challenge, entry.pk),
        at("image", challenge, entry.pk, image.pk),
    ):
        assert participant.get(address).status_code == 404
    assert participant.post(at("act", challenge, entry.pk), {"do": "final"}).status_code == 404


def test_hidden_images_have_no_page(participant, challenge, team):
    entry = submit(team)
    hidden = challenge.images_of("hidden").first()
    assert participant.get(at("image", challenge, entry.pk, hidden.pk)).status_code == 404


def test_the_downloaded_truth_is_that_of_the_visible_images(participant, challenge):
    found = participant.get(at("truth", challenge, "zip"))
    archive = ZipFile(BytesIO(found.getvalue()))
    assert sorted(archive.namelist()) == sorted(f"gt_img_{n}.txt" for n in range(0, 24, 2))


STEPS = {
    "truth": {"split": "share", "share": 30, "seed": 4},
    "scores": {
        "protocols": "iou min_iou=0.7\ndeteval",
        "hidden_score": "after",
        "final_rule": "best",
        "ties": "next",
    },
    "teams": {
        "entries_a_day": 2,
        "entries_in_all": 9,
        "max_mb": 5,
        "team_size": 3,
        "sees": "open",
        "keep_days": 30,
    },
}


@pytest.fixture
def draft(client):
    """A challenge of which an admin has stored the first step."""
    client.force_login(make_admin())
    dataset = make_dataset("street")
    for n in range(10):
        make_image(dataset, f"img_{n}", truth=[(0, 0, 99, 39)])
    address = reverse("challenges:new", args=["street"])
    assert client.get(address).status_code == 200
    sent = {
        "title": "Street 2027",
        "time_zone": "Europe/Paris",
        "opens": "2027-07-01T12:00",
        "closes": "2027-07-31T12:00",
    }
    wrong = client.post(address, sent | {"closes": "2027-06-01T12:00"})
    assert wrong.status_code == 422
    assert "The end must be after the opening." in wrong.text
    assert client.post(address, sent)["Location"].endswith("/street-2027/settings/truth/")
    return Challenge.objects.get()


def test_an_admin_makes_a_challenge_in_steps_in_its_time_zone(client, draft):
    ways = []
    for step, sent in STEPS.items():
        assert client.get(at("part", draft, step)).status_code == 200
        ways.append(client.post(at("part", draft, step), sent)["Location"])
    overview = at("settings", draft)
    assert ways == [at("part", draft, "scores"), at("part", draft, "teams"), overview]
    draft.refresh_from_db()
    assert draft.opens.isoformat() == "2027-07-01T10:00:00+00:00"
    assert draft.protocols[0]["parameters"] == {"min_iou": 0.7}
    assert (draft.hidden.count(), draft.entries_a_day, draft.ties) == (3, 2, "next")
    # Set up, each part leads back to the overview; what it does not have stays.
    assert client.post(at("part", draft, "teams"), STEPS["teams"])["Location"] == overview
    assert 'value="2027-07-01T12:00"' in client.get(at("part", draft, "about")).text
    assert "iou min_iou=0.7" in client.get(at("part", draft, "scores")).text
    wrong = STEPS["scores"] | {"protocols": "nonsense"}
    assert "nonsense" in client.post(at("part", draft, "scores"), wrong).text
    assert client.get(at("part", draft, "others")).status_code == 404
    assert draft.hidden.count() == 3


def test_a_challenge_says_what_it_lacks_and_does_not_open_without_a_protocol(client, draft):
    Challenge.objects.update(opens=timezone.now() - timedelta(days=1), final_rule="best")
    draft.refresh_from_db()
    assert draft.phase == "before"

    def lacks():
        return [
            part for _blocks, _said, part in client.get(at("settings", draft)).context["missing"]
        ]

    assert lacks() == ["scores", "about", "about", "truth", ""]
    team = make_team(draft)
    Challenge.objects.update(closes=timezone.now())
    final.keep_archives()
    assert not ChallengeArchive.objects.exists()
    Challenge.objects.update(closes=timezone.now() + timedelta(days=1))
    draft.refresh_from_db()
    for is_trial in (False, True):
        team.is_trial = is_trial
        team.save()
        with pytest.raises(ChallengeRefused, match="not open yet"):
            submit(team)
    for address in (public(draft), at("standings", draft), at("challenge", draft)):
        assert client.get(address).status_code == 200
    assert client.get(public(draft, "file", "visible", "csv")).status_code == 404
    assert client.get(public(draft, "figure", "svg")).status_code == 404
    client.post(at("part", draft, "truth"), STEPS["truth"])
    assert lacks() == ["scores", "about", "about", ""]
    client.post(at("part", draft, "scores"), STEPS["scores"])
    draft.refresh_from_db()
    assert draft.phase == "open"
    assert client.get(at("settings", draft)).context["missing"] is None


def test_what_a_challenge_lacks_is_said_one_by_one():
    made = make_challenge(text="Find.", terms="Be fair.")
    assert [said for _blocks, said, _part in services.missing(made)] == [
        "Images without photographs cannot be judged by people."
    ]
    for image in made.dataset.images.all():
        image.truth = encode_regions([])
        image.save()
    made.dataset.images.update(sha256="0" * 64)
    assert [(blocks, said) for blocks, said, _part in services.missing(made)] == [
        (True, "The dataset has no ground truth.")
    ]


def test_an_admin_names_an_organiser_who_changes_the_settings(client, challenge):
    client.force_login(make_admin())
    make_person("olga")
    client.post(at("organisers", challenge), {"username": "olga"})
    olga = Client()
    olga.force_login(challenge.members.get().person)
    assert olga.get(at("part", challenge, "about")).status_code == 200
    assert olga.post(at("organisers", challenge), {"username": "olga"}).status_code == 404
    client.post(at("organisers", challenge), {"username": "olga", "do": "remove"})
    assert olga.get(at("settings", challenge)).status_code == 404
    assert olga.get(at("part", challenge, "about")).status_code == 404


def test_standings_are_a_page_files_and_a_figure(participant, challenge, team):
    submit(team)
    submit(make_team(challenge, "Bob"), upload(1))
    own, other = (f"Team {one.number}" for one in challenge.teams.order_by("-name"))
    shown = participant.get(at("standings", challenge))
    assert shown.text.index(own) < shown.text.index(other)
    assert "Bob" not in shown.text
    assert "These scores are shown after the end." in shown.text
    text = participant.get(at("file", challenge, "visible", "csv")).text
    assert re.findall(r"Team \d+", text) == [own, other]
    assert participant.get(at("file", challenge, "hidden", "csv")).status_code == 404
    assert own in participant.get(at("figure", challenge, "svg")).text
    public_page = Client().get(public(challenge))
    assert own in public_page.text
    assert Client().get(public(challenge, "file", "visible", "json")).status_code == 200


def test_by_a_second_protocol_the_table_is_in_its_order(participant, challenge, team):
    submit(team)
    assert participant.get(at("standings", challenge), {"by": "DETEVAL"}).context["tables"][0][1]
    shown = participant.get(at("standings", challenge), {"by": "DETEVAL"})
    assert shown.context["tables"][-1][1].boards.by == "DETEVAL"


def test_changes_are_in_the_log_that_everyone_reads(challenge):
    challenge.closes += timedelta(days=1)
    challenge.sees = "open"
    challenge.time_zone = "Asia/Tokyo"
    services.save_challenge(challenge)
    shown = Client().get(public(challenge))
    assert "closes" in shown.text
    in_tokyo = challenge.closes + timedelta(hours=9)
    assert f"to {in_tokyo:%Y-%m-%d %H:%M}" in shown.text
    assert "from everyone, under numbers instead of names to everyone, with names" in shown.text


# Of one hidden image: how many regions it has, and a text; they occur nowhere else.
N_REGIONS, TEXT = 1523, "Zwölfboxkämpfer"


def add_secrets(challenge):
    image = challenge.images_of("hidden").last()
    many = [
        (at % 60 * 7, at // 60 * 9, at % 60 * 7 + 5, at // 60 * 9 + 6) for at in range(N_REGIONS)
    ]
    drawn = encode_regions([*regions(many)])
    drawn["regions"][0]["text"] = TEXT
    image.truth = drawn
    image.save()


class Forbidden:
    """Everything that is known of the hidden ground truth: numbers, texts, counts, hashes, scores."""

    def __init__(self, challenge, entry=None):
        hidden = list(challenge.images_of("hidden"))
        self.texts = {
            str(number) for at in range(1, 23, 2) for box in secret_of(at) for number in box
        }
        self.longer = {TEXT, json.dumps(TEXT)[1:-1], escape(TEXT)}
        for image in hidden:
            digests = {
                sha256(canonical_bytes(image.truth_regions)).hexdigest(),
                sha256(json.dumps(image.truth).encode()).hexdigest(),
            }
            self.longer |= digests | {digest[:12] for digest in digests}
        self.counts = {str(N_REGIONS), str(sum(len(image.truth_regions) for image in hidden))}
        scores = entry.scores.filter(split="hidden") if entry else EntryScore.objects.none()
        for values in scores.values_list("recall", "f_score"):
            self.texts |= {f"{value:.4f}" for value in values if value}

    def in_bytes(self, content):
        text = content.decode("utf-8", "surrogateescape")
        found = set(re.findall(r"(?<![\d.])\d+(?:\.\d{4})?(?!\d)", text)) & self.texts
        # Alone: hashes and tokens contain any four digits.
        found |= set(re.findall(r"(?<![\w.,-])\d+(?![\w.])", text.replace(",", ""))) & self.counts
        return sorted(found | {one for one in self.longer if one in text})


def links_of(text):
    found = re.findall(r'(?:href|src|action|data-progress)="([^"#]+)', text)
    return {one.replace("&amp;", "&") for one in found if one.startswith("/")}


def starts(challenge, entries):
    """Return where a participant begins, and every address of a challenge, linked or not."""
    image, hidden = (challenge.images_of(split).first().pk for split in ("visible", "hidden"))
    many = {"image": [image, hidden], "pk": [entry.pk for entry in entries]}
    many |= {
        "split": ["visible", "hidden"],
        "extension": ["csv", "json", "tex", "md", "svg", "zip"],
    }
    one = {"slug": challenge.slug, "address": challenge.address}
    one |= {"dataset": challenge.dataset.slug}
    found = {reverse("home"), reverse("privacy:export")}
    found |= {f"{API}{root}" for root in ("me", "datasets", "jobs", "studies", "challenges")}
    found |= {f"{API}images/{image.pk}" for image in challenge.dataset.images.all()}
    for name, pattern in names_of_addresses("text_rankings.site.urls"):
        if name.split(":")[0].endswith("challenges") or name.startswith(OF_API):
            names = [name for name in many if name in pattern.regex.groupindex]
            others = {name: one[name] for name in pattern.regex.groupindex if name in one}
            for values in product(*(many[name] for name in names)):
                with suppress(NoReverseMatch):
                    found.add(reverse(name, kwargs=others | dict(zip(names, values, strict=True))))
    return found


API, OF_API = "/api/v1/", ("api:challenge", "api:entry_")
_ELSEWHERE = ("/static/", "/protocols/", "/accounts/", "/rescue/", "/api/v1/docs")


def fetched(client, waiting):
    """Follow every link; return the parts of everything that comes, by address: zips too."""
    waiting, found = set(waiting), {}
    while waiting:
        address = waiting.pop()
        response = client.get(address)
        content = response.getvalue() if response.streaming else response.content
        parts = [content, repr(response.headers).encode()]
        if content[:2] == b"PK":
            archive = ZipFile(BytesIO(content))
            parts += [archive.comment, *(archive.read(name) for name in archive.namelist())]
            parts += [part for info in archive.infolist() for part in (info.comment, info.extra)]
        found[address] = parts
        if "html" in response.get("Content-Type", ""):
            links = links_of(response.text)
            waiting |= {one for one in links if not one.startswith(_ELSEWHERE)} - set(found)
    return found


def sent(challenge, entries):
    """Return everything that a participant can send, to pages and API: method, address, fields."""
    slug, found = [challenge.slug], []

    def add(address, *bodies, method="POST", as_json=True):
        form = "" if address.startswith(API) and as_json else "form"
        found.extend((form or method, address, body) for body in bodies)

    for content in (upload(2, 2), upload(n_hidden=0), b"", b"no zip", zip_bytes({})):
        body = {"file": content, "format": "", "description": "", "link": ""}
        add(at("challenge", challenge), body)
        add(reverse("api:challenge_entries", args=slug), body, as_json=False)
    add(at("challenge", challenge), {})
    add(reverse("api:challenge_entries", args=slug), {}, as_json=False)
    texts = ({"description": "a", "link": ""}, {"description": "a", "link": "javascript:b"})
    for entry in entries:
        own = [*slug, entry.pk]
        add(at("act", challenge, entry.pk), {"do": "withdraw"}, {"do": "final"}, *texts)
        add(reverse("api:entry_withdraw", args=own), {})
        add(reverse("api:entry_final", args=own), {})
        add(reverse("api:challenge_entry", args=own), *texts, method="PATCH")
    teams = ({"name": "Another"}, {"name": ""}, {"code": "NONE"}, {"code": entries[0].team.code})
    add(at("team", challenge), {"do": "leave"}, *teams)
    add(reverse("api:challenge_team", args=slug), *teams)
    add(reverse("api:challenge_team", args=slug), {}, method="DELETE")
    add(public(challenge, "join"), {})
    add(reverse("api:join_challenge"), {"link": challenge.address}, {"link": "elsewhere"})
    # For organisers and admins.
    add(at("part", challenge, "about"), {"title": "Mine"})
    add(at("organisers", challenge), {"username": "ada"})
    add(at("study", challenge), {"difference": "0.03"}, {"do": "open"})
    add(reverse("challenges:new", args=[challenge.dataset.slug]), {})
    add(reverse("api:challenge", args=slug), {"title": "Mine"}, method="PATCH")
    add(reverse("api:challenges"), {"dataset": challenge.dataset.slug})
    add(reverse("api:challenge_organisers", args=slug), {"username": "ada"}, method="PUT")
    add(reverse("api:challenge_study", args=slug), {})
    add(reverse("api:challenge_study", args=slug), {"state": "open"}, method="PUT")
    return found


def answers(client, challenge, entries):
    """Send everything, and undo each; return what comes back and is seen next, by what was sent."""
    found, statuses, own = {}, set(), entries[0]
    seen = [at("entry", challenge, own.pk), at("standings", challenge)]
    for method, address, body in sent(challenge, entries):
        with transaction.atomic():
            if method == "form":
                held = {**body}
                if "file" in held:
                    held["file"] = SimpleUploadedFile("mine.zip", held["file"])
                answer = client.post(address, held)
            else:
                answer = client.generic(method, address, json.dumps(body), "application/json")
            statuses.add(answer.status_code)
            parts = [answer.content, repr(answer.headers).encode()]
            # The check of an upload is shown with its scores.
            new = Entry.objects.exclude(pk__in=[entry.pk for entry in entries]).first()
            Entry.objects.filter(state="scored").update(told=own.created)
            after = [at("entry", challenge, new.pk)] if new else []
            after += seen if f"/{own.pk}/" in address else []
            parts += [client.get(one).content for one in after]
            if new:
                parts = [re.sub(rb"\b%d\b" % new.pk, b"new", part) for part in parts]
            found[f"{method} {address} {body}"] = parts
            transaction.set_rollback(True)
    assert {201, 302, 404, 422} <= statuses
    assert statuses <= {200, 201, 204, 302, 404, 409, 422}
    return found


def without_tokens(content):
    """Return a page without what differs every time: tokens, and times of new uploads."""
    content = re.sub(rb'csrf\w*" value="\w+"|nonce-[\w+/=-]+|\w+=\w+; expires', b"", content)
    return re.sub(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*(Z|\+00:00)?", b"", content)


def leaks(found, forbidden):
    told = {
        at: [word for part in of for word in forbidden.in_bytes(part)] for at, of in found.items()
    }
    return {at: words for at, words in told.items() if words}


@pytest.mark.parametrize("is_over", [False, True])
def test_no_byte_that_a_participant_can_fetch_tells_of_hidden_regions(
    participant, challenge, team, is_over
):
    """Every address and every link is followed, and everything that comes is searched.

    Of three hidden words of an image one is found; another team finds others. Their scores wait for
    the end; the regions are hidden afterwards too.
    """
    add_secrets(challenge)
    entry = submit(team, upload(1, 0, img_1=secret_of(1)[:1]))
    refused = submit(team, zip_bytes({"res_img_1.txt": "1,2,x,4"}))
    other = submit(make_team(challenge), upload(2, 1))
    forbidden = Forbidden(challenge, None if is_over else entry)
    hidden = challenge.images_of("hidden")
    for one in (hidden.first(), hidden.last()):
        assert forbidden.in_bytes(json.dumps(one.truth).encode())
    assert forbidden.in_bytes(f"{N_REGIONS} regions".encode())
    if is_over:
        past = {"opens": timezone.now() - timedelta(days=2), "closes": timezone.now()}
        Challenge.objects.update(**past)
        Entry.objects.filter(state="scored").update(told=timezone.now())
        final.keep_archives()
    entries = [entry, refused, other]
    assert leaks(answers(participant, challenge, entries), forbidden) == {}
    found = fetched(participant, starts(challenge, entries))
    assert leaks(found, forbidden) == {}
    assert at("entry", challenge, entry.pk) in found
    archive = found[public(challenge, "archive")][0]
    assert (b'"standings"' in archive) == is_over
    standings = found[at("file", challenge, "hidden", "csv")][0]
    assert standings.startswith(b"Method,") == is_over
    assert len(found) > 60


def test_uploads_that_differ_on_one_hidden_image_are_told_the_same_until_the_end(
    participant, challenge, team
):
    """The same entry is scored from one file, then from the other: every byte stays."""
    entry = submit(team, upload(n_hidden=0))
    other = submit(make_team(challenge), upload(2, 1))
    addresses = starts(challenge, [entry])
    missed = [(1, 1, 9, 9), (2, 2, 8, 8), (3, 3, 7, 7)]

    def told(boxes, is_over=False):
        files.upload_of(entry.key).write_bytes(upload(n_hidden=0, img_1=boxes))
        entry.scores.all().delete()
        Entry.objects.filter(pk=entry.pk).update(state="checking", told=None)
        services.start_scoring(entry)
        Entry.objects.filter(pk=entry.pk).update(told=entry.created)
        cache.clear()
        found = fetched(participant, addresses)
        told = {
            address: without_tokens(parts[0])
            for address, parts in found.items()
            if address not in (reverse("privacy:export"), f"{API}me")
        }
        sendings = {} if is_over else answers(participant, challenge, [entry, other])
        return told | {
            name: [without_tokens(part) for at, part in enumerate(parts) if at != 1]
            for name, parts in sendings.items()
        }

    hit, miss = told(secret_of(1)), told(missed)
    assert [at for at in hit if hit[at] != miss.get(at)] == []
    assert len(hit) > 90
    Challenge.objects.update(opens=timezone.now() - timedelta(days=2), closes=timezone.now())
    standings = at("file", challenge, "hidden", "csv")
    assert told(secret_of(1), True)[standings] != told(missed, True)[standings]

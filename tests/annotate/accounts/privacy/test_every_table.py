"""A person is planted in every table and erased; what is left is what the page of data protection says."""

import json
import re
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core import mail
from django.db import models
from django.test import Client
from django.utils import timezone

from annotate.accounts.models import Invitation, Preferences
from annotate.accounts.privacy import personal_data
from annotate.accounts.services import invite
from annotate.api.models import GivenAnswer
from annotate.datasets.models import EarlierTruth, Selection
from annotate.jobs.models import Job
from annotate.judging import services as judging
from annotate.judging.models import Screen
from annotate.publication.models import PublicPage
from annotate.recruiting.models import Arrival
from annotate.studies.models import Exclusion, Pseudonym
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_admin,
)
from tests.support.judges import release
from tests.support.made_once import made_once
from tests.support.matrix import completed
from tests.support.participants import make_entrance
from tests.support.truths import rank_everything, undone
from tests.support.world import TRUTH, make_world

pytestmark = pytest.mark.django_db
PAGE = Path(__file__).resolve().parents[4] / "docs/reference/data-protection.md"
MARK = "Zenobia"
# Values of machines, compared or parsed by the code; people do not type them.
MACHINES = {
    *("sha256", "request_sha256", "file_sha256", "rows_sha256", "token_hash", "session_key"),
    *("session_data", "password", "checksum", "worker", "content_type", "file", "address"),
    *("kind", "version", "code", "archive", "beginning", "public_id", "strategy", "data", "ip"),
    *("software_version", "mail_language", "language", "app_label", "codename", "line_format"),
    *("object_id", "consent_version", "state", "protocol", "format", "match_protocol", "key"),
    *("reading", "action", "prompt_sha256"),
}
# Filled by the program with keys and counts of its own, never with words that people typed.
OF_THE_PROGRAM = {
    "annotate.Job": {"arguments", "made", "title", "doing", "failure", "outcome", "file_name"},
    "annotate.AuditEntry": {"what", "details"},
    "annotate.Assignment": {
        "items",
        "drawn",
        "hidden",
        "rankings",
        "known",
        "unsettled",
        "slip_prior",
    },
    "annotate.Judgement": {"aids", "seen", "places", "layout"},
    "annotate.FirstVisit": {"consent_words", "practice_answers"},
    "annotate.KeptReport": {"content"},
    "annotate.Look": {"found"},
}
# Notes come with the pages that take them.
COMING = {"annotate.Note"}
# Where more than one relation leads to the person.
PATHS = {"annotate.Note": "screen__assignment__annotator"}
TEXTS = (models.CharField, models.TextField, models.JSONField)


def said():
    """Return what the page says happens to each table."""
    rows = re.findall(r"^\| (`\w+\.\w+`.*?) \|.*\| ([a-z ]+) \|$", PAGE.read_text(), re.MULTILINE)
    return {table: what for cell, what in rows for table in re.findall(r"`(\w+\.\w+)`", cell)}


def tables():
    return {model._meta.label: model for model in apps.get_models(include_auto_created=True)}


def test_the_page_has_a_row_for_every_table_and_no_other():
    assert sorted(said().keys() - COMING) == sorted(tables().keys() - COMING)
    assert said().keys() >= tables().keys()
    assert set(said().values()) <= {"deleted", "cleared", "pseudonym", "text stays", "no person"}


class Planted:
    """A person with a row in every table that can lead to one, and a mark in every text of it."""

    def __init__(self):
        world = completed(make_world())
        make_admin()
        self.person = person = world.people["admin"]
        study = world.study
        add_researcher(study, person)
        add_annotator(study, person)
        turn = judging.start(study=study, annotator=person).turn
        skipped = {"annotator": person, "reason": "other", "text": MARK}
        turn = judging.record_skip(screen_id=turn.screen.public_id, **skipped).turn
        turn = undone(turn)
        judging.record_skip(screen_id=turn.screen.public_id, **skipped)
        rank_everything(study, person, TRUTH)
        self.made_by_hand(world, person)
        Client().force_login(person)
        self.point_to(person)
        self.mark()

    def made_by_hand(self, world, person):
        now = timezone.now()
        emails = ["zenobia@example.org"]
        used = invite(study=world.study, role="annotator", emails=emails, made_by=person)[0]
        Invitation.objects.filter(pk=used.invitation.pk).update(used=now, used_by=person)
        address = EmailAddress.objects.create(user=person, email="zenobia@example.org")
        EmailConfirmation.objects.create(email_address=address, key="k", sent=now)
        Authenticator.objects.create(user=person, type="totp", data={"secret": MARK})
        UserSession.objects.create(
            user=person, ip="192.0.2.7", session_key="x", user_agent=MARK, data={}
        )
        Preferences.objects.create(person=person)
        GivenAnswer.objects.create(person=person, key="k", request_sha256="0" * 64)
        Pseudonym.objects.get_or_create(study=world.study, person=person, defaults={"number": 99})
        exclusion = {"study": world.study, "person": person, "created_by": person}
        Exclusion.objects.create(is_excluded=True, reason=MARK, **exclusion)
        EarlierTruth.objects.create(
            image=world.image, version=1, truth={}, reason=MARK, person=person
        )
        Selection.objects.update(name=MARK, person=person)
        release(world.study)
        PublicPage.objects.create(report=world.kept, address="page", title="T", download="nothing")
        person.groups.add(Group.objects.create(name="group"))
        person.user_permissions.add(Permission.objects.first())
        LogEntry.objects.create(
            user=person,
            content_type=ContentType.objects.first(),
            object_repr="x",
            action_flag=1,
        )
        Arrival.objects.create(
            entrance=make_entrance(world.study),
            study=world.study,
            person=person,
            platform="prolific",
            consented=now,
            deadline=now,
        )
        if note := tables().get("annotate.Note"):
            screen = Screen.objects.filter(assignment__annotator=person).first()
            note.objects.create(screen=screen, text=MARK)
        Job.objects.create(
            kind="mail.send", title=f"E-mail to {MARK}", arguments={"to": ["zenobia@example.org"]}
        )

    def point_to(self, person):
        """Make a row of every table that refers to users refer to this one."""
        for label, model in tables().items():
            owned = [field for field in model._meta.concrete_fields if field.related_model is User]
            if not owned or of_person(model, person) is not None:
                continue
            row = model._base_manager.first()
            assert row is not None, f"plant a row of {label} by hand"
            model._base_manager.filter(pk=row.pk).update(**{owned[0].name: person})

    def mark(self):
        for label, model in tables().items():
            rows = of_person(model, self.person)
            left_out = MACHINES | OF_THE_PROGRAM.get(label, set())
            for field in model._meta.concrete_fields if rows is not None else ():
                if isinstance(field, TEXTS) and not field.choices and field.name not in left_out:
                    one = rows.order_by("pk").first()
                    value = {MARK: MARK} if isinstance(field, models.JSONField) else MARK
                    model._base_manager.filter(pk=one.pk).update(**{field.name: value})


def of_person(model, person):
    """Return the rows of a table that lead to a person, or None if none can."""
    if model is User:
        return User.objects.filter(pk=person.pk)
    paths = [field.name for field in model._meta.concrete_fields if field.related_model is User]
    if model._meta.label in PATHS:
        paths = [PATHS[model._meta.label]]
    if not paths:
        paths = [
            f"{field.name}__{inner.name}"
            for field in model._meta.concrete_fields
            if field.related_model is not None and field.related_model is not User
            for inner in field.related_model._meta.concrete_fields
            if inner.related_model is User and inner.name in ("annotator", "person", "user")
        ]
    for path in paths:
        rows = model._base_manager.filter(**{path: person})
        if rows.exists():
            return rows
    return None


made_planted = made_once(Planted)


@pytest.fixture
def planted(made_planted):
    return made_planted


def marked():
    """Return the fields that hold a mark, by table."""
    found = {}
    for label, model in tables().items():
        for row in model._base_manager.values():
            for name, value in row.items():
                if name == "session_data":
                    value = Session(session_data=value).get_decoded()
                if "zenobia" in json.dumps(value, default=str).lower():
                    found.setdefault(label, set()).add(name)
    return found


def test_a_person_is_in_every_table_that_is_about_one(planted):
    """Otherwise the next test would prove nothing."""
    about = {label for label, what in said().items() if what != "no person"} - {"sessions.Session"}
    about &= tables().keys()
    for label in about:
        assert of_person(tables()[label], planted.person) is not None, label
    assert marked().keys() >= {
        label for label, what in said().items() if what in ("cleared", "text stays")
    }


def test_after_erasure_what_is_left_is_what_the_page_says(planted):
    # As it is stored, with its marks.
    person = User.objects.get(pk=planted.person.pk)
    personal_data.erase(person)
    left = marked()
    assert {label: fields for label, fields in left.items() if said()[label] != "text stays"} == {}
    for label, what in said().items():
        if label not in tables():
            continue
        rows = of_person(tables()[label], person)
        if what == "deleted":
            assert rows is None, label
        if what == "pseudonym":
            assert rows is not None, label
    decoded = [session.get_decoded() for session in Session.objects.all()]
    assert not any(str(person.pk) in str(kept.get("_auth_user_id")) for kept in decoded)


def test_letters_to_the_person_that_wait_are_not_sent(planted):
    personal_data.erase(planted.person)
    [letter] = Job.objects.filter(kind="mail.send")
    assert (letter.state, letter.arguments, letter.title) == ("cancelled", {}, "E-mail")
    assert mail.outbox == []

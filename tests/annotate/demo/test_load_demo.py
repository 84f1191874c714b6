"""The demo as a whole: loaded once, and what its visitors find."""

import stat
from datetime import timedelta

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone

from annotate.datasets.models import Dataset
from annotate.demo import services
from annotate.imports.presentation import written
from annotate.judging.models import Judgement
from annotate.reports.services import asked_now, study_report
from annotate.studies.models import Study
from rankings.agreement.report import Settings

pytestmark = pytest.mark.django_db


def test_the_demo_is_loaded_once_and_a_second_run_keeps_everything(capsys):
    call_command("load_demo")
    first = capsys.readouterr().out
    dataset = Dataset.objects.get()
    assert (dataset.images.count(), dataset.methods.count(), dataset.runs.count()) == (24, 10, 13)
    assert dataset.images.exclude(sha256="").count() == 24
    [receipt] = dataset.imports.all()
    assert dict(written(receipt))["results"] == 24 * 10

    finished = Study.objects.get(name="Ten detectors, three readers")
    built = study_report(asked_now(finished, Settings()))
    # One reader is through, two have two and four images left.
    assert (built.n_annotators, built.n_rankings) == (3, 24 + 22 + 20)
    for table in built.report.criteria.values():
        assert 18 <= table.n_images < 24
        protocols = {row.protocol for row in table.rows}
        assert {"DETEVAL", "EVALTEX EMD (no split)", "Sentinel: count"} <= protocols
        assert len(protocols) == 13

    answers = Judgement.objects.filter(assignment__study=finished)
    assert answers.exists()
    # Given over some hours of which the last has just passed, whenever the archive was made.
    assert finished.created < answers.earliest("created").created
    since = timezone.now() - answers.latest("created").created
    assert timedelta(0) <= since < timedelta(hours=1)
    readers = User.objects.filter(memberships__study=finished, memberships__role="annotator")
    assert [reader.username for reader in readers.order_by("pk")] == [
        "careful-annotator", "generous-annotator", "hurried-annotator",
    ]  # fmt: skip
    assert all(reader.is_active and not reader.has_usable_password() for reader in readers)

    waiting = Study.objects.get(name=services.YOUR_STUDY)
    assert waiting.state == "open"
    assert not waiting.assignments.exists()
    assert [member.person.username for member in waiting.memberships.filter(role="annotator")] == [
        "demo-annotator"
    ]

    for username, password in services.sign_ins().items():
        assert authenticate(username=username, password=password) is not None
        assert password in first
    assert stat.S_IMODE(services.sign_ins_file().stat().st_mode) == 0o600

    n_answers = Judgement.objects.count()
    call_command("load_demo")
    second = capsys.readouterr().out
    assert "loaded already" in second
    assert Judgement.objects.count() == n_answers
    assert all(password in second for password in services.sign_ins().values())
    call_command("replay", "--check")

"""The demo: an answered study from an archive, a study to try, and the accounts for visitors.

The archive holds scenes drawn with Pillow, ten synthetic detectors and three simulated annotators;
the program that drew them is in the repository's history (commit 13e0791, `tools/artwork/`). `make
demo-archive` rewrites the archive in the current format.
"""

import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models, transaction
from django.db.models import F, Max, QuerySet
from django.utils import timezone

from annotate.accounts.services import invite
from annotate.exchange.bundles.reading import import_study
from annotate.judging.models import Judgement, Screen
from annotate.studies.models import Role, Study
from annotate.studies.services import add_member, create_study

ARCHIVE: Final = Path(__file__).with_name("demo.zip")
YOUR_STUDY: Final = "Your turn: five detectors"
_YOUR_METHODS: Final = (
    "near-perfect",
    "oversized",
    "one-box-per-line",
    "misses-small",
    "jitter",
)
_YOUR_IMAGES: Final = 6
_YOUR_SEED: Final = 2019

Say = Callable[[str], None]


def is_loaded() -> bool:
    return Study.objects.filter(name=YOUR_STUDY).exists()


@transaction.atomic
def load_demo(say: Say) -> None:
    """Load the whole demo, or nothing. ``say`` receives progress messages."""
    visitors = _make_visitors()
    say("Loading 24 scenes, ten detectors' results, their scores and three annotators' answers ...")
    finished = import_finished_study()
    _move_to_today(finished)
    dataset = finished.dataset
    yours = create_study(
        name=YOUR_STUDY,
        dataset=dataset,
        methods=list(dataset.methods.filter(name__in=_YOUR_METHODS)),
        images=list(dataset.images.in_order()[:_YOUR_IMAGES]),
        seed=_YOUR_SEED,
        state=Study.State.OPEN,
        min_annotators=1,
    )
    for study in (finished, yours):
        add_member(study=study, username=visitors["researcher"].username, role=Role.RESEARCHER)
    add_member(study=yours, username=visitors["annotator"].username, role=Role.ANNOTATOR)
    # An example for the list of invitations; its link is not given out.
    invite(study=yours, role=Role.ANNOTATOR, days=30, made_by=visitors["admin"])


def import_finished_study() -> Study:
    """Import the archive; its simulated annotators keep their names and have no password."""
    study = import_study(ARCHIVE).study
    for person in User.objects.filter(memberships__study=study):
        person.username = person.username.removesuffix(f".{study.slug}")
        person.is_active = True
        person.save(update_fields=["username", "is_active"])
    return study


def _move_to_today(study: Study) -> None:
    """Shift all times of the archive by the same span, so that the last answer is from just now."""
    answers = Judgement.objects.filter(assignment__study=study)
    span = timezone.now() - answers.aggregate(last=Max("created"))["last"]
    rows: tuple[QuerySet[models.Model], ...] = (
        type(study.dataset).objects.filter(pk=study.dataset_id),
        study.dataset.methods.all(),
        study.dataset.runs.all(),
        Study.objects.filter(pk=study.pk),
        study.memberships.all(),
        study.assignments.all(),
        Screen.objects.filter(assignment__study=study),
        answers,
    )
    for queryset in rows:
        fields = [
            field.name
            for field in queryset.model._meta.concrete_fields
            if isinstance(field, models.DateTimeField)
        ]
        queryset.update(**{name: F(name) + span for name in fields})


def _make_visitors() -> dict[str, User]:
    """Create the three accounts for visitors, and store their passwords for the next start."""
    passwords = {role: secrets.token_urlsafe(9) for role in ("annotator", "researcher", "admin")}
    people = {
        role: User.objects.create_user(
            f"demo-{role}",
            password=password,
            is_staff=role == "admin",
            is_superuser=role == "admin",
        )
        for role, password in passwords.items()
    }
    file = sign_ins_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600, exist_ok=True)
    file.write_text(json.dumps({people[role].username: passwords[role] for role in passwords}))
    return people


def sign_ins_file() -> Path:
    return Path(settings.DATA_DIR) / "demo-sign-ins.json"


def sign_ins() -> dict[str, str]:
    """Return user names and generated passwords; empty if the file was removed."""
    try:
        passwords: dict[str, str] = json.loads(sign_ins_file().read_text())
    except FileNotFoundError:
        return {}
    return passwords

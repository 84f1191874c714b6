"""A study in which people compare the final entries, and the archive of a challenge after its end."""

import json
import random
from hashlib import sha256
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.design.planning.services import STRATEGIES, plan_study, settings_of
from annotate.design.setup import services as setup
from annotate.imports.immediate import FileToLoad, load_files
from annotate.imports.models import FileKind, Missing
from annotate.jobs import services as jobs
from annotate.jobs.models import Job
from annotate.studies import services as studies
from annotate.studies.models import Role, Study
from protocols.diagnostics.readings import AS_READ
from text_rankings.base.i18n import gettext_noop

from . import files
from .errors import ChallengeRefused
from .models import Challenge, ChallengeArchive, ChallengeMember, Entry
from .selectors import FIGURE, finals, standings
from .services import PUBLIC_SETTINGS, in_words

STUDY: Final = "challenges.study"
_SCORING: Final = "scoring.score"
# In steps of one pair in a hundred.
DIFFERENCE: Final = 0.03
_MAX_NAME: Final = 120


def method_name(entry: Entry) -> str:
    """Return the name of an entry's method: the number of its team, because a study is blind."""
    challenge = entry.team.challenge
    number = f": team {entry.team.number}"
    return challenge.title[: _MAX_NAME - len(number)] + number


def start_study(*, challenge: Challenge, difference: float, person: User) -> Job:
    """Start a study on the final entries. Raises ChallengeRefused before the end or without two."""
    if not challenge.is_over:
        raise ChallengeRefused(_("The challenge is not over yet."))
    if len(_kept_finals(challenge)) < 2:
        raise ChallengeRefused(_("A study needs the final entries of two teams."))
    if challenge.study is not None:
        raise ChallengeRefused(_("There is a study on the final entries already."))
    return jobs.start(
        kind=STUDY,
        person=person,
        title=gettext_noop("A study on the final entries of {challenge}").format(
            challenge=challenge.title
        ),
        challenge=challenge.pk,
        difference=difference,
    )


def _kept_finals(challenge: Challenge) -> list[Entry]:
    """Return the final entries without those whose team erased its uploads."""
    entries = finals(challenge, challenge.deciding_split)
    return [entry for entry in entries if entry.erased is None]


def load_finals(challenge: Challenge, person: User | None) -> list[str]:
    """Load the final entries that are not loaded as methods of the dataset; return the names of all."""
    names = []
    for entry in _kept_finals(challenge):
        name = method_name(entry)
        names.append(name)
        if challenge.dataset.methods.filter(name=name, results__isnull=False).exists():
            continue
        path = files.upload_of(entry.key)
        if not path.exists():
            raise ChallengeRefused(_("The upload of {team} is erased.").format(team=entry.team))
        file = FileToLoad(
            path,
            FileKind.RESULTS,
            title=name,
            format=entry.format,
            missing=Missing.EMPTY,
            # As the entry was scored: no other reading is offered.
            reading=AS_READ,
        )
        load_files([file], dataset=challenge.dataset, person=person)
    return names


@transaction.atomic
def make_study(challenge: Challenge, names: list[str], difference: float, person: User) -> Study:
    """Make the study as a draft, on as many images as a plan needs for a difference of protocols."""
    images = list(challenge.images_of(challenge.deciding_split).values_list("pk", flat=True))
    planned = plan_study(dataset=challenge.dataset, difference=difference, images=len(images))
    choice = planned.advised or planned.cheapest
    n_images = choice.n_images if choice and choice.n_images else len(images)
    rng = random.Random(challenge.pk)  # nosec B311
    chosen = sorted(rng.sample(images, min(n_images, len(images))))
    new = setup.begin(
        person=person,
        dataset=challenge.dataset,
        name=_("Final of {challenge}").format(challenge=challenge.title)[:_MAX_NAME],
        methods=list(challenge.dataset.methods.filter(name__in=names)),
        settings=settings_of(choice, STRATEGIES[0]) if choice else {},
    )
    setup.keep_images(new=new, images=chosen)
    study = setup.make(new=new)
    # Admins follow every study.
    for one in challenge.members.filter(role=ChallengeMember.Role.ORGANISER):
        name = one.person.get_username()
        studies.add_member(study=study, username=name, role=Role.RESEARCHER)
    Challenge.objects.filter(pk=challenge.pk).update(study=study)
    _score(challenge)
    return study


def _score(challenge: Challenge) -> None:
    """Start scoring the methods by the protocols, as the site, so that reports compare them with people."""
    for one in challenge.protocols:
        jobs.start(
            kind=_SCORING,
            title=gettext_noop("Score {protocol} on {dataset}").format(
                protocol=one["name"], dataset=challenge.dataset
            ),
            dataset=challenge.dataset_id,
            protocol=one["slug"],
            parameters=one["parameters"],
        )


def open_study(*, challenge: Challenge) -> None:
    """Open the study: the right is on the challenge. Raises ChallengeRefused without one."""
    if challenge.study is None:
        raise ChallengeRefused(_("There is no study on the final entries yet."))
    studies.set_state(study=challenge.study, state=Study.State.OPEN)


# The archive


def keep_archives() -> None:
    """Keep the archive of each challenge that is over and whose entries are all scored."""
    over = Challenge.objects.filter(closes__lte=timezone.now(), archive=None)
    for challenge in over.select_related("dataset"):
        checking = Entry.objects.filter(team__challenge=challenge, state=Entry.State.CHECKING)
        if not challenge.is_over or checking.exists():
            continue
        waits = Entry.objects.filter(team__challenge=challenge, told__gt=timezone.now())
        if waits.exists():
            continue
        text = json.dumps(_content(challenge), indent=1, ensure_ascii=False, sort_keys=True)
        ChallengeArchive.objects.get_or_create(
            challenge=challenge,
            defaults={"content": text, "checksum": sha256(text.encode()).hexdigest()},
        )


def _content(challenge: Challenge) -> dict[str, Any]:
    """Return the texts, the settings, the log and the standings; nothing of hidden images."""
    return {
        "challenge": challenge.title,
        "dataset": challenge.dataset.name,
        "settings": {name: in_words(getattr(challenge, name)) for name in PUBLIC_SETTINGS},
        "protocols": challenge.protocols,
        "images": {split: challenge.images_of(split).count() for split in challenge.splits},
        "log": [
            {
                "time": change.created.isoformat(timespec="seconds"),
                **{name: getattr(change, name) for name in ("setting", "before", "after")},
            }
            for change in challenge.changes.all()
        ],
        "standings": {split: _places(challenge, split) for split in challenge.splits},
    }


def _places(challenge: Challenge, split: str) -> list[dict[str, Any]]:
    found = standings(challenge, split)
    if found is None:
        return []
    return [
        {
            "place": row.place,
            "team": row.method,
            "entry": entry.number,
            "uploaded": entry.created.isoformat(timespec="seconds"),
            "sha256": entry.sha256,
            "description": entry.description,
            "link": entry.link,
            "letters": row.letters,
            FIGURE: {found.boards.by: row.value, **row.figures},
            "interval": [row.low, row.high],
        }
        for entry, row in zip(found.entries, found.rows, strict=True)
    ]

"""Judges are made, answer and close; pictures are released."""

import random
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, F, Min, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Image
from annotate.errors import Refusal
from annotate.studies.models import Study
from rankings import __version__

from .models import MAX_RAW, PAIRS, Judge, JudgeAnswer, PicturesSent, Release
from .tasks import Task, tasks_named

_HOST: Final = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|[0-9a-f:]+")
# The settings of a judge.
SETTINGS: Final = (
    *("kind", "model", "host", "prompt", "parts", "max_side", "sampling", "answer_format"),
    *("pairs", "images", "orders", "repeats", "criteria", "sees_truth", "tuned_on"),
    *("price_in", "price_out", "margin"),
)
# Results of storing one answer, as statuses of HTTP.
STORED, SAME, CONFLICT, NOT_VALID = 201, 200, 409, 422


@transaction.atomic
def make_judge(
    *,
    study: Study,
    name: str,
    person: User | None,
    images: Sequence[str] | None = None,
    n_images: int | None = None,
    **settings: Any,
) -> tuple[Judge, bool]:
    """Make a judge and return it with True, or the judge of these settings with False.

    ``images`` are names; ``n_images`` draws as many from the study's seed. Raises Refusal if one is not
    in the study, or a judge of this name has other settings, which lock at its first answer.
    """
    settings["images"] = _keys_of(study, images, n_images)
    settings["prompt_sha256"] = sha256(settings.get("prompt", "").encode()).hexdigest()
    judge = Judge.objects.select_for_update().filter(study=study, name=name).first()
    if judge is None:
        judge = Judge.objects.create(
            study=study, name=name, made_by=person, software_version=__version__, **settings
        )
        record(Act.JUDGE_MADE, study=study, actor=person, what=name)
        return judge, True
    differing = sorted(key for key, value in settings.items() if getattr(judge, key) != value)
    if not differing:
        return judge, False
    if judge.answers.exists():
        raise Refusal(
            _(
                "A judge does not change after its first answer: “{name}” has another {settings}. "
                "Choose another name."
            ).format(name=name, settings=", ".join(differing))
        )
    for key in differing:
        setattr(judge, key, settings[key])
    judge.save()
    return judge, False


def settings_of(judge: Judge) -> dict[str, Any]:
    """Return the name and SETTINGS of a judge, with names of images, as :func:`make_judge` takes them."""
    found = {name: getattr(judge, name) for name in ("name", *SETTINGS)}
    if judge.images is not None:
        images = Image.objects.filter(pk__in=judge.images).in_order()
        found["images"] = [*images.values_list("name", flat=True)]
    return found


def check_host(text: str) -> None:
    """Raise ValidationError unless the text is the name or number of a host."""
    if not _HOST.fullmatch(text):
        raise ValidationError(
            _("{text} is not a host name in lower case, without port or path.").format(text=text)
        )


def check_pairs(text: str) -> None:
    """Raise ValueError unless the text says which pairs a judge is asked."""
    if not PAIRS.fullmatch(text):
        raise ValueError(_("Pairs are all, people or sample:N, got {text}.").format(text=text))


def _keys_of(study: Study, names: Sequence[str] | None, n: int | None) -> list[int] | None:
    if names is None and n is None:
        return None
    keys = dict(Image.objects.filter(studies=study).in_order().values_list("name", "pk"))
    if names is None:
        drawn = random.Random(f"{study.seed}/judges").sample(
            [*keys.values()], min(n or 0, len(keys))
        )
        return sorted(drawn)
    if unknown := [name for name in names if name not in keys]:
        raise Refusal(_("The study has no image {name}.").format(name=unknown[0]))
    return sorted({keys[name] for name in names})


@transaction.atomic
def close_judge(*, judge: Judge, person: User) -> None:
    """Close a judge; it takes no more answers. A second time changes nothing."""
    if Judge.objects.filter(pk=judge.pk, closed__isnull=True).update(closed=timezone.now()):
        record(Act.JUDGE_CLOSED, study=judge.study, actor=person, what=judge.name)
    judge.refresh_from_db()


def release_in_force(study: Study) -> Release | None:
    now = timezone.now()
    in_force = study.releases.filter(ended__isnull=True, since__lte=now, until__gt=now)
    release: Release | None = in_force.first()
    return release


@transaction.atomic
def release_pictures(
    *, study: Study, admin: User, hosts: Sequence[str], purpose: str, licence: str, until: datetime
) -> Release:
    """Permit sending a study's pictures to hosts. It takes the place of an earlier release.

    Raises Refusal if the licence note differs from that of the dataset, or the time has passed.
    """
    if licence.strip() != study.dataset.licence.strip():
        raise Refusal(_("Confirm the licence note of the dataset as it is now."))
    if until <= timezone.now():
        raise Refusal(_("Choose an end in the future."))
    study.releases.filter(ended__isnull=True).update(ended=timezone.now())
    release = Release.objects.create(
        study=study, admin=admin, hosts=list(hosts), purpose=purpose, licence=licence, until=until
    )
    details = {"hosts": release.hosts, "until": until.isoformat()}
    record(Act.PICTURES_RELEASED, study=study, actor=admin, what=purpose, details=details)
    return release


@transaction.atomic
def end_release(*, study: Study, admin: User) -> bool:
    """End the release of a study's pictures at once; return whether there was one."""
    ended = study.releases.filter(ended__isnull=True).update(ended=timezone.now())
    if ended:
        record(Act.RELEASE_ENDED, study=study, actor=admin)
    return bool(ended)


def may_have_pictures(judge: Judge) -> bool:
    release = release_in_force(judge.study)
    return release is not None and judge.host in release.hosts


def count_picture(*, judge: Judge, token: str, n_bytes: int) -> None:
    """Count a picture that is sent, by judge, token and day."""
    row, _is_new = PicturesSent.objects.get_or_create(
        judge=judge, token=token, day=timezone.localdate()
    )
    PicturesSent.objects.filter(pk=row.pk).update(
        n_pictures=F("n_pictures") + 1, n_bytes=F("n_bytes") + n_bytes
    )


@dataclass(frozen=True, slots=True)
class Stored:
    """The result of storing one answer: a status, and the reason if it was not stored."""

    task: str
    status: int
    detail: str = ""


@transaction.atomic
def record_answers(*, judge: Judge, sent: Sequence[Mapping[str, Any]]) -> list[Stored]:
    """Store answers, each by itself and in order, and return what became of each.

    Raises Refusal if the judge is closed.
    """
    # Two runs at once wait for each other, so that neither stores what the other has.
    if Judge.objects.select_for_update().get(pk=judge.pk).closed is not None:
        raise Refusal(_("This judge is closed."))
    tasks = tasks_named(judge, {each["task"] for each in sent})
    return [_recorded(judge, tasks.get(each["task"]), each) for each in sent]


def _recorded(judge: Judge, task: Task | None, sent: Mapping[str, Any]) -> Stored:
    name = sent["task"]
    if task is None:
        return Stored(name, NOT_VALID, _("This is not a task of this judge."))
    fault = _fault(judge.criteria, sent)
    if fault:
        return Stored(name, NOT_VALID, fault)
    rows = judge.answers.filter(left=task.left, right=task.right, repeat=task.repeat)
    answered = rows.filter(outcome=JudgeAnswer.Outcome.ANSWERED).first()
    known = answered or rows.filter(attempt=sent["attempt"]).first()
    if known is not None:
        if (known.outcome, known.verdicts) == (sent["outcome"], sent["verdicts"]):
            return Stored(name, SAME)
        return Stored(name, CONFLICT, _("This task has another answer."))
    judge.answers.create(
        image_id=task.image,
        left_id=task.left,
        right_id=task.right,
        repeat=task.repeat,
        raw=sent.get("raw", "").encode()[:MAX_RAW].decode(errors="ignore"),
        **sent["verdicts"],
        **{field: sent[field] for field in _AS_SENT if field in sent},
    )
    return Stored(name, STORED)


_AS_SENT: Final = (
    *("attempt", "outcome", "finish_reason", "model", "fingerprint", "tokens_in", "tokens_out"),
    *("seconds", "pictures"),
)


def _fault(criteria: Collection[str], sent: Mapping[str, Any]) -> str:
    if sent["outcome"] != JudgeAnswer.Outcome.ANSWERED:
        return _("Only an answer has verdicts.") if sent["verdicts"] else ""
    if sent["verdicts"].keys() != set(criteria):
        return _("An answer has a verdict for each criterion of the judge: {names}.").format(
            names=", ".join(criteria)
        )
    return ""


def counts_of(judge: Judge) -> dict[str, Any]:
    """Return counts of rows by outcome, names as answered, tokens, and the cost if prices are known."""
    rows = judge.answers.values_list("outcome").annotate(n=Count("pk")).order_by()
    sums = judge.answers.aggregate(
        tokens_in=Sum("tokens_in"), tokens_out=Sum("tokens_out"), seconds=Sum("seconds")
    )
    tokens_in, tokens_out = sums["tokens_in"] or 0, sums["tokens_out"] or 0
    cost = None
    if judge.price_in is not None and judge.price_out is not None:
        cost = (tokens_in * judge.price_in + tokens_out * judge.price_out) / 1e6
    named = judge.answers.exclude(model="", fingerprint="").values_list("model", "fingerprint")
    names = named.annotate(first=Min("pk")).order_by("first")
    return {
        "outcomes": dict(rows),
        # The names under which a server answered, in the order of the first answers.
        "answered_as": [row[:2] for row in names],
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "seconds": sums["seconds"] or 0.0,
        "cost": cost,
    }

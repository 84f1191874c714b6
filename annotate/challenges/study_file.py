"""The challenge that a study file declares: checked, made, changed where it may be, and written again."""

import zoneinfo
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from annotate.datasets.models import Dataset, Image
from annotate.design.study_file.reading import StudyFile, named_protocol
from annotate.errors import Refusal
from annotate.scoring.services import NotScored
from annotate.studies.models import Study

from .models import Challenge, Split
from .scoring import described
from .services import PUBLIC_SETTINGS, drawn_hidden, fault_of_dates, named_hidden, save_challenge

KEY: Final = "challenge"
_DATES: Final = ("opens", "freezes", "closes")


def check(file: StudyFile) -> None:
    """Raise FileRefused for a fault that needs no data to find."""
    if KEY in file.content:
        _asked(file, Challenge())


def make(file: StudyFile, study: Study) -> list[str]:
    """Make the challenge of a file on the data of its study, or change it; return what changed.

    Raises FileRefused with file, line and key.
    """
    if KEY not in file.content:
        return []
    title = file.content[KEY].get("title", study.name)
    challenges = Challenge.objects.filter(dataset=study.dataset, title=title)
    before = challenges.first()
    asked = _asked(file, challenges.first() or Challenge(dataset=study.dataset, title=title))
    hidden = _hidden(file, study.dataset)
    changed = [KEY]
    if before is not None:
        changed = [
            f"{KEY}.{name}"
            for name in PUBLIC_SETTINGS
            if getattr(before, name) != getattr(asked, name)
        ]
        if {image.pk for image in hidden} != set(before.hidden.values_list("pk", flat=True)):
            changed.append(f"{KEY}.hidden")
    if changed:
        try:
            protocols = [(one["slug"], one["parameters"]) for one in asked.protocols]
            save_challenge(asked, protocols=protocols, hidden=hidden)
        except Refusal as refusal:
            raise file.refused(changed[0], str(refusal)) from refusal
    return changed


def _asked(file: StudyFile, challenge: Challenge) -> Challenge:
    """Set the settings of a file on a challenge, which is not stored."""
    given = dict(file.content[KEY])
    given.pop("hidden", None)
    challenge.protocols = [
        _protocol(file, number, one) for number, one in enumerate(given.pop("protocols"))
    ]
    zone = given.get("time_zone", challenge.time_zone)
    if zone not in zoneinfo.available_timezones():
        raise file.refused(f"{KEY}.time_zone", _("There is no time zone {name}.").format(name=zone))
    for name in _DATES:
        if name in given:
            given[name] = _moment(file, name, given[name], zoneinfo.ZoneInfo(zone))
    for name, value in given.items():
        setattr(challenge, name, value)
    if fault := fault_of_dates(challenge.opens, challenge.freezes, challenge.closes):
        raise file.refused(f"{KEY}.{fault[0]}", fault[1])
    try:
        challenge.clean_fields(exclude=["dataset", "slug", "title"])
    except ValidationError as refusal:
        [name, sentences] = next(iter(refusal.message_dict.items()))
        raise file.refused(f"{KEY}.{name}", " ".join(sentences)) from refusal
    return challenge


def _protocol(file: StudyFile, number: int, one: str | Mapping[str, Any]) -> dict[str, Any]:
    try:
        return described(*named_protocol(one))
    except NotScored as refusal:
        raise file.refused(f"{KEY}.protocols.{number}", str(refusal)) from refusal


def _moment(file: StudyFile, name: str, written: str, zone: zoneinfo.ZoneInfo) -> datetime:
    """Return a moment in UTC; without an offset it is in the time zone of the challenge."""
    try:
        moment = datetime.fromisoformat(written)
    except ValueError as fault:
        words = _("expected a date and a time, as in 2026-07-01T12:00.")
        raise file.refused(f"{KEY}.{name}", words) from fault
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def _hidden(file: StudyFile, dataset: Dataset) -> list[Image]:
    """Return the hidden images: a share drawn by the seed of the study, or those of the names."""
    hidden = file.content[KEY].get("hidden", 0)
    if isinstance(hidden, list):
        try:
            return named_hidden(dataset, hidden)
        except Refusal as refusal:
            raise file.refused(f"{KEY}.hidden", str(refusal)) from refusal
    seed = file.content.get("design", {}).get("seed", 0)
    return drawn_hidden(dataset, share=hidden, seed=seed)


def written(study: Study) -> dict[str, Any]:
    """Return the table of a file for the newest challenge on a study's data; empty without one."""
    challenge = study.dataset.challenges.first()
    if challenge is None:
        return {}
    table: dict[str, Any] = {}
    usual = Challenge()
    for name in PUBLIC_SETTINGS:
        value = getattr(challenge, name)
        if name in _DATES:
            table |= {name: value.astimezone(challenge.zone).isoformat()} if value else {}
        elif name == "protocols":
            table[name] = [{"slug": one["slug"], **one["parameters"]} for one in value]
        elif value != getattr(usual, name):
            table[name] = value
    table["hidden"] = list(challenge.images_of(Split.HIDDEN).values_list("name", flat=True))
    return {KEY: table}

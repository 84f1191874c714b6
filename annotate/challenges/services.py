"""Challenges made and changed, people and teams, entries submitted, withdrawn and chosen."""

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, BinaryIO, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotate.access import permitted
from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset, Image
from annotate.jobs import services as jobs
from annotate.names import refuse_unseen
from protocols.core.fitting import lacking
from text_rankings.base.i18n import gettext_noop

from . import files
from .errors import ChallengeRefused
from .models import Challenge, ChallengeChange, ChallengeMember, Entry, Team, new_code
from .scoring import described, protocols_of

KIND: Final = "challenges.score"
_Role = ChallengeMember.Role
# Further uploads of a day, which are refused anyway, cost the site time and the team nothing.
_REFUSED_A_DAY: Final = 50
_TAKEN_SLUGS: Final = {"new", "join"}
# Settings whose change after the opening is in the public log.
PUBLIC_SETTINGS: Final = (
    *("title", "text", "terms", "protocols", "ties", "time_zone", "opens", "freezes", "closes"),
    *("entries_a_day", "entries_in_all", "max_mb", "team_size", "sees", "hidden_score"),
    *("final_rule", "keep_days"),
)


# The challenge


def drawn_hidden(dataset: Dataset, *, share: float, seed: int) -> list[Image]:
    """Return the images to hide, drawn at random: a share of all, rounded, in order."""
    images = list(dataset.images.in_order().defer("truth"))
    chosen = random.Random(seed).sample(range(len(images)), round(share * len(images)))  # nosec B311
    return [images[at] for at in sorted(chosen)]


def named_hidden(dataset: Dataset, names: Sequence[str]) -> list[Image]:
    """Return the images of these names. Raises ChallengeRefused for an unknown one."""
    images = {image.name: image for image in dataset.images.in_order().defer("truth")}
    unknown = [name for name in names if name not in images]
    if unknown:
        raise ChallengeRefused(_("The dataset has no image {name}.").format(name=unknown[0]))
    return [image for name, image in images.items() if name in set(names)]


@transaction.atomic
def save_challenge(
    challenge: Challenge,
    *,
    protocols: Sequence[tuple[str, Mapping[str, Any]]] | None = None,
    hidden: Sequence[Image] | None = None,
) -> Challenge:
    """Store a new or changed challenge; changes after the opening go to its public log.

    ``protocols`` are slugs with parameters; a challenge without any does not open. Neither they nor
    the hidden images change once there is an entry. Raises ChallengeRefused.
    """
    is_new = challenge.pk is None
    before = None if is_new else Challenge.objects.select_for_update().get(pk=challenge.pk)
    # Moving the opening back hides nothing.
    is_public = before is not None and (before.opens <= timezone.now() or before.changes.exists())
    refuse_unseen(challenge.title, ChallengeRefused)
    if is_new:
        challenge.slug = slugify(challenge.title)[:120]
        if not challenge.slug or challenge.slug in _TAKEN_SLUGS:
            raise ChallengeRefused(_("The title needs letters or digits."))
        if Challenge.objects.filter(slug=challenge.slug).exists():
            raise ChallengeRefused(_("There is a challenge of this title already."))
    has_entries = not is_new and Entry.objects.filter(team__challenge=challenge).exists()
    if protocols is not None:
        challenge.protocols = [described(slug, parameters) for slug, parameters in protocols]
        vars(challenge).pop("splits", None)
        if not protocols:
            raise ChallengeRefused(_("Choose at least one protocol."))
    if has_entries and before is not None and before.protocols != challenge.protocols:
        raise ChallengeRefused(_("There are entries; the protocols cannot change any more."))
    if fault := fault_of_dates(challenge.opens, challenge.freezes, challenge.closes):
        raise ChallengeRefused(fault[1])
    dates = ("opens", "freezes", "closes")
    if (
        before is not None
        and before.is_over
        and any(getattr(before, name) != getattr(challenge, name) for name in dates)
    ):
        raise ChallengeRefused(
            _("The challenge is over and its scores are shown, so its dates cannot be changed.")
        )
    if protocols is not None:
        _refuse_unfit(challenge)
    challenge.save()
    if hidden is not None and {image.pk for image in hidden} != set(
        challenge.hidden.values_list("pk", flat=True)
    ):
        if has_entries:
            raise ChallengeRefused(
                _("There are entries; the hidden images cannot change any more.")
            )
        n_hidden = challenge.hidden.count()
        challenge.hidden.set(hidden)
        vars(challenge).pop("splits", None)
        if is_public:
            _log(challenge, "hidden", n_hidden, len(hidden))
    if before is not None and is_public:
        _log_changes(before, challenge)
    record(Act.CHALLENGE_MADE if is_new else Act.CHALLENGE_CHANGED, what=challenge.title)
    return challenge


def fault_of_dates(
    opens: datetime, freezes: datetime | None, closes: datetime
) -> tuple[str, str] | None:
    """Return the date that is out of order, and a sentence."""
    if not opens < closes:
        return "closes", _("The end must be after the opening.")
    if freezes and not opens <= freezes <= closes:
        return "freezes", _("The freeze must be between the opening and the end.")
    return None


def _refuse_unfit(challenge: Challenge) -> None:
    truths = [
        region for image in challenge.dataset.images.iterator(500) for region in image.truth_regions
    ]
    for protocol in protocols_of(challenge):
        lacks = protocol.needs != "confidences" and lacking(protocol, truths, truths, 1)
        if lacks:
            raise ChallengeRefused(
                _("{protocol} cannot be used: {lacks}.").format(protocol=protocol.name, lacks=lacks)
            )


def missing(challenge: Challenge) -> list[tuple[bool, str, str]]:
    """Return what is missing: whether it blocks the opening, a sentence, and the part of the settings."""
    images = challenge.dataset.images
    has_truth = any(image.truth_regions for image in images.iterator(500))
    checks = (
        (not has_truth, True, _("The dataset has no ground truth."), ""),
        (
            not challenge.protocols,
            True,
            _("Choose a protocol; without one the challenge does not open."),
            "scores",
        ),
        (
            not challenge.text,
            False,
            _("The text is empty: say what the task is and where to download the images."),
            "about",
        ),
        (not challenge.terms, False, _("There are no terms to agree to."), "about"),
        (
            not challenge.hidden.exists(),
            False,
            _("No image is hidden: teams can download the whole ground truth."),
            "truth",
        ),
        (
            images.filter(sha256="").exists(),
            False,
            _("Images without photographs cannot be judged by people."),
            "",
        ),
    )
    return [(blocks, said, part) for is_so, blocks, said, part in checks if is_so]


def _log_changes(before: Challenge, after: Challenge) -> None:
    for setting in PUBLIC_SETTINGS:
        old, new = getattr(before, setting), getattr(after, setting)
        if old != new:
            _log(after, setting, old, new)


def _log(challenge: Challenge, setting: str, before: Any, after: Any) -> None:
    ChallengeChange.objects.create(
        challenge=challenge, setting=setting, before=in_words(before), after=in_words(after)
    )


def in_words(value: Any) -> str:
    """Return a value of a setting as the log has it."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="minutes")
    if isinstance(value, list):
        return ", ".join(str(one["name"]) for one in value)
    return "" if value is None else str(value)


@transaction.atomic
def set_organiser(*, challenge: Challenge, username: str, is_organiser: bool) -> None:
    """Give or take the role of an organiser. Raises ChallengeRefused."""
    person = User.objects.filter(username=username, is_active=True).first()
    if person is None:
        raise ChallengeRefused(_("There is no user {name}.").format(name=username))
    member = ChallengeMember.objects.filter(challenge=challenge, person=person).first()
    if member is not None and member.team is not None:
        raise ChallengeRefused(_("{name} is in a team of this challenge.").format(name=username))
    if is_organiser:
        ChallengeMember.objects.update_or_create(
            challenge=challenge, person=person, defaults={"role": _Role.ORGANISER}
        )
    elif member is not None and member.role == _Role.ORGANISER:
        member.delete()
    act = Act.ORGANISER_ADDED if is_organiser else Act.ORGANISER_REMOVED
    record(act, what=challenge.title, about=person)


# People and teams


def join(*, challenge: Challenge, person: User) -> ChallengeMember:
    """Make a person a participant; an organiser stays one.

    Raises ChallengeRefused after the end, and for a person who sees the ground truth.
    """
    member = ChallengeMember.objects.filter(challenge=challenge, person=person).first()
    if member is not None:
        return member
    if challenge.is_over:
        raise ChallengeRefused(_("The challenge is over."))
    if permitted(person, "annotate.see_dataset", Dataset).filter(pk=challenge.dataset_id).exists():
        raise ChallengeRefused(
            _(
                "You can see the ground truth, so you cannot take part. To try the challenge, ask an "
                "admin to make you an organiser."
            )
        )
    return ChallengeMember.objects.get_or_create(
        challenge=challenge, person=person, defaults={"role": _Role.PARTICIPANT}
    )[0]


@transaction.atomic
def make_team(*, member: ChallengeMember, name: str) -> Team:
    """Make a team with one person. An organiser's is for trying. Raises ChallengeRefused."""
    # One after the other, so that numbers and names are unique.
    challenge = Challenge.objects.select_for_update().get(pk=member.challenge_id)
    member = _without_team(member)
    name = name.strip()
    refuse_unseen(name, ChallengeRefused)
    if not name or challenge.teams.filter(name__iexact=name).exists():
        raise ChallengeRefused(_("Another team has this name, or it is empty."))
    taken = set(challenge.teams.values_list("number", flat=True))
    free = [number for number in range(1, 2 * len(taken) + 100) if number not in taken]
    member.team = Team.objects.create(
        challenge=challenge,
        name=name,
        number=random.SystemRandom().choice(free),
        is_trial=member.role == _Role.ORGANISER,
    )
    member.save(update_fields=["team"])
    return member.team


@transaction.atomic
def join_team(*, member: ChallengeMember, code: str) -> Team:
    """Join the team of a code. Raises ChallengeRefused."""
    challenge = Challenge.objects.select_for_update().get(pk=member.challenge_id)
    member = _without_team(member)
    is_trial = member.role == _Role.ORGANISER
    team = challenge.teams.filter(code=code.strip().upper(), is_trial=is_trial).first()
    if team is None:
        raise ChallengeRefused(_("No team has this code."))
    if team.members.count() >= challenge.team_size:
        raise ChallengeRefused(_("The team is full."))
    member.team = team
    member.save(update_fields=["team"])
    return team


def _without_team(member: ChallengeMember) -> ChallengeMember:
    member = ChallengeMember.objects.select_for_update().get(pk=member.pk)
    if member.team_id is not None:
        raise ChallengeRefused(_("You are in a team already."))
    if member.challenge.is_over:
        raise ChallengeRefused(_("The challenge is over."))
    return member


@transaction.atomic
def leave_team(*, member: ChallengeMember) -> None:
    """Leave a team that has submitted nothing. Raises ChallengeRefused."""
    team = Team.objects.select_for_update().filter(members=member).first()
    if team is None:
        return
    if team.entries.exists():
        raise ChallengeRefused(_("Your team has submitted, so you stay in it."))
    ChallengeMember.objects.filter(pk=member.pk).update(team=None)
    if not team.members.exists():
        team.delete()


# Entries


def submit(
    *,
    team: Team,
    stream: BinaryIO,
    name: str,
    description: str = "",
    link: str = "",
    format: str = "",
) -> Entry:
    """Store an upload and start its check. Raises ChallengeRefused.

    Quota and dates are asked under the lock of the team, when the whole file has arrived.
    """
    refuse_unseen(name, ChallengeRefused)
    kept = files.keep(stream, team.challenge.max_mb)
    try:
        with transaction.atomic():
            team = Team.objects.select_for_update().get(pk=team.pk)
            # Taken before the dates are asked, so that no entry is later than the end.
            now = timezone.now()
            _refuse_entry(team, kept.sha256)
            last = team.entries.order_by("-number").first()
            entry = Entry.objects.create(
                team=team,
                number=1 + (last.number if last else 0),
                key=kept.key,
                sha256=kept.sha256,
                n_bytes=kept.n_bytes,
                file_name=name[-120:] or "upload",
                format=format,
                description=description,
                link=link,
                created=now,
            )
            start_scoring(entry)
    except BaseException:
        files.erase(kept.key)
        raise
    entry.refresh_from_db()
    return entry


def start_scoring(entry: Entry) -> None:
    """Start check and scoring as the site: a job of the team would show its times."""
    jobs.start(kind=KIND, title=gettext_noop("Score an entry"), entry=entry.pk)


def left(team: Team) -> tuple[int, int]:
    """Return how many entries a team may still submit today, and in all."""
    challenge, used = team.challenge, team.entries.using_quota()
    today = used.filter(created__range=challenge.day_of(timezone.now())).count()
    in_all = max(0, challenge.entries_in_all - used.count())
    return min(in_all, max(0, challenge.entries_a_day - today)), in_all


def _refuse_entry(team: Team, sha256: str) -> None:
    challenge = Challenge.objects.get(pk=team.challenge_id)
    if challenge.is_over:
        raise ChallengeRefused(_("The challenge is over; nothing is taken any more."))
    if challenge.phase == "before" and not (team.is_trial and challenge.protocols):
        raise ChallengeRefused(_("The challenge is not open yet."))
    today, in_all = left(team)
    if not in_all:
        raise ChallengeRefused(_("Your team has used all its entries."))
    if not today:
        raise ChallengeRefused(_("Your team has used today's entries. Come back tomorrow."))
    same = team.entries.using_quota().filter(sha256=sha256).first()
    if same is not None:
        raise ChallengeRefused(
            _("This is the same file as entry {n}; it is not taken twice.").format(n=same.number)
        )
    since = timezone.now() - timedelta(days=1)
    if team.entries.filter(created__gt=since).count() >= _REFUSED_A_DAY + challenge.entries_a_day:
        raise ChallengeRefused(
            _("Your team has uploaded too many files today. Come back tomorrow.")
        )


@transaction.atomic
def withdraw(*, entry: Entry) -> None:
    """Take an entry out of the challenge; its place in the quota stays used. Raises ChallengeRefused."""
    locked = _locked(entry)
    if locked.state == Entry.State.REFUSED:
        raise ChallengeRefused(_("The entry was refused; there is nothing to withdraw."))
    locked.state, locked.is_final = Entry.State.WITHDRAWN, False
    locked.save(update_fields=["state", "is_final"])


@transaction.atomic
def choose_final(*, entry: Entry) -> None:
    """Make an entry the final one of its team. Raises ChallengeRefused."""
    locked = _locked(entry)
    if locked.team.challenge.final_rule != Challenge.FinalRule.HAND:
        raise ChallengeRefused(_("Teams do not choose their final entry in this challenge."))
    if locked.state != Entry.State.SCORED or not locked.is_told:
        raise ChallengeRefused(_("Only a scored entry can be the final one."))
    locked.team.entries.filter(is_final=True).update(is_final=False)
    locked.is_final, locked.chosen = True, timezone.now()
    locked.save(update_fields=["is_final", "chosen"])


def _locked(entry: Entry) -> Entry:
    """Return an entry under the lock of its team, before the end. Raises ChallengeRefused."""
    team = Team.objects.select_for_update().get(pk=entry.team_id)
    if Challenge.objects.get(pk=team.challenge_id).is_over:
        raise ChallengeRefused(_("The challenge is over; nothing changes any more."))
    return Entry.objects.select_for_update().get(pk=entry.pk)


@transaction.atomic
def describe(*, entry: Entry, description: str, link: str) -> None:
    Entry.objects.filter(pk=entry.pk).update(description=description, link=link)


# Erasure


def erase_files(entries: Any) -> int:
    """Erase the files of entries; return how many had some."""
    found = list(entries.filter(erased=None).exclude(state=Entry.State.CHECKING))
    for entry in found:
        files.erase(entry.key)
    Entry.objects.filter(pk__in=[entry.pk for entry in found]).update(erased=timezone.now())
    return len(found)


def forget_uploads() -> None:
    """Erase uploads that challenges keep no longer, and files of no entry."""
    now = timezone.now()
    for challenge in Challenge.objects.filter(closes__lt=now):
        if challenge.closes + timedelta(days=challenge.keep_days) < now:
            erase_files(Entry.objects.filter(team__challenge=challenge))
    files.sweep()


def entries_of(person: User) -> Iterator[dict[str, Any]]:
    """Yield what a person's teams submitted, for the export of personal data."""
    entries = Entry.objects.filter(team__members__person=person).order_by("pk")
    yield from entries.values(
        *("team__challenge__title", "team__name", "number", "created", "state"),
        *("file_name", "n_bytes", "sha256", "format", "description", "link"),
    )


def forget_teams() -> None:
    """Erase what teams without people wrote and uploaded; their scores stay under a number."""
    for team in Team.objects.filter(members=None):
        for entry in team.entries.all():
            files.erase(entry.key)
        now = timezone.now()
        team.entries.update(description="", link="", file_name="upload", erased=now, findings=[])
        team.entries.filter(state=Entry.State.CHECKING).update(state=Entry.State.WITHDRAWN)
        Team.objects.filter(pk=team.pk).update(name=f"Team {team.number}", code=new_code())

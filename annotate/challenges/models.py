"""Challenges, the people and teams in them, entries and their scores.

An entry refers to its team and to no person.
"""

import secrets
import zoneinfo
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, URLValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.functional import cached_property
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.append_only import WrittenOnce
from annotate.datasets.models import Dataset, Image, ImageQuerySet
from annotate.stored_messages import MessageJSONField
from annotate.studies.models import Study

A_LINK: Final = URLValidator(["http", "https"])
_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
# A score is shown at the next multiple of this after the upload, so that the time of scoring says
# nothing of hidden regions.
TOLD_EVERY: Final = timedelta(seconds=15)


class Split(models.TextChoices):
    VISIBLE = "visible", _("visible images")
    HIDDEN = "hidden", _("hidden images")


def new_address() -> str:
    return secrets.token_urlsafe(12).replace("_", "-").strip("-") or new_address()


def new_code() -> str:
    return get_random_string(10, _LETTERS)


def new_key() -> str:
    return secrets.token_hex(16)


def _share(least: int, most: int) -> Sequence[Any]:
    return [MinValueValidator(least), MaxValueValidator(most)]


class Challenge(models.Model):
    """A competition on a dataset: texts, hidden images, protocols, dates and limits."""

    class Sees(models.TextChoices):
        CLOSED = "closed", _("no one: a team sees itself only")
        BLIND = "blind", _("everyone, under numbers instead of names")
        OPEN = "open", _("everyone, with names")

    class HiddenScore(models.TextChoices):
        AT_ONCE = "at_once", _("at once")
        ROUNDED = "rounded", _("at once, rounded to a hundredth")
        AFTER = "after", _("after the end")

    class Ties(models.TextChoices):
        SHARED = "shared", _("equal scores share a place")
        EARLIER = "earlier", _("the earlier entry comes first")
        NEXT = "next", _("the next protocol decides")

    class FinalRule(models.TextChoices):
        HAND = "hand", _("the one that the team chooses; without a choice the last")
        BEST = "best", _("the best")
        LAST = "last", _("the last")

    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="challenges")
    title = models.CharField(_("title"), max_length=120, unique=True)
    slug = models.SlugField(max_length=120, unique=True)
    # Random; the address of the public page, by which people sign up.
    address = models.SlugField(max_length=60, unique=True, default=new_address)
    text = models.TextField(_("text"), blank=True, help_text=_("Markdown."))
    terms = models.TextField(
        _("terms"), blank=True, help_text=_("Markdown. People agree to them when they sign up.")
    )
    # Images whose ground truth no participant sees.
    hidden = models.ManyToManyField(Image, blank=True, related_name="+")
    # [{"slug": "iou", "parameters": {...}, "name": "IOU"}]; the first decides.
    protocols = models.JSONField(default=list)
    ties = models.CharField(_("ties"), max_length=10, choices=Ties, default=Ties.EARLIER)
    time_zone = models.CharField(_("time zone"), max_length=60, default="UTC")
    opens = models.DateTimeField(_("opens"))
    freezes = models.DateTimeField(
        _("freezes"),
        null=True,
        blank=True,
        help_text=_("From here to the end the leaderboard does not change."),
    )
    closes = models.DateTimeField(_("closes"))
    entries_a_day = models.PositiveIntegerField(
        _("entries a day"), default=3, validators=_share(1, 1000)
    )
    entries_in_all = models.PositiveIntegerField(
        _("entries in all"), default=30, validators=_share(1, 10_000)
    )
    max_mb = models.PositiveIntegerField(
        _("largest upload in MB"), default=50, validators=_share(1, 2000)
    )
    team_size = models.PositiveIntegerField(
        _("people in a team"), default=10, validators=_share(1, 100)
    )
    sees = models.CharField(
        _("who sees the others before the end"), max_length=10, choices=Sees, default=Sees.BLIND
    )
    hidden_score = models.CharField(
        _("the score on hidden images is shown"),
        max_length=10,
        choices=HiddenScore,
        default=HiddenScore.AFTER,
    )
    final_rule = models.CharField(
        _("final entry of a team"), max_length=10, choices=FinalRule, default=FinalRule.HAND
    )
    keep_days = models.PositiveIntegerField(
        _("days to keep uploads after the end"), default=60, validators=_share(1, 3650)
    )
    # On the final entries.
    study = models.ForeignKey(
        Study, models.SET_NULL, null=True, blank=True, related_name="challenges"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-opens", "pk")
        constraints = [
            models.CheckConstraint(
                condition=Q(opens__lt=F("closes")), name="a_challenge_opens_before_it_closes"
            ),
            models.CheckConstraint(
                condition=Q(freezes__isnull=True)
                | Q(freezes__gte=F("opens"), freezes__lte=F("closes")),
                name="a_challenge_freezes_between_opening_and_closing",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def zone(self) -> zoneinfo.ZoneInfo:
        return zoneinfo.ZoneInfo(self.time_zone)

    @property
    def phase(self) -> str:
        """Return before, open, frozen or over; without a protocol it does not open."""
        now = timezone.now()
        if not self.protocols or now < self.opens:
            return "before"
        if now >= self.closes:
            return "over"
        return "frozen" if self.freezes is not None and now >= self.freezes else "open"

    @property
    def is_over(self) -> bool:
        return self.phase == "over"

    @property
    def names(self) -> list[str]:
        """The names of the protocols; the first decides."""
        return [str(one["name"]) for one in self.protocols]

    def images_of(self, split: str) -> ImageQuerySet:
        """Return the images of a split in order."""
        hidden = self.hidden.values("pk")
        images = self.dataset.images.in_order()
        return (
            images.filter(pk__in=hidden) if split == Split.HIDDEN else images.exclude(pk__in=hidden)
        )

    @cached_property
    def splits(self) -> list[str]:
        """Return the splits that have images; `save_challenge` forgets what was found."""
        splits = Split.values if self.protocols else ()
        return [split for split in splits if self.images_of(split).exists()]

    @property
    def has_visible(self) -> bool:
        return Split.VISIBLE in self.splits

    @property
    def deciding_split(self) -> str:
        return self.splits[-1]

    def day_of(self, moment: datetime) -> tuple[datetime, datetime]:
        """Return beginning and end of a day in the time zone of the challenge."""
        local = moment.astimezone(self.zone)
        start = local.replace(hour=0, minute=0, second=0, microsecond=0)
        return start, (start + timedelta(days=1))


class Team(models.Model):
    """Participants who submit together. A team of organisers tries the challenge; it has no place."""

    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="teams")
    name = models.CharField(_("name"), max_length=60)
    # Drawn at random: it says nothing about when the team was made.
    number = models.PositiveIntegerField()
    code = models.CharField(max_length=20, unique=True, default=new_code)
    is_trial = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "name"], name="a_team_name_is_unique_in_its_challenge"
            ),
            models.UniqueConstraint(
                fields=["challenge", "number"], name="a_team_number_is_unique_in_its_challenge"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def blind_name(self) -> str:
        return gettext("Team {n}").format(n=self.number)


class ChallengeMember(models.Model):
    """A person's role in a challenge, and the team."""

    class Role(models.TextChoices):
        ORGANISER = "organiser", _("organiser")
        PARTICIPANT = "participant", _("participant")

    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="members")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="challenge_memberships"
    )
    role = models.CharField(max_length=12, choices=Role)
    team = models.ForeignKey(Team, models.SET_NULL, null=True, blank=True, related_name="members")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "person"], name="a_person_is_in_a_challenge_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.person} in {self.challenge}"


class EntryQuerySet(models.QuerySet["Entry"]):
    def using_quota(self) -> "EntryQuerySet":
        """Return the entries that count against a quota; withdrawing one does not give it back."""
        return self.exclude(state=Entry.State.REFUSED)

    def told(self) -> "EntryQuerySet":
        """Return the scored entries whose scores are shown by now."""
        return self.filter(state=Entry.State.SCORED, told__lte=timezone.now())


class Entry(models.Model):
    """One upload of a team."""

    class State(models.TextChoices):
        CHECKING = "checking", _("being checked")
        REFUSED = "refused", _("refused")
        SCORED = "scored", _("scored")
        WITHDRAWN = "withdrawn", _("withdrawn")

    team = models.ForeignKey(Team, models.CASCADE, related_name="entries")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.CHECKING)
    is_final = models.BooleanField(default=False)
    # When its team last made it the final one.
    chosen = models.DateTimeField(null=True, blank=True)
    # Of the upload; its files are in a folder of this name.
    key = models.CharField(max_length=32, unique=True, default=new_key)
    sha256 = models.CharField(max_length=64)
    n_bytes = models.PositiveBigIntegerField()
    file_name = models.CharField(max_length=120)
    # One of protocols.formats.recognition.reading.FORMATS; empty: detected from the content.
    format = models.CharField(max_length=40, blank=True)
    description = models.CharField(_("description"), max_length=500, blank=True)
    link = models.CharField(_("link"), max_length=300, blank=True, validators=[A_LINK])
    # Findings of the check: [{"severity": ..., "code": ..., "n": ..., "text": ..., "advice": ...}].
    findings = MessageJSONField(default=list)
    # Of its own boxes: {"results": ..., "boxes": ..., "empty": ..., "absent": ...}.
    counts = models.JSONField(default=dict)
    created = models.DateTimeField(default=timezone.now)
    # When its scores are shown.
    told = models.DateTimeField(null=True, blank=True)
    # When its files were erased.
    erased = models.DateTimeField(null=True, blank=True)

    objects = EntryQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["team", "number"], name="entries_of_a_team_are_numbered"
            ),
            models.UniqueConstraint(
                fields=["team"], condition=Q(is_final=True), name="a_team_has_one_final_entry"
            ),
            models.CheckConstraint(
                condition=Q(is_final=False) | Q(state="scored"),
                name="a_final_entry_is_scored",
            ),
        ]

    def __str__(self) -> str:
        return gettext("{team}, entry {n}").format(team=self.team, n=self.number)

    @property
    def is_told(self) -> bool:
        """Whether the outcome of check and scoring is shown."""
        return self.told is None or self.told <= timezone.now()

    @property
    def shown_state(self) -> str:
        """The state as participants see it: checking, refused, scored, final or withdrawn."""
        if self.state == self.State.SCORED:
            return "checking" if not self.is_told else "final" if self.is_final else "scored"
        return self.state


class EntryScore(models.Model):
    """The score of an entry by one protocol on one split. None is undefined, never zero."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="scores")
    protocol = models.CharField(max_length=120, help_text=_("Its name in the challenge."))
    split = models.CharField(max_length=10, choices=Split)
    recall = models.FloatField(null=True)
    precision = models.FloatField(null=True)
    f_score = models.FloatField(null=True)
    # [[recalled, n_truth, precise, n_detections], ...] in the order of the split's images.
    tallies = models.JSONField(default=list)
    version = models.CharField(max_length=40)
    # To show: fewer if rounded.
    n_digits = 4

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["entry", "protocol", "split"], name="an_entry_is_scored_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.protocol}"


class ChallengeChange(WrittenOnce):
    """A change of a setting after the opening, for everyone to read."""

    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="changes")
    setting = models.CharField(max_length=40)
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.challenge}: {self.setting}"

    @property
    def label(self) -> str:
        """The name of the setting in words."""
        if self.setting == "protocols":
            return gettext("protocols")
        if self.setting == "hidden":
            return gettext("number of hidden images")
        field: Any = Challenge._meta.get_field(self.setting)
        return str(field.verbose_name)

    @property
    def values(self) -> tuple[str, str]:
        """The values before and after, in words; times in the time zone of the challenge."""
        return self._in_words(self.before), self._in_words(self.after)

    def _in_words(self, value: str) -> str:
        if self.setting in ("opens", "freezes", "closes") and value:
            moment = datetime.fromisoformat(value).astimezone(self.challenge.zone)
            return f"{moment:%Y-%m-%d %H:%M}"
        choices = {"ties": Challenge.Ties, "sees": Challenge.Sees}
        choices |= {"hidden_score": Challenge.HiddenScore, "final_rule": Challenge.FinalRule}
        return str(dict(choices[self.setting].choices)[value]) if self.setting in choices else value


class ChallengeArchive(WrittenOnce):
    """A challenge after its end as one JSON text: texts, settings, log, standings."""

    challenge = models.OneToOneField(Challenge, models.CASCADE, related_name="archive")
    content = models.TextField()
    checksum = models.CharField(max_length=64)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.challenge}: {self.checksum}"

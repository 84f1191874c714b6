"""Judges: programs whose answers stand apart from people's, and releases of pictures to them."""

import re
from typing import Final

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotate.append_only import WrittenOnce
from annotate.datasets.models import Image, Result
from annotate.judging.models import Verdict
from annotate.studies.models import Study

MAX_RAW: Final = 8192
# All crops of a pair, as a part.
CROPS: Final = "crops"
PAIRS: Final = re.compile(r"all|people|sample:[1-9][0-9]{0,5}")


class Judge(models.Model):
    """A program with fixed settings that answers the pairs of a study. It is never a person."""

    class Kind(models.TextChoices):
        MODEL = "model", _("model behind an address")
        COMMAND = "command", _("command")

    class Orders(models.TextChoices):
        BOTH = "both", _("each result on either side")
        ONE = "one", _("one order")

    class Format(models.TextChoices):
        TEXT = "text", _("text")
        JSON = "json", "json_object"
        SCHEMA = "schema", "json_schema"

    study = models.ForeignKey(Study, models.PROTECT, related_name="judges")
    name = models.CharField(max_length=80)
    kind = models.CharField(max_length=10, choices=Kind)
    # As asked for; the answers hold the name under which the server answered.
    model = models.CharField(max_length=200, blank=True)
    # Where the pictures are sent: a host name, or "command" for a program of any other kind.
    host = models.CharField(max_length=253)
    prompt = models.TextField(blank=True, max_length=20_000)
    prompt_sha256 = models.CharField(max_length=64)
    # Names of pictures.PARTS that a request holds, and the longer side of each, in pixels.
    parts = models.JSONField()
    max_side = models.PositiveIntegerField(
        default=1024, validators=[MinValueValidator(256), MaxValueValidator(4096)]
    )
    # {"temperature", "seed", "max_tokens", "one_by_one"}, as sent.
    sampling = models.JSONField(default=dict, blank=True)
    answer_format = models.CharField(max_length=10, choices=Format, default=Format.TEXT)
    # As PAIRS.
    pairs = models.CharField(max_length=20, default="people")
    # Keys of images; null: all of the study.
    images = models.JSONField(null=True, blank=True)
    orders = models.CharField(max_length=10, choices=Orders, default=Orders.BOTH)
    repeats = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    criteria = models.JSONField()
    sees_truth = models.BooleanField(default=False)
    # Names of images that its prompt or settings were tuned on.
    tuned_on = models.JSONField(default=list, blank=True)
    # Per million tokens; null: not given.
    price_in = models.FloatField(null=True, blank=True, validators=[MinValueValidator(0)])
    price_out = models.FloatField(null=True, blank=True, validators=[MinValueValidator(0)])
    # Of the pairs, by which it may differ more from a person than another person does.
    margin = models.FloatField(
        default=0.05, validators=[MinValueValidator(0.01), MaxValueValidator(0.1)]
    )
    software_version = models.CharField(max_length=40, blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="judges_made"
    )
    created = models.DateTimeField(auto_now_add=True)
    closed = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name"], name="a_judge_name_is_unique_in_its_study"
            )
        ]

    def __str__(self) -> str:
        return self.name


class JudgeAnswer(WrittenOnce):
    """One answer of a judge to a pair in one order. A new attempt is another row."""

    class Outcome(models.TextChoices):
        ANSWERED = "answered", _("answered")
        REFUSED = "refused", _("refused")
        UNREADABLE = "unreadable", _("unreadable")
        CUT_OFF = "cut off", _("cut off")
        FAILED = "failed", _("failed")

    judge = models.ForeignKey(Judge, models.PROTECT, related_name="answers")
    image = models.ForeignKey(Image, models.PROTECT, related_name="+")
    left = models.ForeignKey(Result, models.PROTECT, related_name="+")
    right = models.ForeignKey(Result, models.PROTECT, related_name="+")
    repeat = models.PositiveSmallIntegerField()
    attempt = models.PositiveSmallIntegerField()
    outcome = models.CharField(max_length=10, choices=Outcome)
    # Empty: the criterion was not asked, or there is no answer.
    recall = models.CharField(max_length=5, choices=Verdict, blank=True)
    precision = models.CharField(max_length=5, choices=Verdict, blank=True)
    preference = models.CharField(max_length=5, choices=Verdict, blank=True)
    raw = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=200, blank=True)
    fingerprint = models.CharField(max_length=200, blank=True)
    # Null: the server did not say.
    tokens_in = models.PositiveIntegerField(null=True, blank=True)
    tokens_out = models.PositiveIntegerField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    # SHA-256 of each picture that was sent.
    pictures = models.JSONField(default=list, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "left", "right", "repeat", "attempt"],
                name="an_attempt_of_a_judge_has_one_answer",
            ),
            models.UniqueConstraint(
                fields=["judge", "left", "right", "repeat"],
                condition=Q(outcome="answered"),
                name="a_judge_answers_a_task_once",
            ),
            models.CheckConstraint(
                condition=~Q(left=F("right")), name="a_judge_compares_two_results"
            ),
            models.CheckConstraint(
                condition=~Q(outcome="answered", recall="", precision="", preference="")
                & (Q(outcome="answered") | Q(recall="", precision="", preference="")),
                name="exactly_answers_of_judges_have_verdicts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} by {self.judge_id}"

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each criterion that was answered."""
        given = {
            "recall": self.recall,
            "precision": self.precision,
            "preference": self.preference,
        }
        return {criterion: verdict for criterion, verdict in given.items() if verdict}


class Release(models.Model):
    """An admin's permission to send a study's pictures to hosts, until a time or an earlier end."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="releases")
    hosts = models.JSONField()
    purpose = models.CharField(max_length=300)
    # The data set's licence note as it was shown and confirmed.
    licence = models.TextField(blank=True)
    admin = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="releases_given"
    )
    since = models.DateTimeField(auto_now_add=True)
    until = models.DateTimeField()
    # Set once: by an admin, or by the release that follows.
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["study"],
                condition=Q(ended__isnull=True),
                name="one_release_of_a_study_is_not_ended",
            )
        ]

    def __str__(self) -> str:
        return self.purpose


class PicturesSent(models.Model):
    """How many pictures a token fetched for a judge on a day: the site sees no further."""

    judge = models.ForeignKey(Judge, models.PROTECT, related_name="pictures_sent")
    # The beginning of the token, which remains when the token is gone; empty for a browser.
    token = models.CharField(max_length=12, blank=True)
    day = models.DateField()
    n_pictures = models.PositiveIntegerField(default=0)
    n_bytes = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ("day", "pk")
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "token", "day"], name="pictures_of_a_day_are_counted_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.n_pictures} on {self.day}"

"""Entrances to studies, and arrivals: the only place where a platform's ids are stored."""

from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext_lazy as _

from annotate.studies.models import Study

_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_A_DAY_MINUTES = 24 * 60
A_CODE = RegexValidator(r"^[A-Za-z0-9_-]*$", _("Use letters, digits, - and _ only."))


def new_slug() -> str:
    return get_random_string(16, _LETTERS.lower())


def new_code() -> str:
    return get_random_string(8, _LETTERS)


class Platform(models.TextChoices):
    PROLIFIC = "prolific", _("Prolific")
    MTURK = "mturk", _("Mechanical Turk")
    CONNECT = "connect", _("CloudResearch Connect")
    SONA = "sona", _("SONA")
    LINK = "link", _("a link to send, with a code to copy")
    CUSTOM = "custom", _("another platform")


class Outcome(models.TextChoices):
    COMPLETED = "completed", _("completed")
    CHECKS = "checks", _("checks failed")
    NO_CONSENT = "no_consent", _("no consent")
    DEVICE = "device", _("device does not fit")
    FULL = "full", _("full")
    LATE = "late", _("too late")


class Entrance(models.Model):
    """A way into a study by a link, without an account: for whom, how many, how long, which codes."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        PAUSED = "paused", _("paused")
        CLOSED = "closed", _("closed")

    class Unit(models.TextChoices):
        PAIRS = "pairs", _("pairs")
        IMAGES = "images", _("whole images")

    class AfterChecks(models.TextChoices):
        NOTHING = "nothing", _("nothing")
        REVIEW = "review", _("the payment list names the person for review")
        END = "end", _("the visit ends early, with the code for it")

    class Input(models.TextChoices):
        ANY = "any", _("any")
        POINTER = "pointer", _("mouse or pen")
        TOUCH = "touch", _("touch")

    study = models.ForeignKey(Study, models.CASCADE, related_name="entrances")
    name = models.CharField(_("name"), max_length=60, help_text=_("People do not see it."))
    group = models.CharField(
        _("group"),
        max_length=120,
        blank=True,
        help_text=_(
            "If its people share habits, as those of one laboratory do: reports then count groups instead of "
            "people, and two groups hardly ever show a difference. Empty: people count alone."
        ),
    )
    slug = models.SlugField(_("last part of the link"), max_length=60, unique=True)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    platform = models.CharField(_("platform"), max_length=10, choices=Platform)
    person_parameter = models.CharField(
        _("parameter with the person's id"), max_length=60, blank=True
    )
    submission_parameter = models.CharField(
        _("parameter with the submission's id"), max_length=60, blank=True
    )
    way_back = models.CharField(
        _("way back"),
        max_length=500,
        blank=True,
        help_text=_(
            "The platform's address for people who have finished, with {code} and, if it is needed, "
            "{id} in it. Empty: the code to copy."
        ),
    )
    places = models.PositiveIntegerField(
        _("places"),
        default=40,
        validators=[MinValueValidator(1), MaxValueValidator(100_000)],
        help_text=_("How many people may finish."),
    )
    unit = models.CharField(
        _("a visit consists of"), max_length=10, choices=Unit, default=Unit.PAIRS
    )
    size = models.PositiveIntegerField(
        _("number of them per visit"),
        default=40,
        validators=[MinValueValidator(1), MaxValueValidator(10_000)],
    )
    minutes = models.PositiveIntegerField(
        _("promised minutes"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(600)],
        help_text=_("Empty: from the median time per pair in this study, 8 seconds until known."),
    )
    limit_minutes = models.PositiveIntegerField(
        _("time limit (minutes)"),
        null=True,
        blank=True,
        validators=[MinValueValidator(5), MaxValueValidator(30 * _A_DAY_MINUTES)],
        help_text=_("Counted from consent. Empty: four times the promised minutes."),
    )
    n_checks = models.PositiveSmallIntegerField(
        _("known-answer pairs in a visit"),
        default=6,
        validators=[MinValueValidator(3), MaxValueValidator(50)],
        help_text=_("Three or more, never among the first two pairs. Six reveal guessing."),
    )
    checks_at_least = models.FloatField(
        _("share of them that must be right"),
        default=0.5,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
    )
    after_checks = models.CharField(
        _("what follows if fewer are right"),
        max_length=10,
        choices=AfterChecks,
        default=AfterChecks.REVIEW,
    )
    min_width = models.PositiveIntegerField(_("smallest window, px wide"), default=390)
    min_height = models.PositiveIntegerField(_("smallest window, px high"), default=600)
    input = models.CharField(_("pointing device"), max_length=10, choices=Input, default=Input.ANY)
    code_completed = models.CharField(
        _("code: completed"), max_length=40, default=new_code, validators=[A_CODE]
    )
    code_checks = models.CharField(
        _("code: checks failed"), max_length=40, default=new_code, validators=[A_CODE]
    )
    code_no_consent = models.CharField(
        _("code: no consent"), max_length=40, default=new_code, validators=[A_CODE]
    )
    code_device = models.CharField(
        _("code: device does not fit"), max_length=40, default=new_code, validators=[A_CODE]
    )
    code_full = models.CharField(
        _("code: full"), max_length=40, default=new_code, validators=[A_CODE]
    )
    code_late = models.CharField(
        _("code: too late"), max_length=40, default=new_code, validators=[A_CODE]
    )
    language = models.CharField(
        _("language"), max_length=7, blank=True, choices=[("", _("that of the browser"))]
    )
    keeps_answers = models.BooleanField(
        _("answers of people who withdraw are kept"),
        default=False,
        help_text=_("If not, they are erased. The page says which before people agree."),
    )
    # [{"when": "before" or "after", "kind": "text", "choice" or "number", "words", "choices"}, ...]
    questions = models.JSONField(default=list, blank=True)
    excludes = models.ManyToManyField(
        Study,
        blank=True,
        related_name="+",
        verbose_name=_("not for participants of"),
        help_text=_("Studies whose participants are not admitted."),
    )
    reward = models.DecimalField(
        _("reward"), max_digits=8, decimal_places=2, null=True, blank=True,
        help_text=_("What a person is paid, in the platform's currency. It is shown, not paid."),
    )  # fmt: skip
    pay_floor = models.DecimalField(
        _("least pay per hour"), max_digits=8, decimal_places=2, null=True, blank=True
    )
    keep_days = models.PositiveIntegerField(
        _("days until ids are erased"),
        default=60,
        validators=[MinValueValidator(1), MaxValueValidator(730)],
    )
    # People turned away before they agreed, by outcome; nothing else is stored of them.
    turned_away = models.JSONField(default=dict, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("created", "pk")
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="an_entrance_has_its_own_name"),
            models.CheckConstraint(
                condition=Q(n_checks__gte=3), name="a_visit_has_three_known_answers_or_more"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def code_of(self, outcome: str) -> str:
        code: str = getattr(self, f"code_{outcome}")
        return code

    @property
    def takes_ids(self) -> bool:
        return bool(self.person_parameter)

    @property
    def n_pairs(self) -> int | None:
        return self.size if self.unit == self.Unit.PAIRS else None

    @property
    def n_images(self) -> int | None:
        return self.size if self.unit == self.Unit.IMAGES else None


class ArrivalQuerySet(models.QuerySet["Arrival"]):
    def under_way(self) -> "ArrivalQuerySet":
        """Return the visits in progress whose time is not over."""
        return self.filter(outcome="", deadline__gt=timezone.now())

    def holding_places(self) -> "ArrivalQuerySet":
        """Return the visits that take a place: those finished, and in progress unless it is lent."""
        now = timezone.now()
        is_kept = Q(lent_from__isnull=True) | Q(lent_from__gt=now)
        return self.filter(Q(outcome=Outcome.COMPLETED) | Q(outcome="", deadline__gt=now) & is_kept)


class Arrival(models.Model):
    """A person who agreed to take part by an entrance: the platform's ids, and how the visit went."""

    entrance = models.ForeignKey(Entrance, models.PROTECT, related_name="arrivals")
    # The same as the entrance's, for the rule below.
    study = models.ForeignKey(Study, models.PROTECT, related_name="arrivals")
    person = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="arrival")
    platform = models.CharField(max_length=10, choices=Platform)
    # Empty without one, and once erased.
    participant = models.CharField(max_length=128, blank=True)
    submission = models.CharField(max_length=128, blank=True)
    erased = models.DateTimeField(null=True, blank=True)
    consented = models.DateTimeField()
    # Hash of the secret that the consenting browser has; empty for none.
    secret_hash = models.CharField(max_length=64, blank=True, editable=False)
    # When answers are withdrawn, as another browser asked; null: no request.
    withdraws = models.DateTimeField(null=True, blank=True)
    # When the place may go to another person; null from the first answer on.
    lent_from = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField()
    # Empty while the visit is in progress.
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    code = models.CharField(max_length=40, blank=True)
    # Seconds per pair below which hardly any answer in this study is; null: too few answers yet.
    floor_seconds = models.FloatField(null=True, blank=True)
    # A request to look more closely that waits, and those that were given.
    is_paused = models.BooleanField(default=False)
    n_pauses = models.PositiveSmallIntegerField(default=0)
    # Known-answer pairs that were wrong at the last request.
    n_wrong_then = models.PositiveSmallIntegerField(default=0)
    n_pairs = models.PositiveIntegerField(default=0)
    n_skipped = models.PositiveIntegerField(default=0)
    n_fast = models.PositiveIntegerField(default=0)
    active_seconds = models.FloatField(null=True, blank=True)
    n_checks = models.PositiveSmallIntegerField(default=0)
    n_right = models.PositiveSmallIntegerField(default=0)
    # The researcher's questions with the answers, in order.
    answers = models.JSONField(default=list, blank=True)
    # Whether the questions after the last pair are answered, or there are none.
    is_asked = models.BooleanField(default=True)

    objects = ArrivalQuerySet.as_manager()

    class Meta:
        ordering = ("consented", "pk")
        constraints = [
            models.UniqueConstraint(
                fields=["study", "platform", "participant"],
                condition=~Q(participant=""),
                name="a_person_takes_part_in_a_study_once",
            ),
            models.CheckConstraint(
                condition=Q(outcome="", ended__isnull=True, code="")
                | ~Q(outcome="") & Q(ended__isnull=False),
                name="a_code_is_given_with_an_outcome",
            ),
            models.CheckConstraint(
                condition=Q(n_right__lte=F("n_checks")), name="right_answers_are_answers"
            ),
        ]

    def __str__(self) -> str:
        return f"arrival {self.pk}"

    @property
    def quota(self) -> dict[str, Any]:
        """The quota of the person's membership."""
        entrance = self.entrance
        return {
            "max_pairs": entrance.n_pairs,
            "max_images": entrance.n_images,
            "n_known": entrance.n_checks,
        }

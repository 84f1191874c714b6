"""A study: its methods, images, annotators and settings."""

import secrets
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core.validators import MaxLengthValidator, MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from annotate.append_only import WrittenOnce
from annotate.audit.models import Act
from annotate.datasets.models import Dataset, Image, Method
from annotate.usual_texts import USUAL_CONSENT, USUAL_QUESTIONS, USUAL_WELCOME

LAST_ANSWERS: Final = timedelta(minutes=30)  # After a study was closed, to pairs on screen.


class Role(models.TextChoices):
    ANNOTATOR = "annotator", _("annotator")
    RESEARCHER = "researcher", _("researcher")


def _new_seed() -> int:
    return secrets.randbelow(2**31)


class Study(models.Model):
    """Images x methods x annotators x criteria, with the settings that give answers their meaning."""

    class State(models.TextChoices):
        DRAFT = "draft", pgettext_lazy("study", "not open yet")
        OPEN = "open", pgettext_lazy("study", "open")
        CLOSED = "closed", pgettext_lazy("study", "closed")

    class GroundTruth(models.TextChoices):
        NEVER = "never", _("never")
        REQUEST = "request", _("when the annotator asks")
        ALWAYS = "always", _("always")

    class Strategy(models.TextChoices):
        INSERTION = "insertion", _("binary insertion")
        BALANCED = "balanced", _("balanced")
        CAREFUL = "careful", _("careful insertion")

    class EndRule(models.TextChoices):
        """The rule that closes a study; chosen before it opens."""

        NEVER = "never", _("when a researcher closes it")
        BUDGET = "budget", _("after a set number of answers")
        DECIDED = "decided", _("when planned looks have decided every pair of protocols")

    class Draw(models.TextChoices):
        RANDOM = "random", _("at random")
        DISAGREEMENT = "disagreement", _("more often where protocols disagree")

    name = models.CharField(max_length=120, unique=True)
    slug = models.SlugField(max_length=120, unique=True)
    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="studies")
    methods = models.ManyToManyField(Method, related_name="studies")
    images = models.ManyToManyField(Image, through="StudyImage", related_name="studies")
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    strategy = models.CharField(
        max_length=10,
        choices=Strategy,
        default=Strategy.INSERTION,
        help_text=_(
            "Binary insertion takes every answer as right. Careful insertion asks until each place is "
            "probable: with 5 % wrong answers 21 % more pairs than insertion with 2 re-checks, and "
            "half the errors in the rankings."
        ),
    )
    certainty = models.FloatField(
        _("probability at which a place is taken"),
        default=0.9,
        validators=[MinValueValidator(0.6), MaxValueValidator(1)],
        help_text=_(
            "Careful insertion only. Higher: more pairs and fewer errors. From 0.6 to 0.99; 1 compares "
            "every two results once, for annotators who repeat mistakes on the same pair."
        ),
    )
    may_repeat = models.BooleanField(
        _("the same two results may be compared again"),
        default=True,
        help_text=_("Careful insertion only. Not if annotators repeat mistakes on the same pair."),
    )
    min_annotators = models.PositiveSmallIntegerField(
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_("Complete rankings an image needs before a report counts it."),
    )
    max_annotators = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_("Each image goes to this many people. Empty: everybody ranks all images."),
    )
    methods_per_visit = models.PositiveSmallIntegerField(
        _("methods compared at a visit"),
        null=True,
        blank=True,
        validators=[MinValueValidator(2), MaxValueValidator(100)],
        help_text=_(
            "2: one pair on a new image each time, without re-checks. More: that many methods are "
            "ranked. Empty: whole rankings, which edit distances and consensus rankings need."
        ),
    )
    drawn_by = models.CharField(
        _("methods of a visit are drawn"),
        max_length=12,
        choices=Draw,
        default=Draw.DISAGREEMENT,
        help_text=_(
            "By the scores stored at the moment. Any pair can be drawn, and its probability is "
            "stored, so that estimates stay unbiased."
        ),
    )
    whole_percent = models.PositiveSmallIntegerField(
        _("percent of the images with whole rankings"),
        default=0,
        validators=[MaxValueValidator(100)],
        help_text=_(
            "If methods are drawn: on this percentage of the images all methods are ranked."
        ),
    )
    agreement_percent = models.PositiveSmallIntegerField(
        _("percent of the images that more people see"),
        default=0,
        validators=[MaxValueValidator(100)],
        help_text=_(
            "To measure agreement: if each image goes to one person, 15 % of the images go to three people."
        ),
    )
    agreement_annotators = models.PositiveSmallIntegerField(
        _("annotators of each of those images"),
        default=3,
        validators=[MinValueValidator(2), MaxValueValidator(100)],
    )
    ends_by = models.CharField(
        _("the study ends"),
        max_length=10,
        choices=EndRule,
        default=EndRule.NEVER,
        help_text=_("Chosen before the study opens, and logged."),
    )
    answer_budget = models.PositiveIntegerField(
        _("answers at most"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("The pairs then on screen can be answered."),
    )
    # When its rule closed the study; the rule applies only once.
    ended = models.DateTimeField(null=True, blank=True, editable=False)
    # Sides and orders are drawn from it; equal seeds give equal studies.
    seed = models.PositiveIntegerField(default=_new_seed)
    recall_question = models.CharField(max_length=200, default=USUAL_QUESTIONS["recall"])
    precision_question = models.CharField(max_length=200, default=USUAL_QUESTIONS["precision"])
    preference_question = models.CharField(max_length=200, default=USUAL_QUESTIONS["preference"])
    ground_truth = models.CharField(
        _("ground truth is shown"),
        max_length=10,
        choices=GroundTruth,
        default=GroundTruth.REQUEST,
        help_text=_("Each answer stores whether it was visible."),
    )
    place_list = models.CharField(
        _("places that differ are shown side by side"),
        max_length=10,
        choices=GroundTruth,
        default=GroundTruth.REQUEST,
        help_text=_(
            "Enlarged, both results alike; visits by link list them in words only. Each answer "
            "stores whether the list was open."
        ),
    )
    match_protocol = models.CharField(
        _("matches may be coloured by"),
        max_length=60,
        blank=True,
        help_text=_(
            "This shows annotators what a protocol thinks. Answers given with it are marked."
        ),
    )
    n_checks = models.PositiveSmallIntegerField(
        _("re-checks per image"),
        null=True,
        blank=True,
        validators=[MaxValueValidator(10)],
        help_text=_(
            "Repeated questions that reveal errors. Empty: a fifth of the number of methods. For "
            "ten methods and 5 % wrong answers, 2 cost 14 % more pairs and leave 11 % fewer errors "
            "in the rankings; 8 cost 52 % and leave 46 % fewer."
        ),
    )
    # Its answers were collected elsewhere and loaded; it is never opened.
    is_external = models.BooleanField(default=False, editable=False)
    n_known = models.PositiveSmallIntegerField(
        _("known-answer pairs in ten images"),
        default=0,
        validators=[MaxValueValidator(50)],
        help_text=_(
            "Hidden checks: a result shown next to a deliberately degraded copy. They do not count "
            "in any ranking, and show who looks closely. They need ground truth; 40 per person "
            "reveal guessing."
        ),
    )
    known_at_least = models.FloatField(
        _("share of known-answer pairs that must be right"),
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text=_(
            "Annotators whose accuracy is clearly lower (95 % interval, at least ten pairs) are "
            "excluded from the reports, which say so; 0.5 finds guessing. Empty: no annotator is "
            "excluded by rule."
        ),
    )
    same_for_all = models.BooleanField(
        _("one key may give all three questions the same answer"), default=True
    )
    keep_camera = models.BooleanField(
        _("the view stays the same for the next pair of an image"), default=True
    )
    twin_iou = models.FloatField(
        _("IoU from which two boxes count as the same"),
        default=0.7,
        validators=[MinValueValidator(0.5), MaxValueValidator(0.95)],
        help_text=_(
            "The view of differences fades such boxes and steps through all others. From 0.5 to 0.95."
        ),
    )
    break_minutes = models.PositiveSmallIntegerField(
        _("minutes until a break is suggested"), default=25, validators=[MinValueValidator(1)]
    )
    break_screens = models.PositiveSmallIntegerField(
        _("pairs until a break is suggested"), default=60, validators=[MinValueValidator(1)]
    )
    # The researcher's own texts, in Markdown; guide.markdown.own_words() renders them.
    welcome = models.TextField(
        _("welcome text"),
        blank=True,
        max_length=4000,
        validators=[MaxLengthValidator(4000)],
        help_text=_("The study's topic and the use of the answers. Empty: the default text."),
    )
    consent = models.TextField(
        _("what people agree to"),
        blank=True,
        max_length=2000,
        validators=[MaxLengthValidator(2000)],
        help_text=_(
            "The text next to the box that annotators tick before the first pair. Empty: the "
            "default text."
        ),
    )
    contact = models.TextField(
        _("whom people can ask"),
        blank=True,
        max_length=1000,
        validators=[MaxLengthValidator(1000)],
        help_text=_(
            "Name and address. Empty: the researchers of the study with their email addresses."
        ),
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        verbose_name_plural = _("studies")
        constraints = [
            models.CheckConstraint(
                condition=Q(min_annotators__gte=1), name="a_study_needs_at_least_one_annotator"
            ),
            models.CheckConstraint(
                condition=Q(max_annotators__isnull=True)
                | Q(max_annotators__gte=F("min_annotators")),
                name="an_image_may_have_as_many_annotators_as_it_needs",
            ),
            models.CheckConstraint(
                condition=Q(agreement_percent=0)
                | Q(
                    max_annotators__isnull=False,
                    agreement_annotators__gt=F("max_annotators"),
                ),
                name="images_for_agreement_have_more_annotators_than_others",
            ),
            models.CheckConstraint(
                condition=~Q(ends_by="budget") | Q(answer_budget__isnull=False),
                name="a_study_that_ends_by_a_budget_has_one",
            ),
            models.CheckConstraint(
                condition=Q(methods_per_visit__isnull=True) | Q(methods_per_visit__gte=2),
                name="a_visit_compares_at_least_two_methods",
            ),
            models.CheckConstraint(
                condition=Q(twin_iou__gte=0.5, twin_iou__lte=0.95),
                name="boxes_that_count_as_the_same_overlap_by_half_or_more",
            ),
            models.CheckConstraint(
                condition=Q(certainty__gte=0.6, certainty__lte=1),
                name="a_place_is_taken_when_it_is_likely",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def asks_visits(self) -> bool:
        """Whether annotators make visits to images, which may ask less than whole rankings."""
        return self.methods_per_visit is not None

    def n_complete(self, n: int) -> str:
        """Return a number of complete rankings, or of complete visits, in words."""
        if self.asks_visits:
            return ngettext("{n} complete visit", "{n} complete visits", n).format(n=n)
        return ngettext("{n} complete ranking", "{n} complete rankings", n).format(n=n)

    @property
    def ends_by_rule(self) -> bool:
        """Whether a rule will close the study: one was chosen, and has not closed it before."""
        return self.ends_by != self.EndRule.NEVER and self.ended is None

    @property
    def is_ending(self) -> bool:
        """Whether it was closed a short time ago, so that pairs on screen may still be answered."""
        since = timezone.now() - LAST_ANSWERS
        closings = self.audit_entries.filter(act=Act.STUDY_CLOSED, created__gt=since)
        return self.state == self.State.CLOSED and closings.exists()

    @property
    def questions(self) -> dict[str, str]:
        """The questions by criterion; default ones are in the reader's language."""
        asked = [(of, str(getattr(self, f"{of}_question"))) for of in USUAL_QUESTIONS]
        return {of: gettext(said) if said == USUAL_QUESTIONS[of] else said for of, said in asked}

    @property
    def welcome_text(self) -> str:
        return self.welcome or str(USUAL_WELCOME)

    @property
    def consent_text(self) -> str:
        return self.consent or str(USUAL_CONSENT)


class StudyImage(models.Model):
    """An image of a study: its sampling rule, and its number of complete rankings."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="study_images")
    image = models.ForeignKey(Image, models.PROTECT, related_name="study_images")
    # Updated by judging.planning in the transaction that completes or reopens a ranking.
    n_complete = models.PositiveIntegerField(default=0)
    # Drawn when the study is set up: whether all methods are ranked on it although visits draw
    # some, and its number of annotators if that is not the study's.
    asks_all = models.BooleanField(default=False)
    n_annotators = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "image"], name="an_image_is_in_a_study_once")
        ]
        indexes = [
            models.Index(
                fields=["study", "n_complete", "n_annotators", "image"],
                name="study_images_by_rankings",
            )
        ]

    def __str__(self) -> str:
        return f"{self.image} in {self.study}"


class Membership(models.Model):
    """A person's role in a study."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="memberships")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    # The quota of an annotator whose part ends before that of others: pairs or images after which
    # nothing more is asked, and the known-answer pairs among them. Null: as the study asks.
    max_pairs = models.PositiveIntegerField(null=True, blank=True)
    max_images = models.PositiveIntegerField(null=True, blank=True)
    n_known = models.PositiveSmallIntegerField(null=True, blank=True)
    group = models.CharField(max_length=120, blank=True)  # Site or recruitment; empty: none.
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("person__username",)
        constraints = [
            models.CheckConstraint(
                condition=Q(max_pairs__isnull=True) | Q(max_images__isnull=True),
                name="a_quota_is_of_pairs_or_of_images",
            ),
            models.UniqueConstraint(
                fields=["study", "person", "role"], name="a_person_has_a_role_in_a_study_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person}, {self.role} in {self.study}"


class Pseudonym(models.Model):
    """A person's number in a study, kept when they leave."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="pseudonyms")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="pseudonyms")
    role = models.CharField(max_length=10, choices=Role)
    number = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "person", "role"], name="a_person_has_a_pseudonym_once"
            ),
            models.UniqueConstraint(
                fields=["study", "role", "number"], name="a_pseudonym_is_of_one_person"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role}-{self.number}"


class Exclusion(WrittenOnce):
    """An annotator's exclusion from a study's reports, or its end. Rows are added, never changed."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="exclusions")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="exclusions")
    is_excluded = models.BooleanField()
    reason = models.CharField(max_length=300)
    created = models.DateTimeField(auto_now_add=True)
    # None: decided by a rule of the study or, in a bundle, by a person of another site.
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering = ("created", "pk")
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="an_exclusion_has_a_reason")
        ]

    def __str__(self) -> str:
        return f"{self.person} {'left out of' if self.is_excluded else 'counted in'} {self.study}"

"""A study: which methods are compared on which images, by whom, and under which settings."""

import secrets

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from annotate.datasets.models import Dataset, Image, Method
from annotate.written_once import WrittenOnce


class Role(models.TextChoices):
    ANNOTATOR = "annotator", "annotator"
    RESEARCHER = "researcher", "researcher"


def _new_seed() -> int:
    return secrets.randbelow(2**31)


class Study(models.Model):
    """Images x methods x annotators x criteria, with the settings that give answers their meaning."""

    class State(models.TextChoices):
        DRAFT = "draft", "not open yet"
        OPEN = "open", "open"
        CLOSED = "closed", "closed"

    class GroundTruth(models.TextChoices):
        NEVER = "never", "never"
        REQUEST = "request", "when the annotator asks"
        ALWAYS = "always", "always"

    class Strategy(models.TextChoices):
        INSERTION = "insertion", "binary insertion"
        BALANCED = "balanced", "balanced"

    name = models.CharField(max_length=120, unique=True)
    slug = models.SlugField(max_length=120, unique=True)
    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="studies")
    methods = models.ManyToManyField(Method, related_name="studies")
    images = models.ManyToManyField(Image, through="StudyImage", related_name="studies")
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    strategy = models.CharField(max_length=10, choices=Strategy, default=Strategy.INSERTION)
    min_annotators = models.PositiveSmallIntegerField(
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="Complete rankings an image needs before a report counts it.",
    )
    max_annotators = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="Images are shared out, each to so many people. Empty: everybody ranks all images.",
    )
    # Sides and orders are drawn from it; equal seeds give equal studies.
    seed = models.PositiveIntegerField(default=_new_seed)
    recall_question = models.CharField(max_length=200, default="Which finds more of the text?")
    precision_question = models.CharField(
        max_length=200, default="Which marks less that is not text?"
    )
    preference_question = models.CharField(max_length=200, default="Which would you rather have?")
    ground_truth = models.CharField(
        "ground truth is shown",
        max_length=10,
        choices=GroundTruth,
        default=GroundTruth.REQUEST,
        help_text="Each answer stores whether it was visible.",
    )
    match_protocol = models.CharField(
        "matches may be coloured by",
        max_length=60,
        blank=True,
        help_text="This shows annotators what a protocol thinks. Answers given with it are marked.",
    )
    n_checks = models.PositiveSmallIntegerField(
        "re-checks per image",
        null=True,
        blank=True,
        validators=[MaxValueValidator(10)],
        help_text="Repeated questions that reveal errors. Empty: a fifth of the number of methods.",
    )
    same_for_all = models.BooleanField(
        "one key may give all three questions the same answer", default=True
    )
    keep_camera = models.BooleanField(
        "the view stays the same for the next pair of an image", default=True
    )
    break_minutes = models.PositiveSmallIntegerField(
        "minutes until a break is suggested", default=25, validators=[MinValueValidator(1)]
    )
    break_screens = models.PositiveSmallIntegerField(
        "pairs until a break is suggested", default=60, validators=[MinValueValidator(1)]
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=Q(min_annotators__gte=1), name="a_study_needs_at_least_one_annotator"
            ),
            models.CheckConstraint(
                condition=Q(max_annotators__isnull=True)
                | Q(max_annotators__gte=F("min_annotators")),
                name="an_image_may_have_as_many_annotators_as_it_needs",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def questions(self) -> dict[str, str]:
        return {
            "recall": self.recall_question,
            "precision": self.precision_question,
            "preference": self.preference_question,
        }


class StudyImage(models.Model):
    """An image of a study, with the number of complete rankings it has."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="study_images")
    image = models.ForeignKey(Image, models.PROTECT, related_name="study_images")
    # Kept by judging.services in the transaction that completes or reopens a ranking.
    n_complete = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "image"], name="an_image_is_in_a_study_once")
        ]
        indexes = [
            models.Index(fields=["study", "n_complete", "image"], name="study_images_by_rankings")
        ]

    def __str__(self) -> str:
        return f"{self.image} in {self.study}"


class Membership(models.Model):
    """A person's role in a study."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="memberships")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("person__username",)
        constraints = [
            models.UniqueConstraint(
                fields=["study", "person", "role"], name="a_person_has_a_role_in_a_study_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.person}, {self.role} in {self.study}"


class Pseudonym(models.Model):
    """The number under which somebody appears in a study; it stays when they leave."""

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
    """Somebody's rankings are left out of a study's reports, or taken in again. Added, never changed."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="exclusions")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="exclusions")
    is_excluded = models.BooleanField()
    reason = models.CharField(max_length=300)
    created = models.DateTimeField(auto_now_add=True)
    # None in a study that came as a bundle, where it was somebody else of another site.
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

"""First visits: an annotator's consent to a study, and the practice before it."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from annotate.studies.models import Study


class FirstVisit(models.Model):
    """One annotator's introduction to a study. It is not a judgement, and no result uses it."""

    class Practice(models.TextChoices):
        OPEN = "open", _("not finished")
        SKIPPED = "skipped", pgettext_lazy("practice", "skipped")
        PASSED = "passed", _("passed")
        # The note to the researcher; it excludes no one.
        NOT_PASSED = "not_passed", _("not passed")

    study = models.ForeignKey(Study, models.CASCADE, related_name="first_visits")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="first_visits"
    )
    consented = models.DateTimeField()
    # The wording agreed to: a key of consent.TEXTS.
    consent_version = models.CharField(max_length=20)
    # The study's own consent text that was agreed to; empty if it was the default of that version.
    consent_words = models.TextField(blank=True, max_length=2000)
    finished = models.DateTimeField(null=True, blank=True)
    practice = models.CharField(max_length=10, choices=Practice, default=Practice.OPEN)
    # Number of worked examples that the annotator has passed.
    examples_seen = models.PositiveSmallIntegerField(default=0)
    # [{"round", "pair", "answers": {criterion: verdict}, "expected": {criterion: verdict}}, ...]
    practice_answers = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "annotator"], name="an_annotator_visits_a_study_first_once"
            )
        ]

    def __str__(self) -> str:
        return gettext("first visit of {person} to {study}").format(
            person=self.annotator, study=self.study
        )

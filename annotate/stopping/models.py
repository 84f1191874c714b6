"""Looks at a study while it runs."""

from django.db import models

from annotate.studies.models import Study


class Look(models.Model):
    """A planned look at an open study, and what it decided once it was taken."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="looks")
    # From 1 to sequential.N_LOOKS, and the complete rankings or visits at which it is due.
    number = models.PositiveSmallIntegerField()
    due = models.PositiveIntegerField()
    taken = models.DateTimeField(null=True, blank=True)
    n_counted = models.PositiveIntegerField(null=True, blank=True)
    # By criterion, lists of (nearer, farther) protocol: decided, withdrawn and held.
    found = models.JSONField(default=dict)

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="a_study_has_a_look_once")
        ]

    def __str__(self) -> str:
        return f"look {self.number} at {self.study}"

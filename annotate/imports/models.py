"""Receipts: who loaded what, from which files, and when."""

from django.conf import settings
from django.db import models

from annotate.datasets.models import Dataset


class Import(models.Model):
    """The receipt for one load; it exists only if everything was loaded."""

    class Kind(models.TextChoices):
        DATASET = "dataset", "dataset"
        RESULTS = "results", "results"
        SCORES = "scores", "scores"

    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="imports")
    kind = models.CharField(max_length=10, choices=Kind)
    # Empty for a command.
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="imports"
    )
    created = models.DateTimeField(auto_now_add=True)
    # [{"name": ..., "sha256": ..., "bytes": ...}]
    files = models.JSONField()
    counts = models.JSONField()
    # Sentences: what was odd but read all the same.
    warnings = models.JSONField(default=list)

    class Meta:
        ordering = ("-created", "-pk")

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.dataset}, {self.created:%Y-%m-%d %H:%M}"

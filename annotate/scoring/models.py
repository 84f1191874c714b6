"""Runs of protocols over a dataset and the score of each result."""

from collections.abc import Iterable
from typing import Final

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotate.datasets.models import Dataset, Method, Result
from protocols.registry import PROTOCOLS


class ProtocolRunQuerySet(models.QuerySet["ProtocolRun"]):
    def latest_of_each_protocol(self) -> "ProtocolRunQuerySet":
        """Return the newest run for each protocol name."""
        newest = (
            ProtocolRun.objects.filter(
                dataset=models.OuterRef("dataset"), name=models.OuterRef("name")
            )
            .order_by("-created", "-pk")
            .values("pk")[:1]
        )
        return self.filter(pk=models.Subquery(newest)).order_by("name")


class ProtocolRun(models.Model):
    """One protocol with one set of parameters over one dataset; it exists only if it is complete."""

    class Origin(models.TextChoices):
        COMPUTED = "computed", gettext_lazy("computed here")
        IMPORTED = "imported", gettext_lazy("imported")

    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="runs")
    # Its name in tables: the protocol's slug, or the name given in an import.
    name = models.CharField(max_length=120)
    protocol = models.CharField(
        max_length=60, blank=True, help_text=gettext_lazy("Slug; empty when imported.")
    )
    parameters = models.JSONField(default=dict)
    version = models.CharField(max_length=40)
    # Of protocols.signatures; empty when imported.
    signature = models.TextField(blank=True)
    origin = models.CharField(max_length=10, choices=Origin)
    # {method name: {"recall": ..., "precision": ..., "f_score": ...}}: the official aggregation.
    overall = models.JSONField(default=dict)
    # Updated by the code that writes scores; None: not counted.
    n_scores = models.PositiveIntegerField(null=True, blank=True)
    # {method name: {"tally": ..., "changes": {cause: ...}}}: sums of the losses over the images, as
    # lists in the order of Tally and Change. None: not computed.
    losses = models.JSONField(null=True, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    objects = ProtocolRunQuerySet.as_manager()

    class Meta:
        ordering = ("name", "-created")
        indexes = [
            models.Index(fields=["dataset", "name", "created"], name="newest_run_of_a_protocol")
        ]

    def __str__(self) -> str:
        return f"{self.name} on {self.dataset}"

    def without(self, methods: Iterable[str]) -> list[str]:
        """Return the methods that the protocol left out: they lack its inputs, such as confidences."""
        if self.origin == self.Origin.IMPORTED:
            return []
        return [method for method in methods if method not in self.overall]

    @property
    def has_causes(self) -> bool:
        """Return whether the run can report why regions are unmatched, and the cost."""
        computed = self.origin == self.Origin.COMPUTED and self.protocol in PROTOCOLS
        return computed and PROTOCOLS[self.protocol].has_causes


def _a_share(field: str) -> Q:
    return Q(**{f"{field}__isnull": True}) | Q(**{f"{field}__gte": 0.0, f"{field}__lte": 1.0})


TALLY: Final = ("recalled", "n_truth", "precise", "n_detections")


def _all_null(are_null: bool) -> Q:
    return Q(**{f"{field}__isnull": are_null for field in TALLY})


class Score(models.Model):
    """The scores of one result in a run; null is undefined, never zero."""

    run = models.ForeignKey(ProtocolRun, models.CASCADE, related_name="scores")
    result = models.ForeignKey(Result, models.PROTECT, related_name="scores")
    recall = models.FloatField(null=True)
    precision = models.FloatField(null=True)
    f_score = models.FloatField(null=True)
    # The image's contribution to the official figures: recall credit and its divisor, precision
    # credit and its divisor. Imported scores have none.
    recalled = models.FloatField(null=True, blank=True)
    n_truth = models.FloatField(null=True, blank=True)
    precise = models.FloatField(null=True, blank=True)
    n_detections = models.FloatField(null=True, blank=True)
    indicators = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "result"], name="a_run_scores_a_result_once"),
            models.CheckConstraint(condition=_a_share("recall"), name="recall_is_between_0_and_1"),
            models.CheckConstraint(
                condition=_a_share("precision"), name="precision_is_between_0_and_1"
            ),
            models.CheckConstraint(
                condition=_a_share("f_score"), name="f_score_is_between_0_and_1"
            ),
            models.CheckConstraint(
                condition=_all_null(False) | _all_null(True), name="a_tally_is_whole_or_absent"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run}: {self.result}"


class ImageLoss(models.Model):
    """The loss of a method on an image from one cause, in a run. It can be computed again."""

    run = models.ForeignKey(ProtocolRun, models.CASCADE, related_name="image_losses")
    # That of the result, so that one index orders the images of a method.
    method = models.ForeignKey(Method, models.CASCADE, related_name="+")
    result = models.ForeignKey(Result, models.CASCADE, related_name="image_losses")
    cause = models.CharField(max_length=12)
    n_truth = models.PositiveIntegerField()
    n_detections = models.PositiveIntegerField()
    # Credit that regions of both sides lost; for ignored regions their number.
    loss = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "result", "cause"], name="a_result_has_one_loss_from_a_cause"
            )
        ]
        indexes = [
            models.Index(fields=["run", "method", "cause", "-loss", "result"], name="worst_images")
        ]

    def __str__(self) -> str:
        return f"{self.run}: {self.cause} on {self.result}"

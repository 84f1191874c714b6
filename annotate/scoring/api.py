"""Protocol runs over a dataset and their scores."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import cast

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from annotate.access import Person, permitted
from annotate.api.fields import RegionSerializer, region_of
from annotate.api.idempotency import idempotent
from annotate.api.scopes import LOAD
from annotate.api.views import ApiView, ListView, OneView, SignedInRequest
from annotate.datasets.mending import MAX_REASON, mend
from annotate.datasets.models import Dataset, Image
from annotate.datasets.shortcuts import seen_dataset
from annotate.jobs.serializers import JobSerializer
from annotate.jobs.shortcuts import accepted
from annotate.requests import require
from protocols.core.regions import Region

from . import work
from .models import ProtocolRun, Score
from .services import outdated
from .shortcuts import start_again


class OverallSerializer(serializers.Serializer[None]):
    recall = serializers.FloatField(allow_null=True)
    precision = serializers.FloatField(allow_null=True)
    f_score = serializers.FloatField(allow_null=True)


class RunSerializer(serializers.ModelSerializer[ProtocolRun]):
    dataset = serializers.SlugRelatedField[Dataset]("slug", read_only=True)
    parameters = serializers.DictField()
    overall = serializers.DictField(
        child=OverallSerializer(), help_text="The official figures of each method, by its name."
    )
    outdated = serializers.SerializerMethodField(
        help_text="Why the scores may differ if computed again; empty if they cannot."
    )

    class Meta:
        model = ProtocolRun
        fields = read_only_fields = [
            "id",
            "dataset",
            "name",
            "protocol",
            "parameters",
            "version",
            "signature",
            "origin",
            "overall",
            "created",
            "outdated",
        ]

    def get_outdated(self, run: ProtocolRun) -> str:
        return self._outdated.get(run.pk, "")

    @cached_property
    def _outdated(self) -> Mapping[int, str]:
        """Those of all runs of the answer, by their keys."""
        of = self.parent.instance if self.parent else [self.instance]
        return outdated(cast(Iterable[ProtocolRun], of))


class NewRunSerializer(serializers.Serializer[None]):
    protocol = serializers.CharField(
        max_length=60, help_text="Slug of a protocol, or of one of its variants (`iou:art`)."
    )
    parameters = serializers.DictField(
        required=False, default=dict, help_text="Those that are not the published ones."
    )


class ScoreSerializer(serializers.ModelSerializer[Score]):
    """The scores of one result in a run; null means undefined, never zero."""

    image = serializers.IntegerField(source="result.image_id")
    image_name = serializers.CharField(source="result.image.name")
    method = serializers.CharField(source="result.method.slug")
    signature = serializers.CharField(source="run.signature")
    indicators = serializers.DictField(child=serializers.FloatField(allow_null=True))

    class Meta:
        model = Score
        fields = read_only_fields = [
            "result",
            "image",
            "image_name",
            "method",
            "recall",
            "precision",
            "f_score",
            "indicators",
            "signature",
        ]


class ScoreQuery(serializers.Serializer[None]):
    method = serializers.SlugField(required=False, help_text="Slug of a method.", max_length=120)
    image = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="Id of an image."
    )


class RunQuery(serializers.Serializer[None]):
    protocol = serializers.CharField(required=False, help_text="Slug.", max_length=60)
    latest = serializers.ChoiceField(
        ["yes", "no"], required=False, default="no", help_text="Only the newest run of each name."
    )


class RunList(ListView):
    """The protocol runs of a dataset; admins may start another."""

    serializer_class = RunSerializer
    query_serializer_class = RunQuery
    filters = (("protocol", "protocol"),)
    ordering = ("-pk",)
    writing_scope = LOAD
    heavy_methods = ("POST",)

    def _dataset(self) -> Dataset:
        return seen_dataset(self.request, self.kwargs["slug"])

    def get_queryset(self) -> QuerySet[ProtocolRun]:
        runs = self._dataset().runs.select_related("dataset")
        if self.query()["latest"] == "yes":
            runs = runs.latest_of_each_protocol()
        return runs.filter(**self.conditions())

    @extend_schema(request=NewRunSerializer, responses={202: JobSerializer})
    @idempotent
    def post(self, request: SignedInRequest, slug: str) -> Response:
        """Start scoring every result of a dataset with a protocol (admins)."""
        require(request.user, "annotate.load_data")
        dataset, sent = self._dataset(), self.sent(NewRunSerializer)
        job = work.start(
            dataset=dataset,
            slug=sent["protocol"],
            parameters=sent["parameters"],
            person=request.user,
        )
        return accepted(self, job)


def _runs(person: Person) -> QuerySet[ProtocolRun]:
    return ProtocolRun.objects.filter(
        dataset__in=permitted(person, "annotate.see_dataset", Dataset)
    )


class RunDetail(OneView):
    """One run: its protocol and parameters, and the official figures of each method."""

    serializer_class = RunSerializer

    def get_queryset(self) -> QuerySet[ProtocolRun]:
        return _runs(self.request.user).select_related("dataset")


class ScoreList(ListView):
    """The scores of a run, one for each result."""

    serializer_class = ScoreSerializer
    query_serializer_class = ScoreQuery
    filters = (("method", "result__method__slug"), ("image", "result__image"))

    def get_queryset(self) -> QuerySet[Score]:
        run = get_object_or_404(_runs(self.request.user), pk=self.kwargs["pk"])
        scores = run.scores.filter(**self.conditions())
        return scores.select_related("run", "result__image", "result__method").defer(
            "result__regions", "result__image__truth"
        )


class NewTruthSerializer(serializers.Serializer[None]):
    regions = serializers.ListField(
        child=RegionSerializer(), max_length=10_000, help_text="The whole ground truth."
    )
    version = serializers.IntegerField(
        min_value=1, max_value=2**31, help_text="The `truth_version` that is corrected."
    )
    reason = serializers.CharField(max_length=MAX_REASON)


class TruthOfImage(ApiView):
    """The ground truth of an image."""

    writing_scope = LOAD
    heavy_methods = ("PUT",)

    @extend_schema(request=NewTruthSerializer, responses={200: JobSerializer(many=True)})
    def put(self, request: SignedInRequest, pk: int) -> Response:
        """Correct it (admins); the scores of the image are computed again by the jobs of the answer.

        A region with the outline of a stored one keeps its mask.
        """
        require(request.user, "annotate.load_data")
        seen = permitted(request.user, "annotate.see_dataset", Dataset)
        image = get_object_or_404(Image.objects.select_related("dataset"), pk=pk, dataset__in=seen)
        sent = self.sent(NewTruthSerializer)
        stored = {region.points: region for region in image.truth_regions}
        regions = [_as_before(region_of(one), stored) for one in sent.pop("regions")]
        mend(image=image, regions=regions, person=request.user, **sent)
        jobs = start_again(dataset=image.dataset, person=request.user)
        return Response(self.shown(JobSerializer, jobs, many=True))


def _as_before(region: Region, stored: Mapping[tuple[float, ...], Region]) -> Region:
    """Return a region with what cannot be sent, as the stored one of this outline has it."""
    before = stored.get(region.points)
    if before is None:
        return region
    ignored_as = before.ignored_as if region.ignored else None
    return replace(region, pixels=before.pixels, ignored_as=ignored_as)

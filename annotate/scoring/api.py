"""Protocol runs over a dataset and their scores."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.access import Person, permitted
from annotate.api.idempotency import idempotent
from annotate.api.scopes import LOAD
from annotate.api.views import ListView, OneView, SignedInRequest
from annotate.datasets.models import Dataset
from annotate.datasets.shortcuts import seen_dataset
from annotate.jobs.serializers import JobSerializer
from annotate.jobs.shortcuts import accepted
from annotate.requests import require

from . import work
from .models import ProtocolRun, Score


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
        ]


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
    ordering = ("-pk",)
    writing_scope = LOAD
    heavy_methods = ("POST",)

    def _dataset(self) -> Dataset:
        return seen_dataset(self.request, self.kwargs["slug"])

    def get_queryset(self) -> QuerySet[ProtocolRun]:
        runs, asked = self._dataset().runs.select_related("dataset"), self.query()
        if asked["latest"] == "yes":
            runs = runs.latest_of_each_protocol()
        if "protocol" in asked:
            runs = runs.filter(protocol=asked["protocol"])
        return runs

    @extend_schema(parameters=[RunQuery])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

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


@extend_schema_view(get=extend_schema(parameters=[ScoreQuery]))
class ScoreList(ListView):
    """The scores of a run, one for each result."""

    serializer_class = ScoreSerializer
    query_serializer_class = ScoreQuery

    def get_queryset(self) -> QuerySet[Score]:
        run = get_object_or_404(_runs(self.request.user), pk=self.kwargs["pk"])
        scores, asked = run.scores.all(), self.query()
        if "method" in asked:
            scores = scores.filter(result__method__slug=asked["method"])
        if "image" in asked:
            scores = scores.filter(result__image=asked["image"])
        return scores.select_related("run", "result__image", "result__method").defer(
            "result__regions", "result__image__truth"
        )

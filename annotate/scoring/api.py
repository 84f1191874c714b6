"""Protocol runs over a dataset and their scores."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
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
from .serializers import NewRunSerializer, RunQuery, RunSerializer, ScoreQuery, ScoreSerializer


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
        return scores.select_related("result__image", "result__method").defer(
            "result__regions", "result__image__truth"
        )

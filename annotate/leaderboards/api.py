"""The leaderboard of a dataset."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.views import ApiView
from annotate.datasets.shortcuts import seen_dataset
from annotate.reports.provenance import described
from annotate.scoring.leaderboards import newest_runs
from rankings.detectors.leaderboard import disagreements

from . import selectors
from .forms import FIGURES


class LeaderboardQuery(serializers.Serializer[None]):
    figure = serializers.ChoiceField(
        [name for name, _ in FIGURES], required=False, default="f_score"
    )
    by = serializers.CharField(
        required=False,
        default="",
        max_length=120,
        help_text="Name of the run that orders the methods; without it the first with tests.",
    )
    shared = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Count the images of all methods alone, so that all figures are comparable.",
    )


class PlaceSerializer(serializers.Serializer[Any]):
    """A method; null is a figure, a limit or a letter that is not known."""

    place = serializers.IntegerField(
        allow_null=True,
        help_text="Null if the method misses images of others, so that its figure is not comparable.",
    )
    method = serializers.CharField()
    n_images = serializers.IntegerField(help_text="Images on which the method was evaluated.")
    images = serializers.CharField(help_text="That number and the number of all, as “2 of 12”.")
    letters = serializers.CharField(help_text="Methods that share one do not differ significantly.")
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="Of the 95 % interval over images.")
    high = serializers.FloatField(allow_null=True)
    others = serializers.DictField(
        source="figures",
        child=serializers.FloatField(allow_null=True),
        help_text="The figure by every other run.",
    )


class DisagreementSerializer(serializers.Serializer[Any]):
    """Two methods that runs put in opposite orders, both significantly."""

    first = serializers.CharField()
    second = serializers.CharField()
    for_first = serializers.ListField(child=serializers.CharField())
    for_second = serializers.ListField(child=serializers.CharField())


class LeaderboardSerializer(serializers.Serializer[Any]):
    figure = serializers.CharField()
    by = serializers.CharField()
    signature = serializers.CharField(help_text="How the figures of each run were made.")
    n_images = serializers.IntegerField(help_text="Of any method.")
    n_shared = serializers.IntegerField(help_text="Of all methods.")
    is_shared = serializers.BooleanField(help_text="Whether only shared images are counted.")
    methods = PlaceSerializer(many=True)
    disagreements = DisagreementSerializer(many=True)


class LeaderboardOfDataset(ApiView):
    query_serializer_class = LeaderboardQuery

    @extend_schema(responses=LeaderboardSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the methods in the order of a run's figure; 404 before any protocol has scored."""
        dataset = seen_dataset(request, slug)
        asked = self.query()
        runs = newest_runs(dataset)
        if not runs or asked["by"] not in ("", *(run.name for run in runs)):
            raise Http404
        boards = selectors.boards_of(
            runs, asked["figure"], asked["by"], shared_only=asked["shared"]
        )
        data = {
            "figure": boards.figure,
            "by": boards.by,
            "signature": "; ".join(map(described, runs)),
            "n_images": boards.board.n_images,
            "n_shared": boards.board.n_shared,
            "is_shared": boards.is_shared,
            "methods": selectors.rows_of(boards),
            "disagreements": disagreements(boards.boards),
        }
        return Response(self.shown(LeaderboardSerializer, data))

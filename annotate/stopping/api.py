"""The API of the protocols' order while a study runs."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.views import ApiView
from annotate.reports.services import require_small
from annotate.studies.shortcuts import followed

from .presentation import CAUTION, MAX_IMAGES, ending_of, needed_of
from .selectors import standings_of


class StandingSerializer(serializers.Serializer[Any]):
    protocol = serializers.CharField()
    mean_loss = serializers.FloatField(
        help_text="Share of pairs of methods ordered differently from the annotators."
    )
    n_images = serializers.IntegerField(
        help_text="Images of the mean loss: those that count so far and that all protocols have scored."
    )
    n_scored = serializers.IntegerField(
        help_text="Images that count so far and that this protocol has scored."
    )


class LookSerializer(serializers.Serializer[Any]):
    """A planned look; decisions are lists of two protocols by criterion, the nearer first."""

    number = serializers.IntegerField()
    due = serializers.IntegerField(help_text="At this number of complete rankings or visits.")
    taken = serializers.DateTimeField(allow_null=True)
    n_counted = serializers.IntegerField(allow_null=True)
    found = serializers.DictField(
        child=serializers.DictField(), help_text="By criterion: decided, withdrawn and held."
    )


class StandingsSerializer(serializers.Serializer[Any]):
    needed = serializers.CharField(
        help_text="Which annotators and images are needed before a conclusion is possible."
    )
    criteria = serializers.DictField(
        child=StandingSerializer(many=True), help_text="By criterion, the lowest mean loss first."
    )
    looks = LookSerializer(many=True, help_text="What is decided while the study runs.")
    caution = serializers.CharField()
    ending = serializers.CharField(help_text="The rule by which the study ends; empty without one.")


class StandingsOfStudy(ApiView):
    @extend_schema(responses=StandingsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return every protocol's mean loss so far, a description, and what planned looks decided."""
        study = followed(request, slug)
        require_small(study, MAX_IMAGES)
        criteria = {
            criterion: [row._asdict() for row in rows]
            for criterion, rows in standings_of(study).items()
        }
        data = {
            "needed": needed_of(study),
            "criteria": criteria,
            "looks": study.looks.all(),
            "caution": CAUTION,
            "ending": ending_of(study),
        }
        return Response(self.shown(StandingsSerializer, data))

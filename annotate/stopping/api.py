"""The API of the protocols' order while a study runs."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.views import ApiView
from annotate.reports.services import require_small
from annotate.studies.shortcuts import followed

from .presentation import CAUTION, MAX_IMAGES, ending_of, needed_in_words
from .selectors import missing, standings_of


class StandingSerializer(serializers.Serializer[Any]):
    protocol = serializers.CharField()
    mean_loss = serializers.FloatField(
        help_text="Share of pairs of methods ordered differently from the annotators."
    )


class StandingsSerializer(serializers.Serializer[Any]):
    needed = serializers.CharField(
        help_text="Which annotators and images are needed before a conclusion is possible."
    )
    criteria = serializers.DictField(
        child=StandingSerializer(many=True), help_text="By criterion, the lowest mean loss first."
    )
    caution = serializers.CharField()
    ending = serializers.CharField(help_text="The rule by which the study ends; empty without one.")


class StandingsOfStudy(ApiView):
    @extend_schema(responses=StandingsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return every protocol's mean loss so far. It is a description, not a conclusion."""
        study = followed(request, slug)
        require_small(study, MAX_IMAGES)
        criteria = {
            criterion: [{"protocol": name, "mean_loss": loss} for name, loss in rows]
            for criterion, rows in standings_of(study).items()
        }
        data = {
            "needed": needed_in_words(missing(study)),
            "criteria": criteria,
            "caution": CAUTION,
            "ending": ending_of(study),
        }
        return Response(self.shown(StandingsSerializer, data))

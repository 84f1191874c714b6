"""What is decided while a study runs, in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.reports.services import require_small
from annotate.rest.views import ApiView
from annotate.studies.api import followed

from .presentation import CAUTION, MAX_IMAGES, ending_of, sentence_of
from .selectors import decisions_of


class PairSequenceSerializer(serializers.Serializer[Any]):
    """Two protocols; a difference below 0: the first is nearer to these annotators."""

    first = serializers.CharField()
    second = serializers.CharField()
    difference = serializers.FloatField(allow_null=True)
    half_width = serializers.FloatField(
        allow_null=True, help_text="Of the confidence sequence now."
    )
    decided_at = serializers.IntegerField(
        allow_null=True, help_text="After so many images it was decided, which stays so."
    )
    nearer = serializers.CharField(allow_null=True)
    images_more = serializers.IntegerField(
        allow_null=True, help_text="About so many decide it; null where that cannot be foreseen."
    )


class DecisionsSerializer(serializers.Serializer[Any]):
    sentence = serializers.CharField()
    n_images = serializers.IntegerField()
    n_annotators = serializers.IntegerField()
    n_decided = serializers.IntegerField()
    pairs = PairSequenceSerializer(many=True)


class StudyDecisionsSerializer(serializers.Serializer[Any]):
    criteria = serializers.DictField(child=DecisionsSerializer())
    caution = serializers.CharField()
    ending = serializers.CharField(help_text="The rule by which the study ends; empty without one.")


class DecisionsOfStudy(ApiView):
    @extend_schema(responses=StudyDecisionsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return what is decided of every pair of protocols, which may be looked at any time."""
        study = followed(request, slug)
        require_small(study, MAX_IMAGES)
        criteria = {
            criterion: {
                "sentence": sentence_of(own),
                "n_images": own.n_images,
                "n_annotators": own.n_annotators,
                "n_decided": own.n_decided,
                "pairs": own.pairs,
            }
            for criterion, own in decisions_of(study).items()
        }
        data = {"criteria": criteria, "caution": CAUTION, "ending": ending_of(study)}
        return Response(self.shown(StudyDecisionsSerializer, data))

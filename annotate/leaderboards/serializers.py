"""Leaderboards as the API shows them."""

from typing import Any

from rest_framework import serializers

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


class PlaceSerializer(serializers.Serializer[Any]):
    """A method; null is a figure, a limit or a letter that is not known."""

    place = serializers.IntegerField()
    method = serializers.CharField()
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
    n_images = serializers.IntegerField()
    methods = PlaceSerializer(many=True)
    disagreements = DisagreementSerializer(many=True)

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
    n_images = serializers.IntegerField(help_text="Of any method.")
    n_shared = serializers.IntegerField(help_text="Of all methods.")
    is_shared = serializers.BooleanField(help_text="Whether only shared images are counted.")
    methods = PlaceSerializer(many=True)
    disagreements = DisagreementSerializer(many=True)

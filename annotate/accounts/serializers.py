"""The user who sends the request, as the API shows them."""

from typing import Any

from rest_framework import serializers

from annotate.api.scopes import SCOPES
from annotate.api.tokens.models import Token


class TokenSerializer(serializers.ModelSerializer[Token]):
    scopes = serializers.ListField(child=serializers.ChoiceField(list(SCOPES)))

    class Meta:
        model = Token
        fields = read_only_fields = ["name", "scopes", "created", "expires"]


class MeSerializer(serializers.Serializer[Any]):
    username = serializers.CharField()
    may_load_data = serializers.BooleanField(help_text="Whether you are an admin.")
    n_followed = serializers.IntegerField(help_text="Studies whose progress and report you see.")
    n_judged = serializers.IntegerField(help_text="Studies you annotate.")
    token = TokenSerializer(allow_null=True, help_text="Null without a token, in a browser.")

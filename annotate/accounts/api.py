"""The endpoint about the user who sends the request."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.access import permitted
from annotate.api.scopes import READ, SCOPES
from annotate.api.tokens.models import Token
from annotate.api.views import ApiView
from annotate.studies.models import Study


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


class Me(ApiView):
    def scope_of(self, method: str) -> str:
        # Every token may read whose it is, so any scope it has will do.
        scopes = getattr(self.request.auth, "scopes", [READ])
        return str(scopes[0])

    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """Return your account here, and the rights of the token that you sent."""
        data = {
            "username": request.user.get_username(),
            "may_load_data": request.user.has_perm("annotate.load_data"),
            "n_followed": permitted(request.user, "annotate.follow_study", Study).count(),
            "n_judged": permitted(request.user, "annotate.judge_study", Study).count(),
            "token": request.auth if isinstance(request.auth, Token) else None,
        }
        return Response(self.shown(MeSerializer, data))

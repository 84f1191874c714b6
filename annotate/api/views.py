"""Base classes of the API's views, the schema, and the documentation."""

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.utils.cache import patch_cache_control
from django.views.decorators.http import conditional_page
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework import generics
from rest_framework.exceptions import (
    AuthenticationFailed,
    NotAuthenticated,
    NotFound,
    Throttled,
    ValidationError,
)
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, Serializer
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from .fields import unknown_fields
from .scopes import MANAGE, usual_scope
from .throttling import Anonymous, Heavy


class SignedInRequest(Request):
    """A request of a signed-in user; for annotations only, the framework creates plain ones."""

    user: User


class ApiView(APIView):
    """Scopes, limits and checked query parameters for every view of the API."""

    http_method_names: Sequence[str] = ("get", "head", "post", "put", "patch", "delete")
    writing_scope: ClassVar[str] = MANAGE
    # Methods whose requests take seconds.
    heavy_methods: ClassVar[Sequence[str]] = ()
    # Parameters allowed after "?"; checked if a view calls self.query().
    query_serializer_class: ClassVar[type[Serializer[Any]]]

    def scope_of(self, method: str) -> str:
        return usual_scope(method, self.writing_scope)

    def get_throttles(self) -> list[BaseThrottle]:
        heavy = [Heavy()] if self.request.method in self.heavy_methods else []
        return [*super().get_throttles(), *heavy]

    def query(self) -> dict[str, Any]:
        """Return the checked query parameters."""
        serializer = self.query_serializer_class(data=self.request.query_params)
        serializer.is_valid(raise_exception=True)
        checked: dict[str, Any] = serializer.validated_data
        return checked

    def sent(self, kind: type[BaseSerializer[Any]], **context: Any) -> Any:
        """Return the checked body, which has no fields but those of the serializer."""
        serializer = kind(data=self.request.data, context={"request": self.request, **context})
        if unknown := unknown_fields(serializer, self.request.data):
            raise ValidationError(unknown)
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    def shown(self, kind: type[BaseSerializer[Any]], what: Any, *, many: bool = False) -> Any:
        return kind(what, many=many, context={"request": self.request}).data

    @classmethod
    def as_view(cls, **options: Any) -> Any:
        """Return a view that answers "not modified" if the client already has the response."""
        return conditional_page(super().as_view(**options))

    def handle_exception(self, fault: Exception) -> Response:
        # Requests without a user fail before the framework counts requests.
        if isinstance(fault, NotAuthenticated | AuthenticationFailed):
            throttle = Anonymous()
            self.request.user = AnonymousUser()
            if not throttle.allow_request(self.request, self):
                fault = Throttled(throttle.wait())
        return super().handle_exception(fault)

    def finalize_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().finalize_response(*args, **kwargs)
        if not response.has_header("Cache-Control"):
            # Private, and revalidated each time; an ETag may then save the body.
            patch_cache_control(response, private=True, no_cache=True)
        return response


class ListView(ApiView, generics.ListAPIView[Any]):
    """A paginated list; ``ordering`` starts with a column that distinguishes its rows.

    ``filters`` are the query parameters that filter the rows, each with its column.
    """

    ordering: ClassVar[tuple[str, ...]] = ("pk",)
    filters: ClassVar[tuple[tuple[str, str], ...]] = ()

    def get_ordering(self) -> tuple[str, ...]:
        return self.ordering

    def conditions(self) -> dict[str, Any]:
        """Return the conditions on the rows that the query parameters ask for."""
        asked = self.query()
        return {column: asked[name] for name, column in self.filters if name in asked}


class OneView(ApiView, generics.RetrieveAPIView[Any]):
    pass


class AnyType(DefaultContentNegotiation):
    """Any media type: the address of a file determines its type."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class NotThere(ApiView):
    """Any unknown address below the API's."""

    permission_classes = ()
    authentication_classes = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound


class SchemaView(ApiView, SpectacularAPIView):
    """The OpenAPI description of this API, as YAML or JSON."""

    authentication_classes = ()
    permission_classes = ()

    @extend_schema(exclude=True)
    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        return Response(_description())


@cache
def _description() -> dict[str, Any]:
    """Cache the schema: it is the same for all users, and takes half a second to build."""
    # The library has no types.
    description: dict[str, Any] = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    return description


class DocsView(SpectacularSwaggerSplitView):
    """Interactive documentation of the API; all its files come from this site."""

    permission_classes = ()
    http_method_names = ("get", "head")
    url_name = "api:schema"

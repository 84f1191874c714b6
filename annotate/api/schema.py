"""The OpenAPI description: common errors of operations, and the Idempotency-Key header."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

from .idempotency import HEADER
from .problems import CONTENT_TYPE


class FaultSerializer(serializers.Serializer[None]):
    """One fault of a request."""

    pointer = serializers.CharField(help_text="JSON pointer into what was sent.")
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer[None]):
    """An error (RFC 9457)."""

    type = serializers.CharField(help_text="What kind of problem; scripts compare this.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What happened and what to do, for people.")
    # Fields, not attributes of this serializer: the framework takes them out of the class.
    instance = serializers.CharField(  # type: ignore[assignment]
        help_text="The address that was asked for."
    )
    errors = FaultSerializer(many=True, required=False)  # type: ignore[assignment]
    scope = serializers.CharField(required=False, help_text="The scope that the token lacks.")


class Schema(AutoSchema):
    """A schema generator that adds the errors common to all requests of a kind."""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        name = self.resolve_serializer(ProblemSerializer, "response").ref
        for status, words in self._errors(operation).items():
            operation["responses"].setdefault(
                str(status),
                {"description": words, "content": {CONTENT_TYPE: {"schema": name}}},
            )
        if self.method == "GET":
            operation["responses"]["304"] = {"description": "Not modified (If-None-Match)"}
        operation["responses"] = dict(sorted(operation["responses"].items()))
        if self._is_idempotent():
            operation.setdefault("parameters", []).append(
                {
                    "in": "header",
                    "name": HEADER,
                    "description": "The same request under the same key is done once (24 hours).",
                    "schema": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 255,
                        "pattern": "^[!-~]+$",
                    },
                }
            )
        return operation

    def get_override_parameters(self) -> list[Any]:
        """Return the query parameters that the view declares for reading."""
        query = getattr(self.view, "query_serializer_class", None)
        return [query] if query is not None and self.method == "GET" else []

    def _errors(self, operation: dict[str, Any]) -> dict[int, str]:
        errors = {
            400: "Not readable",
            401: "Not signed in",
            404: "Not there, or not yours",
            406: "Not acceptable",
            429: "Too many requests; Retry-After says how long to wait",
        }
        if operation.get("parameters") or "requestBody" in operation or self._is_idempotent():
            errors[422] = "Does not hold"
        if "requestBody" in operation:
            errors |= {413: "Too large", 415: "Unsupported media type"}
        errors[403] = "Not allowed, or the token lacks the scope"
        return errors

    def _is_idempotent(self) -> bool:
        handler = getattr(self.view, self.method.lower(), None)
        return getattr(handler, "is_idempotent", False)

"""API errors for which the framework has no class; ``problem`` is the end of their type."""

from collections.abc import Mapping
from typing import Any

from rest_framework import status
from rest_framework.exceptions import APIException


class ApiError(APIException):
    """An error response; ``more`` holds members of the problem besides the standard ones."""

    problem = ""
    title = ""

    def __init__(self, detail: str | None = None, *, more: Mapping[str, Any] | None = None) -> None:
        super().__init__(detail)
        self.more = more or {}


class NotPossible(ApiError):
    """A well-formed request that is refused; the message says why."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    problem = "refused"
    title = "Refused"


class MissingScope(ApiError):
    """A token without the required scope."""

    status_code = status.HTTP_403_FORBIDDEN
    problem = "missing-scope"
    title = "The token is not made for this"

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"This needs a token with the scope “{scope}”. Make one on the page of your tokens.",
            more={"scope": scope},
        )


class TooLarge(ApiError):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    problem = "too-large"
    title = "Too large"
    default_detail = "What was sent is larger than this address takes."


class NoRoom(ApiError):
    status_code = status.HTTP_507_INSUFFICIENT_STORAGE
    problem = "disk-full"
    title = "The site's disk is full"
    default_detail = "Nothing was changed. Try again when those who run the site have made room."


class KeyReused(ApiError):
    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    problem = "idempotency-key-reused"
    title = "The key was used for another request"
    default_detail = (
        "This Idempotency-Key came before with another request. Use a new key for a new request."
    )

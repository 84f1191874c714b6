"""Responses kept for a while, so that a request sent twice is executed once."""

from django.conf import settings
from django.db import models


class GivenAnswer(models.Model):
    """The response to a request with an Idempotency-Key."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="given_answers"
    )
    key = models.CharField(max_length=255)
    # Hash of method, address and body.
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.TextField(blank=True)
    location = models.CharField(max_length=400, blank=True)
    created = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "key"], name="a_key_is_used_for_one_request")
        ]

    def __str__(self) -> str:
        return f"answer to {self.key} of {self.person}"

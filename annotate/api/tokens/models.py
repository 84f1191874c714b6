"""Personal tokens of the API; the secret itself is not stored."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q


class TokenQuerySet(models.QuerySet["Token"]):
    def alive(self, at: datetime) -> "TokenQuerySet":
        """Return the tokens that are valid at this time."""
        return self.filter(Q(expires__isnull=True) | Q(expires__gt=at), person__is_active=True)


class Token(models.Model):
    """A credential that lets scripts act for a user, within its scopes. Revoking deletes it."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    # Names from annotate.api.scopes.
    scopes = models.JSONField()
    # Its first characters, to distinguish it from others.
    beginning = models.CharField(max_length=12)
    sha256 = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField(null=True, blank=True)
    # Precise to the minute.
    last_used = models.DateTimeField(null=True, blank=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ("-created", "-pk")
        constraints = [
            models.UniqueConstraint(
                fields=["person", "name"], name="a_token_name_is_unique_for_its_person"
            )
        ]

    def __str__(self) -> str:
        return f"token “{self.name}” of {self.person}"

"""Preferences, and invitations, the only way to an account that no admin creates by hand."""

from hashlib import sha256
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.studies.models import Study


def hash_of(token: str) -> str:
    return sha256(token.encode()).hexdigest()


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self) -> "InvitationQuerySet":
        """Return the invitations that are not used, revoked or expired."""
        return self.filter(used=None, revoked=None, expires__gt=timezone.now())

    def with_names(self) -> "InvitationQuerySet":
        return self.select_related("study", "made_by", "used_by")


class Invitation(models.Model):
    """A link that admits one person, once. Its token is shown on creation and not stored."""

    class Role(models.TextChoices):
        ANNOTATOR = "annotator", _("annotator")
        RESEARCHER = "researcher", _("researcher")
        ADMIN = "admin", _("admin of the site")

    # None for an admin of the site.
    study = models.ForeignKey(
        Study, models.CASCADE, null=True, blank=True, related_name="invitations"
    )
    role = models.CharField(max_length=10, choices=Role)
    # Empty if anyone who has the link may use it.
    email = models.EmailField(blank=True)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    # None if a command made it.
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="invitations_made",
    )
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="invitations_used",
    )
    revoked = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ("-created", "-pk")
        constraints = [
            models.CheckConstraint(
                condition=Q(role="admin", study__isnull=True)
                | ~Q(role="admin") & Q(study__isnull=False),
                name="an_invitation_is_to_a_study_or_to_administer_the_site",
            ),
            models.CheckConstraint(
                condition=Q(used__isnull=True, used_by__isnull=True)
                | Q(used__isnull=False, used_by__isnull=False),
                name="a_used_invitation_says_by_whom",
            ),
            models.CheckConstraint(
                condition=Q(used__isnull=True) | Q(revoked__isnull=True),
                name="an_invitation_is_used_or_revoked_not_both",
            ),
        ]

    def __str__(self) -> str:
        # The log stores this text.
        return f"invitation {self.pk} as {self.role}"

    @property
    def state(self) -> str:
        """Return open, used, revoked, expired, or void if its maker may no longer invite people."""
        if self.used:
            return "used"
        if self.revoked:
            return "revoked"
        if self.made_by is not None and not self._may_invite(self.made_by):
            return "void"
        return "open" if self.expires > timezone.now() else "expired"

    def _may_invite(self, person: User) -> bool:
        """Return whether a person may invite to this: an admin, or annotators to a study they follow."""
        if person.has_perm("annotate.manage_people"):
            return True
        is_annotator = self.role == self.Role.ANNOTATOR
        return is_annotator and person.has_perm("annotate.invite_annotators", self.study)

    @property
    def place(self) -> str:
        """Return a phrase for the study or site that the invitation is to."""
        if self.study is None:
            return gettext("this site")
        return gettext("the study “{study}”").format(study=self.study)


class Preferences(models.Model):
    """A user's language and theme, and preferences for the comparison page."""

    class Theme(models.TextChoices):
        SYSTEM = "", _("same as the system")
        LIGHT = "light", _("light")
        DARK = "dark", _("dark")

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="preferences"
    )
    theme = models.CharField(max_length=5, choices=Theme, default=Theme.SYSTEM, blank=True)
    advance = models.BooleanField(_("continue automatically after the last answer"), default=False)
    single_keys = models.BooleanField(_("answer with single keys"), default=True)
    # One of settings.LANGUAGES, or empty for the browser's choice.
    language = models.CharField(_("language"), max_length=7, default="", blank=True)
    # {action: KeyboardEvent.code} of the keys that the user changed.
    keys = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return gettext("preferences of {person}").format(person=self.person)

    @classmethod
    def of(cls, person: User) -> "Preferences":
        """Return a user's preferences, the usual ones if they stored none."""
        stored: Preferences | None = getattr(person, "preferences", None)
        return cls(person=person) if stored is None else stored

    @property
    def for_scripts(self) -> dict[str, Any]:
        """The preferences that scripts of pairs read."""
        return {"advance": self.advance, "single_keys": self.single_keys, "keys": self.keys}

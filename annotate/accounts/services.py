"""Making, accepting, revoking and cleaning up invitations."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.audit.models import Act, AuditEntry
from annotate.audit.services import acting, record
from annotate.studies.models import Study
from annotate.studies.services import add_member

from .errors import InvitationRefused
from .models import Invitation, hash_of

MAX_AT_ONCE = 100
# Unused invitations are still listed for this long after they expire.
_KEPT_AFTER_END = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Made:
    """An invitation with its token, which exists only here and in the link."""

    invitation: Invitation
    token: str


@transaction.atomic
def invite(
    *,
    study: Study | None,
    role: str,
    emails: Sequence[str] = (),
    days: int = 14,
    made_by: User | None = None,
) -> list[Made]:
    """Make an invitation for each address, or one link for anyone.

    An open invitation of the same address to the same role is revoked, so only the newer link
    works. Raises InvitationRefused for too many addresses, or if a user of one has the role.
    """
    if len(emails) > MAX_AT_ONCE:
        raise InvitationRefused(
            _("At most {most} people can be invited at once; these are {n}.").format(
                most=MAX_AT_ONCE, n=len(emails)
            )
        )
    taken = [email for email in emails if _has_role(email, study, role)]
    if taken:
        raise InvitationRefused(
            _(
                "Already {role}: {addresses}. No one was invited; remove these addresses "
                "and try again."
            ).format(role=Invitation.Role(role).label, addresses=", ".join(taken))
        )
    return [_invite(study, role, email, days, made_by) for email in emails or [""]]


def _has_role(email: str, study: Study | None, role: str) -> bool:
    people = User.objects.filter(pk__in=owners_of(email))
    if study is None:
        return people.filter(is_superuser=True).exists()
    return people.filter(memberships__study=study, memberships__role=role).exists()


def owners_of(email: str) -> Iterable[int]:
    """Return the users with this address; an empty address belongs to no one."""
    if not email:
        return ()
    by_account = User.objects.filter(email__iexact=email).values_list("pk", flat=True)
    by_address = EmailAddress.objects.filter(email__iexact=email).values_list("user", flat=True)
    return {*by_account, *by_address}


def _invite(study: Study | None, role: str, email: str, days: int, made_by: User | None) -> Made:
    if email:
        for older in Invitation.objects.open().filter(study=study, role=role, email__iexact=email):
            revoke(invitation=older)
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        study=study,
        role=Invitation.Role(role),
        email=email.lower(),
        token_hash=hash_of(token),
        made_by=made_by,
        expires=timezone.now() + timedelta(days=days),
    )
    _record(Act.INVITED, invitation)
    return Made(invitation, token)


def invitation_of(token: str) -> Invitation | None:
    return Invitation.objects.with_names().filter(token_hash=hash_of(token)).first()


def revoke(*, invitation: Invitation) -> None:
    """Disable the link. Raises InvitationRefused if it was used; revoking twice has no effect."""
    if invitation.revoked:
        return
    unused = Invitation.objects.filter(pk=invitation.pk, used=None)
    with transaction.atomic():
        if not unused.update(revoked=timezone.now()):
            raise InvitationRefused(
                _(
                    "This invitation was used meanwhile. To keep the person out, remove them from "
                    "the study's members."
                )
            )
        _record(Act.INVITATION_REVOKED, invitation)


def accept(*, invitation: Invitation, person: User) -> None:
    """Make the person a member of the invitation's study, or an admin of the site.

    Raises InvitationRefused if the invitation is not open, is for another person, or is older than
    the person's removal from the study. If two people use it at once, only one succeeds.
    """
    refuse_wrong_person(invitation, person)
    refuse_removed(invitation, person)
    with transaction.atomic():
        if invitation.state == "void":
            raise InvitationRefused(str(WHY_CLOSED["void"]))
        now = timezone.now()
        if not Invitation.objects.open().filter(pk=invitation.pk).update(used=now, used_by=person):
            invitation.refresh_from_db()
            raise InvitationRefused(str(WHY_CLOSED[invitation.state]))
        if invitation.study is not None:
            with acting(lambda: person):
                add_member(
                    study=invitation.study, username=person.get_username(), role=invitation.role
                )
        else:
            person.is_staff = person.is_superuser = True
            person.save(update_fields=["is_staff", "is_superuser"])
        _record(Act.INVITATION_USED, invitation, about=person, actor=person)


# Messages for links that cannot be used, by the state of the invitation.
WHY_CLOSED = {
    "open": gettext_lazy("This invitation could not be used. Open the link again."),
    "used": gettext_lazy("This invitation has already been used. Each one works once."),
    "revoked": gettext_lazy("This invitation was revoked, perhaps because a newer one was sent."),
    "expired": gettext_lazy("This invitation has expired."),
    "void": gettext_lazy("The person who made this invitation may no longer invite people."),
}


def refuse_wrong_person(invitation: Invitation, person: User) -> None:
    """Raise InvitationRefused if the invitation is for an address that is not this person's."""
    if invitation.email and person.pk not in owners_of(invitation.email):
        raise InvitationRefused(_("This invitation is for another e-mail address than yours."))


def refuse_removed(invitation: Invitation, person: User) -> None:
    """Raise InvitationRefused if the person was removed from the study after the invitation."""
    removals = AuditEntry.objects.filter(
        act=Act.MEMBER_REMOVED,
        study__isnull=False,
        study=invitation.study,
        about=person,
        created__gt=invitation.created,
    )
    if removals.exists():
        raise InvitationRefused(
            _("You were removed from this study after the invitation was made.")
        )


def _record(act: Act, invitation: Invitation, **more: Any) -> None:
    record(
        act,
        study=invitation.study,
        what=str(invitation),
        details={"bound to an address": bool(invitation.email)},
        **more,
    )


def forget_addresses(before: datetime) -> int:
    """Clear the e-mail addresses of invitations that were used before a time; return how many."""
    return Invitation.objects.filter(used__lt=before).exclude(email="").update(email="")


def forget_expired() -> int:
    """Delete unused invitations that expired over 30 days ago; return how many."""
    ended = Invitation.objects.filter(used=None, expires__lt=timezone.now() - _KEPT_AFTER_END)
    return ended.delete()[0]

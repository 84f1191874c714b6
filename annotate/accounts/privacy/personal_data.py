"""Personal data: exported in full, or erased while the person's answers are kept."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.accounts.models import Invitation
from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.jobs.mail import forget_letters_to

from .errors import NotErased

# Secrets, and fields that would reveal to an annotator which method produced a result.
_LEFT_OUT = {
    *("password", "token_hash", "session_key", "key", "digest", "content"),
    *("items", "drawn", "hidden", "rankings", "unsettled"),
}
_SECRET_DATA = {"mfa.authenticator"}
# Keys under which Django and the account library store a session's user.
_OWNER_KEYS = ("_auth_user_id", "account_authentication_methods_user")
_ABOUT = (
    "Everything this site stores about you. Passwords, keys and tokens are left out, and so is "
    "what would tell which method a result is of. Reports hold your rankings without your name."
)


@dataclass(frozen=True, slots=True)
class Source:
    """Export and erasure of personal data that no relation to the account leads to."""

    give_out: Callable[[User], Iterable[dict[str, Any]]]
    erase: Callable[[User], None]


# Sources by their name in the export; subjects higher up register theirs (annotate/apps.py).
_sources: dict[str, Source] = {}


def register(name: str, source: Source) -> None:
    """Register data to export and erase together with the account's own."""
    _sources[name] = source


def everything_about(person: User) -> dict[str, Any]:
    """Return all rows that point to the person, as values that JSON can hold.

    Relations are discovered automatically, so the rows of new tables are exported, too.
    """
    stored: dict[str, list[dict[str, Any]]] = {}
    for relation in _relations():
        model = relation.related_model
        rows = model._base_manager.filter(**{relation.field.name: person}).order_by("pk")
        # Referenced rows appear by name; the query that fetches the rows fetches them, too.
        named = [field.name for field in model._meta.concrete_fields if field.is_relation]
        values = [_as_values(row, person) for row in rows.select_related(*named).iterator()]
        if values:
            stored.setdefault(relation.related_model._meta.label_lower, []).extend(values)
    return {
        "about": _ABOUT,
        "made": timezone.now().isoformat(),
        "account": _as_values(person, person),
        "stored": stored,
        **{name: list(source.give_out(person)) for name, source in _sources.items()},
    }


def _relations() -> Iterable[Any]:
    return [
        relation
        for relation in User._meta.get_fields(include_hidden=True)
        if relation.auto_created and not relation.concrete and not relation.many_to_many
    ]


def _as_values(row: models.Model, person: User) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in row._meta.concrete_fields:
        if field.name in _LEFT_OUT or (
            field.name == "data" and row._meta.label_lower in _SECRET_DATA
        ):
            continue
        value = getattr(row, field.attname)
        if value is not None and field.related_model is User:
            value = "you" if value == person.pk else "somebody else"
        elif value is not None and field.is_relation:
            value = str(getattr(row, field.name))
        values[field.name] = value
    return values


@transaction.atomic
def erase(person: User) -> str:
    """Erase all personal data of a user and return the pseudonym that replaces the user name.

    Judgements are kept under it; rows that belong only to the account are deleted: profile,
    addresses, keys, sessions, tokens, preferences. The account can no longer sign in. Raises
    NotErased for the last admin, because the site would have none.
    """
    _refuse_last_admin(person)
    addresses = _addresses(person)
    _end_sessions(person)
    for relation in _relations():
        if relation.on_delete is models.CASCADE:
            relation.related_model._base_manager.filter(**{relation.field.name: person}).delete()
    for source in _sources.values():
        source.erase(person)
    theirs = Q(used_by=person)
    for address in addresses:
        theirs |= Q(email__iexact=address)
    Invitation.objects.filter(theirs).update(email="")
    forget_letters_to(addresses)
    pseudonym = _new_pseudonym()
    person.groups.clear()
    person.user_permissions.clear()
    person.username = pseudonym
    person.first_name = person.last_name = person.email = ""
    person.is_active = person.is_staff = person.is_superuser = False
    person.last_login = None
    person.set_unusable_password()
    person.save()
    record(Act.ERASED, about=person, actor=person)
    return pseudonym


def erase_unused(before: datetime) -> int:
    """Erase the accounts, other than admins', without a sign-in since a time; return how many."""
    unused = User.objects.filter(is_active=True, is_staff=False, date_joined__lt=before)
    people = list(unused.filter(Q(last_login__lt=before) | Q(last_login=None)))
    for person in people:
        erase(person)
    return len(people)


def is_last_admin(person: User) -> bool:
    admins = User.objects.filter(is_active=True, is_staff=True, is_superuser=True)
    return person.is_staff and not admins.exclude(pk=person.pk).exists()


def _refuse_last_admin(person: User) -> None:
    # If two admins leave at once, the second waits for the first here.
    list(User.objects.select_for_update().filter(is_staff=True).order_by("pk"))
    if is_last_admin(person):
        raise NotErased(
            _("You are the only admin of this site. Invite another one first; then you can go.")
        )


def _addresses(person: User) -> set[str]:
    known = EmailAddress.objects.filter(user=person).values_list("email", flat=True)
    return {address for address in (*known, person.email) if address}


def _end_sessions(person: User) -> None:
    """Delete the user's sessions, including sign-ins that stopped before the second factor."""
    for session in Session.objects.iterator():
        kept = session.get_decoded()
        owners = {str(kept.get(key)) for key in _OWNER_KEYS}
        pending = kept.get("account_login") or {}
        owners.add(str(pending.get("user_pk")))
        if str(person.pk) in owners:
            session.delete()


def _new_pseudonym() -> str:
    while True:
        name = f"erased-{secrets.token_hex(4)}"
        if not User.objects.filter(username=name).exists():
            return name

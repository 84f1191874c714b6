"""Permissions over many rows: which rows a user may act on, by Django's authentication backends."""

from typing import Any, Protocol, TypeVar

from django.contrib.auth import get_backends
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Model, QuerySet

Person = User | AnonymousUser
_Row = TypeVar("_Row", bound=Model)


class _Narrows(Protocol):
    def permitted(self, person: Person, permission: str, rows: QuerySet[Any]) -> QuerySet[Any]: ...


def permitted(person: Person, permission: str, model: type[_Row]) -> QuerySet[_Row]:
    """Return the rows of a model for which ``person.has_perm(permission, row)`` holds.

    Django's backends check one row at a time; lists need all permitted rows in one query. Raises
    LookupError if no backend knows the permission.
    """
    for backend in get_backends():
        if hasattr(backend, "permitted"):
            narrowing: _Narrows = backend
            return narrowing.permitted(person, permission, model._default_manager.all())
    raise LookupError(f"no authentication backend narrows rows to {permission}")

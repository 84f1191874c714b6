"""Scopes of tokens. A token never allows more than its user's permissions."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from .errors import MissingScope

READ, LOAD, MANAGE, PROGRAM = "read", "load", "manage", "program"
SCOPES = {
    READ: _("Read what you may see: data, studies you follow, scores and reports"),
    LOAD: _("Load data and score protocols, if you are an admin"),
    MANAGE: _("Set up studies and keep reports, within your permissions"),
    PROGRAM: _("Let a program answer the pairs of studies you follow, and nothing else"),
}


class HasScope(BasePermission):
    """Permission for signed-in users, and for tokens with the required scope."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        scopes = getattr(request.auth, "scopes", None)
        # Requests without a token come from browsers; a method unknown to the view gets 405 later.
        method = request.method or ""
        if scopes is None or not hasattr(view, method.lower()):
            return True
        needed = view.scope_of(method)
        if needed not in scopes:
            raise MissingScope(needed)
        return True


def usual_scope(method: str, writing: str) -> str:
    return READ if method in SAFE_METHODS else writing

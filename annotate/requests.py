"""Shared parts of requests: the signed-in user, permissions, refusals, fields of forms, networks."""

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from ipaddress import IPv6Network, ip_address
from typing import Any, ClassVar, Final, TypeVar

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.core.files.uploadedfile import UploadedFile
from django.forms import BaseForm, BoundField, ClearableFileInput, FileField
from django.http import Http404, HttpRequest, HttpResponse

from annotate.errors import Refusal

# One subscriber may have all IPv6 addresses of this network. The account library counts by it, too.
_PREFIX_6: Final = 64
# Limits on the facts about the browser that a page sends.
_MAX_FACTS: Final = 40
_MAX_NAME: Final = 40


MayTakeFiles = Callable[..., bool]
_View = TypeVar("_View")


def takes_files(may_send: MayTakeFiles) -> Callable[[_View], _View]:
    """Mark a view, or a class of the API, whose requests may hold files.

    ``may_send`` is called with the sender and the view's arguments before the body is read; every
    other request is limited to `BODY_MAX_BYTES` (text_rankings/site/bodies.py).
    """

    def marked(view: _View) -> _View:
        view.may_take_files = staticmethod(may_send) if isinstance(view, type) else may_send  # type: ignore[attr-defined]
        return view

    return marked


def loads_data(person: User | AnonymousUser, **_: Any) -> bool:
    """Return whether a user may send files to load."""
    return person.has_perm("annotate.load_data")


class SignedInRequest(HttpRequest):
    """A request of a signed-in user; for annotations only, Django creates plain ones."""

    user: User


def require(person: User | AnonymousUser, permission: str) -> None:
    """Raise Http404 if the user does not have the permission: for them the page does not exist."""
    if not person.has_perm(permission):
        raise Http404


def wants_json(request: HttpRequest) -> bool:
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def refused_as_text(form: BaseForm) -> HttpResponse:
    """Return the errors of an invalid form as plain text, for requests of files."""
    return HttpResponse(form.errors.as_text(), status=422, content_type="text/plain; charset=utf-8")


def network_of(address: str) -> str:
    """Return the unit that limits count by: an IPv4 address, or the network of an IPv6 address."""
    try:
        is_6 = ip_address(address).version == 6
    except ValueError:
        return address
    return str(IPv6Network((address, _PREFIX_6), strict=False)) if is_6 else address


def short_texts(sent: str, *, n_value: int) -> dict[str, str]:
    """Return the object that a page sent as JSON, cut to short texts; empty for anything else."""
    pairs = list(json_object(sent).items())[:_MAX_FACTS]
    return {str(name)[:_MAX_NAME]: str(value)[:n_value] for name, value in pairs}


def json_object(sent: str) -> dict[str, Any]:
    """Return the object that a page sent as JSON; empty for anything else."""
    try:
        given = json.loads(sent or "{}")
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """Tell a refusal of what is done within as a message."""
    try:
        yield
    except Refusal as refusal:
        messages.error(request, str(refusal))


@contextmanager
def refusals_on(form: BaseForm, field: str | None = None) -> Iterator[None]:
    """Tell a refusal of what is done within next to a field of a form, or above the form."""
    try:
        yield
    except Refusal as refusal:
        form.add_error(field, str(refusal))


class _ManyFilesInput(ClearableFileInput):
    allow_multiple_selected = True


class ManyFiles(FileField):
    """Several files in one field; cleans to a list."""

    widget = _ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[bytes] | None]":
        files = data if isinstance(data, list | tuple) else [data]
        return [super(ManyFiles, self).clean(file, initial) for file in files or [None]]


class MainAndMore(BaseForm):
    """A form that folds its less common fields away unless one has an error."""

    MAIN: ClassVar[Collection[str]]

    @property
    def main(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name in self.MAIN]

    @property
    def more(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name not in self.MAIN]

    @property
    def more_is_wrong(self) -> bool:
        return any(field.errors for field in self.more)

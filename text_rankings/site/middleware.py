"""Middleware for every request: its address, a full disk, caching, and the language of files."""

import re
from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.core.exceptions import BadRequest
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_cache_control

from annotate.api.problems import ROOT, bad_request
from annotate.errors import NotThere, has_no_room, is_disk_full

# Addresses that end like a file's name.
_FILE: Final = re.compile(r"\.[a-z0-9]{2,6}(\.sha256)?$")
_DRAWING: Final = ".svg"
Answer = Callable[[HttpRequest], HttpResponseBase]


def readable_address(get_response: Answer) -> Answer:
    """Refuse an address with a NUL: nothing has one in its name, and PostgreSQL fails on it."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            return bad_request(request, BadRequest("An address with a NUL."))
        return get_response(request)

    return answer


class FullDisk:
    """Says that the disk is full, where pages would speak of a fault. The API says it by itself."""

    def __init__(self, get_response: Answer) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        # Limits count in the database: if nothing can be written, every user seems to have had too
        # many tries.
        if response.status_code == 429 and has_no_room():
            return _no_room(request)
        return response

    def process_exception(self, request: HttpRequest, fault: Exception) -> HttpResponse | None:
        if "attempt to write a readonly database" in str(fault):
            # SQLite opened the file while the disk was read-only and keeps that mode; the next
            # request reconnects.
            connection.close()
        return _no_room(request) if is_disk_full(fault) else None


class NotFound:
    """Answers 404 where a service finds no such row for this person."""

    def __init__(self, get_response: Answer) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, fault: Exception) -> None:
        if isinstance(fault, NotThere):
            raise Http404 from fault


def _no_room(request: HttpRequest) -> HttpResponse:
    return render(request, "507.html", status=507)


def private(get_response: Answer) -> Answer:
    """Keep what is made for one person out of caches that others share."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        session = getattr(request, "session", None)
        if session is not None and session.accessed and "Cache-Control" not in response:
            patch_cache_control(response, private=True)
        return response

    return answer


def english_for_programs(get_response: Answer) -> Answer:
    """Answer in English what papers and programs read, files and the API, whatever the reader's language.

    A drawing that a page shows says in its address which language the page is in.
    """

    def answer(request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        if _FILE.search(path) or (path.startswith(ROOT) and path != reverse("api:docs")):
            language = request.GET.get("language") if path.endswith(_DRAWING) else None
            # Not only until the view returns: a long file is written while it is sent.
            translation.activate(language if language in dict(settings.LANGUAGES) else "en")
        return get_response(request)

    return answer

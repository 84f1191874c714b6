"""Middleware for every request: addresses, compression, full disk, missing rows, caching, language."""

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final, cast

from django.core.exceptions import BadRequest
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_cache_control

from annotate.api.problems import ROOT, bad_request
from annotate.errors import NotThere, has_no_room, is_disk_full

# Addresses that end like a file's name.
_FILE: Final = re.compile(r"\.[a-z0-9]{2,6}(\.sha256)?$")
# Kinds of content that are compressed already.
_PACKED: Final = re.compile(r"image/(?!svg)|font/|application/(zip|pdf|gzip|octet-stream)")
# Views whose CSV people open in spreadsheets.
_FOR_PEOPLE: Final = re.compile(r"(reports|imports|recruiting):|\w+:selection_file")
Answer = Callable[[HttpRequest], HttpResponseBase]


def readable_address(get_response: Answer) -> Answer:
    """Refuse a URL with a NUL character: no name contains one, and PostgreSQL fails on it."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            return bad_request(request, BadRequest("An address with a NUL."))
        return get_response(request)

    return answer


class Compressed(GZipMiddleware):
    """Middleware that compresses what the site computes, and leaves photographs and archives as they are.

    Against BREACH Django adds a random length to each response, and masks CSRF tokens for each page.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if _PACKED.match(response.headers.get("Content-Type", "")):
            return response
        compressed: HttpResponseBase = super().process_response(request, response)
        return compressed


class FullDisk:
    """Middleware that reports a full disk instead of a server error. The API reports it itself."""

    def __init__(self, get_response: Answer) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        # Rate limits are counted in the database: if it cannot be written, every user seems to have
        # had too many tries.
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
    """Middleware that responds with 404 if a service finds no such row for this user."""

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
    """Keep pages made for one user out of shared caches."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        session = getattr(request, "session", None)
        if session is not None and session.accessed and "Cache-Control" not in response:
            patch_cache_control(response, private=True)
        return response

    return answer


def marked_for_spreadsheets(get_response: Answer) -> Answer:
    """Begin CSV of pages with a byte order mark, without which spreadsheets misread accents.

    Raw data, scores and the API are plain UTF-8, for programs.
    """

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        is_csv = response.headers.get("Content-Type", "").startswith("text/csv")
        if is_csv and _FOR_PEOPLE.match(getattr(request.resolver_match, "view_name", "")):
            if isinstance(response, StreamingHttpResponse):
                # Views use synchronous iterators only.
                pieces = cast("Iterator[bytes]", response.streaming_content)
                response.streaming_content = chain([BOM_UTF8], pieces)
            elif isinstance(response, HttpResponse) and not response.content.isascii():
                response.content = BOM_UTF8 + response.content
        return response

    return answer


def english_for_programs(get_response: Answer) -> Answer:
    """Respond in English for files and the API, which papers and programs read."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        if _FILE.search(path) or (path.startswith(ROOT) and request.path != reverse("api:docs")):
            # Not reset when the view returns: a long file is written while it is sent.
            translation.activate("en")
        return get_response(request)

    return answer

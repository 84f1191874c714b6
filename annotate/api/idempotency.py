"""Idempotency keys: a creating request sent again under its key is executed only once."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import wraps
from hashlib import sha256
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import QueryDict
from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from .errors import KeyReused
from .models import GivenAnswer

HEADER = "Idempotency-Key"
KEPT_FOR = timedelta(hours=24)
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
View = Callable[..., Response]


def idempotent(view: View) -> View:
    """Repeat the first response to the same request under the same key.

    The key is stored in the transaction that does the work: a request with the same key waits until
    the first one ends, and a failed request leaves nothing behind and may be retried under the
    same key.
    """

    @wraps(view)
    def once(self: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get(HEADER)
        if key is None:
            return view(self, request, *args, **kwargs)
        if not _KEY.fullmatch(key):
            raise ValidationError({HEADER: "1 to 255 visible characters of ASCII."})
        digest = _digest(request)
        GivenAnswer.objects.filter(created__lt=timezone.now() - KEPT_FOR).delete()
        with transaction.atomic():
            given, is_new = GivenAnswer.objects.get_or_create(
                person_id=request.user.pk, key=key, defaults={"request_sha256": digest}
            )
            if is_new:
                response = view(self, request, *args, **kwargs)
                given.status = response.status_code
                given.body = JSONRenderer().render(response.data).decode()
                given.location = response.get("Location", "")
                given.save(update_fields=["status", "body", "location"])
                return response
        if given.request_sha256 != digest:
            raise KeyReused
        headers = {"Idempotency-Replayed": "true"}
        if given.location:
            headers["Location"] = given.location
        return Response(json.loads(given.body or "null"), given.status, headers=headers)

    # The API schema reads this attribute.
    once.is_idempotent = True  # type: ignore[attr-defined]
    return once


def _digest(request: Request) -> str:
    digest = sha256()
    for piece in (
        (request.method or "").encode(),
        request.get_full_path().encode(),
        *_pieces(request),
    ):
        digest.update(sha256(piece).digest())
    return digest.hexdigest()


def _pieces(request: Request) -> Iterator[bytes]:
    if not isinstance(request.data, QueryDict):
        yield json.dumps(request.data, sort_keys=True).encode()
        return
    for name, values in sorted(request.data.lists()):
        value: str | UploadedFile[bytes]
        for value in values:
            yield name.encode()
            if isinstance(value, UploadedFile):
                yield (value.name or "").encode()
                of_file = sha256()
                for chunk in value.chunks():
                    of_file.update(chunk)
                value.seek(0)
                yield of_file.digest()
            else:
                yield value.encode()

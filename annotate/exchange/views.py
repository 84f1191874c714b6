"""Pages that hand out a study's data: raw data table by table, and the whole study as a bundle."""

import tempfile
from collections.abc import Callable
from typing import IO

from django.contrib.auth.decorators import login_required
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.studies.views import followed

from . import raw
from .bundles.writing import NotExported, write_bundle
from .columns import TABLES


@login_required
@require_safe
def raw_data(request: HttpRequest, slug: str) -> HttpResponse:
    """The files of raw data, and the meaning of every column."""
    context = {
        "study": followed(request, slug),
        "files": raw.FILES,
        "tables": [(name.capitalize(), columns) for name, columns in TABLES.items()],
        "with_names": _asked(request, "names"),
    }
    return render(request, "reports/raw.html", context)


@never_cache
@login_required
@require_safe
def raw_file(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """One table while it is read, or its checksum."""
    study = followed(request, slug)
    with_names = _asked(request, "names")
    table = name.removesuffix(".sha256")
    if table not in raw.FILES:
        raise Http404
    if table != name:
        line = raw.checksum(study, table, names=with_names)
        return HttpResponse(line, content_type="text/plain; charset=utf-8")
    return StreamingHttpResponse(
        raw.content(study, name, names=with_names),
        content_type=raw.FILES[name].content_type,
        headers={"Content-Disposition": f'attachment; filename="{study.slug}-{name}"'},
    )


@never_cache
@login_required
@require_safe
def raw_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    study = followed(request, slug)
    with_names = _asked(request, "names")

    def write(stream: IO[bytes]) -> None:
        raw.write_zip(study, stream, names=with_names)

    return _zip(write, f"{study.slug}-raw.zip")


@never_cache
@login_required
@require_safe
def bundle(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The whole study for another site or an archive."""
    study = followed(request, slug)
    photographs, names = _asked(request, "images"), _asked(request, "names")

    def write(stream: IO[bytes]) -> None:
        write_bundle(study, stream, photographs=photographs, names=names)

    try:
        return _zip(write, f"{study.slug}.zip")
    except NotExported as refusal:
        return HttpResponse(str(refusal), status=409, content_type="text/plain; charset=utf-8")


def _zip(write: Callable[[IO[bytes]], None], name: str) -> FileResponse:
    """Send a zip once it is whole: what fails on the way is an error, not half a file."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 -- the response closes it
    try:
        write(file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


def _asked(request: HttpRequest, what: str) -> bool:
    return request.GET.get(what) == "yes"

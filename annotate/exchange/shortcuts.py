"""Responses that send tables as files, for pages and the API."""

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.http import Http404, StreamingHttpResponse

from annotate.datasets.models import Dataset
from annotate.studies.models import Study

from . import own_answers, raw
from .scores import scores_of


def table_response(pieces: Iterable[bytes | str], name: str) -> StreamingHttpResponse:
    """Send a table in pieces as a file of this name, whose extension determines the type."""
    _write, content_type = raw.WRITERS[name.rpartition(".")[2]]
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(pieces, content_type=content_type, headers=headers)


def own_answers_response(study: Study, annotator: User, extension: str) -> StreamingHttpResponse:
    """Send all of an annotator's answers in a study as a table; 404 for an unknown extension."""
    if extension not in raw.WRITERS:
        raise Http404
    write, _content_type = raw.WRITERS[extension]
    pieces = write(own_answers.COLUMNS, own_answers.own_answers(study, annotator))
    return table_response(pieces, f"{study.slug}-own-answers.{extension}")


def scores_response(dataset: Dataset, protocol: str) -> StreamingHttpResponse:
    """Send every score of a dataset, or those of one run; raises TooLarge."""
    return table_response(scores_of(dataset, protocol), f"{dataset.slug}-scores.csv")

"""The response that sends annotators their own answers as a file, for the page and the API."""

from django.contrib.auth.models import User
from django.http import Http404, HttpResponseBase, StreamingHttpResponse

from annotate.studies.models import Study

from . import own_answers


def own_answers_response(study: Study, annotator: User, extension: str) -> HttpResponseBase:
    """Send all of an annotator's answers in a study as a table; 404 for an unknown extension."""
    if extension not in own_answers.WRITERS:
        raise Http404
    write, content_type = own_answers.WRITERS[extension]
    return StreamingHttpResponse(
        write(own_answers.COLUMNS, own_answers.own_answers(study, annotator)),
        content_type=content_type,
        headers={
            "Content-Disposition": f'attachment; filename="{study.slug}-own-answers.{extension}"'
        },
    )

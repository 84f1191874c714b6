"""Downloads: a study's raw data, bundle and an annotator's own answers, and a dataset's files."""

from django.contrib.auth.decorators import login_required
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate.access import permitted
from annotate.datasets.models import Dataset
from annotate.jobs.shortcuts import go_to
from annotate.reports.errors import TooLarge
from annotate.reports.shortcuts import offered_as_work
from annotate.requests import SignedInRequest
from annotate.studies.models import Study
from annotate.studies.shortcuts import followed

from . import raw, work
from .columns import TABLES
from .shortcuts import own_answers_response


@login_required
@require_safe
def raw_data(request: HttpRequest, slug: str) -> HttpResponse:
    """List the files of raw data, and the meaning of every column."""
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
    """Stream one table, or send its checksum."""
    study = followed(request, slug)
    with_names = _asked(request, "names")
    table = name.removesuffix(".sha256")
    if table not in raw.FILES:
        raise Http404
    try:
        raw.require_small(study)
    except TooLarge as refusal:
        return offered_as_work(refusal)
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
def own_answers_file(request: SignedInRequest, slug: str, kind: str) -> HttpResponseBase:
    """Send an annotator's own answers in a study."""
    study = get_object_or_404(permitted(request.user, "annotate.judge_study", Study), slug=slug)
    return own_answers_response(study, request.user, kind)


@login_required
@require_POST
def raw_zip(request: SignedInRequest, slug: str) -> HttpResponse:
    """Start writing all tables into one zip."""
    study = followed(request, slug)
    names = request.POST.get("names") == "yes"
    return go_to(work.start_raw(study=study, names=names, person=request.user))


@login_required
@require_POST
def bundle(request: SignedInRequest, slug: str) -> HttpResponse:
    """Start writing the whole study for another site or an archive."""
    study = followed(request, slug)
    photographs, names = (request.POST.get(what) == "yes" for what in ("images", "names"))
    job = work.start_bundle(study=study, photographs=photographs, names=names, person=request.user)
    return go_to(job)


@login_required
@require_POST
def truth_file(request: SignedInRequest, slug: str, extension: str) -> HttpResponse:
    """Start writing a dataset's ground truth as a file."""
    dataset = _dataset(request, slug)
    return go_to(work.start_truth(dataset=dataset, extension=extension, person=request.user))


@login_required
@require_POST
def photographs_file(request: SignedInRequest, slug: str) -> HttpResponse:
    """Start writing a dataset's photographs as a file."""
    return go_to(work.start_photographs(dataset=_dataset(request, slug), person=request.user))


@login_required
@require_POST
def results_file(request: SignedInRequest, slug: str, method: str, extension: str) -> HttpResponse:
    """Start writing the results of a method as a file."""
    of = get_object_or_404(_dataset(request, slug).methods.select_related("dataset"), slug=method)
    return go_to(work.start_results(method=of, extension=extension, person=request.user))


@login_required
@require_POST
def causes_file(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Start writing the reasons regions are unmatched in a run."""
    run = get_object_or_404(_dataset(request, slug).runs.all(), pk=pk)
    if not run.has_causes:
        raise Http404
    return go_to(work.start_causes(run=run, person=request.user))


def _dataset(request: SignedInRequest, slug: str) -> Dataset:
    return get_object_or_404(permitted(request.user, "annotate.see_dataset", Dataset), slug=slug)


def _asked(request: HttpRequest, what: str) -> bool:
    return request.GET.get(what) == "yes"

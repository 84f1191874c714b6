"""Downloads: a study's raw data, bundle and an annotator's own answers, and a dataset's files."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.csv_tables import as_csv
from annotate.datasets.models import Dataset, Image
from annotate.datasets.selections import rows_of
from annotate.datasets.shortcuts import seen_dataset
from annotate.jobs.shortcuts import go_to
from annotate.judging.shortcuts import judged
from annotate.reports.errors import TooLarge
from annotate.reports.shortcuts import offered_as_work
from annotate.requests import SignedInRequest, loads_data, refusals_on, require, takes_files
from annotate.studies.models import Study
from annotate.studies.shortcuts import followed

from . import elsewhere, raw, work
from .columns import COLUMNS, TABLES
from .forms import AnswersForm
from .shortcuts import own_answers_response, scores_response, table_response


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
    return table_response(raw.content(study, name, names=with_names), f"{study.slug}-{name}")


@never_cache
@login_required
@require_safe
def own_answers_file(request: SignedInRequest, slug: str, kind: str) -> HttpResponseBase:
    """Send an annotator's own answers in a study."""
    return own_answers_response(judged(request, slug=slug), request.user, kind)


@login_required
@require_POST
def raw_zip(request: SignedInRequest, slug: str) -> HttpResponse:
    """Start writing all tables into one zip."""
    study = followed(request, slug)
    names = request.POST.get("names") == "yes"
    return go_to(work.start(work.RAW, study, names=names, person=request.user))


@login_required
@require_POST
def bundle(request: SignedInRequest, slug: str) -> HttpResponse:
    """Start writing the whole study for another site or an archive."""
    study = followed(request, slug)
    photographs, names = (request.POST.get(what) == "yes" for what in ("images", "names"))
    asked = {"photographs": photographs, "names": names}
    return go_to(work.start(work.BUNDLE, study, person=request.user, **asked))


@login_required
@require_POST
def truth_file(request: SignedInRequest, slug: str, extension: str) -> HttpResponse:
    """Start writing a dataset's ground truth as a file."""
    dataset = seen_dataset(request, slug)
    return go_to(work.start(work.TRUTH, dataset, extension=extension, person=request.user))


@login_required
@require_POST
def photographs_file(request: SignedInRequest, slug: str) -> HttpResponse:
    """Start writing a dataset's photographs as a file."""
    dataset = seen_dataset(request, slug)
    return go_to(work.start(work.PHOTOGRAPHS, dataset, person=request.user))


@login_required
@require_POST
def results_file(request: SignedInRequest, slug: str, method: str, extension: str) -> HttpResponse:
    """Start writing the results of a method as a file."""
    of = get_object_or_404(
        seen_dataset(request, slug).methods.select_related("dataset"), slug=method
    )
    return go_to(work.start(work.RESULTS, of, extension=extension, person=request.user))


@login_required
@require_safe
def scores_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Stream every score of a dataset: method, protocol and image."""
    dataset = seen_dataset(request, slug)
    try:
        return scores_response(dataset, request.GET.get("protocol", ""))
    except TooLarge as refusal:
        return offered_as_work(refusal)


@login_required
@require_safe
def selection_file(request: HttpRequest, slug: str, pk: int, kind: str) -> HttpResponseBase:
    """Send the names of a selection's images, one a line, or a table of them."""
    dataset = seen_dataset(request, slug)
    selection = get_object_or_404(dataset.selections.all(), pk=pk)
    name = f"{dataset.slug}-selection-{pk}.{kind}"
    if kind == "csv":
        return table_response(as_csv(COLUMNS["selections"], rows_of(selection)), name)
    images = Image.objects.filter(selections=selection).in_order()
    lines = "".join(f"{image}\n" for image in images.values_list("name", flat=True))
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(lines, content_type="text/plain; charset=utf-8", headers=headers)


@login_required
@require_POST
def causes_file(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Start writing the reasons regions are unmatched in a run."""
    run = get_object_or_404(seen_dataset(request, slug).runs.all(), pk=pk)
    if not run.has_causes:
        raise Http404
    return go_to(work.start(work.CAUSES, run, person=request.user))


@takes_files(loads_data)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def answers_from_elsewhere(request: SignedInRequest, slug: str) -> HttpResponse:
    """Check a file of pairs that another tool collected, and make a closed study of it."""
    require(request.user, "annotate.load_data")
    dataset = seen_dataset(request, slug)
    form = AnswersForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"dataset": dataset, "form": form}
    if form.is_valid():
        with refusals_on(form, "file"):
            study, context["notes"], remarks = _load_answers(dataset, form.cleaned_data)
            if study is not None:
                messages.success(request, _("The answers are loaded as a closed study."))
                for remark in remarks:
                    messages.warning(request, remark)
                return redirect("studies:detail", slug=study.slug)
    status = 422 if form.is_bound else 200
    return render(request, "imports/answers.html", context, status=status)


def _load_answers(
    dataset: Dataset, given: Mapping[str, Any]
) -> tuple[Study | None, Sequence[str], Sequence[str]]:
    """Load answers, or return the sentences on those that would be left out; and further remarks."""
    with NamedTemporaryFile(suffix=Path(given["file"].name).suffix.lower()) as copy:
        digest = sha256()
        for chunk in given["file"].chunks():
            digest.update(chunk)
            copy.write(chunk)
        copy.flush()
        answers, notes, remarks = elsewhere.read_answers(
            copy.name, dataset=dataset, criterion=given["criterion"], codes=given["codes"]
        )
    if notes and not given["leave_out"]:
        return None, notes, remarks
    file = {"sha256": digest.hexdigest(), "left_out": len(notes)}
    name = given["name"]
    study = elsewhere.load_answers(dataset=dataset, name=name, answers=answers, file=file)
    return study, notes, remarks


def _asked(request: HttpRequest, what: str) -> bool:
    return request.GET.get(what) == "yes"

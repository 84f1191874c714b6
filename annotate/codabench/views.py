"""Pages of a dataset's competition on Codabench, and of what its organiser downloads there."""

import io
import json
from typing import Any, Final

from django.conf import settings as site
from django.contrib.auth.decorators import login_required
from django.forms import formset_factory
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from annotate.datasets.models import Dataset
from annotate.datasets.shortcuts import seen_dataset
from annotate.imports.errors import NotLoaded
from annotate.jobs import files as job_files
from annotate.jobs.models import Job
from annotate.jobs.shortcuts import go_to
from annotate.requests import SignedInRequest, loads_data, refusals_on, require, takes_files
from protocols.codabench.values import FILES, SettingsError, read_yaml, write_yaml

from . import downloads, work
from .forms import BaseChoices, ChoiceForm, CompetitionForm, DownloadsForm
from .loading import loaded_before

# A form of more fields is refused.
_MOST_LISTED: Final = 400


def _own(request: SignedInRequest, slug: str) -> Dataset:
    require(request.user, "annotate.load_data")
    return seen_dataset(request, slug)


@takes_files(loads_data)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def competition(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the settings of a competition; when posted, check them, or write its files."""
    dataset = _own(request, slug)
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = CompetitionForm(*sent, initial=_initial(request, dataset))
    context: dict[str, Any] = {"dataset": dataset, "form": form}
    context["has_wheels"] = site.CODABENCH_WHEELS is not None
    if sent and form.is_valid():
        content = form.content()
        file = form.main.cleaned_data.get("image")
        picture = file.read() if file else b""
        try:
            settings, context["warnings"] = work.write_competition(
                dataset, content, io.BytesIO(), picture=picture or None, is_trial=True
            )
        except SettingsError as refusal:
            form.add_error(refusal)
        else:
            if "settings" in request.POST:
                sent_as = f'attachment; filename="{dataset.slug}-codabench.yaml"'
                headers = {"Content-Disposition": sent_as, "Content-Type": "application/yaml"}
                return HttpResponse(write_yaml(content), headers=headers)
            if "bundle" in request.POST:
                job = work.start_write(
                    dataset=dataset, content=content, picture=picture, person=request.user
                )
                return go_to(job)
            form.show_utc(settings)
            return render(request, "codabench/competition.html", context)
    status = 422 if sent else 200
    return render(request, "codabench/competition.html", context, status=status)


def _initial(request: SignedInRequest, dataset: Dataset) -> dict[str, Any]:
    """Return the shell's example with what the dataset says; times are left to the organiser."""
    example: dict[str, Any] = read_yaml(
        (FILES / "example.yaml").read_text(encoding="utf-8"), "example.yaml"
    )
    protocols = [{"protocol": of} if isinstance(of, str) else of for of in example["protocols"]]
    phases = [
        of | {"start": "", "end": "", "images": json.dumps(of["images"]).strip('"')}
        for of in example["phases"]
    ]
    own = {
        "title": dataset.name,
        "overview": dataset.provenance,
        "terms": dataset.licence,
        "contact_email": request.user.email,
        "format": dataset.line_format,
    }
    return example | own | {"protocols": protocols, "phases": phases}


@takes_files(loads_data)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def load(request: SignedInRequest, slug: str) -> HttpResponse:
    """Take the downloads; nothing is loaded before their preview is confirmed."""
    dataset = _own(request, slug)
    form = DownloadsForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        given = form.cleaned_data
        with refusals_on(form):
            download = downloads.receive(
                dataset,
                [(of.name, of) for of in given["submissions"]],
                results=_named(given["results"]),
                bundle=_named(given["bundle"]),
            )
            return redirect("codabench:preview", slug, download.folder.name)
    status = 422 if request.method == "POST" else 200
    return render(request, "codabench/load.html", {"dataset": dataset, "form": form}, status=status)


def _named(file: Any) -> downloads.File | None:
    return (file.name, file) if file else None


@login_required
@require_http_methods(["GET", "POST"])
def preview(request: SignedInRequest, slug: str, token: str) -> HttpResponse:
    """Show the submissions and why they count; when posted, load those that are ticked."""
    dataset = _own(request, slug)
    try:
        download = downloads.Download.of(dataset, token)
    except NotLoaded as gone:
        raise Http404 from gone
    if "discard" in request.POST:
        download.forget()
        return redirect("codabench:load", slug)
    # Those that count first: a form holds so many.
    listed = sorted(download.submissions, key=lambda of: not of.reason)[:_MOST_LISTED]
    initial = [{"take": of.reason and not of.fault, "method": of.method} for of in listed]
    choices = formset_factory(ChoiceForm, BaseChoices, extra=0)(
        request.POST or None, initial=initial
    )
    if request.method == "POST" and choices.is_valid():
        named = zip(listed, choices.cleaned_data, strict=True)
        chosen = {of.key: said["method"] for of, said in named if said["take"]}
        job = work.start_load(
            dataset=dataset, download=download, chosen=chosen, person=request.user
        )
        return go_to(job)
    before = loaded_before(dataset)
    known = [before.get(of.sha256, [""])[0] for of in listed]
    context = {
        "dataset": dataset,
        "n_images": dataset.images.count(),
        "choices": choices,
        "rows": list(zip(listed, choices, known, strict=True)),
        "download": download,
        "n_left_out": len(download.submissions) - len(listed),
        "manage": site.MANAGE,
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "codabench/preview.html", context, status=status)


@login_required
@require_safe
def loaded(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Show the outcomes of a load, which are kept as long as its file."""
    dataset = _own(request, slug)
    job = get_object_or_404(Job, pk=pk, kind=work.LOAD, arguments__dataset=dataset.pk)
    path = job_files.given_to(request.user, job)
    if path is None:
        raise Http404
    rows = json.loads(path.read_text(encoding="utf-8"))
    names = [row["method"] for row in rows if row["method"]]
    study = f"{reverse('setup:begin', args=[slug])}?{urlencode({'method': names}, doseq=True)}"
    context = {"dataset": dataset, "job": job, "rows": rows}
    context["study"] = study if len(names) > 1 else ""
    return render(request, "codabench/loaded.html", context)

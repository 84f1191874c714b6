"""Pages of long work: one job, and all of them."""

from typing import Final

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate.datasets.models import Dataset
from annotate.requests import SignedInRequest, refusals_told

from . import files, services, workers
from .access import may_have, visible_to
from .models import Job
from .registry import needed_for
from .shortcuts import file_response, go_to, told

_PAGE = 50


def _job(request: SignedInRequest, pk: int) -> Job:
    return get_object_or_404(visible_to(request.user), pk=pk)


@never_cache
@login_required
@require_safe
def work(request: SignedInRequest) -> HttpResponse:
    """Show the user's jobs; for an admin, all jobs."""
    visible, alive = visible_to(request.user), workers.alive()
    ended = visible.exclude(state__in=Job.OPEN).order_by("-created", "-pk")
    context = {
        "open": list(visible.open()),
        "ended": Paginator(ended, _PAGE).get_page(request.GET.get("page")),
        "workers": alive,
        "worker_names": _("; ").join(worker.name for worker in alive),
        "silence": workers.silence(),
        "is_admin": request.user.has_perm("annotate.load_data"),
    }
    services.mark_all_seen(person=request.user)
    return render(request, "jobs/work.html", context)


@never_cache
@login_required
@require_safe
def job(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show one job: its progress or its result; ``?as=json`` is for the page's script."""
    job = _job(request, pk)
    if request.GET.get("as") == "json":
        return JsonResponse(told(request, job))
    if job.person_id == request.user.pk:
        services.mark_seen(job=job)
    context = {
        "job": job,
        "silence": workers.silence() if job.is_open else None,
        "has_file": files.path_of(job) is not None,
        "has_lost_access": (
            job.person_id is not None and not may_have(request.user, job.kind, job.arguments)
        ),
        "kept_days": files.KEPT_FOR.days,
        "may_be_repeated": services.is_repeatable(job),
        "asked_from": _asked_from(job),
    }
    return render(request, "jobs/job.html", context)


_PAGES: Final = {
    "dataset": "datasets:detail",
    "study": "studies:detail",
}


def _asked_from(job: Job) -> tuple[str, str] | None:
    """Return the name and the page of the dataset or study of a job, if it has one."""
    needed = needed_for(job.kind)
    rows = (
        needed.row(job.arguments)
        if needed and needed.row
        else Dataset.objects.filter(pk=job.arguments.get("dataset"))
    )
    row = rows.first()
    if row is None:
        return None
    return str(row), reverse(_PAGES[str(row._meta.model_name)], args=[row.slug])


@never_cache
@login_required
@require_safe
def file(request: SignedInRequest, pk: int) -> HttpResponseBase:
    """Send a job's file to a user who still has the permission that the job needs."""
    return file_response(request.user, _job(request, pk))


@login_required
@require_POST
def cancel(request: SignedInRequest, pk: int) -> HttpResponse:
    services.cancel(job=_job(request, pk))
    return redirect("jobs:job", pk)


@login_required
@require_POST
def again(request: SignedInRequest, pk: int) -> HttpResponse:
    with refusals_told(request):
        return go_to(services.again(job=_job(request, pk), person=request.user))
    return redirect("jobs:job", pk)


@login_required
@require_POST
def mail(request: SignedInRequest, pk: int) -> HttpResponse:
    services.ask_for_mail(job=_job(request, pk))
    return redirect("jobs:job", pk)

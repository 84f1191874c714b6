"""Pages of the audit log: of the whole site for admins, of a study for users who follow it."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.audit.models import AuditEntry, AuditQuerySet
from annotate.requests import SignedInRequest, require
from annotate.studies.shortcuts import followed

from .forms import LogForm

_PER_PAGE = 50


@login_required
@require_safe
def log(request: SignedInRequest) -> HttpResponse:
    require(request.user, "annotate.manage_people")
    return _page(request, AuditEntry.objects.all(), {})


@login_required
@require_safe
def study_log(request: SignedInRequest, slug: str) -> HttpResponse:
    study = followed(request, slug)
    return _page(request, AuditEntry.objects.filter(study=study), {"study": study})


def _page(request: HttpRequest, entries: AuditQuerySet, context: dict[str, Any]) -> HttpResponse:
    form = LogForm(request.GET)
    # One extra entry shows whether there are older ones, without a count query.
    chosen = list(form.chosen(entries).with_names()[: _PER_PAGE + 1])
    shown = chosen[:_PER_PAGE]
    context |= {
        "form": form,
        "entries": shown,
        "older_than": shown[-1].pk if len(chosen) > _PER_PAGE else None,
        "is_filtered": any(request.GET.get(name) for name in form.fields),
    }
    return render(request, "dashboard/log.html", context)

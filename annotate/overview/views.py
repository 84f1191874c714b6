"""The start page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.access import permitted
from annotate.judging.sharing import own_progress
from annotate.studies.models import Study


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return render(request, "studies/welcome.html")
    to_judge = permitted(request.user, "annotate.judge_study", Study)
    context = {
        "to_judge": own_progress(to_judge, request.user),
        "to_follow": permitted(request.user, "annotate.follow_study", Study).select_related(
            "dataset"
        ),
    }
    return render(request, "studies/home.html", context)

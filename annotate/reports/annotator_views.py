"""The page about a study's annotators."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from rankings.elicitation import CRITERIA

from . import annotators_page as page
from .image_views import followed, kept
from .raw import names_of, pseudonyms


@login_required
@require_safe
def annotators(request: HttpRequest, slug: str) -> HttpResponse:
    study = followed(request, slug)
    hides_names = request.GET.get("pseudonyms", "") not in ("", "0")
    key_of = pseudonyms(study)
    shown = key_of if hides_names else names_of(study, real=True)
    people = page.annotators_page(
        study=study, names={person: (key_of[person], shown[person]) for person in key_of}
    )
    asked = request.GET.get("annotator")
    chosen = next((one for one in people if one.key == asked), None)
    if asked and chosen is None:
        raise Http404
    context: dict[str, Any] = {
        "study": study,
        "people": people,
        "chosen": chosen,
        "hides_names": hides_names,
        "criteria": CRITERIA,
        "kept": kept(request),
        "rules": {
            "low": 100 * page.SIDE_LOW,
            "high": 100 * page.SIDE_HIGH,
            "deviations": page.FAR_DEVIATIONS,
            "least": page.FAR_LEAST,
            "others": page.FAR_OTHERS,
        },
    }
    return render(request, "reports/annotators.html", context)

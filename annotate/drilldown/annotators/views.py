"""The page about a study's annotators, and the decision whether an annotator's rankings count."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotate.access import permitted
from annotate.jobs.shortcuts import go_to
from annotate.reports import background_counts
from annotate.requests import SignedInRequest
from annotate.studies import exclusions
from annotate.studies.errors import StudyRefused
from annotate.studies.models import Study
from annotate.studies.pseudonyms import keys_and_names, pseudonyms
from annotate.studies.shortcuts import followed
from rankings.agreement.report import Settings
from rankings.consensus.rules import CONSENSUS_METHODS, ConsensusMethod
from rankings.elicitation.error_rate import Mistakes
from rankings.elicitation.log import CRITERIA

from ..links import asks
from . import page, presentation
from .answers import SIDE_HIGH, SIDE_LOW
from .forms import ExclusionForm

_IMAGES_PER_PAGE: Final = 50


@login_required
@require_safe
def annotators(request: HttpRequest, slug: str) -> HttpResponse:
    study = followed(request, slug)
    return _page(request, study, request.GET.get("annotator"), ExclusionForm())


@login_required
@require_POST
def count(request: SignedInRequest, slug: str) -> HttpResponse:
    """Start counting the work of a large study's annotators."""
    study = followed(request, slug)
    consensus = _consensus_of(request.POST)
    return go_to(
        background_counts.count(
            study, background_counts.ANNOTATORS, person=request.user, consensus=consensus
        )
    )


@login_required
@require_POST
def decide(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """Exclude an annotator from the reports, or include them again."""
    study = get_object_or_404(permitted(request.user, "annotate.curate_study", Study), slug=slug)
    person = next((pk for pk, name in pseudonyms(study).items() if name == key), None)
    form = ExclusionForm(request.POST)
    if person is None:
        raise Http404
    if not form.is_valid():
        return _page(request, study, key, form, status=422)
    try:
        made = exclusions.decide(
            study=study, person=User.objects.get(pk=person), by=request.user, **form.cleaned_data
        )
    except StudyRefused as refusal:
        form.add_error(None, str(refusal))
        return _page(request, study, key, form, status=422)
    if background_counts.is_large(study):
        # The set of other annotators, with whom each one is compared, has changed.
        consensus = _consensus_of(request.GET)
        background_counts.count(
            study, background_counts.ANNOTATORS, person=request.user, consensus=consensus
        )
    messages.success(
        request,
        _("Left out: reports are now made without these rankings, and say so. Kept reports stay.")
        if made.is_excluded
        else _("Counted: reports are made with these rankings again. Kept reports stay."),
    )
    query = request.GET.copy()
    query["annotator"] = key
    return redirect(
        f"{reverse('evidence:annotators', args=[study.slug])}?{query.urlencode()}#person"
    )


def _page(
    request: HttpRequest, study: Study, asked: str | None, form: ExclusionForm, status: int = 200
) -> HttpResponse:
    hides_names = asks(request, "pseudonyms")
    names = keys_and_names(study, real=not hides_names)
    consensus = _consensus_of(request.GET)
    is_large, counted = background_counts.is_large(study), None
    excluded = exclusions.left_out(study)
    if is_large:
        counted = background_counts.last(study, background_counts.ANNOTATORS, consensus=consensus)
        totals = counted.value if counted else {}
    else:
        totals = page.totals_of(study, excluded, consensus)
    people = page.annotators_page(study=study, names=names, totals=totals, excluded=excluded)
    chosen = next((annotator for annotator in people if annotator.key == asked), None)
    if asked and chosen is None:
        raise Http404
    links = presentation.Links(study, request.GET, hides_names)
    decisions = [
        (row, *names[row.person_id][::-1], _who(row.created_by, names))
        for row in study.exclusions.select_related("created_by").order_by("-created", "-pk")
    ]
    is_counted = not is_large or counted is not None
    context: dict[str, Any] = {
        "study": study,
        "people": people,
        "chosen": chosen,
        **(_images(study, names, chosen, links, consensus) if chosen else {}),
        "is_large": is_large,
        "counted_at": counted.at if counted else None,
        "mistakes": presentation.said_of_mistakes(
            sum((one.work.mistakes for one in people if one.left_out is None), Mistakes())
        ),
        "is_counted": is_counted,
        "hides_names": hides_names,
        "other_names": links.changed(pseudonyms=None if hides_names else "1"),
        "criteria": CRITERIA,
        "consensus": consensus,
        "consensuses": presentation.said_of_consensus(consensus, links),
        "form": form,
        "decisions": decisions,
        "decisions_table": presentation.decisions_table(decisions, links),
        "rules": {
            "low": f"{100 * SIDE_LOW:.0f}",
            "high": f"{100 * SIDE_HIGH:.0f}",
            "deviations": page.FAR_DEVIATIONS,
            "least": page.FAR_LEAST,
            "others": page.FAR_OTHERS,
        },
    }
    if is_counted:
        context |= {
            "work": presentation.work_table(people, links),
            "sides": presentation.sides_rows(people, links),
            "seen": presentation.seen_table(people, links),
        }
    return render(request, "reports/annotators.html", context, status=status)


def _images(
    study: Study,
    names: Mapping[int, tuple[str, str]],
    chosen: page.Annotator,
    links: presentation.Links,
    consensus: ConsensusMethod,
) -> dict[str, Any]:
    """Return a page of the images that an annotator has started."""
    person = next(person for person, (key, _) in names.items() if key == chosen.key)
    begun = study.assignments.filter(annotator=person).select_related("image").defer("image__truth")
    shown = Paginator(begun.order_by("image__position", "image"), _IMAGES_PER_PAGE).get_page(
        links.asked.get("page")
    )
    images = page.images_of(study, shown, consensus)
    return {
        "page": shown,
        "errors": presentation.said_of_errors(chosen.work, chosen.error),
        "images": images,
        "images_table": presentation.images_table(images, chosen.key, links),
        "image_sides": presentation.image_sides_table(images, chosen.key, links),
    }


def _consensus_of(asked: QueryDict) -> ConsensusMethod:
    """Return the consensus method of the report that linked here; otherwise the default."""
    return next(
        (name for name in CONSENSUS_METHODS if name == asked.get("consensus")), Settings().consensus
    )


def _who(person: User | None, names: Mapping[int, tuple[str, str]]) -> str:
    """Return the displayed name of the decider; an admin need not be a member of the study."""
    if person is None:
        return _("another site")
    return names[person.pk][1] if person.pk in names else _("an admin")

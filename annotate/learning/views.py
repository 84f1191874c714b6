"""Pages of the first visit; each can be reopened from the help of the comparison page."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.accounts.models import Preferences
from annotate.errors import CHOOSE_A_VERDICT
from annotate.guide.markdown import own_words
from annotate.judging import services as judging
from annotate.judging.shortcuts import judged, refused
from annotate.requests import SignedInRequest
from annotate.studies.models import Study

from . import presentation as screens
from . import selectors, services
from .forms import ConsentForm, PracticeForm
from .models import FirstVisit
from .pairs import CARDS, EXERCISES, NEEDED, PAIRS_IN_A_ROUND, ROUNDS, SMALL_TEXT
from .shortcuts import ROUND, are_complete, has_practised, short_answers, short_lesson

Visit = FirstVisit | None
View = Callable[..., HttpResponse]


def _of_a_study(view: View) -> View:
    """Find the annotator's open study, and require consent for all pages but the welcome."""

    @wraps(view)
    def checked(request: SignedInRequest, slug: str, **kwargs: Any) -> HttpResponse:
        study = judged(request, slug=slug)
        if study.state != Study.State.OPEN:
            return refused(request, services.not_open(study))
        visit = services.find_visit(study, request.user)
        if visit is None and view is not _welcome and services.is_due(study, request.user):
            return redirect("learning:welcome", slug=slug)
        return view(request, study, visit, **kwargs)

    return never_cache(login_required(checked))


def _welcome(request: SignedInRequest, study: Study, visit: Visit) -> HttpResponse:
    form = ConsentForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        services.give_consent(study=study, annotator=request.user)
        return redirect("learning:card", slug=study.slug, number=1)
    context = {
        "form": form,
        "size": selectors.size(study, request.user),
        "contacts": selectors.contacts(study),
        "welcome": own_words(study.welcome_text),
        "contact": own_words(study.contact),
        "consent_words": own_words(services.consent_text(study, visit)),
        "next_url": _waiting_url(study, visit, request.user),
    }
    return _page(request, study, visit, "welcome", context, 422 if form.is_bound else 200)


welcome = require_http_methods(["GET", "HEAD", "POST"])(_of_a_study(_welcome))


@require_http_methods(["GET", "HEAD", "POST"])
@_of_a_study
def card(request: SignedInRequest, study: Study, visit: Visit, number: int) -> HttpResponse:
    """Show a worked example; POST stores the progress, so that annotators can resume there."""
    if not 1 <= number <= len(CARDS):
        raise Http404
    if request.method == "POST":
        services.pass_example(study=study, annotator=request.user, number=number)
        if number == len(CARDS):
            return redirect("learning:practice", slug=study.slug)
        return redirect("learning:card", slug=study.slug, number=number + 1)
    shown = CARDS[number - 1]
    context = {
        "card": shown,
        "pair": screens.shown(shown.pair),
        "rows": screens.card_rows(shown, study),
        "number": number,
        "n_cards": len(CARDS),
        "others": [(at, gettext(each.title)) for at, each in enumerate(CARDS, 1)],
    }
    return _page(request, study, visit, "card", context)


@require_http_methods(["GET", "HEAD", "POST"])
@_of_a_study
def short(request: SignedInRequest, study: Study, visit: Visit) -> HttpResponse:
    """Show the short introduction, for people who are asked a few minutes of work."""
    answers = short_answers(request.POST) if request.method == "POST" else None
    if answers is not None and are_complete(answers):
        services.record_practice(
            study=study, annotator=request.user, round_number=ROUND, answers=answers
        )
    start_url = reverse("learning:finish", args=[study.slug])
    return short_lesson(request, study, answers=answers, start_url=start_url)


@require_safe
@_of_a_study
def practice(request: SignedInRequest, study: Study, visit: Visit) -> HttpResponse:
    """Link to the next practice pair, or show the results of the rounds."""
    waiting = services.next_pair(visit)
    context: dict[str, Any] = {
        "practice": services.Practice(visit),
        "n_pairs": PAIRS_IN_A_ROUND,
        "n_needed": NEEDED,
    }
    if waiting:
        context["start_url"] = _pair_url(study, *waiting)
    else:
        context["again_urls"] = [_pair_url(study, number, 1, again=True) for number in ROUNDS]
    return _page(request, study, visit, "practice", context)


@require_http_methods(["GET", "HEAD", "POST"])
@_of_a_study
def pair(
    request: SignedInRequest, study: Study, visit: Visit, round_number: int, number: int
) -> HttpResponse:
    """Ask about a practice pair, then show the obvious verdicts.

    With ``again`` in the address, nothing is stored.
    """
    if round_number not in EXERCISES or not 1 <= number <= PAIRS_IN_A_ROUND:
        raise Http404
    exercise = EXERCISES[round_number][number - 1]
    again = "again" in request.GET
    form = PracticeForm(request.POST if request.method == "POST" else None)
    answers = None if again else services.stored_answers(visit, round_number, exercise)
    if answers is None and not services.may_be_asked(visit, round_number, again=again):
        return redirect("learning:practice", slug=study.slug)
    if form.is_valid():
        if not again:
            services.record_practice(
                study=study,
                annotator=request.user,
                round_number=round_number,
                answers={exercise.pair.slug: form.answers()},
            )
            return redirect(request.path)
        answers = form.answers()
    context: dict[str, Any] = {
        "pair": screens.shown(exercise.pair),
        "round_number": round_number,
        "number": number,
        "n_pairs": PAIRS_IN_A_ROUND,
        "again": again,
    }
    if answers is not None:
        context["feedback"] = screens.feedback(exercise, answers)
        context["next_url"] = _after(study, round_number, number, again=again)
        return _page(request, study, visit, "feedback", context)
    context["criteria"] = screens.criteria(study)
    context["choose"] = CHOOSE_A_VERDICT
    context["answers"] = {name: request.POST.get(name, "") for name in form.fields}
    context["errors"] = {name: errors[0] for name, errors in form.errors.items()}
    return _page(request, study, visit, "pair", context, 422 if form.is_bound else 200)


@require_safe
@_of_a_study
def keys(request: SignedInRequest, study: Study, visit: Visit) -> HttpResponse:
    return _page(request, study, visit, "keys", {"pair": screens.shown(SMALL_TEXT.pair)})


@require_POST
@_of_a_study
def finish(request: SignedInRequest, study: Study, visit: Visit) -> HttpResponse:
    if visit is not None:
        if getattr(request, "must_practise", False) and not has_practised(visit):
            return redirect("learning:short", slug=study.slug)
        services.finish(study=study, annotator=request.user)
        if "begin" in request.POST:
            judging.start(study=study, annotator=request.user)
    return redirect("judging:judge", slug=study.slug)


def _after(study: Study, round_number: int, number: int, *, again: bool) -> str:
    if number < PAIRS_IN_A_ROUND:
        return _pair_url(study, round_number, number + 1, again=again)
    return reverse("learning:practice", args=[study.slug])


def _pair_url(study: Study, round_number: int, number: int, *, again: bool = False) -> str:
    address = reverse("learning:pair", args=[study.slug, round_number, number])
    return f"{address}?again=1" if again else address


def _waiting_url(study: Study, visit: Visit, annotator: User) -> str:
    """Return the address at which an annotator continues after the consent."""
    if visit is None or not services.is_due(study, annotator):
        return reverse("learning:card", args=[study.slug, 1])
    if services.Practice(visit).is_begun or visit.examples_seen >= len(CARDS):
        return reverse("learning:practice", args=[study.slug])
    return reverse("learning:card", args=[study.slug, visit.examples_seen + 1])


_STEPS = ("welcome", "card", "practice", "keys")
_STEP_OF = {"pair": "practice", "feedback": "practice"}
_TITLES = {
    "welcome": _("Welcome"),
    "card": _("Examples"),
    "practice": _("Practice"),
    "keys": _("Looking and answering"),
}


def _page(
    request: SignedInRequest,
    study: Study,
    visit: Visit,
    name: str,
    context: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    here = _STEP_OF.get(name, name)
    is_due = services.is_due(study, request.user)
    locked = visit is None and is_due
    steps = [
        {
            "title": _TITLES[step],
            "is_here": step == here,
            "url": ""
            if locked
            else reverse(f"learning:{step}", args=[study.slug, *([1] if step == "card" else [])]),
        }
        for step in _STEPS
    ]
    shared = {
        "study": study,
        "visit": visit,
        "is_due": is_due,
        "own_keys": Preferences.of(request.user).for_scripts,
        "steps": steps,
    }
    return render(request, f"learning/{name}.html", shared | context, status=status)

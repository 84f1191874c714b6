"""The comparison page: with JavaScript it exchanges JSON, without it posts plain forms."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate.datasets.models import Method
from annotate.errors import CHOOSE_A_VERDICT
from annotate.requests import SignedInRequest, refusals_told, require, wants_json
from annotate.studies.models import Study
from rankings.elicitation.log import CRITERIA

from . import annotator_summary, answer_history, methods, planning, services
from .current_screen import Outcome, Turn
from .errors import AlreadyAnswered, Incomplete, StudyNotOpen
from .forms import NoteForm, SkipForm, answer_given
from .image_allocation import first_visit_is_due
from .models import LOOK_THE_SAME, Skip
from .presentation import address, image_data, past_data, payload
from .quotas import Remaining, remaining_of
from .shortcuts import Answered, judged, judged_with, refused

View = Callable[..., HttpResponseBase]
_MOST_AHEAD = 3
# On the annotator's own page.
_N_LAST = 3


def _signed_in(view: View) -> View:
    """Require sign-in like login_required, but send scripts 401 and the URL of the sign-in page."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if wants_json(request):
            return JsonResponse({"url": reverse("account_login")}, status=401)
        return redirect_to_login(request.get_full_path())

    return never_cache(checked)


def _refusals_shown(view: View) -> View:
    """Show why an answer was refused: a study that is not open, or a pair answered meanwhile."""

    @wraps(view)
    def checked(request: SignedInRequest, **address: str) -> HttpResponseBase:
        try:
            return view(request, **address)
        except StudyNotOpen as refusal:
            return refused(request, refusal)
        except AlreadyAnswered as refusal:
            if "slug" in address:
                study = judged(request, slug=address["slug"])
            else:
                study = judged_with(request, address["screen_id"])
            waiting = services.current(study=study, annotator=request.user)
            return _conflict(request, waiting, refusal)

    return checked


@_signed_in
@require_safe
def judge(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the waiting screen, or the page before the first and after the last one."""
    study = judged(request, slug=slug)
    if study.state != Study.State.OPEN:
        return refused(request, services.not_open(study))
    waiting = services.current(study=study, annotator=request.user)
    if waiting.turn is None:
        if first_visit_is_due(study, request.user):
            return redirect("learning:welcome", slug=slug)
        return _start_or_end(request, study)
    return _screen(request, waiting.turn, waiting.remaining)


@_signed_in
@require_POST
@_refusals_shown
def start(request: SignedInRequest, slug: str) -> HttpResponse:
    study = judged(request, slug=slug)
    if study.state == Study.State.OPEN and first_visit_is_due(study, request.user):
        return redirect("learning:welcome", slug=slug)
    services.start(study=study, annotator=request.user)
    return redirect("judging:judge", slug=slug)


@_signed_in
@require_POST
@_refusals_shown
def answer(request: SignedInRequest, screen_id: str) -> HttpResponse:
    try:
        outcome = services.record_judgement(
            screen_id=screen_id, annotator=request.user, **answer_given(request.POST)
        )
    except Incomplete as refusal:
        return _incomplete(request, screen_id, refusal)
    return _show(request, outcome, _("Saved."))


@_signed_in
@require_POST
@_refusals_shown
def skip(request: SignedInRequest, screen_id: str) -> HttpResponse:
    form = SkipForm(request.POST)
    if not form.is_valid():
        reasons = {name: str(errors[0]) for name, errors in form.errors.items()}
        return _incomplete(request, screen_id, Incomplete(reasons))
    outcome = services.record_skip(screen_id=screen_id, annotator=request.user, **form.cleaned_data)
    is_answer = form.cleaned_data["reason"] == LOOK_THE_SAME[0]
    return _show(request, outcome, _("Saved.") if is_answer else _("Skipped."))


@_signed_in
@require_POST
@_refusals_shown
def note(request: SignedInRequest, screen_id: str) -> HttpResponse:
    """Pin a note to the pair or to a place of a result; it changes no answer."""
    study = judged_with(request, screen_id)
    form = NoteForm(request.POST)
    if not form.is_valid():
        reasons = {name: str(errors[0]) for name, errors in form.errors.items()}
        if wants_json(request):
            return JsonResponse({"errors": reasons}, status=422)
        messages.error(request, " ".join(reasons.values()))
    else:
        services.pin_note(screen_id=screen_id, annotator=request.user, **form.cleaned_data)
        if wants_json(request):
            return JsonResponse({"message": _("Note kept.")})
        messages.success(request, _("Note kept."))
    return redirect("judging:judge", slug=study.slug)


@_signed_in
@require_POST
@_refusals_shown
def undo(request: SignedInRequest, slug: str) -> HttpResponse:
    study = judged(request, slug=slug)
    outcome = services.undo(
        study=study, annotator=request.user, screen_id=request.POST.get("screen", "")
    )
    return _show(request, outcome, _("Undone."))


@_signed_in
@require_safe
def own(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the annotator's own page: work done and left, the introduction, their answers."""
    return _own(request, judged(request, slug=slug))


@_signed_in
@require_safe
def history(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the last answers: as data for the drawer, or as a page."""
    study = judged(request, slug=slug)
    if study.state != Study.State.OPEN:
        return refused(request, services.not_open(study))
    pasts = list(map(past_data, answer_history.history(study, request.user)))
    if wants_json(request):
        return JsonResponse({"screens": pasts})
    return render(request, "judging/history_page.html", {"study": study, "screens": pasts})


@_signed_in
@require_POST
@_refusals_shown
def change(request: SignedInRequest, screen_id: str) -> HttpResponse:
    outcome = services.change(screen_id=screen_id, annotator=request.user)
    return _show(request, outcome, _("Open again."))


@_signed_in
@require_safe
def next_image(request: SignedInRequest, slug: str) -> HttpResponse:
    """Return the images that most likely come next, so that the page can fetch them in advance.

    ``n``: how many, at most three. ``have``: keys of images whose results the page has.
    """
    study = judged(request, slug=slug)
    if study.state != Study.State.OPEN:
        return refused(request, services.not_open(study))
    asked = request.GET.get("n", "1")[:4]
    n = min(int(asked), _MOST_AHEAD) if asked.isdecimal() else 1
    have = request.GET.get("have", "")[:200].split(",")
    images, is_visit = [], bool(remaining_of(study, request.user).quota)
    for image, visit, known in planning.next_visits(study, request.user, n):
        results = None if visit.drawn is None else visit.results
        more: Any = {"have": have, "is_visit": is_visit, "visit": visit}
        images.append(image_data(study, request.user, image, known, results, **more))
    return JsonResponse({"image": images[0] if images else None, "images": images})


@login_required
@require_POST
def add_method(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add another method to an open study."""
    study, method = _study_and_method(request, slug)
    with refusals_told(request):
        n_waiting = methods.add_method(study=study, method=method)
        words = ngettext(
            "{method} takes part; {n} ranking waits for a few more answers.",
            "{method} takes part; {n} rankings wait for a few more answers.",
            n_waiting,
        )
        messages.success(request, words.format(method=method, n=n_waiting))
    return redirect("studies:detail", slug=slug)


@login_required
@require_POST
def withdraw_method(request: SignedInRequest, slug: str) -> HttpResponse:
    study, method = _study_and_method(request, slug)
    with refusals_told(request):
        methods.withdraw_method(study=study, method=method)
        words = _("{method} no longer takes part. The answers about it are kept.")
        messages.success(request, words.format(method=method))
    return redirect("studies:detail", slug=slug)


def _study_and_method(request: HttpRequest, slug: str) -> tuple[Study, Method]:
    require(request.user, "annotate.load_data")
    study = get_object_or_404(Study, slug=slug)
    name = request.POST.get("method", "")
    return study, get_object_or_404(study.dataset.methods, slug=name)


def _show(request: SignedInRequest, outcome: Outcome, done: str) -> HttpResponse:
    page = address("judging:judge", outcome.study.slug)
    if not wants_json(request):
        return redirect(page)
    if outcome.turn is None:
        return Answered(outcome, {"done": {"url": page}})
    data = payload(outcome.turn, outcome.remaining, have=request.POST.get("have", ""))
    data["message"] = f"{done} {data['progress']['text']}."
    return Answered(outcome, data)


def _screen(
    request: SignedInRequest,
    turn: Turn,
    remaining: Remaining,
    *,
    status: int = 200,
    **context: Any,
) -> HttpResponse:
    data = payload(turn, remaining)
    defaults = {
        "study": turn.assignment.study,
        "payload": data,
        "sides": {side: data["image"]["results"][data[side]] for side in ("left", "right")},
        "answers": data["answers"],
        "errors": {},
        "choose": CHOOSE_A_VERDICT,
        "skip_errors": {},
        "notice": "",
        "skip_reasons": Skip.OFFERED,
    }
    return render(request, "judging/screen.html", defaults | context, status=status)


def _start_or_end(request: SignedInRequest, study: Study, *, status: int = 200) -> HttpResponse:
    start = annotator_summary.start_page(study, request.user)
    if start is None:
        return _own(request, study, status=status)
    return render(request, "judging/start.html", start, status=status)


def _own(request: SignedInRequest, study: Study, *, status: int = 200) -> HttpResponse:
    context = annotator_summary.own_page(study, request.user)
    last = answer_history.history(study, request.user, _N_LAST)
    context["screens"] = list(map(past_data, last))
    return render(request, "judging/own.html", context, status=status)


def _incomplete(request: SignedInRequest, screen_id: str, refusal: Incomplete) -> HttpResponse:
    # Another annotator's screen gives 404, whatever was sent.
    study = judged_with(request, screen_id)
    if wants_json(request):
        return JsonResponse({"errors": refusal.reasons}, status=422)
    waiting = services.current(study=study, annotator=request.user)
    turn, remaining = waiting.turn, waiting.remaining
    if turn is None or turn.screen.public_id != screen_id:
        answered = AlreadyAnswered(_("This pair was answered in another tab."))
        return _conflict(request, waiting, answered)
    if "reason" in refusal.reasons or "text" in refusal.reasons:
        return _screen(request, turn, remaining, status=422, skip_errors=refusal.reasons)
    answers = {name: request.POST.get(name, "") for name in CRITERIA}
    notice = refusal.reasons.get("seen", "")
    shown: dict[str, Any] = {"errors": refusal.reasons, "answers": answers, "notice": notice}
    return _screen(request, turn, remaining, status=422, **shown)


def _conflict(request: SignedInRequest, waiting: Outcome, refusal: AlreadyAnswered) -> HttpResponse:
    study, turn, match = waiting.study, waiting.turn, request.resolver_match
    if turn is None and match is not None and match.url_name == "answer":
        # The page of the end says that all answers are saved; this one is not.
        messages.warning(request, str(refusal))
    if wants_json(request):
        data: dict[str, Any] = {"message": str(refusal)}
        if turn is None:
            data["done"] = {"url": reverse("judging:judge", args=[study.slug])}
        else:
            data["payload"] = payload(turn, waiting.remaining)
        return JsonResponse(data, status=409)
    if turn is None:
        return _start_or_end(request, study, status=409)
    return _screen(request, turn, waiting.remaining, status=409, notice=str(refusal))

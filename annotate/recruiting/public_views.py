"""Pages of participants: before consent, during the visit, and the code at its end."""

from collections.abc import Mapping
from secrets import token_urlsafe
from typing import Any

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.accounts import languages
from annotate.judging.quotas import n_asked

from . import services
from .errors import EntranceRefused, IncompleteLink, NotAdmitted
from .models import Arrival, Entrance, Outcome, Platform
from .platforms import MTURK_FRAMES, MTURK_HOSTS, PREVIEW, external_submit, way_back
from .presentation import start_context
from .questions import QuestionsForm
from .selectors import n_pairs_of
from .services import Ids
from .shortcuts import SECONDS_TO_WAIT, arrival_of, keep_secret, may_try, secret_of, sign_in


def _entrance(slug: str) -> Entrance:
    """Return an entrance, and speak its language from here on."""
    entrance = get_object_or_404(Entrance.objects.select_related("study"), slug=slug)
    if entrance.language:
        translation.activate(entrance.language)
    return entrance


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the page before consent, or lead a person who was here to where they were."""
    entrance = _entrance(slug)
    given = request.POST if request.method == "POST" else request.GET
    own = arrival_of(request)
    try:
        ids = services.ids_of(entrance, given)
        _refuse_strange_address(given)
    except IncompleteLink as refusal:
        if own is not None and own.study_id == entrance.study_id and not given:
            return _where_they_were(own)
        return _sorry(request, entrance, str(refusal), status=400)
    if own is not None and own.study_id == entrance.study_id and own.participant == ids.person:
        return _where_they_were(own)
    if given.get(entrance.submission_parameter) == PREVIEW:
        return _start(request, entrance, ids, is_preview=True)
    known = services.arrival_by(entrance, ids)
    if known is None and not may_try(request.META["REMOTE_ADDR"], ids.person):
        return _wait(request, entrance)
    if request.method == "POST":
        return _posted(request, entrance, ids, known)
    if known is not None:
        return (
            _done(request, known) if known.outcome else _start(request, entrance, ids, known=known)
        )
    return _start(request, entrance, ids, is_another=own is not None)


def _refuse_strange_address(given: Mapping[str, str]) -> None:
    address = given.get("turkSubmitTo")
    if address and external_submit(address) is None:
        raise IncompleteLink(
            _("The link was changed: it leads to an address that is not Amazon's.")
        )


def _posted(
    request: HttpRequest, entrance: Entrance, ids: Ids, known: Arrival | None
) -> HttpResponse:
    if request.user.is_authenticated and arrival_of(request) is None:
        return _start(request, entrance, ids, status=409)
    if known is not None:
        return _admitted(request, known)
    leave = request.POST.get("leave", "")
    if leave in (Outcome.NO_CONSENT, Outcome.DEVICE) or (
        leave and leave == services.why_shut(entrance, ids)
    ):
        return _away(request, entrance, leave)
    if not _fits(entrance, request.POST):
        return _away(request, entrance, Outcome.DEVICE)
    form = QuestionsForm(request.POST, entrance.questions, "before")
    if not form.is_valid() or leave:
        return _start(request, entrance, ids, form=form, status=422)
    secret = token_urlsafe()
    try:
        arrival = services.admit(entrance=entrance, ids=ids, answers=form.answers(), secret=secret)
    except NotAdmitted as refusal:
        return _away(request, entrance, refusal.outcome)
    except EntranceRefused as refusal:
        return _sorry(request, entrance, str(refusal), status=403)
    if not services.has_consented_with(arrival, secret):
        return _admitted(request, arrival)
    response = _admitted(request, arrival, redirect("learning:short", slug=arrival.study.slug))
    keep_secret(response, arrival, secret)
    return response


def _fits(entrance: Entrance, sent: Mapping[str, str]) -> bool:
    """Return whether the window that the page measured is large enough; without scripts it is."""
    width, height = sent.get("width", ""), sent.get("height", "")
    if width.isdecimal() and height.isdecimal() and len(width + height) < 12:
        return int(width) >= entrance.min_width and int(height) >= entrance.min_height
    return True


def _admitted(
    request: HttpRequest, arrival: Arrival, response: HttpResponse | None = None
) -> HttpResponse:
    sign_in(request, arrival)
    response = response or _where_they_were(arrival)
    if arrival.entrance.language:
        languages.keep(response, arrival.entrance.language)
    return response


def _where_they_were(arrival: Arrival) -> HttpResponse:
    if arrival.outcome:
        return redirect("join:done", slug=arrival.entrance.slug)
    return redirect("judging:judge", slug=arrival.study.slug)


def _start(
    request: HttpRequest,
    entrance: Entrance,
    ids: Ids,
    *,
    known: Arrival | None = None,
    form: QuestionsForm | None = None,
    is_preview: bool = False,
    is_another: bool = False,
    status: int = 200,
) -> HttpResponse:
    is_member = request.user.is_authenticated and arrival_of(request) is None
    context = {
        **start_context(entrance),
        "ids": _ids_to_send(entrance, ids),
        "known": known,
        "shut": "" if known else services.why_shut(entrance, ids),
        "is_paused": known is None and entrance.state == Entrance.State.PAUSED,
        "is_preview": is_preview,
        "is_member": is_member,
        "is_another": is_another,
        "form": form or QuestionsForm(None, entrance.questions, "before"),
    }
    return render(request, "recruiting/start.html", context, status=status)


def _ids_to_send(entrance: Entrance, ids: Ids) -> list[tuple[str, str]]:
    named = (entrance.person_parameter, ids.person), (entrance.submission_parameter, ids.submission)
    return [(name, value) for name, value in named if name and value]


def _sorry(request: HttpRequest, entrance: Entrance, sentence: str, *, status: int) -> HttpResponse:
    context = {"entrance": entrance, "study": entrance.study, "sentence": sentence}
    return render(request, "recruiting/sorry.html", context, status=status)


def _wait(request: HttpRequest, entrance: Entrance) -> HttpResponse:
    """Ask a newcomer to wait while many unknown ids come from one address."""
    context = {"entrance": entrance, "study": entrance.study}
    response = render(request, "recruiting/wait.html", context, status=429)
    # The page loads itself again, without scripts, too.
    response["Retry-After"] = response["Refresh"] = str(SECONDS_TO_WAIT)
    return response


def _away(request: HttpRequest, entrance: Entrance, outcome: str) -> HttpResponse:
    """Show a person who does not take part the code for it; nothing is stored but a count."""
    code = services.turn_away(entrance=entrance, outcome=outcome)
    return _end(request, entrance, Outcome(outcome), code, participant="")


def _end(
    request: HttpRequest,
    entrance: Entrance,
    outcome: Outcome,
    code: str,
    *,
    participant: str,
    **more: Any,
) -> HttpResponse:
    back = ""
    # Connect's redirect is for people who have finished.
    is_for_finished = entrance.platform == Platform.CONNECT
    if entrance.way_back and not (is_for_finished and outcome != Outcome.COMPLETED):
        back = way_back(entrance.way_back, code, participant)
    context = {
        "entrance": entrance,
        "study": entrance.study,
        "outcome": outcome,
        "code": code,
        "back": back,
        **more,
    }
    return render(request, "recruiting/done.html", context)


@never_cache
@xframe_options_exempt
@csp_replace({"frame-ancestors": list(MTURK_FRAMES), "form-action": list(MTURK_HOSTS)})  # type: ignore[arg-type]  # its type knows no address with a slug
@require_safe
def frame(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the start page in Mechanical Turk's frame; its form returns the code to the platform.

    Cookies of ours are foreign there, so that the work opens in a window of its own. Only hosts of
    the platform may frame this page, and no other page.
    """
    entrance = _entrance(slug)
    if entrance.platform != Platform.MTURK:
        raise Http404
    is_preview = request.GET.get("assignmentId", PREVIEW) == PREVIEW
    context: dict[str, Any] = {**start_context(entrance), "is_preview": is_preview}
    if not is_preview:
        try:
            ids = services.ids_of(entrance, request.GET)
            submit_to = external_submit(request.GET.get("turkSubmitTo", ""))
            if submit_to is None or not ids.submission:
                _refuse_strange_address({"turkSubmitTo": "-"})
        except IncompleteLink as refusal:
            return _sorry(request, entrance, str(refusal), status=400)
        known = services.arrival_by(entrance, ids)
        if known is None and not may_try(request.META["REMOTE_ADDR"], ids.person):
            return _wait(request, entrance)
        context |= {
            "submit_to": submit_to,
            "assignment": ids.submission,
            "code": known.code if known is not None else "",
            "query": request.GET.urlencode(),
        }
    return render(request, "recruiting/frame.html", context)


def _own_arrival(request: HttpRequest, slug: str) -> Arrival:
    entrance = _entrance(slug)
    arrival = arrival_of(request)
    if arrival is None or arrival.entrance_id != entrance.pk:
        raise Http404
    return arrival


@never_cache
@require_safe
def visit(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how far the visit is, or why to look more closely; people withdraw here."""
    arrival = _own_arrival(request, slug)
    if arrival.outcome:
        return _where_they_were(arrival)
    context = {
        "arrival": arrival,
        "entrance": arrival.entrance,
        "study": arrival.study,
        "is_consenting": services.has_consented_with(arrival, secret_of(request)),
        "n_done": n_asked(arrival.study, arrival.person),
        "n_pairs": n_pairs_of(arrival.entrance),
    }
    return render(request, "recruiting/visit.html", context)


@require_POST
def go_on(request: HttpRequest, slug: str) -> HttpResponse:
    arrival = _own_arrival(request, slug)
    services.keep(arrival=arrival)
    services.go_on_after_pause(arrival)
    return _where_they_were(arrival)


@require_POST
def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """Withdraw at once in the browser that consented, and in a day in any other."""
    arrival = _own_arrival(request, slug)
    if not services.has_consented_with(arrival, secret_of(request)):
        services.ask_to_withdraw(arrival=arrival)
        return redirect("join:visit", slug=slug)
    services.withdraw(arrival=arrival)
    return redirect("join:done", slug=slug)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def done(request: HttpRequest, slug: str) -> HttpResponse:
    """Thank for the visit and show its code; before its end, lead back to the next pair."""
    arrival = _own_arrival(request, slug)
    if not arrival.outcome:
        return _where_they_were(arrival)
    if request.method == "POST" and not arrival.is_asked:
        form = QuestionsForm(request.POST, arrival.entrance.questions, "after")
        if not form.is_valid():
            return _done(request, arrival, form=form, status=422)
        services.answer_questions(arrival=arrival, answers=form.answers())
        return redirect("join:done", slug=slug)
    return _done(request, arrival)


def _done(
    request: HttpRequest, arrival: Arrival, *, form: QuestionsForm | None = None, status: int = 200
) -> HttpResponse:
    asks = arrival.outcome == Outcome.COMPLETED and not arrival.is_asked
    if asks and arrival_of(request) is not None:
        form = form or QuestionsForm(None, arrival.entrance.questions, "after")
        context = {"form": form, "study": arrival.study, "entrance": arrival.entrance}
        return render(request, "recruiting/questions.html", context, status=status)
    return _end(
        request,
        arrival.entrance,
        Outcome(arrival.outcome),
        arrival.code,
        participant=arrival.participant,
        arrival=arrival,
    )

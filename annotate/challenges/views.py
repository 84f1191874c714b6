"""Pages of participants: a challenge, the team, its entries, standings; and of organisers."""

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import (
    FileResponse,
    Http404,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.access import permitted
from annotate.datasets.drawing import picture
from annotate.datasets.exports import NotExported, truth_file
from annotate.datasets.models import Image
from annotate.datasets.shortcuts import seen_dataset
from annotate.errors import Refusal
from annotate.guide.markdown import own_words
from annotate.jobs.shortcuts import go_to
from annotate.requests import SignedInRequest, require, takes_files
from annotate.scoring.services import NotScored

from . import final, services
from .errors import ChallengeRefused
from .files import rows_of
from .forms import (
    PARTS,
    ChallengeForm,
    CodeForm,
    DescriptionForm,
    EntryForm,
    OrganiserForm,
    StudyForm,
    TeamForm,
)
from .models import Challenge, ChallengeMember, Entry, Split
from .selectors import Reader, detections_of, images_of_entry, own_scores, shown_name
from .shortcuts import board_figure, board_file, boards_context, enters, reader_of

_N_IMAGES: Final = 200


def _challenge(request: SignedInRequest, slug: str, permission: str = "see") -> Challenge:
    seen = permitted(request.user, f"annotate.{permission}_challenge", Challenge)
    return get_object_or_404(seen.select_related("dataset"), slug=slug)


def _member(request: SignedInRequest, challenge: Challenge) -> ChallengeMember | None:
    members = ChallengeMember.objects.select_related("team", "challenge")
    member = members.filter(challenge=challenge, person=request.user).first()
    if member is not None and member.team is not None:
        member.team.challenge = challenge
    return member


def _reader(request: SignedInRequest, challenge: Challenge) -> Reader:
    return reader_of(request.user, _member(request, challenge), challenge)


# Organisers


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: SignedInRequest, dataset: str) -> HttpResponse:
    """Make a challenge of a dataset, for admins."""
    require(request.user, "annotate.load_data")
    of = seen_dataset(request, dataset)
    return _part(request, Challenge(dataset=of), "about")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def part(request: SignedInRequest, slug: str, part: str) -> HttpResponse:
    """Show or store one part of the settings."""
    if part not in PARTS:
        raise Http404
    return _part(request, _challenge(request, slug, "organise"), part)


def _part(request: SignedInRequest, challenge: Challenge, part: str) -> HttpResponse:
    # A new challenge is set up part by part; later each part leads back to the overview.
    is_set_up, steps = bool(challenge.protocols), _steps(challenge, part)
    at = list(PARTS).index(part)
    form = ChallengeForm(request.POST or None, instance=challenge, part=part)
    if form.is_valid():
        try:
            saved = services.save_challenge(form.save(commit=False), **form.changed)
        except (ChallengeRefused, NotScored) as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Saved."))
            return redirect(_steps(saved, part)[-1 if is_set_up else at + 1]["url"])
    context: dict[str, Any] = {"challenge": challenge, "form": form, "part": PARTS[part][0]}
    context |= {"steps": steps, "is_set_up": is_set_up, "previous": steps[at - 1] if at else None}
    status = 422 if form.is_bound else 200
    return render(request, "challenges/part.html", context, status=status)


def _steps(challenge: Challenge, here: str) -> list[dict[str, Any]]:
    """Return the parts of the settings and the overview; they have addresses once there is a challenge."""
    slug, is_set_up = challenge.slug, bool(challenge.protocols)
    steps: list[dict[str, Any]] = [
        {
            "title": title,
            "url": slug and reverse("challenges:part", args=[slug, part]),
            "is_here": part == here,
            "is_done": is_set_up or bool(slug and part == "about"),
        }
        for part, (title, _names) in PARTS.items()
    ]
    overview = slug and reverse("challenges:settings", args=[slug])
    return [*steps, {"title": _("Overview"), "url": overview, "is_here": here == ""}]


@login_required
@require_safe
def settings(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the settings, what is missing before the opening, teams, organisers and the study."""
    challenge = _challenge(request, slug, "organise")
    organisers = challenge.members.filter(role=ChallengeMember.Role.ORGANISER)
    context = {
        "challenge": challenge,
        "steps": _steps(challenge, ""),
        "missing": services.missing(challenge) if challenge.phase == "before" else None,
        "organisers": organisers.select_related("person"),
        "organiser_form": OrganiserForm(),
        "study_form": StudyForm(),
        "changes": challenge.changes.select_related("challenge"),
        "public_url": request.build_absolute_uri(
            reverse("public_challenges:page", args=[challenge.address])
        ),
        "teams": challenge.teams.prefetch_related("entries", "members__person"),
    }
    return render(request, "challenges/settings.html", context)


@login_required
@require_POST
def organisers(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add or remove an organiser, for admins."""
    require(request.user, "annotate.manage_people")
    challenge = _challenge(request, slug, "organise")
    form = OrganiserForm(request.POST)
    if form.is_valid():
        try:
            services.set_organiser(
                challenge=challenge,
                username=form.cleaned_data["username"],
                is_organiser=request.POST.get("do") != "remove",
            )
        except ChallengeRefused as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, _("Saved."))
    return redirect("challenges:settings", slug)


@login_required
@require_POST
def study(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make a study on the final entries, then open it: the right is on this challenge."""
    challenge = _challenge(request, slug, "organise")
    if request.POST.get("do") == "open":
        try:
            final.open_study(challenge=challenge)
        except Refusal as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, _("The study is open."))
        return redirect("challenges:settings", slug)
    form = StudyForm(request.POST)
    if not form.is_valid():
        messages.error(request, _sentence(form))
        return redirect("challenges:settings", slug)
    try:
        job = final.start_study(
            challenge=challenge, person=request.user, difference=form.cleaned_data["difference"]
        )
    except ChallengeRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("challenges:settings", slug)
    return go_to(job)


# Participants


@takes_files(enters)
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def challenge(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show a challenge to a member: texts, the team, its entries. POST submits one."""
    shown = _challenge(request, slug)
    member = _member(request, shown)
    team = member.team if member else None
    form = EntryForm(request.POST or None, request.FILES or None)
    if request.method == "POST":
        if team is None:
            raise Http404
        if form.is_valid():
            sent = form.cleaned_data
            try:
                entry = services.submit(
                    team=team,
                    stream=sent["file"],
                    name=sent["file"].name,
                    **{name: sent[name] for name in ("description", "link", "format")},
                )
            except ChallengeRefused as refusal:
                form.add_error("file", str(refusal))
            else:
                return redirect("challenges:entry", slug, entry.pk)
    reader = reader_of(request.user, member, shown)
    context: dict[str, Any] = {
        "challenge": shown,
        "text": own_words(shown.text, headings=True),
        "terms": own_words(shown.terms, headings=True),
        "member": member,
        "team": team,
        "reader": reader,
        "form": form,
        "team_form": TeamForm(),
        "code_form": CodeForm(),
        "public_url": request.build_absolute_uri(
            reverse("public_challenges:page", args=[shown.address])
        ),
    }
    if team is not None:
        entries = list(team.entries.all())
        for entry in entries:
            entry.team = team
        context |= {
            "entries": [(entry, own_scores(entry, reader)) for entry in entries],
            "left": services.left(team),
            "people": team.members.select_related("person"),
            "shown_name": shown_name(team),
        }
    status = 422 if form.is_bound else 200
    return render(request, "challenges/challenge.html", context, status=status)


@login_required
@require_POST
def team(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make, join or leave a team."""
    member = _member(request, _challenge(request, slug, "enter"))
    if member is None:
        raise Http404
    try:
        if request.POST.get("do") == "leave":
            services.leave_team(member=member)
        elif request.POST.get("code"):
            services.join_team(member=member, code=request.POST["code"])
        else:
            form = TeamForm(request.POST)
            if form.is_valid():
                services.make_team(member=member, name=form.cleaned_data["name"])
            else:
                messages.error(request, _sentence(form))
    except ChallengeRefused as refusal:
        messages.error(request, str(refusal))
    return redirect("challenges:challenge", slug)


def _sentence(form: BaseForm) -> str:
    return " ".join(str(text) for of in form.errors.values() for text in of)


def _entry(request: SignedInRequest, slug: str, pk: int) -> tuple[Entry, Reader]:
    """Return an entry of one's own team, or of any for organisers; raises Http404."""
    challenge = _challenge(request, slug)
    reader = _reader(request, challenge)
    entries = Entry.objects.filter(team__challenge=challenge).select_related("team")
    if not reader.is_organiser:
        entries = entries.filter(team=reader.team)
    entry = get_object_or_404(entries, pk=pk)
    entry.team.challenge = challenge
    return entry, reader


@login_required
@never_cache
@require_safe
def entry(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Show an entry: what the check found, scores, and the visible images."""
    shown, reader = _entry(request, slug, pk)
    is_waiting = shown.shown_state == Entry.State.CHECKING
    if request.GET.get("as") == "json":
        return JsonResponse(
            {"doing": _("Reading and scoring"), "total": 0}
            if is_waiting
            else {"next": request.path}
        )
    images = images_of_entry(shown)
    context = {
        "challenge": shown.team.challenge,
        "entry": shown,
        "is_waiting": is_waiting,
        "is_own": reader.team == shown.team,
        "scores": own_scores(shown, reader),
        "findings": shown.findings if shown.is_told else [],
        "images": images[:_N_IMAGES],
        "n_images": len(images),
        "form": DescriptionForm(instance=shown),
    }
    return render(request, "challenges/entry.html", context)


@login_required
@require_POST
def act(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Withdraw an entry, make it the final one, or describe it."""
    changed, reader = _entry(request, slug, pk)
    if reader.team != changed.team:
        raise Http404
    do, form = request.POST.get("do"), DescriptionForm(request.POST, instance=changed)
    try:
        if do == "withdraw":
            services.withdraw(entry=changed)
        elif do == "final":
            services.choose_final(entry=changed)
        elif form.is_valid():
            services.describe(entry=changed, **form.cleaned_data)
        else:
            raise ChallengeRefused(_sentence(form))
    except ChallengeRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("Saved."))
    return redirect("challenges:entry", slug, pk)


@login_required
@require_safe
def image(request: SignedInRequest, slug: str, pk: int, image: int) -> HttpResponse:
    """Show the boxes of an entry on a visible image, with its ground truth."""
    shown, _reader = _entry(request, slug, pk)
    challenge = shown.team.challenge
    seen: Image = get_object_or_404(challenge.images_of(Split.VISIBLE), pk=image)
    if not shown.is_told or not rows_of(shown.key).path.exists():
        raise Http404
    boxes = detections_of(shown, seen)
    url = reverse("datasets:image", args=[seen.sha256]) if seen.sha256 else ""
    drawn = picture(
        truth=seen.truth_regions,
        boxes=boxes,
        convention=challenge.dataset.box_convention,
        url=url,
        size=seen.size_to_draw(boxes),
    )
    in_order = [one.image for one in images_of_entry(shown)]
    at = in_order.index(seen) if seen in in_order else len(in_order)
    context = {"challenge": challenge, "entry": shown, "image": seen, "picture": drawn}
    context |= {
        "worse": in_order[at - 1] if at else None,
        "better": [*in_order, None, None][at + 1],
    }
    return render(request, "challenges/image.html", context)


@login_required
@require_safe
def truth(request: SignedInRequest, slug: str, extension: str) -> HttpResponseBase:
    """Send the ground truth of the visible images."""
    challenge = _challenge(request, slug)
    images = challenge.images_of(Split.VISIBLE)
    if not images.exists():
        raise Http404
    try:
        file = truth_file(challenge.dataset, extension, images)
    except NotExported as refusal:
        messages.error(request, str(refusal))
        return redirect("challenges:challenge", slug)
    name = f"{challenge.slug}-visible-truth.{extension}"
    return FileResponse(file, as_attachment=True, filename=name)


# Standings


@login_required
@never_cache
@require_safe
def standings(request: SignedInRequest, slug: str) -> HttpResponse:
    challenge = _challenge(request, slug)
    reader = _reader(request, challenge)
    context = {"challenge": challenge, **boards_context(request, challenge, reader, request.path)}
    return render(request, "challenges/standings.html", context)


@login_required
@never_cache
@require_safe
def file(request: SignedInRequest, slug: str, split: str, extension: str) -> HttpResponse:
    challenge = _challenge(request, slug)
    return board_file(request, challenge, _reader(request, challenge), split, extension)


@login_required
@never_cache
@require_safe
def figure(request: SignedInRequest, slug: str, extension: str) -> HttpResponse:
    challenge = _challenge(request, slug)
    return board_figure(request, challenge, _reader(request, challenge), extension)

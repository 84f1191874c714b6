"""Pages about images: one image, two methods on it, and the images of most disagreement."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.datasets.models import Dataset, Image, Result
from annotate.datasets.shortcuts import keep_and_list, seen_dataset
from annotate.jobs.shortcuts import go_to
from annotate.reports import background_counts
from annotate.reports.services import available_runs
from annotate.requests import SignedInRequest, refusals_on
from annotate.scoring.causes import costs_of, start_explaining
from annotate.scoring.leaderboards import newest_runs
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from annotate.studies.pseudonyms import keys_and_names
from annotate.studies.shortcuts import followed
from protocols.core.errors import ProtocolError
from rankings.elicitation.log import CRITERIA

from ..links import asks, kept
from . import compare as image_compare
from . import disagreement as image_disagreement
from . import presentation, worst_images
from .forms import (
    DisagreementForm,
    ImageForm,
    KeepForm,
    ParametersForm,
    WorstForm,
    changed_parameters,
    worst_of,
)
from .page import find_image, image_page, picture_of, results_of
from .screens import answers_to, notes_of, screens_of

_IMAGES_PER_PAGE = 25
_NOTES_PER_PAGE = 50
_MOST_LEFT_OUT = 200
_WORST_PER_PAGE = 24


@login_required
@require_safe
def image(request: HttpRequest, slug: str, image: str) -> HttpResponse:
    study = followed(request, slug)
    asked_image = _image(study, image)
    form = ImageForm(request.GET, study=study)
    context: dict[str, Any] = {
        "study": study,
        "image": asked_image,
        "form": form,
        "kept": kept(request),
        "criteria": CRITERIA,
        "corrections": asked_image.earlier_truths.select_related("person"),
    }
    if not form.is_valid():
        return render(request, "reports/image.html", context, status=422)
    hides_names = form.cleaned_data["pseudonyms"]
    names = keys_and_names(study, real=not hides_names)
    context["hides_names"] = hides_names
    context["script"] = request.GET.get("script", "")
    context["settings"] = form.settings()
    context["page"] = image_page(
        study=study,
        image=asked_image,
        url=_photograph(asked_image),
        criterion=form.cleaned_data["criterion"],
        settings=form.settings(),
        runs=form.runs(),
        names=names,
        script=context["script"],
    )
    context["baselines"] = presentation.baselines_table(context["page"].baselines, request.GET)
    context["notes"] = list(notes_of(study, names, image=asked_image))
    asked = request.GET.get("annotator")
    if asked:
        person = next((person for person, (key, _) in names.items() if key == asked), None)
        if person is None:
            raise Http404
        assignment = get_object_or_404(study.assignments, image=asked_image, annotator=person)
        context["screens_by"] = names[person][1]
        context["screens"] = screens_of(assignment)
        context["screens_table"] = presentation.screens_table(
            context["screens"], study, asked_image
        )
        context["unsettled"] = gettext(" and ").join(map(gettext, assignment.unsettled))
    return render(request, "reports/image.html", context)


@login_required
@require_safe
def notes(request: HttpRequest, slug: str) -> HttpResponse:
    """List the notes of a study's annotators: all, or those to discuss."""
    study = followed(request, slug)
    hides_names, discuss = asks(request, "pseudonyms"), asks(request, "discuss")
    names = keys_and_names(study, real=not hides_names)
    told = list(notes_of(study, names, discuss=discuss))
    context = {
        "study": study,
        "page": Paginator(told, _NOTES_PER_PAGE).get_page(request.GET.get("page")),
        "discuss": discuss,
        "hides_names": hides_names,
    }
    return render(request, "reports/notes.html", context)


@login_required
@require_safe
def compare(request: HttpRequest, slug: str, image: str) -> HttpResponse:
    """Show two methods of a study on an image, with people's answers to the pair."""
    study = followed(request, slug)
    asked_image = _image(study, image)
    results = results_of(study, asked_image)
    context, status = _comparison_context(request, asked_image, results, available_runs(study))
    settings = kept(request)
    of_image = reverse("evidence:image", args=[study.slug, asked_image.name])
    context |= {"study": study, "back": f"{of_image}?{settings}" if settings else of_image}
    if results:
        hides_names = asks(request, "pseudonyms")
        names = keys_and_names(study, real=not hides_names)
        left, right = (
            next(result for result in results if result.method == side.method)
            for side in context["sides"]
        )
        answers = list(answers_to(study, left, right, names))
        context |= {
            "hides_names": hides_names,
            "answers": answers,
            "answers_table": presentation.answers_table(
                answers, study, asked_image, hides_names=hides_names
            ),
            "notes": [
                told
                for told in notes_of(study, names, image=asked_image)
                if {told.note.screen.left_id, told.note.screen.right_id} == {left.pk, right.pk}
                or told.note.result in (left, right)
            ],
        }
    return render(request, "reports/compare.html", context, status=status)


@login_required
@require_safe
def compare_in_dataset(request: HttpRequest, slug: str, image: str) -> HttpResponse:
    """Show two methods of a dataset on an image, with the images before and after it."""
    dataset = seen_dataset(request, slug)
    asked_image = get_object_or_404(dataset.images.select_related("dataset"), name=image)
    runs = newest_runs(dataset)
    context, status = _comparison_context(
        request,
        asked_image,
        list(asked_image.results.select_related("method").order_by("method__name")),
        runs,
    )
    form = WorstForm(worst_of(request.GET), dataset=dataset, runs=runs)
    context["back"] = reverse("scored:worst", args=[dataset.slug])
    if runs and context["results"] and form.is_valid():
        worst, _ = worst_images.worst_of(form.question())
        context["previous"], context["following"] = worst_images.around(worst, asked_image)
        context["back"] += f"?{form.query()}"
        context["asked"] = form.asked
    return render(request, "reports/compare.html", context | {"dataset": dataset}, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def worst(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the images on which a method does worst; POST starts finding the causes of a run."""
    return _worst(request, seen_dataset(request, slug), KeepForm())


@login_required
@require_POST
def keep(request: SignedInRequest, slug: str) -> HttpResponse:
    """Keep images of the error browser, whose question is in the address, as a selection."""
    dataset = seen_dataset(request, slug)
    asked = WorstForm(request.GET, dataset=dataset, runs=newest_runs(dataset))
    form = KeepForm(request.POST)
    if asked.available and asked.methods and asked.is_valid() and form.is_valid():
        question, said = asked.question(), form.cleaned_data
        ticked = [int(key) for key in request.POST.getlist("image") if _key(key)]
        origin = f"{worst_images.heading(question)}: {form.which_said(len(ticked))}"
        if said["which"] == "first":
            worst, _ = worst_images.worst_of(question)
            ticked = worst.images[: said["n"]]
        with refusals_on(form):
            return keep_and_list(
                request, dataset=dataset, name=said["name"], images=ticked, origin=origin
            )
    return _worst(request, dataset, form, status=422)


def _worst(
    request: SignedInRequest, dataset: Dataset, keep_form: KeepForm, status: int = 200
) -> HttpResponse:
    runs = newest_runs(dataset)
    context: dict[str, Any] = {"dataset": dataset, "keep": keep_form}
    form = WorstForm(request.GET, dataset=dataset, runs=runs)
    if not runs or not form.methods:
        return render(request, "datasets/worst.html", context)
    context["form"] = form
    if not form.is_valid():
        return render(request, "datasets/worst.html", context, status=422)
    question = form.question()
    if request.method == "POST" and status == 200:
        address = request.get_full_path()
        return go_to(start_explaining(run=question.run, person=request.user, address=address))
    after, before = (_key(request.GET.get(name, "")) for name in ("after", "before"))
    worst, evaluated = worst_images.worst_of(question)
    part = worst_images.part_of(question, worst, _WORST_PER_PAGE, after, before)
    costs = [
        (cost, form.query(cause=cost.cause))
        for cost in costs_of(question.run, question.method.name)
    ]
    others = [method for method in form.methods.values() if method != question.method]
    context |= {
        "question": question,
        "heading": worst_images.heading(question),
        "part": part,
        "n_images": len(worst),
        "evaluated": evaluated,
        "without": question.run.without(
            method.name for method in (question.method, question.against) if method
        ),
        "rows": [(row, worst_images.drawn_result(row, dataset)) for row in part.rows],
        "query": form.query(),
        "query_of_image": form.query_of_image(),
        "rivals": [(method, form.query(against=method.slug)) for method in others],
        "alone": form.query(against=""),
        "costs": costs,
        "all_causes": form.query(cause=""),
        "is_explained": not question.run.has_causes or question.run.losses is not None,
    }
    return render(request, "datasets/worst.html", context, status=status)


def _key(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _comparison_context(
    request: HttpRequest, image: Image, results: list[Result], runs: Sequence[ProtocolRun]
) -> tuple[dict[str, Any], int]:
    """Return the two methods that an address asks for, matched by its protocol, and a status."""
    context: dict[str, Any] = {"image": image, "results": results}
    if not results:
        return context, 200
    left = _chosen(results, request.GET.get("left"), 0)
    right = _chosen(results, request.GET.get("right"), min(1, len(results) - 1))
    protocols = image_compare.matching_protocols(image, results, runs)
    name = request.GET.get("protocol", "")
    by_slug = {protocol.slug: shown for shown, protocol in reversed(protocols.items())}
    name = name if name in protocols else by_slug.get(name, "")
    pair = [("left", left), ("right", right)]
    protocol = protocols.get(name)
    parameters = ParametersForm(request.GET, protocol=protocol) if protocol else None
    is_valid = parameters is None or not parameters.is_bound or parameters.is_valid()
    refusal = ""
    try:
        if parameters and is_valid:
            protocol = parameters.protocol()
        sides = [
            image_compare.side_of(side, result, image, protocol if is_valid else None)
            for side, result in pair
        ]
    except ProtocolError as refused:
        refusal = str(refused)
        sides = [image_compare.side_of(side, result, image, None) for side, result in pair]
    picture = picture_of(image, results, _photograph(image))
    context |= {
        "sides": sides,
        "picture": picture,
        "protocols": list(protocols),
        "protocol": name,
        # A requested protocol that does not apply to this image.
        "is_unknown": bool(request.GET.get("protocol")) and not name,
        "refusal": refusal,
        "parameters": parameters,
        "reset": urlencode(
            {"left": left.method.slug, "right": right.method.slug, "protocol": name}
        ),
        "changed": changed_parameters(protocol) if protocol and is_valid else [],
        "are_scored": protocol is not None and is_valid and not refusal,
        "verdicts": [
            (
                side,
                presentation.scores(side),
                presentation.costs_table(side),
                presentation.matches_table(side),
            )
            for side in sides
        ],
        "payload": image_compare.payload(image, picture, sides, name),
    }
    return context, 200 if is_valid else 422


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def disagreement(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show where a protocol and the annotators disagree; POST starts the count of a large study."""
    study = followed(request, slug)
    form = DisagreementForm(request.GET, study=study)
    context: dict[str, Any] = {"study": study, "form": form, "runs": form.available}
    if not form.is_valid():
        return render(request, "reports/disagreement.html", context, status=422)
    if not form.available:
        return render(request, "reports/disagreement.html", context)
    run, baseline = next(iter(form.runs()), None), form.baseline()
    query = request.GET.copy()
    query.pop("page", None)
    question = image_disagreement.Question(
        run=run,
        baseline=baseline,
        criterion=form.cleaned_data["criterion"],
        settings=form.settings(),
        # A baseline is not counted among the protocols.
        only="" if baseline else form.cleaned_data["only"],
        among=form.rivals(),
        query=query.urlencode(),
    )
    if request.method == "POST":
        person = request.user
        return go_to(
            background_counts.count(
                study, background_counts.DISAGREEMENT, person=person, **question.asked
            )
        )
    context |= {
        "name": question.name,
        "about": image_disagreement.BASELINES.get(baseline, ""),
        "criterion": question.criterion,
        "only": question.only,
    }
    context |= _disagreement_context(request, study, question)
    return render(request, "reports/disagreement.html", context)


def _disagreement_context(
    request: HttpRequest, study: Study, question: image_disagreement.Question
) -> dict[str, Any]:
    """Return the context about the images; only ``is_large`` before a large study is counted."""
    is_large, counted_at = background_counts.is_large(study), None
    apart: image_disagreement.Disagreement
    if is_large:
        kept_count = background_counts.last(study, background_counts.DISAGREEMENT, **question.asked)
        if kept_count is None:
            return {"is_large": True}
        apart, counted_at = kept_count.value, kept_count.at
    else:
        apart = image_disagreement.disagreement(study, question)
    page = Paginator(apart.rows, _IMAGES_PER_PAGE).get_page(request.GET.get("page"))
    small = image_disagreement.thumbnails(study, [row.name for row in page])
    settings = request.GET.copy()
    for name in ("protocol", "distance", "only", "among", "page"):
        settings.pop(name, None)
    settings["criterion"] = question.criterion
    return {
        "is_large": is_large,
        "counted_at": counted_at,
        "script": f"protocol-{question.run.pk}" if question.run else "baselines",
        "settings": question.settings,
        "found": apart,
        "left_out": [(name, reason) for name, reason in apart.left_out[:_MOST_LEFT_OUT]],
        "page": page,
        "rows": [(row, small[row.name]) for row in page],
        "settings_query": settings.urlencode(),
    }


def _image(study: Study, name: str) -> Image:
    image = find_image(study, name)
    if image is None:
        raise Http404
    return image


def _photograph(image: Image) -> str:
    return reverse("datasets:image", args=[image.sha256]) if image.sha256 else ""


def _chosen(results: list[Result], slug: str | None, usual: int) -> Result:
    if not slug:
        return results[usual]
    for result in results:
        if result.method.slug == slug:
            return result
    raise Http404

"""Pages that set up a study: one for each step, a preview, and the last, which creates it."""

from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import F
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.access import permitted
from annotate.datasets.models import Dataset, Image
from annotate.datasets.selectors import method_counts, with_counts
from annotate.datasets.shortcuts import seen_dataset
from annotate.datasets.thumbnails import covers_of_datasets, thumbnail_of
from annotate.design.planning.forms import planned
from annotate.errors import CHOOSE_A_VERDICT
from annotate.guide.markdown import own_words
from annotate.judging.models import Skip
from annotate.requests import SignedInRequest, require
from annotate.scoring.readiness import readiness
from annotate.studies.errors import StudyRefused
from annotate.studies.models import Role, Study
from annotate.studies.settings import usual
from annotate.studies.shortcuts import followed

from . import image_filters, presentation, services
from .forms import (
    MAX_PEOPLE_LISTED,
    DataForm,
    DesignForm,
    ImageFilterForm,
    LookForm,
    PeopleForm,
    RandomForm,
)
from .models import NewStudy
from .preview import Preview, preview_of, preview_of_new

_DATASETS_PER_PAGE: Final = 12
_IMAGES_PER_PAGE: Final = 48
_FORMS: Final = {"design": DesignForm, "look": LookForm}


@login_required
@require_safe
def start(request: SignedInRequest) -> HttpResponse:
    """Choose a dataset, or continue a study in setup."""
    require(request.user, "annotate.load_data")
    datasets = permitted(request.user, "annotate.see_dataset", Dataset)
    page = Paginator(datasets, _DATASETS_PER_PAGE).get_page(request.GET.get("page"))
    shown = with_counts(Dataset.objects.filter(pk__in=[row.pk for row in page.object_list]))
    pictures = covers_of_datasets(shown)
    context = {
        "page": page,
        "rows": [
            {
                "dataset": dataset,
                "pictures": pictures[dataset.pk],
                "lacks": presentation.lacks_of(dataset.n_images, dataset.n_methods),
            }
            for dataset in shown
        ],
        "begun": NewStudy.objects.filter(person=request.user).select_related("dataset"),
    }
    return render(request, "design/start.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def begin(request: SignedInRequest, dataset_slug: str) -> HttpResponse:
    """Show the first step of a study on a dataset; nothing is stored before it is submitted."""
    require(request.user, "annotate.load_data")
    dataset = seen_dataset(request, dataset_slug)
    like = dataset.studies.filter(slug=request.GET.get("like", "")).first()
    selection = dataset.selections.filter(name=request.GET.get("selection", "")).first()
    offered = services.offered(dataset)
    named = request.GET.getlist("method")
    initial: dict[str, Any] = {"methods": [of for of in offered if of.name in named] or offered}
    if like is not None:
        initial = {"name": f"{like.name} (copy)"[:120], "methods": list(like.methods.all())}
    form = DataForm(_sent(request), offered=offered, initial=initial)
    if form.is_valid():
        new = services.begin(
            person=request.user,
            dataset=dataset,
            like=like,
            selection=selection,
            settings=_asked_for(request, len(form.cleaned_data["methods"])),
            **form.cleaned_data,
        )
        return redirect(presentation.address(new, presentation.after("data")))
    return _data(request, dataset, None, form, like)


@login_required
@require_http_methods(["GET", "POST"])
def step(request: SignedInRequest, pk: int, step: str) -> HttpResponse:
    """Show the stored choices of a step with a form, or store the submitted ones."""
    new = _own(request, pk)
    if step == "data":
        return _data_again(request, new)
    if step == "people":
        return _people(request, new)
    if step not in _FORMS:
        raise Http404
    n_methods = services.methods_of(new).count()
    asked_for = _asked_for(request, n_methods) if step == "design" else {}
    form = _FORMS[step](_sent(request), initial=new.settings | asked_for, n_methods=n_methods)
    if form.is_valid():
        services.keep_settings(new=new, step=step, settings=form.cleaned_data)
        return _onwards(request, new, step)
    context: dict[str, Any] = {"form": form}
    if step == "look":
        return _step(request, new, step, context | {"words": _words(new)}, form)
    context |= {"is_filled_in": asked_for and request.method == "GET", **_plan(request, new)}
    return _step(request, new, step, context, form, is_refused="plan" not in context)


def _plan(request: SignedInRequest, new: NewStudy) -> dict[str, Any]:
    """Return the question about the study's goal, with the draft's answers, and the plan."""
    known: dict[str, Any] = {"images": max(2, services.chosen(new).count())}
    if annotators := new.people.get(Role.ANNOTATOR.value):
        known["people"] = len(annotators)
    asked_for = planned(
        request.GET,
        dataset=new.dataset,
        person=request.user,
        known=known,
        n_methods=services.methods_of(new).count(),
    )
    question = asked_for.form
    whole = reverse("planning:plan", args=[new.dataset.slug])
    asked = {name: question.data[name] for name in question.fields if name in request.GET}
    return {
        "question": question,
        "whole_plan": f"{whole}?{urlencode(question.data)}",
        **asked_for.panel(f"{presentation.address(new, 'design')}?{urlencode(asked)}"),
    }


def _words(new: NewStudy) -> list[tuple[str, str]]:
    """Return the researcher's stored texts, or the default ones, as annotators see them."""
    names = ("welcome", "consent", "contact")
    study = Study(**{name: new.settings.get(name, "") for name in names})
    return [
        (_("Welcome"), own_words(study.welcome_text)),
        (_("What people agree to"), own_words(study.consent_text)),
        (_("Whom people can ask"), own_words(study.contact)),
    ]


def _data_again(request: SignedInRequest, new: NewStudy) -> HttpResponse:
    initial = {"name": new.settings.get("name"), "methods": new.methods}
    form = DataForm(_sent(request), offered=services.offered(new.dataset), initial=initial)
    if form.is_valid():
        services.keep_data(new=new, **form.cleaned_data)
        return _onwards(request, new, "data")
    return _data(request, new.dataset, new, form, None)


def _asked_for(request: HttpRequest, n_methods: int) -> dict[str, Any]:
    """Return the valid settings of the design in the address, where a plan puts them."""
    named = {name: request.GET[name] for name in DesignForm.base_fields if name in request.GET}
    usual_ones = {name: usual(name) for name in DesignForm.base_fields}
    form = DesignForm(usual_ones | named, n_methods=n_methods)
    form.is_valid()
    return {name: form.cleaned_data[name] for name in named if name in form.cleaned_data}


def _data(
    request: HttpRequest,
    dataset: Dataset,
    new: NewStudy | None,
    form: DataForm,
    like: Study | None,
) -> HttpResponse:
    chosen = {str(key) for key in form["methods"].value() or ()}
    counts = method_counts(dataset)
    context = {
        "dataset": dataset,
        "like": like,
        "form": form,
        "methods": [(row, str(row.method.pk) in chosen) for row in counts if row.n_results],
        "without_results": [row.method for row in counts if not row.n_results],
        "ready": readiness(dataset),
        "pictures": covers_of_datasets(Dataset.objects.filter(pk=dataset.pk))[dataset.pk],
    }
    return _step(request, new, "data", context, form)


def _people(request: SignedInRequest, new: NewStudy) -> HttpResponse:
    last_first = F("last_login").desc(nulls_last=True)
    people = User.objects.filter(is_active=True).order_by(last_first, "username")
    listed = list(people[:MAX_PEOPLE_LISTED])
    in_list = {person.pk for person in listed}
    # The user who sets a study up is most likely one of its researchers.
    chosen = new.people if "people" in new.steps else {Role.RESEARCHER.value: [request.user.pk]}
    initial: dict[str, Any] = {
        role: [pk for pk in pks if pk in in_list] for role, pks in chosen.items()
    }
    for role, pks in chosen.items():
        others = User.objects.filter(pk__in=set(pks) - in_list).values_list("username", flat=True)
        initial[f"{role}_names"] = ", ".join(others)
    form = PeopleForm(_sent(request), listed=listed, initial=initial)
    if form.is_valid():
        services.keep_people(new=new, people=form.people())
        return _onwards(request, new, "people")
    n_others = User.objects.filter(is_active=True).count() - len(listed)
    return _step(request, new, "people", {"form": form, "n_others": n_others}, form)


@login_required
@require_http_methods(["GET", "POST"])
def images(request: SignedInRequest, pk: int) -> HttpResponse:
    """Choose images by their pictures: tick them, or take all that pass a filter."""
    new = _own(request, pk)
    runs = image_filters.runs_to_compare(new.dataset)
    of_dataset = image_filters.facts(new.dataset)
    has_regions = len(of_dataset) <= image_filters.MAX_LOOKED_AT
    filter_form = ImageFilterForm(
        request.GET, dataset=new.dataset, has_regions=has_regions, has_scores=bool(runs)
    )
    wanted = filter_form.wanted()
    # Computed for all images only if they are sorted by it.
    apart = image_filters.apart(new.dataset, runs) if wanted.order == "apart" else {}
    comparable = set(services.comparable(new).values_list("pk", flat=True))
    chosen = comparable if new.images is None else comparable & set(new.images)
    passed = image_filters.passing(
        wanted, of_dataset, comparable=comparable, chosen=chosen, apart=apart
    )
    by_chance = RandomForm(request.POST if request.POST.get("do") == "random" else None)
    if request.method == "POST":
        answer = _choose(request, new, passed, chosen, by_chance)
        if answer is not None:
            return answer
    page = Paginator(passed, _IMAGES_PER_PAGE).get_page(request.GET.get("page"))
    shown = Image.objects.in_bulk([fact.pk for fact in page.object_list])
    if runs and not apart:
        apart = image_filters.apart_on(list(shown), runs)
    convention = new.dataset.box_convention
    context = {
        "filter": filter_form,
        "is_filtered": any(request.GET.get(name) for name in filter_form.fields),
        "by_chance": by_chance,
        "page": page,
        "rows": [
            {
                "fact": fact,
                "small": thumbnail_of(shown[fact.pk], convention),
                "is_chosen": fact.pk in chosen,
                "apart": 100 * apart.get(fact.pk, 0.0) if runs else None,
            }
            for fact in page.object_list
        ],
        "n_passed": len(passed),
        "n_chosen": len(chosen),
        "n_comparable": len(comparable),
        "n_images": len(of_dataset),
        "has_regions": has_regions,
        "max_looked_at": image_filters.MAX_LOOKED_AT,
    }
    return _step(request, new, "images", context, by_chance)


def _choose(
    request: SignedInRequest,
    new: NewStudy,
    passed: list[image_filters.Fact],
    chosen: set[int],
    by_chance: RandomForm,
) -> HttpResponse | None:
    """Run the action of a button on the page of images; return None if a number is invalid."""
    do = request.POST.get("do", "")
    keys = {fact.pk for fact in passed}
    if do == "random":
        if not by_chance.is_valid():
            return None
        asked = by_chance.cleaned_data
        now: set[int] | None = set(image_filters.at_random(passed, asked["n"], asked["seed"]))
        messages.success(
            request,
            ngettext(
                "{n} image is chosen, with the seed {seed}.",
                "{n} images are chosen, with the seed {seed}.",
                len(now or ()),
            ).format(n=len(now or ()), seed=asked["seed"]),
        )
    elif do == "all":
        now = None
    elif do == "only":
        now = keys
    elif do == "add":
        now = chosen | keys
    elif do == "remove":
        now = chosen - keys
    else:
        shown = set(_keys(request, "shown"))
        now = (chosen - shown) | (set(_keys(request, "image")) & shown)
        # If nothing was unticked, all remain chosen.
        if new.images is None and now == chosen:
            now = None
    services.keep_images(new=new, images=None if now is None else sorted(now))
    if do == "next":
        return redirect(presentation.address(new, presentation.after("images")))
    asked_for = request.GET.copy()
    if do.startswith("page-"):
        asked_for["page"] = do.removeprefix("page-")
    return redirect(f"{presentation.address(new, 'images')}?{asked_for.urlencode()}#pictures")


def _keys(request: HttpRequest, name: str) -> list[int]:
    return [int(key) for key in request.POST.getlist(name) if key.isdecimal()]


@login_required
@require_http_methods(["GET", "POST"])
def finish(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the last step: the study, its missing parts, and the button that creates it."""
    new = _own(request, pk)
    refusal = ""
    if request.method == "POST":
        try:
            study = services.make(
                new=new,
                is_open=request.POST.get("do") == "open",
                on_blank_pages=request.POST.get("on_blank_pages") == "yes",
            )
        except StudyRefused as reason:
            refusal = str(reason)
        else:
            messages.success(
                request,
                _("The study is open: people can rank.")
                if study.state == Study.State.OPEN
                else _("The study is set up."),
            )
            return redirect("studies:detail", slug=study.slug)

    def setting(name: str) -> Any:
        return new.settings.get(name, usual(name))

    summary = presentation.summary(new, setting)
    chosen = services.chosen(new).in_order()[:12]
    context = {
        "summary": summary,
        "refusal": refusal,
        "finds": presentation.finds(new, setting, summary.n_images, summary.n_annotators),
        "blocks": [(said, presentation.address(new, step)) for step, said in summary.blocks],
        "lacks": [(said, presentation.address(new, step)) for step, said in summary.lacks],
        "pictures": [thumbnail_of(image, new.dataset.box_convention) for image in chosen],
        "methods": services.methods_of(new),
        "people": services.members_of(new),
        "questions": [
            setting(f"{criterion}_question") for criterion in ("recall", "precision", "preference")
        ],
    }
    return _step(request, new, "open", context, None, is_refused=bool(refusal))


@login_required
@require_POST
def discard(request: SignedInRequest, pk: int) -> HttpResponse:
    new = _own(request, pk)
    new.delete()
    messages.success(
        request, _("“{new}” is discarded; no study was created from it.").format(new=new)
    )
    return redirect("setup:start")


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def preview(request: SignedInRequest, pk: int) -> HttpResponse:
    return _preview(request, preview_of_new(_own(request, pk)))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def preview_of_study(request: SignedInRequest, slug: str) -> HttpResponse:
    return _preview(request, preview_of(followed(request, slug)))


def _preview(request: SignedInRequest, shown: Preview) -> HttpResponse:
    """Show a pair as annotators see it; an answer leads to the next pair and is not stored."""
    if not shown.images or len(shown.methods) < 2:
        messages.error(
            request, _("There is nothing to compare yet: choose methods and images first.")
        )
        return redirect(shown.back_url)
    at = request.GET.get("at", "")
    number = int(at) if at.isdecimal() and len(at) < 7 else 0
    if request.method == "POST":
        if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
            have = request.POST.get("have", "")
            return JsonResponse(shown.screen(number, request.user, have)["payload"])
        return redirect(f"{shown.url}?at={number}")
    context = {
        **shown.screen(number, request.user),
        "study": shown.study,
        "back_url": shown.back_url,
        "answers": {},
        "errors": {},
        "choose": CHOOSE_A_VERDICT,
        "skip_errors": {},
        "skip_reasons": Skip.OFFERED,
        "notice": "",
    }
    return render(request, "design/preview.html", context)


def _step(
    request: HttpRequest,
    new: NewStudy | None,
    step: str,
    context: dict[str, Any],
    form: BaseForm | None,
    *,
    is_refused: bool = False,
) -> HttpResponse:
    context = {"new": new, "steps": presentation.steps(new, step), "step": step, **context}
    if new is not None:
        context.setdefault("dataset", new.dataset)
        at = presentation.STEPS.index(step)
        context["previous_url"] = (
            presentation.address(new, presentation.STEPS[at - 1]) if at else ""
        )
    is_wrong = is_refused or (form is not None and form.is_bound and not form.is_valid())
    return render(request, f"design/{step}.html", context, status=422 if is_wrong else 200)


def _onwards(request: HttpRequest, new: NewStudy, step: str) -> HttpResponse:
    do = request.POST.get("do", "")
    if do == "preview":
        return redirect("setup:preview", pk=new.pk)
    if do == "stay":
        return redirect(presentation.address(new, step))
    return redirect(presentation.address(new, presentation.after(step)))


def _sent(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


def _own(request: SignedInRequest, pk: int) -> NewStudy:
    require(request.user, "annotate.load_data")
    own = NewStudy.objects.filter(person=request.user).select_related("dataset")
    return get_object_or_404(own, pk=pk)

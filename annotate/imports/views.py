"""Pages that load data step by step; each step has a URL to come back to."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.messages.storage.base import BaseStorage
from django.core.paginator import Paginator
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.access import permitted
from annotate.datasets.models import Dataset
from annotate.datasets.photographs import photograph_bytes
from annotate.datasets.shortcuts import seen_dataset
from annotate.jobs import workers
from annotate.jobs.shortcuts import told
from annotate.requests import (
    SignedInRequest,
    loads_data,
    refusals_on,
    refusals_told,
    require,
    takes_files,
    wants_json,
)
from protocols.diagnostics.readings import AS_NAMED, STORED
from protocols.formats.recognition.reading import FORMATS

from . import drafts, plans, presentation, staging, undoing
from .errors import NotLoaded
from .forms import (
    AnswersForm,
    ConfirmForm,
    FileForm,
    FilesForm,
    FindingsForm,
    StartForm,
    TargetForm,
)
from .models import Draft, DraftFile, FileKind, Finding, Import

_RECEIPTS_PER_PAGE = 50
View = Callable[..., HttpResponseBase]


def _for_admins(view: View) -> View:
    """Restrict a page to admins; for other users it does not exist."""

    @wraps(view)
    def guarded(request: SignedInRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        require(request.user, "annotate.load_data")
        return view(request, *args, **kwargs)

    return login_required(guarded)


def _of_load(view: View) -> View:
    """Restrict a page of a load to admins, and give it the load."""

    @wraps(view)
    def found(request: SignedInRequest, pk: int, **more: Any) -> HttpResponseBase:
        return view(request, _draft(pk), **more)

    return _for_admins(found)


def _draft(pk: int) -> Draft:
    try:
        return drafts.find(pk)
    except Draft.DoesNotExist as missing:
        raise Http404 from missing


def _page(
    request: SignedInRequest, template: str, draft: Draft, here: str, status: int = 200, **more: Any
) -> HttpResponse:
    context = {"draft": draft, "steps": presentation.steps(draft, here), **more}
    return render(request, f"imports/{template}.html", context, status=status)


@takes_files(loads_data)
@_for_admins
@require_http_methods(["GET", "POST"])
def start(request: SignedInRequest) -> HttpResponse:
    """Start a load, with or without files, or list the loads in progress."""
    datasets = permitted(request.user, "annotate.see_dataset", Dataset)
    if request.method == "GET":
        form = StartForm(initial={"dataset": request.GET.get("dataset")}, datasets=datasets)
        return _start_page(request, form)
    form = StartForm(request.POST, request.FILES, datasets=datasets)
    if not form.is_valid():
        return _start_page(request, form, status=422)
    draft = drafts.open_draft(person=request.user, dataset=form.cleaned_data["dataset"])
    _add(request, draft, [file for file in form.cleaned_data["files"] if file is not None])
    url = reverse("imports:files", args=[draft.pk])
    if wants_json(request):
        return JsonResponse({"add": reverse("imports:add", args=[draft.pk]), "next": url})
    return redirect(url)


def _start_page(request: SignedInRequest, form: StartForm, status: int = 200) -> HttpResponse:
    begun = Draft.objects.exclude(state__in=Draft.OVER).filter(files__isnull=False).distinct()
    context = {
        "form": form,
        "begun": begun.select_related("person", "dataset")[:20],
        "receipts": Import.objects.select_related("person", "dataset")[:5],
    }
    return render(request, "imports/start.html", context, status=status)


def _add(request: SignedInRequest, draft: Draft, files: list[Any]) -> list[str]:
    """Store uploaded files; return the reasons for refusing some."""
    refusals = []
    for file in files:
        try:
            drafts.add_file(draft=draft, stream=file, name=file.name)
        except NotLoaded as refusal:
            refusals.append(str(refusal))
            messages.error(request, str(refusal))
    return refusals


@_of_load
@require_http_methods(["GET", "POST"])
def files(request: SignedInRequest, draft: Draft) -> HttpResponse:
    """Show the files; when posted, store corrections and perhaps start the check."""
    if request.method == "GET" and draft.state not in (Draft.State.OPEN, Draft.State.CHECKED):
        return redirect(presentation.address(draft))
    sent = request.POST if request.method == "POST" else None
    described = {"name": draft.name, "provenance": draft.provenance, "licence": draft.licence}
    datasets = permitted(request.user, "annotate.see_dataset", Dataset)
    target = TargetForm(sent, initial=described, datasets=datasets)
    earlier = drafts.earlier_loads(draft)
    rows = [FileForm(sent, file=file, earlier=earlier.get(file.pk)) for file in draft.files.all()]
    if all([target.is_valid(), *(row.is_valid() for row in rows)]):
        with refusals_on(target):
            return _changed(request, draft, target, rows)
        draft = _draft(draft.pk)
    return _page(
        request,
        "files",
        draft,
        "files",
        status=200 if sent is None else 422,
        target=target,
        rows=rows,
        add=FilesForm(),
        formats=FORMATS.values(),
    )


def _changed(
    request: SignedInRequest, draft: Draft, target: TargetForm, rows: list[FileForm]
) -> HttpResponse:
    said = target.cleaned_data
    if draft.dataset is None and any(said[key] != getattr(draft, key) for key in said):
        drafts.describe(draft=draft, **said)
    for row in rows:
        drafts.change_file(file=row.file, **row.cleaned_data)
    if "check" in request.POST:
        drafts.start_check(draft=draft, person=request.user)
        return redirect("imports:progress", pk=draft.pk)
    messages.success(request, _("Saved."))
    return redirect("imports:files", pk=draft.pk)


@takes_files(loads_data)
@_of_load
@require_POST
def add(request: SignedInRequest, draft: Draft) -> HttpResponse:
    form = FilesForm(request.POST, request.FILES)
    if form.is_valid():
        refusals = _add(request, draft, form.cleaned_data["files"])
    else:
        refusals = [_("Choose at least one file.")]
    # The next page shows refused files, too, as messages.
    if wants_json(request) and refusals:
        return JsonResponse({"refusal": " ".join(refusals)}, status=422)
    if wants_json(request):
        return JsonResponse({"ok": True})
    if not form.is_valid():
        messages.error(request, refusals[0])
    return redirect("imports:files", pk=draft.pk)


@_for_admins
@require_POST
def remove(request: SignedInRequest, pk: int, file: int) -> HttpResponse:
    removed = get_object_or_404(DraftFile.objects.select_related("draft"), draft=pk, pk=file)
    with refusals_told(request):
        drafts.remove_file(file=removed)
    return redirect("imports:files", pk=pk)


@_of_load
@require_POST
def discard(request: SignedInRequest, draft: Draft) -> HttpResponse:
    with refusals_told(request):
        drafts.discard(draft=draft)
        messages.success(request, _("The load was discarded. Nothing was loaded."))
        return redirect("imports:start")
    return redirect(presentation.address(draft))


@_of_load
@require_safe
def progress(request: SignedInRequest, draft: Draft) -> HttpResponse:
    """Show the progress of the check or the load; ``?as=json`` is for the page's script."""
    job = draft.job
    if request.GET.get("as") == "json":
        if not draft.is_at_work or job is None:
            # The page itself shows the result.
            return JsonResponse({"next": reverse("imports:progress", args=[draft.pk])})
        return JsonResponse(told(request, job))
    if not draft.is_at_work:
        if job is not None and job.failure and not draft.is_over:
            messages.error(request, job.failure)
        elif job is not None and job.state == job.State.CANCELLED:
            _say_once(request, _("Stopped. Nothing was changed."))
        return redirect(presentation.address(draft))
    here = "check" if draft.state == Draft.State.CHECKING else "confirm"
    return _page(request, "progress", draft, here, job=job, silence=workers.silence())


def _say_once(request: HttpRequest, text: str) -> None:
    """Queue a message once, although the page's script and its form may both cause it."""
    waiting = messages.get_messages(request)
    is_waiting = any(str(message) == text for message in waiting)
    if isinstance(waiting, BaseStorage):
        waiting.used = False  # read here, but not shown
    if not is_waiting:
        messages.info(request, text)


@_of_load
@require_POST
def cancel(request: SignedInRequest, draft: Draft) -> HttpResponse:
    drafts.cancel_work(draft=draft)
    return redirect("imports:progress", pk=draft.pk)


@_of_load
@require_http_methods(["GET", "POST"])
def report(request: SignedInRequest, draft: Draft) -> HttpResponse:
    """Show the findings of the check; when posted, store the answers to its questions."""
    if draft.state not in (Draft.State.CHECKED, Draft.State.LOADED):
        return redirect(presentation.address(draft))
    answers = _answers_form(request, draft)
    said: dict[int, dict[str, Any]] | None = None
    if "as_named" in request.POST:
        said = {file.pk: {"reading": AS_NAMED} for file in presentation.renamed(draft)}
    elif request.method == "POST" and answers is not None and answers.is_valid():
        said = answers.answers()
    if said is not None:
        with refusals_told(request):
            if drafts.answer(draft=draft, answers=said):
                drafts.start_check(draft=draft, person=request.user)
                return redirect("imports:progress", pk=draft.pk)
        return redirect("imports:report", pk=draft.pk)
    form = FindingsForm(request.GET)
    wanted = form.wanted()
    return _page(
        request,
        "report",
        draft,
        "report",
        status=422 if request.method == "POST" else 200,
        form=form,
        is_filtered=any(wanted.values()),
        groups=presentation.groups(draft, wanted),
        kinds=presentation.kinds(draft),
        fits=presentation.fit_rows(draft),
        compared=draft.summary.get("compared", {}).get("words", ""),
        left_out=presentation.left_out(draft),
        n_findings=draft.findings.count(),
        n_errors=plans.n_faults(draft),
        reports=presentation.file_reports(draft),
        renamed=presentation.renamed(draft),
        drawings=presentation.drawings(draft),
        answers=answers,
        n_open=sum(not question.is_answered for question in plans.questions(draft)),
    )


def _answers_form(request: SignedInRequest, draft: Draft) -> AnswersForm | None:
    if draft.state != Draft.State.CHECKED:
        return None
    questions = plans.questions(draft)
    if not questions:
        return None
    sent = request.POST if request.method == "POST" else None
    return AnswersForm(sent, questions=questions, offers=presentation.offers(draft))


@_of_load
@require_safe
def report_file(request: SignedInRequest, draft: Draft) -> StreamingHttpResponse:
    """Send the findings as CSV, with the page's filter if there is one."""
    findings = Finding.objects.filter(draft=draft).matching(FindingsForm(request.GET).wanted())
    return StreamingHttpResponse(
        findings.as_csv(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="load-{draft.pk}-report.csv"'},
    )


@cache_control(private=True, max_age=3600)
@_of_load
@require_safe
def photograph(request: SignedInRequest, draft: Draft, sha256: str) -> HttpResponse:
    """Send a verified photograph that is not yet loaded, for the report."""
    for example in [*draft.summary.get("examples", []), *draft.summary.get("trials", [])]:
        if not example["photograph"]:
            continue
        digest, content_type, _width, _height, staged_in, entry = example["photograph"]
        if digest == sha256 and staged_in is not None:
            file = get_object_or_404(draft.files, pk=staged_in, kind=FileKind.PHOTOGRAPHS)
            path, turns_webp = staging.path_of(draft.pk, file.sha256), file.reading == STORED
            content = photograph_bytes(path, entry, sha256, turns_webp=turns_webp)
            if content is not None:
                headers = {
                    "Content-Security-Policy": "default-src 'none'",
                    "Content-Disposition": "inline",
                }
                return HttpResponse(content, content_type=content_type, headers=headers)
    raise Http404


@_of_load
@require_http_methods(["GET", "POST"])
def confirm(request: SignedInRequest, draft: Draft) -> HttpResponse:
    """Show the rows to add, replace and leave alone; when posted, load the files."""
    if draft.state != Draft.State.CHECKED:
        return redirect(presentation.address(draft))
    form = ConfirmForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusals_on(form):
            drafts.confirm(draft=draft, person=request.user, **form.cleaned_data)
            return redirect("imports:progress", pk=draft.pk)
    return _page(
        request,
        "confirm",
        draft,
        "confirm",
        status=422 if request.method == "POST" else 200,
        form=form,
        plan=plans.plan(draft),
    )


@_for_admins
@require_safe
def receipts(request: SignedInRequest) -> HttpResponse:
    """List all receipts, newest first, or with ``?dataset=`` those of one dataset."""
    listed = Import.objects.select_related("person", "dataset", "undone_by")
    dataset = None
    if slug := request.GET.get("dataset"):
        dataset = seen_dataset(request, slug)
        listed = listed.filter(dataset=dataset)
    page = Paginator(listed, _RECEIPTS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "imports/receipts.html", {"page": page, "dataset": dataset})


@_for_admins
@require_http_methods(["GET", "POST"])
def receipt(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show a receipt: the person, the data, the time and the files; when posted, undo the load."""
    receipts = Import.objects.select_related("person", "dataset", "draft", "undone_by")
    shown = get_object_or_404(receipts, pk=pk)
    if request.method == "POST":
        with refusals_told(request):
            undoing.undo_import(receipt=shown, person=request.user)
            messages.success(request, _("Undone: what this load added is gone."))
        return redirect("imports:receipt", pk=pk)
    beside = list(shown.draft.receipts.exclude(pk=pk).order_by("pk")) if shown.draft else []
    context = {
        "receipt": shown,
        "written": presentation.written(shown),
        "beside": beside,
        "may_score": not shown.undone
        and any(one.kind == Import.Kind.RESULTS for one in (shown, *beside)),
        "obstacles": undoing.obstacles(shown),
        "steps": presentation.steps(shown.draft, "receipt") if shown.draft else [],
    }
    return render(request, "imports/receipt.html", context)

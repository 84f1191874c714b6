"""Loading data through the API: the same steps as on the pages, each with its address (admins)."""

from typing import Any, Final

from django.db.models import Count, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotate.access import permitted
from annotate.api.idempotency import idempotent
from annotate.api.scopes import LOAD
from annotate.api.views import ApiView, ListView, OneView, SignedInRequest
from annotate.datasets.models import Dataset
from annotate.requests import loads_data, require, takes_files

from . import drafts, plans, undoing
from .models import Draft, DraftFile, Finding, Import
from .serializers import (
    AnswersSerializer,
    ConfirmSerializer,
    DescriptionSerializer,
    Extended,
    FileChangeSerializer,
    FindingQuery,
    FindingSerializer,
    LoadFileSerializer,
    LoadSerializer,
    NewLoadSerializer,
    ReceiptQuery,
    ReceiptSerializer,
    UploadSerializer,
    WholeLoadSerializer,
    WholeReceiptSerializer,
)

_RECEIPTS: Final = Import.objects.select_related("dataset", "person", "undone_by")


class _ForAdmins(ApiView):
    writing_scope = LOAD

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        # Before any uploaded file is read.
        require(request.user, "annotate.load_data")


class _OfLoad(_ForAdmins):
    def load(self, pk: int) -> Draft:
        try:
            return drafts.find(pk)
        except Draft.DoesNotExist as missing:
            raise Http404 from missing

    def whole(self, pk: int, status: int = 200) -> Response:
        """Return the current state of a load."""
        draft = self.load(pk)
        findings = draft.findings.order_by().values_list("severity").annotate(Count("pk"))
        is_checked = draft.state == Draft.State.CHECKED
        whole = Extended(
            draft,
            n_findings=dict(findings),
            questions=plans.questions(draft),
            plan=plans.plan(draft) if is_checked else None,
        )
        return Response(self.shown(WholeLoadSerializer, whole), status)


class LoadList(_ForAdmins, ListView):
    """Loads in progress, and the start of a new one."""

    serializer_class = LoadSerializer
    ordering = ("-pk",)

    def get_queryset(self) -> QuerySet[Draft]:
        return Draft.objects.exclude(state__in=Draft.OVER).select_related("dataset", "person")

    @extend_schema(request=NewLoadSerializer, responses={201: LoadSerializer})
    @idempotent
    def post(self, request: SignedInRequest) -> Response:
        """Begin a load into a dataset, existing or new."""
        datasets = permitted(request.user, "annotate.see_dataset", Dataset)
        sent = self.sent(NewLoadSerializer, datasets=datasets)
        draft = drafts.open_draft(person=request.user, **sent)
        address = reverse("api:load", args=[draft.pk], request=request)
        return Response(self.shown(LoadSerializer, draft), 201, headers={"Location": address})


class LoadDetail(_OfLoad):
    @extend_schema(operation_id="loads_retrieve", responses=WholeLoadSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Return the state of a load: files, progress, questions, and the effect of confirming."""
        return self.whole(pk)

    @extend_schema(request=DescriptionSerializer, responses=WholeLoadSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        """Set the new dataset's name and origin."""
        drafts.describe(draft=self.load(pk), **self.sent(DescriptionSerializer))
        return self.whole(pk)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Discard a load with all its files."""
        drafts.discard(draft=self.load(pk))
        return Response(status=204)


@takes_files(loads_data)
class LoadFiles(_OfLoad):
    parser_classes = (MultiPartParser,)

    @extend_schema(
        request={"multipart/form-data": UploadSerializer}, responses={201: LoadFileSerializer}
    )
    @idempotent
    def post(self, request: SignedInRequest, pk: int) -> Response:
        """Add a file. Its kind is detected and can be corrected."""
        draft, file = self.load(pk), self.sent(UploadSerializer)["file"]
        added = drafts.add_file(draft=draft, stream=file, name=file.name)
        return Response(self.shown(LoadFileSerializer, added), 201)


class LoadFile(_OfLoad):
    def _file(self, pk: int, file: int) -> DraftFile:
        return get_object_or_404(DraftFile.objects.select_related("draft"), draft=pk, pk=file)

    @extend_schema(request=FileChangeSerializer, responses=LoadFileSerializer)
    def patch(self, request: Request, pk: int, file: int) -> Response:
        """Correct the guessed kind of a file."""
        changed = self._file(pk, file)
        drafts.change_file(file=changed, **self.sent(FileChangeSerializer))
        return Response(self.shown(LoadFileSerializer, changed))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, pk: int, file: int) -> Response:
        """Remove a file from a load."""
        drafts.remove_file(file=self._file(pk, file))
        return Response(status=204)


class LoadCheck(_OfLoad):
    @extend_schema(request=None, responses={202: WholeLoadSerializer})
    def post(self, request: SignedInRequest, pk: int) -> Response:
        """Read the files in the background and report findings (a dry run): nothing is loaded."""
        drafts.start_check(draft=self.load(pk), person=request.user)
        return self.whole(pk, 202)


class LoadAnswers(_OfLoad):
    @extend_schema(request=AnswersSerializer, responses=WholeLoadSerializer)
    def post(self, request: SignedInRequest, pk: int) -> Response:
        """Answer the questions of the report. After some answers the files are read again."""
        draft = self.load(pk)
        answers = {answer.pop("file"): answer for answer in self.sent(AnswersSerializer)["answers"]}
        if drafts.answer(draft=draft, answers=answers):
            drafts.start_check(draft=draft, person=request.user)
        return self.whole(pk)


class LoadConfirm(_OfLoad):
    @extend_schema(request=ConfirmSerializer, responses={202: WholeLoadSerializer})
    @idempotent
    def post(self, request: SignedInRequest, pk: int) -> Response:
        """Load the checked files, in the background: all or nothing."""
        draft, sent = self.load(pk), self.sent(ConfirmSerializer)
        drafts.confirm(draft=draft, person=request.user, **sent)
        return self.whole(pk, 202)


class LoadCancel(_OfLoad):
    @extend_schema(request=None, responses=WholeLoadSerializer)
    def post(self, request: SignedInRequest, pk: int) -> Response:
        """Stop the check or the load; the load is as it was before."""
        drafts.cancel_work(draft=self.load(pk))
        return self.whole(pk)


class FindingList(_ForAdmins, ListView):
    """Findings of the check of a load, each with its place."""

    serializer_class = FindingSerializer
    query_serializer_class = FindingQuery

    def get_queryset(self) -> QuerySet[Finding]:
        draft = get_object_or_404(Draft, pk=self.kwargs["pk"])
        return Finding.objects.filter(draft=draft).matching(self.query())


class ReceiptList(_ForAdmins, ListView):
    """Everything that was loaded, newest first."""

    serializer_class = ReceiptSerializer
    query_serializer_class = ReceiptQuery
    ordering = ("-pk",)
    filters = (("dataset", "dataset__slug"), ("kind", "kind"))

    def get_queryset(self) -> QuerySet[Import]:
        return _RECEIPTS.filter(**self.conditions())


class _OfReceipt(_ForAdmins):
    def told(self, receipt: Import) -> Response:
        whole = Extended(receipt, obstacles=undoing.obstacles(receipt))
        return Response(self.shown(WholeReceiptSerializer, whole))


class ReceiptDetail(_OfReceipt, OneView):
    serializer_class = WholeReceiptSerializer
    queryset = _RECEIPTS

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One receipt, and the reasons against undoing it."""
        return self.told(self.get_object())


class ReceiptUndo(_OfReceipt):
    @extend_schema(request=None, responses=WholeReceiptSerializer)
    def post(self, request: SignedInRequest, pk: int) -> Response:
        """Remove the data that a load added, unless other data depend on it; the receipt stays."""
        receipt = get_object_or_404(_RECEIPTS, pk=pk)
        return self.told(undoing.undo_import(receipt=receipt, person=request.user))

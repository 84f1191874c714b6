"""Answering pairs through the API: the same services as the page, and as blind."""

from functools import cached_property
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotate.access import permitted
from annotate.api.errors import Conflict, Forbidden
from annotate.api.idempotency import idempotent
from annotate.api.problems import CONTENT_TYPE
from annotate.api.scopes import JUDGE
from annotate.api.views import ApiView, ListView, SignedInRequest
from annotate.datasets.models import Method
from annotate.requests import require
from annotate.studies.models import Study
from annotate.studies.shortcuts import followed
from rankings.elicitation.log import CRITERIA

from . import answer_history, methods, planning, services
from .errors import Incomplete, JudgingRefusal, StudyNotOpen
from .image_allocation import first_visit_is_due, own_progress
from .models import Assignment, Note, Screen
from .presentation import past_data
from .serializers import (
    AddedSerializer,
    AnswerSerializer,
    AssignmentQuery,
    AssignmentSerializer,
    ConflictSerializer,
    HaveSerializer,
    JudgedStudySerializer,
    NextSerializer,
    NoteQuery,
    NoteSerializer,
    OwnAssignmentSerializer,
    PastSerializer,
    PinSerializer,
    SkipSerializer,
    UndoSerializer,
    next_data,
)
from .shortcuts import judged, judged_with

_NEXT = {200: NextSerializer, (409, CONTENT_TYPE): ConflictSerializer}


class _Judging(ApiView):
    request: SignedInRequest

    def scope_of(self, method: str) -> str:
        return JUDGE

    def waiting(self, study: Study) -> Any:
        """Return the data of the pair that waits."""
        found = services.current(study=study, annotator=self.request.user)
        done = found.turn is None and planning.has_begun_all(study, self.request.user)
        return next_data(found, self.request, have="", done=done)

    def refused(self, study: Study, refusal: JudgingRefusal) -> Exception:
        """Convert a service's refusal to an exception of the API."""
        if isinstance(refusal, Incomplete):
            return ValidationError(refusal.reasons)
        if isinstance(refusal, StudyNotOpen):
            forbidden = Forbidden(str(refusal))
            forbidden.problem = "study-not-open"
            forbidden.title = "The study takes no answers now"
            return forbidden
        fault = Conflict(str(refusal), more={"current": self.waiting(study)})
        fault.problem, fault.title = "already-answered", "Answered otherwise"
        return fault

    def then(self, study: Study, act: Any, /, **sent: Any) -> Response:
        """Perform an act on the log and return the next question."""
        have = sent.pop("have")
        try:
            outcome = act(annotator=self.request.user, **sent)
        except JudgingRefusal as refusal:
            raise self.refused(study, refusal) from refusal
        is_done = outcome.turn is None
        return Response(next_data(outcome, self.request, have=have, done=is_done))


class JudgedStudies(ApiView):
    def scope_of(self, method: str) -> str:
        return JUDGE

    @extend_schema(responses=JudgedStudySerializer(many=True))
    def get(self, request: SignedInRequest) -> Response:
        """List the studies you annotate, and your progress."""
        rows = own_progress(permitted(request.user, "annotate.judge_study", Study), request.user)
        return Response(self.shown(JudgedStudySerializer, rows, many=True))


class OwnAssignments(ListView):
    """The images you have ranked or are ranking in a study."""

    request: SignedInRequest
    serializer_class = OwnAssignmentSerializer
    ordering = ("position",)

    def scope_of(self, method: str) -> str:
        return JUDGE

    def get_queryset(self) -> QuerySet[Assignment]:
        study = judged(self.request, slug=self.kwargs["slug"])
        own = Assignment.objects.filter(study=study, annotator=self.request.user)
        return own.annotate(
            n_screens=Count("screens", filter=Q(screens__state=Screen.State.ANSWERED))
        )


class Start(_Judging):
    @extend_schema(request=HaveSerializer, responses=_NEXT)
    def post(self, request: SignedInRequest, slug: str) -> Response:
        """Start the next image if none is in progress, and return the waiting pair."""
        study, sent = judged(request, slug=slug), self.sent(HaveSerializer)
        if study.state == Study.State.OPEN and first_visit_is_due(study, request.user):
            page = reverse("learning:welcome", args=[slug], request=request)
            fault = Conflict(
                "Agree to take part and go through the first visit on the site before you begin.",
                more={"page": page},
            )
            fault.problem, fault.title = "first-visit-due", "The first visit is due"
            raise fault
        return self.then(study, services.start, study=study, **sent)


class Current(_Judging):
    @extend_schema(responses=NextSerializer)
    def get(self, request: SignedInRequest, slug: str) -> Response:
        """Return the pair that waits for you, without changing anything."""
        study = judged(request, slug=slug)
        if study.state != Study.State.OPEN:
            raise self.refused(study, services.not_open(study))
        return Response(self.waiting(study))


class Answer(_Judging):
    @extend_schema(request=AnswerSerializer, responses=_NEXT)
    def post(self, request: SignedInRequest, screen_id: str) -> Response:
        """Answer a pair and get the next one. An answer sent twice is stored once."""
        study, sent = judged_with(request, screen_id), self.sent(AnswerSerializer)
        verdicts = {name: sent.pop(name) for name in CRITERIA if name in sent}
        return self.then(
            study, services.record_judgement, screen_id=screen_id, verdicts=verdicts, **sent
        )


class Skip(_Judging):
    @extend_schema(request=SkipSerializer, responses=_NEXT)
    def post(self, request: SignedInRequest, screen_id: str) -> Response:
        """Report why a pair cannot be answered, and get the next one."""
        study, sent = judged_with(request, screen_id), self.sent(SkipSerializer)
        return self.then(study, services.record_skip, screen_id=screen_id, **sent)


class NoteOfScreen(_Judging):
    @extend_schema(request=PinSerializer, responses={201: PinSerializer})
    @idempotent
    def post(self, request: SignedInRequest, screen_id: str) -> Response:
        """Pin a note to a pair or to a place of a result. It changes no answer and no ranking."""
        study, sent = judged_with(request, screen_id), self.sent(PinSerializer)
        try:
            note = services.pin_note(screen_id=screen_id, annotator=request.user, **sent)
        except StudyNotOpen as refusal:
            raise self.refused(study, refusal) from refusal
        return Response(self.shown(PinSerializer, note), status=201)


class Change(_Judging):
    @extend_schema(request=HaveSerializer, responses=_NEXT)
    def post(self, request: SignedInRequest, screen_id: str) -> Response:
        """Reopen one of the pairs you answered last."""
        study, sent = judged_with(request, screen_id), self.sent(HaveSerializer)
        return self.then(study, services.change, screen_id=screen_id, **sent)


class Undo(_Judging):
    @extend_schema(request=UndoSerializer, responses=_NEXT)
    def post(self, request: SignedInRequest, slug: str) -> Response:
        """Undo the last answer or skip, and get its pair again."""
        study, sent = judged(request, slug=slug), self.sent(UndoSerializer)
        screen_id = sent.pop("screen")
        return self.then(study, services.undo, study=study, screen_id=screen_id, **sent)


class History(_Judging):
    @extend_schema(responses=PastSerializer(many=True))
    def get(self, request: SignedInRequest, slug: str) -> Response:
        """List your last answers and skips, newest first."""
        study = judged(request, slug=slug)
        if study.state != Study.State.OPEN:
            raise self.refused(study, services.not_open(study))
        pasts = list(map(past_data, answer_history.history(study, request.user)))
        return Response(self.shown(PastSerializer, pasts, many=True))


class StudyMethod(ApiView):
    def _study_and_method(self, request: Request, slug: str, method: str) -> tuple[Study, Method]:
        require(request.user, "annotate.load_data")
        study = followed(request, slug)
        return study, get_object_or_404(study.dataset.methods, slug=method)

    @extend_schema(request=None, responses={200: AddedSerializer})
    def put(self, request: SignedInRequest, slug: str, method: str) -> Response:
        """Add another method to an open study (admins); no pair is asked again."""
        study, chosen = self._study_and_method(request, slug, method)
        return Response({"n_waiting": methods.add_method(study=study, method=chosen)})

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: SignedInRequest, slug: str, method: str) -> Response:
        """Remove a method from an open study (admins); the answers about it are kept."""
        study, chosen = self._study_and_method(request, slug, method)
        methods.withdraw_method(study=study, method=chosen)
        return Response(status=204)


class _OfFollowed(ListView):
    """A list of rows of a study that the user follows."""

    @cached_property
    def study(self) -> Study:
        return followed(self.request, self.kwargs["slug"])


@extend_schema_view(get=extend_schema(parameters=[NoteQuery]))
class NoteList(_OfFollowed):
    """The notes of the annotators of a study you follow."""

    serializer_class = NoteSerializer
    ordering = ("-pk",)
    query_serializer_class = NoteQuery

    def get_queryset(self) -> QuerySet[Note]:
        notes = Note.objects.of(self.study)
        return notes.filter(discuss=True) if self.query()["discuss"] else notes


@extend_schema_view(get=extend_schema(parameters=[AssignmentQuery]))
class AssignmentList(_OfFollowed):
    """Every image ranked by an annotator of a study you follow, with its rankings."""

    serializer_class = AssignmentSerializer
    query_serializer_class = AssignmentQuery

    def get_queryset(self) -> QuerySet[Assignment]:
        study, asked = self.study, self.query()
        assignments = Assignment.objects.filter(study=study).select_related("image", "annotator")
        if "annotator" in asked:
            assignments = assignments.filter(annotator__username=asked["annotator"])
        if "image" in asked:
            assignments = assignments.filter(image=asked["image"])
        if "state" in asked:
            assignments = assignments.filter(state=asked["state"])
        return assignments.defer("image__truth", "items")

    def get_serializer_context(self) -> dict[str, Any]:
        slugs = dict(self.study.dataset.methods.values_list("pk", "slug"))
        return {**super().get_serializer_context(), "slug_of": slugs}

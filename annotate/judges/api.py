"""Judges of a study, their tasks, pictures and answers; the release of pictures."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.functional import cached_property
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.throttling import BaseThrottle

from annotate.access import permitted
from annotate.api.idempotency import idempotent
from annotate.api.scopes import PROGRAM
from annotate.api.throttling import Pictures
from annotate.api.views import ApiView, ListView, SignedInRequest
from annotate.csv_tables import as_csv
from annotate.datasets.drawing import drawn
from annotate.datasets.models import Image, Result
from annotate.requests import require
from annotate.studies.models import Study
from annotate.studies.shortcuts import followed

from . import services
from .errors import PicturesNotReleased
from .exports import ANSWER_COLUMNS, answers_of
from .models import Judge, JudgeAnswer
from .pictures import PARTS, Pair, picture_of
from .serializers import (
    AnswerQuery,
    AnswerSerializer,
    JudgeSerializer,
    NewAnswersSerializer,
    NewJudgeSerializer,
    NewReleaseSerializer,
    OneJudgeSerializer,
    PictureQuery,
    ReleaseSerializer,
    StoredAnswersSerializer,
    TaskQuery,
    TasksSerializer,
)
from .tasks import Task, asked_of, tasks_named, to_do


class _OfProgram(ApiView):
    """An address of programs that judge, which tokens of no other scope open."""

    def scope_of(self, method: str) -> str:
        return PROGRAM

    def judge(self, pk: int) -> Judge:
        judges = Judge.objects.select_related("study__dataset")
        studies = permitted(self.request.user, "annotate.follow_study", Study)
        return get_object_or_404(judges, pk=pk, study__in=studies)


class JudgeList(_OfProgram, ListView):
    """The judges of a study you follow."""

    serializer_class = JudgeSerializer

    def get_queryset(self) -> QuerySet[Judge]:
        study = followed(self.request, self.kwargs["slug"])
        return study.judges.select_related("study")

    @extend_schema(
        request=NewJudgeSerializer, responses={200: OneJudgeSerializer, 201: OneJudgeSerializer}
    )
    @idempotent
    def post(self, request: SignedInRequest, slug: str) -> Response:
        """Make a judge; 200 if there is one with these settings, which lock at its first answer."""
        study = followed(request, slug)
        sent = self.sent(NewJudgeSerializer)
        name = sent.pop("name")
        judge, is_new = services.make_judge(study=study, name=name, person=request.user, **sent)
        address = reverse("api:judge", args=[judge.pk], request=request)
        status = 201 if is_new else 200
        headers = {"Location": address}
        return Response(self.shown(OneJudgeSerializer, judge), status, headers=headers)


class JudgeDetail(_OfProgram):
    @extend_schema(responses=OneJudgeSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Show a judge's settings, and its answers by outcome with their cost."""
        return Response(self.shown(OneJudgeSerializer, self.judge(pk)))


class JudgeClose(_OfProgram):
    @extend_schema(request=None, responses=OneJudgeSerializer)
    def post(self, request: SignedInRequest, pk: int) -> Response:
        """Close a judge: it takes no more answers."""
        judge = self.judge(pk)
        services.close_judge(judge=judge, person=request.user)
        return Response(self.shown(OneJudgeSerializer, judge))


class TaskList(_OfProgram):
    query_serializer_class = TaskQuery

    @extend_schema(responses=TasksSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """List what a judge has still to answer, with the study's questions word for word."""
        judge, asked = self.judge(pk), self.query()
        waiting = to_do(judge, asked.get("outcome"))
        study, pairs = judge.study, asked_of(judge)
        shown = {
            "n_left": len(waiting),
            "n_images": len({pair.image for pair in pairs}),
            "n_pairs": len(pairs),
            "questions": {name: getattr(study, f"{name}_question") for name in judge.criteria},
            "tasks": _tasks(judge, waiting[: asked["limit"]]),
        }
        return Response(self.shown(TasksSerializer, shown))


def _tasks(judge: Judge, waiting: list[tuple[Task, int]]) -> Iterator[dict[str, Any]]:
    keys = {key for task, _ in waiting for key in (task.left, task.right)}
    results = Result.objects.in_bulk(keys)
    images = Image.objects.select_related("dataset").in_bulk({task.image for task, _ in waiting})
    sizes: dict[int, tuple[int, int]] = {}
    truths: dict[int, Any] = {}
    for task, attempt in waiting:
        image = images[task.image]
        pair = Pair(judge.study, image, results[task.left], results[task.right])
        if image.pk not in sizes:
            sizes[image.pk] = pair.size
            if judge.sees_truth:
                counted = [region for region in image.truth_regions if not region.ignored]
                truths[image.pk] = drawn(counted, image.dataset.box_convention)
        width, height = sizes[image.pk]
        row = {
            "task": task.name,
            "attempt": attempt,
            "image": task.image,
            "repeat": task.repeat,
            "left": task.left,
            "right": task.right,
            "width": width,
            "height": height,
            "polygons": pair.polygons,
            "parts": pair.parts,
        }
        if judge.sees_truth:
            row["truth"] = truths[image.pk]
        yield row


class TaskPicture(_OfProgram):
    query_serializer_class = PictureQuery

    def get_throttles(self) -> list[BaseThrottle]:
        return [Pictures()]

    @extend_schema(responses={(200, "image/png"): OpenApiTypes.BINARY})
    def get(self, request: Request, pk: int, task: str, part: str) -> HttpResponse:
        """Send a picture of a task, as PNG; only while an admin's release covers the judge's host."""
        judge = self.judge(pk)
        if not services.may_have_pictures(judge):
            raise PicturesNotReleased
        asked = tasks_named(judge, {task}).get(task)
        if asked is None or part not in PARTS:
            raise NotFound
        max_side = self.query().get("max_side", judge.max_side)
        content = picture_of(judge.study, asked, part, max_side)
        if content is None:
            raise NotFound
        token = getattr(request.auth, "beginning", "")
        services.count_picture(judge=judge, token=token, n_bytes=len(content))
        etag = f'"{sha256(content).hexdigest()}"'
        return HttpResponse(content, content_type="image/png", headers={"ETag": etag})


class AnswerList(_OfProgram, ListView):
    """The rows of a judge."""

    serializer_class = AnswerSerializer
    query_serializer_class = AnswerQuery

    @extend_schema(
        responses={200: AnswerSerializer(many=True), (200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        """List the rows of a judge; with `as=csv` all of them in one file."""
        if self.query()["as"] == "json":
            return super().get(request, *args, **kwargs)
        pieces = as_csv(ANSWER_COLUMNS, answers_of(self.own))
        return StreamingHttpResponse(pieces, content_type="text/csv; charset=utf-8")

    @cached_property
    def own(self) -> Judge:
        return self.judge(self.kwargs["pk"])

    def get_queryset(self) -> QuerySet[JudgeAnswer]:
        return self.own.answers.all()

    @extend_schema(request=NewAnswersSerializer, responses=StoredAnswersSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Store 1 to 100 answers, each by itself and in order; the result of each is in its place."""
        answers = self.sent(NewAnswersSerializer)["answers"]
        stored = services.record_answers(judge=self.own, sent=answers)
        return Response(self.shown(StoredAnswersSerializer, {"results": stored}))


class ReleaseOfStudy(ApiView):
    def scope_of(self, method: str) -> str:
        return PROGRAM if method in ("GET", "HEAD") else super().scope_of(method)

    @extend_schema(responses=ReleaseSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Show the release of pictures that is in force; 404 without one."""
        release = services.release_in_force(followed(request, slug))
        if release is None:
            raise NotFound
        return Response(self.shown(ReleaseSerializer, release))

    @extend_schema(request=NewReleaseSerializer, responses=ReleaseSerializer)
    def put(self, request: SignedInRequest, slug: str) -> Response:
        """Release the study's pictures to hosts (admins), in place of an earlier release."""
        require(request.user, "annotate.load_data")
        study = followed(request, slug)
        sent = self.sent(NewReleaseSerializer)
        release = services.release_pictures(study=study, admin=request.user, **sent)
        return Response(self.shown(ReleaseSerializer, release))

    @extend_schema(responses={204: None})
    def delete(self, request: SignedInRequest, slug: str) -> Response:
        """End the release (admins), from the next request on."""
        require(request.user, "annotate.load_data")
        if not services.end_release(study=followed(request, slug), admin=request.user):
            raise NotFound
        return Response(status=204)

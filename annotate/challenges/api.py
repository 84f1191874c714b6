"""Challenges: their settings, the entries of one's team, standings and log."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotate.access import permitted
from annotate.api.idempotency import idempotent
from annotate.api.views import ApiView, ListView, OneView, SignedInRequest
from annotate.datasets.models import Image
from annotate.errors import Refusal
from text_rankings.base.i18n import in_language

from . import services
from .models import Challenge, ChallengeChange, ChallengeMember, Entry
from .selectors import Reader, own_scores, standings
from .serializers import (
    ChallengeImageSerializer,
    ChallengeSerializer,
    ChangeSerializer,
    EntrySerializer,
    NewEntrySerializer,
    StandingsOfChallengeSerializer,
    StandingsQuery,
)
from .shortcuts import reader_of


class _OfChallenge(ApiView):
    def challenge(self) -> Challenge:
        seen = permitted(self.request.user, "annotate.see_challenge", Challenge)
        return get_object_or_404(seen.select_related("dataset"), slug=self.kwargs["slug"])

    def reader(self, challenge: Challenge) -> Reader:
        members = ChallengeMember.objects.select_related("team__challenge__dataset")
        member = members.filter(challenge=challenge, person=self.request.user).first()  # type: ignore[misc]  # signed in
        return reader_of(self.request.user, member, challenge)

    def own(self) -> QuerySet[Entry]:
        """Return the entries of one's own team; raises Http404 without one."""
        team = self.reader(self.challenge()).team
        if team is None:
            raise Http404
        return Entry.objects.filter(team=team).select_related("team__challenge__dataset")

    def whole(self, entry: Entry) -> Any:
        reader = self.reader(entry.team.challenge)
        entry.shown_scores = [row for _, rows in own_scores(entry, reader) for row in rows]  # type: ignore[attr-defined]
        lines = [line for of in entry.findings for line in of["lines"]] if entry.is_told else []
        entry.shown_findings = list(map(in_language, lines))  # type: ignore[attr-defined]
        return entry


class ChallengeList(ListView):
    """The challenges one takes part in or organises."""

    serializer_class = ChallengeSerializer
    ordering = ("-pk",)

    def get_queryset(self) -> QuerySet[Challenge]:
        seen = permitted(self.request.user, "annotate.see_challenge", Challenge)
        return seen.select_related("dataset")


class ChallengeDetail(_OfChallenge, OneView):
    """One challenge."""

    serializer_class = ChallengeSerializer

    def get_object(self) -> Challenge:
        return self.challenge()


class ChallengeImages(_OfChallenge, ListView):
    """The images to find text on, hidden ones included."""

    serializer_class = ChallengeImageSerializer
    ordering = ("position", "pk")

    def get_queryset(self) -> QuerySet[Image]:
        return self.challenge().dataset.images.defer("truth")


class ChallengeLog(_OfChallenge, ListView):
    """Changes of settings since the opening."""

    serializer_class = ChangeSerializer

    def get_queryset(self) -> QuerySet[ChallengeChange]:
        return self.challenge().changes.all()


class EntryList(_OfChallenge):
    parser_classes = (MultiPartParser,)

    @extend_schema(responses=EntrySerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the entries of one's own team, the newest first."""
        return Response(self.shown(EntrySerializer, list(map(self.whole, self.own())), many=True))

    @extend_schema(
        request={"multipart/form-data": NewEntrySerializer}, responses={201: EntrySerializer}
    )
    @idempotent
    def post(self, request: SignedInRequest, slug: str) -> Response:
        """Submit an entry; its check and scores follow within a minute."""
        reader = self.reader(self.challenge())
        team = reader.team
        if team is None and reader.is_organiser:
            raise Http404
        if team is None:
            raise Refusal(_("Make or join a team first."))
        sent = self.sent(NewEntrySerializer)
        file = sent.pop("file")
        entry = services.submit(team=team, stream=file, name=file.name, **sent)
        address = reverse("api:challenge_entry", args=[slug, entry.pk], request=request)
        shown = self.shown(EntrySerializer, self.whole(entry))
        return Response(shown, 201, headers={"Location": address})


class EntryDetail(_OfChallenge):
    @extend_schema(operation_id="challenges_entry", responses=EntrySerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return an entry of one's own team."""
        return self.one(pk)

    def one(self, pk: int) -> Response:
        entry = self.whole(get_object_or_404(self.own(), pk=pk))
        return Response(self.shown(EntrySerializer, entry))


class EntryWithdraw(EntryDetail):
    http_method_names = ("post",)

    @extend_schema(request=None, responses=EntrySerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Withdraw an entry; its place in the quota stays used."""
        services.withdraw(entry=get_object_or_404(self.own(), pk=pk))
        return self.one(pk)


class EntryFinal(EntryDetail):
    http_method_names = ("post",)

    @extend_schema(request=None, responses=EntrySerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Make an entry the final one of the team."""
        services.choose_final(entry=get_object_or_404(self.own(), pk=pk))
        return self.one(pk)


class StandingsOfChallenge(_OfChallenge):
    query_serializer_class = StandingsQuery

    @extend_schema(parameters=[StandingsQuery], responses=StandingsOfChallengeSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the standings on a split, by default the one that decides; 404 if none are shown."""
        challenge, asked = self.challenge(), self.query()
        split = asked["split"] or challenge.deciding_split
        found = standings(challenge, split, self.reader(challenge), asked["by"])
        if found is None:
            raise Http404
        return Response(self.shown(StandingsOfChallengeSerializer, found))

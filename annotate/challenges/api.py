"""Challenges: their settings, the entries of one's team, standings and log."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
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
from annotate.datasets.shortcuts import seen_dataset
from annotate.errors import Refusal
from annotate.jobs.serializers import JobSerializer
from annotate.jobs.shortcuts import accepted
from annotate.requests import require, takes_files
from text_rankings.base.i18n import in_language

from . import final, services
from .models import Challenge, ChallengeChange, ChallengeMember, Entry, Split, Team
from .people import people_of
from .selectors import Reader, images_of_entry, own_scores, standings
from .serializers import (
    ChallengeImageSerializer,
    ChallengeSerializer,
    ChallengeSettingsSerializer,
    ChangeSerializer,
    DifferenceSerializer,
    EntrySerializer,
    EntryTextSerializer,
    ImageOfEntrySerializer,
    JoinSerializer,
    NewChallengeSerializer,
    NewEntrySerializer,
    NewTeamSerializer,
    OpenSerializer,
    OrganiserSerializer,
    PeopleOfChallengeSerializer,
    StandingsOfChallengeSerializer,
    StandingsQuery,
    TeamSerializer,
    WholeTeamSerializer,
)
from .shortcuts import enters, reader_of


class _OfChallenge(ApiView):
    def challenge(self, permission: str = "see") -> Challenge:
        seen = permitted(self.request.user, f"annotate.{permission}_challenge", Challenge)
        return get_object_or_404(seen.select_related("dataset"), slug=self.kwargs["slug"])

    def member(self, challenge: Challenge) -> ChallengeMember | None:
        members = ChallengeMember.objects.select_related("team__challenge__dataset")
        return members.filter(challenge=challenge, person=self.request.user).first()  # type: ignore[misc]  # signed in

    def reader(self, challenge: Challenge) -> Reader:
        return reader_of(self.request.user, self.member(challenge), challenge)

    def seen(self) -> QuerySet[Entry]:
        """Return the entries that one may read: all for organisers, else those of one's own team."""
        challenge = self.challenge()
        if not self.reader(challenge).is_organiser:
            return self.own()
        entries = Entry.objects.filter(team__challenge=challenge)
        return entries.select_related("team__challenge__dataset")

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

    @extend_schema(request=NewChallengeSerializer, responses={201: ChallengeSerializer})
    @idempotent
    def post(self, request: SignedInRequest) -> Response:
        """Make a challenge of a dataset, as an admin."""
        require(request.user, "annotate.load_data")
        sent = self.sent(NewChallengeSerializer)
        dataset = seen_dataset(request, sent.pop("dataset"))
        made = _saved(Challenge(dataset=dataset), sent)
        address = reverse("api:challenge", args=[made.slug], request=request)
        return Response(self.shown(ChallengeSerializer, made), 201, headers={"Location": address})


class ChallengeOfLink(ApiView):
    @extend_schema(request=JoinSerializer, responses={201: ChallengeSerializer})
    @idempotent
    def post(self, request: SignedInRequest) -> Response:
        """Take part in the challenge of a link, and so agree to its terms."""
        challenge = get_object_or_404(Challenge, address=self.sent(JoinSerializer)["link"])
        services.join(challenge=challenge, person=request.user)
        address = reverse("api:challenge", args=[challenge.slug], request=request)
        shown = self.shown(ChallengeSerializer, challenge)
        return Response(shown, 201, headers={"Location": address})


def _saved(challenge: Challenge, sent: dict[str, Any]) -> Challenge:
    protocols, hidden = sent.pop("protocols", None), sent.pop("hidden", None)
    for name, value in sent.items():
        setattr(challenge, name, value)
    return services.save_challenge(
        challenge,
        protocols=None if protocols is None else [(o["slug"], o["parameters"]) for o in protocols],
        hidden=None if hidden is None else services.named_hidden(challenge.dataset, hidden),
    )


class ChallengeDetail(_OfChallenge, OneView):
    """One challenge."""

    serializer_class = ChallengeSerializer

    def get_object(self) -> Challenge:
        return self.challenge()

    @extend_schema(request=ChallengeSettingsSerializer, responses=ChallengeSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Change settings, as an organiser; changes after the opening are in the log."""
        challenge = self.challenge("organise")
        settings = ChallengeSettingsSerializer(challenge, request.data, partial=True)
        settings.is_valid(raise_exception=True)
        return Response(self.shown(ChallengeSerializer, _saved(challenge, settings.validated_data)))


class OrganisersOfChallenge(_OfChallenge):
    @extend_schema(operation_id="challenges_organisers", responses=OrganiserSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the organisers, as an organiser."""
        members = self.challenge("organise").members.select_related("person")
        found = members.filter(role=ChallengeMember.Role.ORGANISER)
        return Response(self.shown(OrganiserSerializer, found, many=True))

    @extend_schema(request=OrganiserSerializer, responses={204: None})
    def put(self, request: SignedInRequest, slug: str) -> Response:
        """Give a user the role of an organiser or take it, as an admin."""
        require(request.user, "annotate.manage_people")
        sent = self.sent(OrganiserSerializer)
        services.set_organiser(
            challenge=self.challenge("organise"),
            username=sent["person"]["username"],
            is_organiser=sent["is_organiser"],
        )
        return Response(status=204)


class StudyOfChallenge(_OfChallenge):
    @extend_schema(responses=PeopleOfChallengeSerializer)
    def get(self, request: SignedInRequest, slug: str) -> Response:
        """Return the order that people give the final entries; 404 without a kept report."""
        challenge = self.challenge()
        found = people_of(challenge, self.reader(challenge), request.user)
        if found is None:
            raise Http404
        return Response(self.shown(PeopleOfChallengeSerializer, found))

    @extend_schema(request=DifferenceSerializer, responses={202: JobSerializer})
    @idempotent
    def post(self, request: SignedInRequest, slug: str) -> Response:
        """Start making a study on the final entries, as an organiser after the end."""
        challenge, sent = self.challenge("organise"), self.sent(DifferenceSerializer)
        return accepted(self, final.start_study(challenge=challenge, person=request.user, **sent))

    @extend_schema(request=OpenSerializer, responses={204: None})
    def put(self, request: Request, slug: str) -> Response:
        """Open the study, as an organiser."""
        challenge = self.challenge("organise")
        self.sent(OpenSerializer)
        final.open_study(challenge=challenge)
        return Response(status=204)


class TeamsOfChallenge(_OfChallenge, ListView):
    """All teams with their people and entries, for organisers."""

    serializer_class = WholeTeamSerializer

    def get_queryset(self) -> QuerySet[Team]:
        teams = self.challenge("organise").teams.all()
        return teams.prefetch_related("members__person", "entries")


class TeamOfChallenge(_OfChallenge):
    def own_member(self) -> ChallengeMember:
        member = self.member(self.challenge("enter"))
        if member is None:
            raise Http404
        return member

    @extend_schema(responses=TeamSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return one's own team; 404 without one."""
        return Response(self.shown(TeamSerializer, self.own_team()))

    def own_team(self) -> Team:
        team = self.own_member().team
        if team is None:
            raise Http404
        return team

    @extend_schema(request=NewTeamSerializer, responses={201: TeamSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Make a team by its name, or join one by its code."""
        member, sent = self.own_member(), self.sent(NewTeamSerializer)
        if sent["code"]:
            services.join_team(member=member, code=sent["code"])
        else:
            services.make_team(member=member, name=sent["name"])
        return Response(self.shown(TeamSerializer, self.own_team()), 201)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Leave a team that has submitted nothing."""
        services.leave_team(member=self.own_member())
        return Response(status=204)


class ChallengeImages(_OfChallenge, ListView):
    """The images to find text on, hidden ones included; the visible ones with their ground truth."""

    serializer_class = ChallengeImageSerializer
    ordering = ("position", "pk")

    def get_queryset(self) -> QuerySet[Image]:
        challenge = self.challenge()
        visible = challenge.images_of(Split.VISIBLE).filter(pk=OuterRef("pk"))
        return challenge.dataset.images.annotate(is_visible=Exists(visible))


class ChallengeLog(_OfChallenge, ListView):
    """Changes of settings since the opening."""

    serializer_class = ChangeSerializer

    def get_queryset(self) -> QuerySet[ChallengeChange]:
        return self.challenge().changes.all()


@takes_files(enters)
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
        """Return an entry of one's own team; organisers read every entry."""
        return self.one(pk)

    @extend_schema(request=EntryTextSerializer, responses=EntrySerializer)
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Describe an entry of one's own team."""
        entry = get_object_or_404(self.own(), pk=pk)
        told = {"description": entry.description, "link": entry.link}
        services.describe(entry=entry, **told | self.sent(EntryTextSerializer))
        return self.one(pk)

    def one(self, pk: int) -> Response:
        entry = self.whole(get_object_or_404(self.seen(), pk=pk))
        return Response(self.shown(EntrySerializer, entry))


class EntryImages(_OfChallenge):
    @extend_schema(responses=ImageOfEntrySerializer(many=True))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return the visible images with the entry's F-scores, those with the lowest first."""
        images = images_of_entry(get_object_or_404(self.seen(), pk=pk))
        return Response(self.shown(ImageOfEntrySerializer, images, many=True))


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
        split = asked["split"] or next(reversed(challenge.splits), "")
        found = standings(challenge, split, self.reader(challenge), asked["by"])
        if found is None:
            raise Http404
        return Response(self.shown(StandingsOfChallengeSerializer, found))

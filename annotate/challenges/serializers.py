"""Challenges as the API shows and accepts them."""

import zoneinfo
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from annotate.api.fields import Regions
from annotate.datasets.models import Image
from annotate.studies.models import Study
from protocols.formats.recognition.reading import FORMATS

from .final import DIFFERENCE
from .models import (
    A_LINK,
    Challenge,
    ChallengeChange,
    Entry,
    EntryScore,
    Split,
    Team,
)
from .services import PUBLIC_SETTINGS


class ChallengeSerializer(serializers.ModelSerializer[Challenge]):
    dataset = serializers.CharField(source="dataset.name")
    phase = serializers.CharField(help_text="before, open, frozen or over")
    link = serializers.SerializerMethodField(help_text="The public page, where people sign up.")
    protocols = serializers.ListField(
        source="names", child=serializers.CharField(), help_text="The first decides."
    )

    class Meta:
        model = Challenge
        fields = read_only_fields = (
            *("slug", "title", "dataset", "text", "terms", "phase", "protocols", "ties"),
            *("time_zone", "opens", "freezes", "closes", "entries_a_day", "entries_in_all"),
            *("max_mb", "team_size", "sees", "hidden_score", "final_rule", "keep_days", "link"),
        )

    def get_link(self, challenge: Challenge) -> str:
        request = self.context["request"]
        return reverse("public_challenges:page", args=[challenge.address], request=request)


class JoinSerializer(serializers.Serializer[Any]):
    link = serializers.CharField(help_text="The address of the public page, or its last part.")

    def validate_link(self, link: str) -> str:
        return link.rstrip("/").removesuffix("/join").rpartition("/")[2]


class OrganiserSerializer(serializers.Serializer[Any]):
    username = serializers.CharField(source="person.username", max_length=150)
    is_organiser = serializers.BooleanField(default=True)


class DifferenceSerializer(serializers.Serializer[Any]):
    difference = serializers.FloatField(
        default=DIFFERENCE,
        min_value=0.005,
        max_value=1,
        help_text="The smallest difference between protocols that the study should find.",
    )


class OpenSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField([Study.State.OPEN.value])


class PlaceOfPeopleSerializer(serializers.Serializer[Any]):
    team = serializers.CharField()
    place = serializers.IntegerField(allow_null=True, help_text="By preference.")


class AgainstPeopleSerializer(serializers.Serializer[Any]):
    """Two entries that scores and people put in opposite orders."""

    by_scores = serializers.CharField(help_text="The team whose entry has the higher score.")
    by_people = serializers.CharField(help_text="The team whose entry people prefer.")
    images = serializers.ListField(
        child=serializers.CharField(),
        help_text="That show it, the largest difference of scores first; for followers of the study.",
    )


class PeopleOfChallengeSerializer(serializers.Serializer[Any]):
    """People's places in the newest kept report, and where the scores disagree."""

    places = PlaceOfPeopleSerializer(many=True)
    against = AgainstPeopleSerializer(many=True)


class ProtocolOfChallengeSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    parameters = serializers.DictField(required=False, default=dict)


class ChallengeSettingsSerializer(serializers.ModelSerializer[Challenge]):
    """The settings that organisers choose; times have an offset."""

    protocols = ProtocolOfChallengeSerializer(many=True, help_text="The first decides.")
    hidden = serializers.ListField(
        required=False,
        child=serializers.CharField(),
        help_text="The names of the images whose ground truth is hidden.",
    )

    class Meta:
        model = Challenge
        fields: tuple[str, ...] = (*PUBLIC_SETTINGS, "hidden")

    def validate_time_zone(self, name: str) -> str:
        if name not in zoneinfo.available_timezones():
            raise serializers.ValidationError(_("There is no time zone {name}.").format(name=name))
        return name


class NewChallengeSerializer(ChallengeSettingsSerializer):
    dataset = serializers.SlugField()

    class Meta(ChallengeSettingsSerializer.Meta):
        fields = (*ChallengeSettingsSerializer.Meta.fields, "dataset")


class TeamSerializer(serializers.ModelSerializer[Team]):
    """One's own team; others join with the code."""

    people = serializers.IntegerField(source="members.count")

    class Meta:
        model = Team
        fields = read_only_fields = ("name", "number", "code", "people")


class EntryOfTeamSerializer(serializers.ModelSerializer[Entry]):
    state = serializers.CharField(source="shown_state")

    class Meta:
        model = Entry
        fields = read_only_fields = ("id", "number", "state")


class WholeTeamSerializer(serializers.ModelSerializer[Team]):
    people = serializers.SerializerMethodField()
    entries = EntryOfTeamSerializer(many=True)

    class Meta:
        model = Team
        fields = read_only_fields = ("name", "number", "is_trial", "people", "entries")

    def get_people(self, team: Team) -> list[str]:
        return [member.person.get_username() for member in team.members.all()]


class NewTeamSerializer(serializers.Serializer[Any]):
    """A name makes a team, a code joins one."""

    name = serializers.CharField(required=False, default="", max_length=60)
    code = serializers.CharField(required=False, default="", max_length=20)


class ChallengeImageSerializer(serializers.ModelSerializer[Image]):
    photograph = serializers.SerializerMethodField(help_text="Its address; null without one.")
    truth = serializers.SerializerMethodField(help_text="null: hidden.")

    class Meta:
        model = Image
        fields = read_only_fields = ("name", "width", "height", "photograph", "truth")

    @extend_schema_field(serializers.URLField(allow_null=True))
    def get_photograph(self, image: Image) -> str | None:
        if not image.sha256:
            return None
        return reverse("api:photograph", args=[image.sha256], request=self.context["request"])

    @extend_schema_field(Regions(allow_null=True))
    def get_truth(self, image: Any) -> Any:
        return Regions().to_representation(image.truth_regions) if image.is_visible else None


class NewEntrySerializer(serializers.Serializer[Any]):
    file = serializers.FileField()
    format = serializers.CharField(
        required=False,
        default="",
        max_length=40,
        allow_blank=True,
        help_text="One of those of loads; empty: detected from the content.",
    )
    description = serializers.CharField(
        required=False, default="", max_length=500, allow_blank=True
    )
    link = serializers.CharField(
        required=False, default="", max_length=300, allow_blank=True, validators=[A_LINK]
    )

    def validate_format(self, slug: str) -> str:
        if slug and slug not in FORMATS:
            raise serializers.ValidationError(_("There is no format {slug}.").format(slug=slug))
        return slug


class EntryTextSerializer(serializers.ModelSerializer[Entry]):
    class Meta:
        model = Entry
        fields = ("description", "link")
        extra_kwargs = {"description": {"required": False}, "link": {"required": False}}


class ImageOfEntrySerializer(serializers.Serializer[Any]):
    image = serializers.CharField(source="image.name")
    f_score = serializers.FloatField(
        source="value", allow_null=True, help_text="By the deciding protocol."
    )


class EntryScoreSerializer(serializers.ModelSerializer[EntryScore]):
    class Meta:
        model = EntryScore
        fields = read_only_fields = ("split", "protocol", "recall", "precision", "f_score")


class EntrySerializer(serializers.ModelSerializer[Entry]):
    """An entry of one's own team; findings and scores are empty until they are shown."""

    state = serializers.CharField(
        source="shown_state", help_text="checking, refused, scored, final or withdrawn"
    )
    findings = serializers.ListField(
        source="shown_findings", child=serializers.CharField(), help_text="What the check found."
    )
    scores = EntryScoreSerializer(source="shown_scores", many=True)

    class Meta:
        model = Entry
        fields = read_only_fields = (
            *("id", "number", "state", "file_name", "sha256", "created", "description", "link"),
            *("findings", "scores"),
        )


class ChangeSerializer(serializers.ModelSerializer[ChallengeChange]):
    class Meta:
        model = ChallengeChange
        fields = read_only_fields = ("setting", "before", "after", "created")


class StandingsQuery(serializers.Serializer[None]):
    split = serializers.ChoiceField(Split.choices, required=False, default="")
    by = serializers.CharField(
        required=False, default="", max_length=120, help_text="The protocol that orders them."
    )


class PlaceOfEntrySerializer(serializers.Serializer[Any]):
    """A team's entry; null is a figure, a limit or a letter that is not known or not shown."""

    place = serializers.IntegerField(allow_null=True)
    team = serializers.CharField(source="method")
    n_images = serializers.IntegerField(help_text="Images of the figures.")
    letters = serializers.CharField(help_text="Entries that share one do not differ significantly.")
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="Of the 95 % interval over images.")
    high = serializers.FloatField(allow_null=True)
    others = serializers.DictField(
        source="figures",
        child=serializers.FloatField(allow_null=True),
        help_text="The F-score by every other protocol.",
    )


class StandingsOfChallengeSerializer(serializers.Serializer[Any]):
    split = serializers.CharField()
    by = serializers.CharField(source="boards.by")
    places = PlaceOfEntrySerializer(source="rows", many=True)

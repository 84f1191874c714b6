"""Screens and answers in the API: as blind as the page."""

import re
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.reverse import reverse

from annotate.api.fields import Finite
from annotate.api.schema import ProblemSerializer
from annotate.studies.models import Study
from rankings.elicitation.log import CRITERIA

from .annotator_summary import pace
from .current_screen import Outcome
from .forms import AIDS
from .models import A_DAY_SECONDS, Assignment, Note, Skip, Verdict, check_place
from .presentation import payload

_HASH = re.compile(r"[0-9a-f]{64}$")


class Polygons(serializers.ListField):
    """Polygons in image pixels, each as x1, y1, x2, y2 and so on."""

    child = serializers.ListField(child=serializers.FloatField())

    def to_representation(self, drawn: list[str]) -> list[list[float]]:
        return [[float(value) for value in re.split("[ ,]", points)] for points in drawn]


class ShownResultSerializer(serializers.Serializer[Any]):
    polygons = Polygons()


class ShownTruthSerializer(serializers.Serializer[Any]):
    polygons = Polygons()
    ignored = Polygons(help_text="Ground truth that counts for nobody.")


class FatesSerializer(serializers.Serializer[Any]):
    """A protocol's view of each region: matched, part, unmatched or ignored."""

    truth = serializers.ListField(child=serializers.CharField())
    detections = serializers.ListField(child=serializers.CharField())


class ShownImageSerializer(serializers.Serializer[Any]):
    key = serializers.CharField(help_text="The same for you each time; it tells nothing.")
    photograph = serializers.CharField(allow_null=True, help_text="Its address; null without one.")
    width = serializers.FloatField(allow_null=True)
    height = serializers.FloatField(allow_null=True)
    number = serializers.IntegerField(help_text="1 for the first image you rank.")
    total = serializers.IntegerField(
        allow_null=True, help_text="Null where the request said that it has the image."
    )
    results = serializers.DictField(
        child=ShownResultSerializer(),
        allow_null=True,
        help_text="Results by opaque ids; null where the request said that it has them.",
    )
    truth = ShownTruthSerializer(allow_null=True, help_text="Ground truth, where it may be seen.")
    matches = serializers.DictField(child=FatesSerializer(), allow_null=True)


class CriterionSerializer(serializers.Serializer[Any]):
    name = serializers.ChoiceField(CRITERIA)
    question = serializers.CharField()
    state = serializers.ChoiceField(
        ["open", "implied"], help_text="Implied: it follows from earlier answers; not asked."
    )
    verdict = serializers.ChoiceField(
        Verdict.values, allow_null=True, help_text="What follows, where it is implied."
    )


class RemainingSerializer(serializers.Serializer[Any]):
    """The number of pairs left on this image."""

    least = serializers.IntegerField()
    expected = serializers.FloatField()
    most = serializers.IntegerField()
    minutes = serializers.FloatField(allow_null=True)
    text = serializers.CharField()
    note = serializers.CharField(allow_blank=True)


class TurnSerializer(serializers.Serializer[Any]):
    """A pair to judge."""

    id = serializers.CharField(help_text="Of the screen; it tells nothing.")
    number = serializers.IntegerField()
    first = serializers.ChoiceField(
        ["left", "right"], help_text="The side to show first where there is room for one alone."
    )
    left = serializers.CharField(help_text="Id of the result on the left.")
    right = serializers.CharField(help_text="Id of the result on the right.")
    image = ShownImageSerializer()
    criteria = CriterionSerializer(many=True)
    answers = serializers.DictField(
        child=serializers.ChoiceField(Verdict.values),
        help_text="What was answered before an undo or a change came back to this pair.",
    )
    progress = RemainingSerializer()
    can_undo = serializers.BooleanField()


class NextSerializer(serializers.Serializer[Any]):
    """The screen that waits now; null if there is none because all is done or you must start."""

    study = serializers.CharField()
    done = serializers.BooleanField(help_text="Nothing is left to rank.")
    screen = TurnSerializer(allow_null=True)


def next_data(outcome: Outcome, request: Any, *, have: str, done: bool) -> Any:
    """Return the data of NextSerializer; ``have`` is the key of the image that the client has."""
    turn, screen = outcome.turn, None
    if turn is not None:
        data = payload(turn, outcome.remaining, have=have)
        screen = _turn_data(data, pace(turn), request)
    return NextSerializer({"study": outcome.study.slug, "done": done, "screen": screen}).data


def _turn_data(page: Mapping[str, Any], seconds: float | None, request: Any) -> dict[str, Any]:
    """Return the page's data, with the API's URLs instead of the page's."""
    shown, progress = page["image"], page["progress"]
    n_timed = progress["timed"]
    is_timed = seconds is not None and n_timed is not None
    minutes = round(seconds * n_timed / 60, 1) if is_timed else None
    digest = _HASH.search(shown["url"] or "")
    address = reverse("api:photograph", args=[digest[0]], request=request) if digest else None
    kept = ("key", "number")
    known = ("total", "width", "height", "results", "truth", "matches")
    return {
        "id": page["screen"]["id"],
        "number": page["screen"]["number"],
        "first": page["screen"]["first"],
        "left": page["left"],
        "right": page["right"],
        "image": {
            **{name: shown[name] for name in kept},
            **{name: shown.get(name) for name in known},
            "photograph": address,
        },
        "criteria": page["criteria"],
        "answers": page["answers"],
        "progress": progress | {"minutes": minutes},
        "can_undo": page["can_undo"],
    }


class ConflictSerializer(ProblemSerializer):
    """The pair has another answer, or was retired by an undo; the current screen is included."""

    current = NextSerializer(required=False)


class HaveSerializer(serializers.Serializer[Any]):
    have = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=40,
        help_text="Key of the image whose results you have: they are left out of the answer.",
    )


class SeenSerializer(serializers.Serializer[Any]):
    """Seconds for which each result was shown over its photograph, and which side came first."""

    first = serializers.ChoiceField(["left", "right", "both"])
    left = Finite(min_value=0, max_value=A_DAY_SECONDS)
    right = Finite(min_value=0, max_value=A_DAY_SECONDS)


class AnswerSerializer(HaveSerializer):
    """A verdict for each open criterion; implied ones may be left out."""

    recall = serializers.ChoiceField(Verdict.choices, required=False)
    precision = serializers.ChoiceField(Verdict.choices, required=False)
    preference = serializers.ChoiceField(Verdict.choices, required=False)
    seconds_taken = Finite(
        required=False, allow_null=True, min_value=0, max_value=A_DAY_SECONDS, default=None
    )
    aids = serializers.DictField(
        child=Finite(min_value=0, max_value=A_DAY_SECONDS),
        required=False,
        default=dict,
        help_text=f"Seconds that each was visible: {', '.join(AIDS)}.",
    )
    seen = SeenSerializer(
        required=False,
        allow_null=True,
        default=None,
        help_text="What was shown. Left out it is stored as unknown; an answer that says that a "
        "result was shown for 0 seconds is refused.",
    )
    disputed = serializers.ListField(
        child=serializers.ChoiceField(CRITERIA),
        required=False,
        default=list,
        max_length=len(CRITERIA),
        help_text="Criteria that are implied and that you answer all the same.",
    )

    def validate_aids(self, aids: dict[str, float]) -> dict[str, float]:
        unknown = sorted(set(aids) - set(AIDS))
        if unknown:
            raise serializers.ValidationError(f"The aids are {', '.join(AIDS)}.")
        return aids


class SkipSerializer(HaveSerializer):
    reason = serializers.ChoiceField(
        Skip.OFFERED,
        help_text="“same” is stored as an answer: equal by every criterion asked.",
    )
    text = serializers.CharField(required=False, default="", allow_blank=True, max_length=300)


class PinSerializer(serializers.ModelSerializer[Note]):
    """A note on a pair, or on a place of one of its results."""

    place = serializers.JSONField(
        required=False,
        allow_null=True,
        validators=[check_place],
        help_text="The side and the place in image pixels, as {'side': 'left', 'at': [12, 40]}; null "
        "for a note on the pair.",
    )

    class Meta:
        model = Note
        fields = ["text", "place", "discuss"]


class NoteSerializer(serializers.ModelSerializer[Note]):
    """A note of an annotator. It is part of no ranking."""

    annotator = serializers.CharField(source="screen.assignment.annotator.username")
    image = serializers.CharField(source="screen.assignment.image.name")
    left = serializers.SlugField(source="screen.left.method.slug")
    right = serializers.SlugField(source="screen.right.method.slug")

    class Meta:
        model = Note
        fields = [
            *("id", "annotator", "image", "left", "right"),
            *("place", "text", "discuss", "created"),
        ]
        read_only_fields = fields


class NoteQuery(serializers.Serializer[Any]):
    discuss = serializers.BooleanField(
        required=False, default=False, help_text="Only notes that ask for a discussion."
    )


class UndoSerializer(HaveSerializer):
    screen = serializers.CharField(
        allow_blank=True,
        max_length=24,
        help_text="Id of the pair that you see; empty after the last one.",
    )


class JudgedStudySerializer(serializers.Serializer[Any]):
    """A study that you annotate."""

    slug = serializers.CharField(source="study.slug")
    name = serializers.CharField(source="study.name")
    state = serializers.ChoiceField(Study.State.choices, source="study.state")
    n_images = serializers.IntegerField()
    n_done = serializers.IntegerField()


class OwnAssignmentSerializer(serializers.ModelSerializer[Assignment]):
    """An image that you are ranking or have ranked."""

    n_answered = serializers.IntegerField(source="n_screens")

    class Meta:
        model = Assignment
        fields = read_only_fields = ["position", "state", "n_answered", "created", "finished"]


class AssignmentSerializer(serializers.ModelSerializer[Assignment]):
    """An image ranked by an annotator, for those who follow the study."""

    image_name = serializers.CharField(source="image.name")
    annotator = serializers.CharField(source="annotator.username")
    asked = serializers.SerializerMethodField(
        help_text="Slugs of the methods that were drawn and asked; null: all of the image."
    )
    rankings = serializers.SerializerMethodField(
        help_text="For each criterion slugs of methods in buckets, best first; null until complete."
    )

    class Meta:
        model = Assignment
        fields = read_only_fields = [
            "id",
            "image",
            "image_name",
            "annotator",
            "position",
            "state",
            "asked",
            "unsettled",
            "created",
            "finished",
            "rankings",
        ]

    def get_asked(self, assignment: Assignment) -> list[str] | None:
        if assignment.drawn is None:
            return None
        slug_of = self.context["slug_of"]
        return [slug_of[method] for method in assignment.drawn["methods"]]

    def get_rankings(self, assignment: Assignment) -> dict[str, list[list[str]]] | None:
        if assignment.rankings is None:
            return None
        slug_of = self.context["slug_of"]
        return {
            criterion: [[slug_of[method] for method in bucket] for bucket in ranking]
            for criterion, ranking in assignment.rankings.items()
        }


class AssignmentQuery(serializers.Serializer[Any]):
    annotator = serializers.CharField(required=False, max_length=150, help_text="User name.")
    image = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="Id of an image."
    )
    state = serializers.ChoiceField(Assignment.State.choices, required=False)


class PastSerializer(serializers.Serializer[Any]):
    """One of the last answers or skips."""

    id = serializers.CharField(help_text="Of the screen; “change” opens it again.")
    image_number = serializers.IntegerField()
    verdicts = serializers.DictField(child=serializers.ChoiceField(Verdict.values))
    skipped = serializers.CharField(allow_blank=True, help_text="The reason, in words.")
    n_set_aside = serializers.IntegerField(
        help_text="How many later answers a change may set aside at most."
    )


class AddedSerializer(serializers.Serializer[Any]):
    n_waiting = serializers.IntegerField(help_text="Rankings that wait for a few more answers.")

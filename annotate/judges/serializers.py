"""Judges, their tasks and answers, and releases, in the API."""

from datetime import timedelta
from typing import Any, Final

from django.utils import timezone
from rest_framework import serializers

from annotate.api.fields import Finite
from annotate.judging.models import CRITERION_NAMES, Verdict
from annotate.names import seen

from .models import CROPS, PAIRS, Judge, JudgeAnswer, Release
from .pictures import PARTS
from .services import check_host, counts_of

RELEASED_DAYS: Final = 30


class SamplingSerializer(serializers.Serializer[Any]):
    temperature = Finite(min_value=0, max_value=100)
    seed = serializers.IntegerField(required=False, allow_null=True)
    max_tokens = serializers.IntegerField(min_value=1, max_value=1_000_000)
    one_by_one = serializers.BooleanField(default=False)


class NewJudgeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=80, validators=[seen])
    kind = serializers.ChoiceField(Judge.Kind.choices)
    model = serializers.CharField(max_length=200, allow_blank=True, default="")
    host = serializers.CharField(
        max_length=253,
        validators=[check_host],
        help_text="Where the pictures are sent; “command” for a program that is no address.",
    )
    prompt = serializers.CharField(
        max_length=20_000, allow_blank=True, default="", trim_whitespace=False
    )
    parts = serializers.ListField(
        child=serializers.ChoiceField([*PARTS, CROPS]), min_length=1, max_length=10
    )
    max_side = serializers.IntegerField(min_value=256, max_value=4096, default=1024)
    sampling = SamplingSerializer(required=False, default=dict)
    answer_format = serializers.ChoiceField(Judge.Format.choices, default=Judge.Format.TEXT)
    pairs = serializers.RegexField(PAIRS, default="people")
    images = serializers.ListField(
        child=serializers.CharField(max_length=200),
        allow_null=True,
        default=None,
        min_length=1,
        max_length=100_000,
        help_text="Names of images; null: all of the study.",
    )
    n_images = serializers.IntegerField(
        allow_null=True,
        default=None,
        min_value=1,
        max_value=100_000,
        help_text="As many images, drawn from the study's seed, in place of names.",
    )
    orders = serializers.ChoiceField(Judge.Orders.choices, default=Judge.Orders.BOTH)
    repeats = serializers.IntegerField(min_value=1, max_value=100, default=1)
    criteria = serializers.ListField(
        child=serializers.ChoiceField(list(CRITERION_NAMES)), min_length=1, max_length=3
    )
    sees_truth = serializers.BooleanField(default=False)
    tuned_on = serializers.ListField(
        child=serializers.CharField(max_length=200), default=list, max_length=10_000
    )
    price_in = Finite(min_value=0, allow_null=True, default=None)
    price_out = Finite(min_value=0, allow_null=True, default=None)
    margin = Finite(min_value=0.01, max_value=0.1, default=0.05)

    def validate_criteria(self, names: list[str]) -> list[str]:
        return [name for name in CRITERION_NAMES if name in names]


class CountsSerializer(serializers.Serializer[Any]):
    outcomes = serializers.DictField(child=serializers.IntegerField())
    answered_as = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField(allow_blank=True)),
        help_text="Model names and fingerprints, as answered.",
    )
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    seconds = serializers.FloatField()
    cost = serializers.FloatField(allow_null=True)


class JudgeSerializer(serializers.ModelSerializer[Judge]):
    study = serializers.CharField(source="study.slug")

    class Meta:
        model = Judge
        fields = read_only_fields = [
            *("id", "study", "name", "kind", "model", "host", "prompt", "prompt_sha256", "parts"),
            *("max_side", "sampling", "answer_format", "pairs", "images", "orders", "repeats"),
            *("criteria", "sees_truth", "tuned_on", "price_in", "price_out", "margin"),
            *("software_version", "created", "closed"),
        ]


class OneJudgeSerializer(JudgeSerializer):
    counts = CountsSerializer(source="*")

    class Meta(JudgeSerializer.Meta):
        fields = read_only_fields = [*JudgeSerializer.Meta.fields, "counts"]

    def to_representation(self, judge: Judge) -> dict[str, Any]:
        own = JudgeSerializer(judge, context=self.context).data
        return {**own, "counts": counts_of(judge)}


class TaskQuery(serializers.Serializer[Any]):
    outcome = serializers.ChoiceField(
        [name for name in JudgeAnswer.Outcome.values if name != "answered"],
        required=False,
        help_text="Only tasks that ended so, to be tried again.",
    )
    limit = serializers.IntegerField(required=False, min_value=1, max_value=1000, default=100)


class TaskSerializer(serializers.Serializer[Any]):
    task = serializers.CharField()
    attempt = serializers.IntegerField(help_text="The number of the next attempt.")
    image = serializers.IntegerField()
    left = serializers.IntegerField()
    right = serializers.IntegerField()
    repeat = serializers.IntegerField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    polygons = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Of left and right, as points of SVG in image pixels.",
    )
    truth = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="If the judge sees it."
    )
    parts = serializers.ListField(child=serializers.CharField())


class TasksSerializer(serializers.Serializer[Any]):
    n_left = serializers.IntegerField()
    n_images = serializers.IntegerField()
    n_pairs = serializers.IntegerField()
    questions = serializers.DictField(child=serializers.CharField())
    tasks = TaskSerializer(many=True)


class PictureQuery(serializers.Serializer[Any]):
    max_side = serializers.IntegerField(
        required=False, min_value=256, max_value=4096, help_text="Pixels; as the judge has it."
    )


class NewAnswerSerializer(serializers.Serializer[Any]):
    task = serializers.CharField(max_length=100)
    attempt = serializers.IntegerField(min_value=1, max_value=1000)
    outcome = serializers.ChoiceField(JudgeAnswer.Outcome.choices)
    verdicts = serializers.DictField(child=serializers.ChoiceField(Verdict.choices), default=dict)
    raw = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    finish_reason = serializers.CharField(required=False, allow_blank=True, max_length=40)
    model = serializers.CharField(required=False, allow_blank=True, max_length=200)
    fingerprint = serializers.CharField(required=False, allow_blank=True, max_length=200)
    tokens_in = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=2**31 - 1
    )
    tokens_out = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=2**31 - 1
    )
    seconds = Finite(required=False, allow_null=True, min_value=0, max_value=1e6)
    pictures = serializers.ListField(
        child=serializers.RegexField(r"^[0-9a-f]{64}$"), required=False, max_length=20
    )


class NewAnswersSerializer(serializers.Serializer[Any]):
    answers = serializers.ListField(child=NewAnswerSerializer(), min_length=1, max_length=100)


class StoredSerializer(serializers.Serializer[Any]):
    task = serializers.CharField()
    status = serializers.IntegerField(
        help_text="201 stored, 200 the same is there, 409 another is there, 422 not valid."
    )
    detail = serializers.CharField()


class StoredAnswersSerializer(serializers.Serializer[Any]):
    results = StoredSerializer(many=True)


class AnswerQuery(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        return {"as": serializers.ChoiceField(["json", "csv"], required=False, default="json")}


class AnswerSerializer(serializers.ModelSerializer[JudgeAnswer]):
    class Meta:
        model = JudgeAnswer
        fields = read_only_fields = [
            *("id", "image", "left", "right", "repeat", "attempt", "outcome"),
            *("recall", "precision", "preference", "raw", "finish_reason", "model"),
            *("fingerprint", "tokens_in", "tokens_out", "seconds", "pictures", "created"),
        ]


class ReleaseSerializer(serializers.ModelSerializer[Release]):
    class Meta:
        model = Release
        fields = read_only_fields = ["hosts", "purpose", "licence", "since", "until"]


class NewReleaseSerializer(serializers.Serializer[Any]):
    hosts = serializers.ListField(
        child=serializers.CharField(max_length=253, validators=[check_host]),
        min_length=1,
        max_length=20,
    )
    purpose = serializers.CharField(max_length=300)
    licence = serializers.CharField(
        allow_blank=True, help_text="The licence note of the dataset, word for word."
    )
    may_send = serializers.BooleanField(
        help_text="I may send these photographs there. Only true is taken."
    )
    until = serializers.DateTimeField(required=False, help_text="In 30 days unless given.")

    def validate_may_send(self, is_confirmed: bool) -> bool:
        if not is_confirmed:
            raise serializers.ValidationError("Confirm that you may send these photographs there.")
        return is_confirmed

    def validate(self, sent: dict[str, Any]) -> dict[str, Any]:
        sent.pop("may_send")
        sent.setdefault("until", timezone.now() + timedelta(days=RELEASED_DAYS))
        return sent

"""Plans of studies, in the API."""

from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from annotate.api.idempotency import idempotent
from annotate.api.views import ApiView, SignedInRequest
from annotate.datasets.models import Dataset
from annotate.datasets.shortcuts import seen_dataset
from annotate.errors import Refusal
from annotate.jobs.serializers import JobSerializer
from annotate.jobs.shortcuts import accepted
from rankings.design.reach import reach_of_hours
from rankings.design.simulation import Simulated
from rankings.design.study_plans import USUAL_MINUTES, USUAL_PEOPLE, Plan, plan
from rankings.elicitation.log import CRITERIA
from rankings.elicitation.strategies import WAYS

from . import services, work
from .forms import MOST_HOURS, MOST_IMAGES, MOST_PEOPLE


class PlanQuery(serializers.Serializer[Any]):
    """A plan's goal and people; missing fields have their defaults."""

    difference = serializers.FloatField(
        default=services.DIFFERENCE,
        min_value=0.001,
        max_value=1,
        help_text="Of two protocols' losses a pair of methods: 0.03 are three pairs of 100.",
    )
    people = serializers.IntegerField(default=USUAL_PEOPLE, min_value=1, max_value=MOST_PEOPLE)
    images = serializers.IntegerField(
        required=False,
        min_value=2,
        max_value=MOST_IMAGES,
        help_text="Without it those of the dataset.",
    )
    n_protocols = serializers.IntegerField(
        required=False,
        min_value=2,
        max_value=200,
        help_text="Every pair of them is tested. Without it those that scored the dataset.",
    )
    power = serializers.FloatField(default=0.8, min_value=0.5, max_value=0.99)
    criterion = serializers.ChoiceField(CRITERIA, default=services.CRITERION)
    study = serializers.SlugField(
        required=False,
        max_length=120,
        allow_blank=True,
        help_text="Whose images and people vary alike: a study you follow; empty: the demo. "
        "Without it the first with complete rankings on this dataset, if there is one.",
    )
    seconds = serializers.FloatField(
        required=False, min_value=0.1, max_value=3600, help_text="Without it as in that study."
    )
    minutes = serializers.FloatField(default=USUAL_MINUTES, min_value=0, max_value=480)
    hours = serializers.FloatField(
        required=False,
        min_value=0.1,
        max_value=MOST_HOURS,
        help_text="Of work of all people together; with it the answer says what they detect.",
    )
    strategy = serializers.ChoiceField(WAYS, default=WAYS[0], help_text="Of whole rankings.")
    model = serializers.ChoiceField(
        work.MODELS, default=work.MODELS[0], help_text="Of simulated studies of the design."
    )


class ComponentsSerializer(serializers.Serializer[Any]):
    image = serializers.FloatField()
    annotator = serializers.FloatField()
    rest = serializers.FloatField()
    negative = serializers.ListField(
        child=serializers.CharField(), help_text="What came out below 0 and counts as 0."
    )
    image_is_apart = serializers.BooleanField(
        help_text="Whether images and the rest could be told apart."
    )
    per_group = serializers.FloatField(help_text="People of a group; above 1, groups are counted.")
    per_scene = serializers.FloatField(help_text="Images of a scene; above 1, scenes are counted.")


class DesignChoiceSerializer(serializers.Serializer[Any]):
    """A design. ``n_images`` is null if no number of images suffices."""

    asking = serializers.CharField(help_text="rankings, or pairs")
    sharing = serializers.CharField()
    n_annotators = serializers.IntegerField()
    n_images = serializers.IntegerField(allow_null=True)
    n_visits = serializers.IntegerField(allow_null=True)
    answers = serializers.IntegerField(allow_null=True)
    hours = serializers.FloatField(allow_null=True)
    hours_a_person = serializers.FloatField(allow_null=True)
    fits = serializers.BooleanField(help_text="Whether there are images enough.")
    is_cheapest = serializers.BooleanField()
    is_advised = serializers.BooleanField()


class PlannedQuestionSerializer(serializers.Serializer[Any]):
    difference = serializers.FloatField()
    people = serializers.IntegerField()
    share = serializers.FloatField()
    n_protocols = serializers.IntegerField()
    alpha = serializers.FloatField()
    images = serializers.IntegerField(allow_null=True)
    screens = serializers.FloatField()
    seconds = serializers.FloatField()
    minutes_a_person = serializers.FloatField()


class TrialSerializer(serializers.Serializer[Any]):
    """Results of simulated studies of the cheapest design, with standard errors."""

    n_studies = serializers.IntegerField()
    difference = serializers.FloatField()
    power = serializers.FloatField(help_text="Share of true differences that were found.")
    power_error = serializers.FloatField()
    false_alarms = serializers.FloatField(
        help_text="Share of studies of equally near protocols with a difference."
    )
    false_alarms_error = serializers.FloatField()


class PlannedDesignSerializer(serializers.Serializer[Any]):
    n_images = serializers.IntegerField()
    n_annotators = serializers.IntegerField()
    per_image = serializers.IntegerField(help_text="People of an image.")
    repeated = serializers.FloatField(help_text="Share of images with `repeats` people instead.")
    repeats = serializers.IntegerField()


class ReachSerializer(serializers.Serializer[Any]):
    """A design that uses the hours of a question, and the differences that it detects."""

    asking = serializers.CharField(help_text="rankings, or pairs")
    design = PlannedDesignSerializer()
    power = serializers.FloatField(help_text="For the difference of the question.")
    least = serializers.FloatField(
        allow_null=True, help_text="The least difference it detects with that power, or null."
    )
    answers = serializers.IntegerField()


class StudyPlanSerializer(serializers.Serializer[Any]):
    """All examined designs, with notes."""

    question = PlannedQuestionSerializer()
    origin = serializers.CharField(help_text="Where the components of variance come from.")
    components = serializers.DictField(child=ComponentsSerializer())
    differences = serializers.ListField(
        child=serializers.FloatField(), help_text="What differences of protocols were there."
    )
    choices = DesignChoiceSerializer(many=True)
    remarks = serializers.ListField(child=serializers.CharField())
    unlucky = serializers.FloatField(
        allow_null=True, help_text="Power of the cheapest after the unluckiest tenth of pilots."
    )
    within_hours = ReachSerializer(
        many=True,
        help_text="The least difference first; empty without hours, or if they are too few.",
    )
    trial = TrialSerializer(allow_null=True, help_text="null: not tried with this model yet.")


class PlanOfDataset(ApiView):
    query_serializer_class = PlanQuery
    heavy_methods = ("POST",)

    @extend_schema(responses=StudyPlanSerializer)
    def get(self, request: SignedInRequest, slug: str) -> Response:
        """Return the images and people that reveal a difference between two protocols, and their cost."""
        asked = self.query()
        hours = asked.pop("hours", None)
        _dataset, found, study = _planned(request, slug, asked)
        trial = None if study is None else work.last(study)
        within = [] if hours is None else reach_of_hours(found.pilot, found.question, hours)
        data = {
            **found.to_json(),
            "within_hours": [asdict(one) for one in within],
            "trial": None if trial is None else asdict(trial),
        }
        return Response(self.shown(StudyPlanSerializer, data))

    @extend_schema(request=PlanQuery, responses={202: JobSerializer})
    @idempotent
    def post(self, request: SignedInRequest, slug: str) -> Response:
        """Start simulating studies of the cheapest design of a plan."""
        sent = self.sent(PlanQuery)
        sent.pop("hours", None)
        query = urlencode({"model": sent["model"]})
        dataset, _found, study = _planned(request, slug, sent)
        if study is None:
            raise Refusal(_("There is no design to try, or it is too large to be simulated."))
        job = work.start(study=study, dataset=dataset, query=query, person=request.user)
        return accepted(self, job)


def _planned(
    request: SignedInRequest, slug: str, asked: dict[str, Any]
) -> tuple[Dataset, Plan, Simulated | None]:
    dataset = seen_dataset(request, slug)
    model = asked.pop("model")
    if slug_of_pilot := asked.get("study"):
        asked["study"] = get_object_or_404(services.pilots(request.user), slug=slug_of_pilot)
    elif "study" in asked:
        asked["study"] = None
    asked = {**services.usual_question(dataset, request.user), **asked}
    found = plan(*services.question_of(dataset=dataset, **asked))
    return dataset, found, work.simulated(found, dataset, model)

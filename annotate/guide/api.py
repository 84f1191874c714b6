"""The protocols with their parameters, and scores of submitted regions."""

from collections.abc import Mapping, Sequence
from dataclasses import Field
from typing import Any

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.fields import Defined, Finite, RegionSerializer, region_of
from annotate.api.scopes import READ
from annotate.api.views import ApiView
from annotate.names import seen
from protocols import registry
from protocols.core.base import ImageScore, Protocol, Scene
from protocols.core.causes import CAUSES, Cost, Losses, costs, total
from protocols.score_versions import version_of
from protocols.signatures import DATA, signature

from . import services

MAX_SCENES = 50
MAX_REGIONS = 300
MAX_REGIONS_IN_ALL = 3000


class ParameterSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    kind = serializers.ChoiceField(["number", "whole number", "switch", "choice"])
    default = serializers.SerializerMethodField(help_text="As published.")
    low = Defined()
    high = Defined()
    choices = serializers.ListField(child=serializers.CharField())
    says = serializers.CharField(allow_blank=True)

    @extend_schema_field(OpenApiTypes.ANY)
    # The API has a field "default", and serializer fields have another method of this name.
    def get_default(self, parameter: Mapping[str, Any]) -> Any:  # type: ignore[override]
        return parameter["default"]


class ProtocolSerializer(serializers.Serializer[None]):
    slug = serializers.CharField()
    name = serializers.CharField()
    reference = serializers.CharField()
    summary = serializers.CharField()
    needs = serializers.CharField(help_text="What regions must carry for it to say anything.")
    has_matches = serializers.BooleanField()
    parameters = ParameterSerializer(many=True)


def protocol_data(protocol: Protocol) -> dict[str, Any]:
    names = ("slug", "name", "reference", "summary", "needs", "has_matches")
    return {
        **{name: getattr(protocol, name) for name in names},
        "parameters": [_parameter(declared) for declared in protocol.declared()],
    }


def _parameter(declared: "Field[Any]") -> dict[str, Any]:
    choices, default = declared.metadata.get("choices", ()), declared.default
    if isinstance(default, bool):
        kind = "switch"
    elif choices:
        kind = "choice"
    else:
        kind = "whole number" if isinstance(default, int) else "number"
    is_number = kind in ("number", "whole number")
    return {
        "name": declared.name,
        "kind": kind,
        "default": default,
        "low": declared.metadata["low"] if is_number else None,
        "high": declared.metadata["high"] if is_number else None,
        "choices": list(choices),
        "says": declared.metadata.get("says", ""),
    }


class SceneSerializer(serializers.Serializer[None]):
    """One image: its ground truth and its detections."""

    name = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=200, validators=[seen]
    )
    width = Finite(required=False, allow_null=True, default=None, min_value=1, max_value=1e6)
    height = Finite(required=False, allow_null=True, default=None, min_value=1, max_value=1e6)
    # With many=True it becomes a list, whose length arguments the type stubs do not know.
    truth = RegionSerializer(many=True, max_length=MAX_REGIONS)  # type: ignore[call-arg]
    detections = RegionSerializer(  # type: ignore[call-arg]
        many=True,
        max_length=MAX_REGIONS,
        allow_null=True,
        help_text="Null: the method has no file for the image.",
    )


class ScenesSerializer(serializers.Serializer[None]):
    parameters = serializers.DictField(
        required=False, default=dict, help_text="Those that are not the published ones."
    )
    # A list, like ``truth`` above.
    images = SceneSerializer(  # type: ignore[call-arg]
        many=True, min_length=1, max_length=MAX_SCENES
    )

    def validate_images(self, images: list[dict[str, Any]]) -> list[dict[str, Any]]:
        n = sum(len(image[side] or ()) for image in images for side in ("truth", "detections"))
        if n > MAX_REGIONS_IN_ALL:
            raise serializers.ValidationError(
                f"At most {MAX_REGIONS_IN_ALL} regions in all; these are {n}."
            )
        return images


def scene_of(sent: Mapping[str, Any]) -> Scene:
    """Return the scene that a SceneSerializer read."""
    detections = sent["detections"]
    return Scene(
        tuple(region_of(region) for region in sent["truth"]),
        None if detections is None else tuple(region_of(region) for region in detections),
        sent["name"],
        sent["width"],
        sent["height"],
    )


class MatchSerializer(serializers.Serializer[None]):
    """Truths and detections that belong together, by index from 0."""

    truth = serializers.ListField(child=serializers.IntegerField())
    detections = serializers.ListField(child=serializers.IntegerField())
    kind = serializers.CharField()
    recall_credit = Defined()
    precision_credit = Defined()


class UnmatchedSerializer(serializers.Serializer[None]):
    side = serializers.CharField()
    index = serializers.IntegerField()
    reason = serializers.CharField()


class LossSerializer(serializers.Serializer[None]):
    """A region without full credit, and why; partners are the other side's regions at fault."""

    side = serializers.CharField()
    index = serializers.IntegerField()
    cause = serializers.ChoiceField(CAUSES)
    credit = serializers.FloatField()
    partners = serializers.ListField(child=serializers.IntegerField())


class CostSerializer(serializers.Serializer[None]):
    """The gain in each figure if one cause alone were removed."""

    cause = serializers.ChoiceField(CAUSES)
    n_truth = serializers.IntegerField()
    n_detections = serializers.IntegerField()
    recall = Defined()
    precision = Defined()
    f_score = Defined()


class ImageScoreSerializer(serializers.Serializer[None]):
    name = serializers.CharField(allow_blank=True)
    recall = Defined()
    precision = Defined()
    f_score = Defined()
    indicators = serializers.DictField(child=Defined())
    matches = MatchSerializer(many=True)
    unmatched = UnmatchedSerializer(many=True)
    losses = LossSerializer(
        many=True,
        allow_null=True,
        help_text="Why regions have less than full credit; null where the protocol cannot say it.",
    )


class ScoredSerializer(serializers.Serializer[None]):
    """Scores; null means undefined, never zero."""

    protocol = serializers.CharField()
    parameters = serializers.DictField()
    version = serializers.CharField()
    signature = serializers.CharField(help_text="How the scores were made, in one line.")
    recall = Defined(help_text="Over all images, as published.")
    precision = Defined()
    f_score = Defined()
    images = ImageScoreSerializer(many=True)
    costs = CostSerializer(
        many=True, allow_null=True, help_text="What each cause costs, over all images."
    )


def image_score_data(scene: Scene, score: ImageScore, lost: Losses | None) -> dict[str, Any]:
    own = ("recall", "precision", "f_score", "indicators", "matches", "unmatched")
    return {
        "name": scene.name,
        **{name: getattr(score, name) for name in own},
        "losses": None if lost is None else lost.regions,
    }


def costs_data(lost: Sequence[Losses] | None) -> Sequence[Cost] | None:
    return None if lost is None else costs(total(lost))


class ProtocolList(ApiView):
    @extend_schema(responses=ProtocolSerializer(many=True))
    def get(self, request: Request) -> Response:
        """All protocols with their parameters, ranges and published values."""
        data = [protocol_data(protocol) for protocol in registry.all_protocols()]
        return Response(self.shown(ProtocolSerializer, data, many=True))


class ProtocolDetail(ApiView):
    @extend_schema(operation_id="protocols_retrieve", responses=ProtocolSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """One protocol with its parameters."""
        return Response(self.shown(ProtocolSerializer, protocol_data(_protocol(slug))))


class ProtocolScore(ApiView):
    """Scores of submitted regions. Nothing is stored, so the scope for reading suffices."""

    writing_scope = READ
    heavy_methods = ("POST",)

    @extend_schema(request=ScenesSerializer, responses=ScoredSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Score the submitted regions; nothing is stored and no study is needed."""
        _protocol(slug)
        sent = self.sent(ScenesSerializer)
        scenes = [scene_of(image) for image in sent["images"]]
        protocol, scores, lost = services.score_scenes(
            slug=slug, parameters=sent["parameters"], scenes=scenes
        )
        of_images: Sequence[Losses | None] = lost or [None] * len(scenes)
        overall = protocol.overall(scores)
        data = {
            "protocol": protocol.slug,
            "parameters": protocol.parameters(),
            "version": version_of(protocol.slug),
            "signature": signature(protocol, DATA, DATA, len(scenes)),
            **{name: getattr(overall, name) for name in ("recall", "precision", "f_score")},
            "images": [
                image_score_data(scene, score, of_scene)
                for scene, score, of_scene in zip(scenes, scores, of_images, strict=True)
            ],
            "costs": costs_data(lost),
        }
        return Response(self.shown(ScoredSerializer, data))


def _protocol(slug: str) -> Protocol:
    if slug not in registry.PROTOCOLS:
        raise Http404
    return registry.get(slug)

"""The protocols with their parameters, and scores of submitted regions."""

from collections.abc import Sequence

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.scopes import READ
from annotate.api.views import ApiView
from protocols import registry
from protocols.core.base import Protocol
from protocols.core.causes import Losses

from . import services
from .serializers import (
    ProtocolSerializer,
    ScenesSerializer,
    ScoredSerializer,
    costs_data,
    image_score_data,
    protocol_data,
    scene_of,
)


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
            "version": registry.version_of(protocol.slug),
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

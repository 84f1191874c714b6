"""Scoring scenes that somebody sent, with no study and nothing stored."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotate.errors import Refusal
from protocols import registry
from protocols.base import ImageScore, Protocol, Scene
from protocols.errors import ProtocolError
from protocols.fitting import lacking


class NotScored(Refusal):
    """The scenes cannot be scored by this protocol, or not with these parameters."""


def score_scenes(
    *, slug: str, parameters: Mapping[str, Any], scenes: Sequence[Scene]
) -> tuple[Protocol, list[ImageScore]]:
    """Return the protocol and its score of each scene. Raises NotScored."""
    try:
        protocol = registry.get(slug, parameters)
        truths = [region for scene in scenes for region in scene.truth]
        found = [region for scene in scenes for region in scene.detections or ()]
        lacks = lacking(protocol, truths, found, n_methods=1)
        if lacks:
            raise NotScored(f"{protocol.name} cannot score this: {lacks}.")
        return protocol, protocol.score(scenes)
    except ProtocolError as refusal:
        raise NotScored(f"{refusal}.") from refusal

"""Scores of scenes from a request, without a study; nothing is stored."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _

from annotate.errors import Refusal
from protocols import registry
from protocols.core.base import ImageScore, Protocol, Scene
from protocols.core.causes import Losses, losses
from protocols.core.crowding import require_feasible
from protocols.core.errors import ProtocolError
from protocols.core.fitting import lacking

_log = logging.getLogger(__name__)
# A few seconds of the slowest protocol: 30 boxes of each side on one place.
MAX_WORK_OF_REQUEST: Final = 2_000_000


class NotScored(Refusal):
    """Refusal of scenes that a protocol cannot score, or not with these parameters."""


def score_scenes(
    *, slug: str, parameters: Mapping[str, Any], scenes: Sequence[Scene]
) -> tuple[Protocol, list[ImageScore], list[Losses] | None]:
    """Return the protocol, its score of each scene and, if it reports causes, the losses.

    Raises NotScored.
    """
    try:
        protocol = registry.get(slug, parameters)
        truths = [region for scene in scenes for region in scene.truth]
        detections = [region for scene in scenes for region in scene.detections or ()]
        lacks = lacking(protocol, truths, detections, n_methods=1)
        if lacks:
            raise NotScored(
                _("{protocol} cannot score this: {lacks}.").format(
                    protocol=protocol.name, lacks=lacks
                )
            )
    except ProtocolError as refusal:
        raise NotScored(f"{refusal}.") from refusal
    try:
        require_feasible(scenes, MAX_WORK_OF_REQUEST)
        protocol = protocol.settled_for(truths)
        scores = protocol.score(scenes)
        lost = losses(protocol, scenes, scores) if protocol.has_causes else None
        return protocol, scores, lost
    except ProtocolError as refusal:
        raise NotScored(f"{refusal}.") from refusal
    except Exception as fault:
        # Geometry fails if a shape has sides of millions and of billionths; users may try that.
        _log.exception("%s failed on regions that were sent", slug)
        raise NotScored(
            _(
                "{protocol} could not be computed for these regions; the error has been logged."
            ).format(protocol=protocol.name)
        ) from fault

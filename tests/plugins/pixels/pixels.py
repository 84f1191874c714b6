"""A protocol that measures area alone."""

from dataclasses import dataclass

from shapely import Polygon, union_all

from protocols.core.base import ImageScore, Protocol, Tally, f_score, parameter


@dataclass(frozen=True)
class Pixels(Protocol):
    """Shares of area: of the text that is found, and of the detections that are text.

    A side without area leaves its figure undefined, as does an image without a file.
    """

    slug, name, reference = "pixels", "Pixels", "This page"
    summary, family = "Shares of the area of text and of detections.", "Shares of areas"
    has_matches = False
    margin_px: float = parameter(0.0, low=0.0, high=50.0, says="What may be missed at each side.")

    def score(self, scenes):
        return [self._score(scene) for scene in scenes]

    def _score(self, scene):
        truth = area_of(region for region in scene.truth if not region.ignored)
        found = area_of(scene.detections or ())
        recalled = truth.intersection(found.buffer(self.margin_px)).area
        precise = found.intersection(truth.buffer(self.margin_px)).area
        recall = recalled / truth.area if truth.area else None
        precision = precise / found.area if found.area else None
        tally = Tally(recalled, truth.area, precise, found.area)
        return ImageScore(recall, precision, f_score(recall, precision), tally)


def area_of(regions):
    corners = (zip(region.points[::2], region.points[1::2], strict=True) for region in regions)
    return union_all([Polygon(list(of)).buffer(0) for of in corners])

"""Precision and recall without ground truth: several methods vote on every point ([LS11]_)."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..core.base import (
    Family,
    ImageScore,
    Needs,
    OverallScore,
    Protocol,
    Scene,
    Tally,
    choice,
    f_score,
    parameter,
)
from .faces import faces_of
from .votes import Consensus, VoteError, VoteScore, share_weights, vote_score


@dataclass(frozen=True)
class NoGroundTruth(Protocol):
    """Measure each method against the areas marked by all methods together.

    Every point of an image has a relevance, the weighted share of methods that mark it, among them
    two virtual ones that mark everything and nothing. Precision is the mean relevance of the area
    that a method marks, recall its share of all relevance. A method votes in its own consensus
    unless the parameter excludes it. With one method, precision is 2/3 whatever it finds; below
    three methods the scores have little meaning.

    A method without detections has recall 0 and the precision given by ``empty_precision``. An
    image whose domain has no area has no scores. Ground truth counts only as an oracle.
    """

    slug: ClassVar[str] = "no-ground-truth"
    family: ClassVar[Family] = "Other questions"
    name: ClassVar[str] = "Without ground truth"
    reference: ClassVar[str] = "LS11"
    summary: ClassVar[str] = "Methods vote on every point; each is measured by the votes of all."
    needs: ClassVar[Needs] = "several methods"
    has_matches: ClassVar[bool] = False

    domain: str = choice(
        "image", "union", says="what is voted on: the whole image, or what any method marks"
    )
    empty_precision: str = choice(
        "zero",
        "one",
        "top",
        "undefined",
        says="the precision of a method that marks nothing; top is that of marking everything",
    )
    oracle_weight: float = parameter(
        0.0, says="the weight of the ground truth as one more method; 0 leaves it out"
    )
    use_confidences: bool = parameter(
        False, says="a detection votes with its confidence, not 1", reads="confidence"
    )
    leave_one_out: bool = parameter(False, says="a method does not vote for itself")

    @property
    def reads_sizes(self) -> bool:
        return True

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        return self.score_methods({"the method": scenes})["the method"]

    def score_methods(self, results: Mapping[str, Sequence[Scene]]) -> dict[str, list[ImageScore]]:
        """Return the scores of several methods that vote on the same images.

        Raises VoteError if methods have different numbers of images, or a confidence in use is
        outside [0, 1].
        """
        lengths = {method: len(scenes) for method, scenes in results.items()}
        if len(set(lengths.values())) > 1:
            raise VoteError(f"expected the same images of every method, got numbers {lengths}")
        scores: dict[str, list[ImageScore]] = {method: [] for method in results}
        for scenes in zip(*results.values(), strict=True):
            for method, score in zip(results, self._score_image(scenes), strict=True):
                scores[method].append(score)
        return scores

    def _score_image(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        votes = [scene.detections or () for scene in scenes]
        oracles = [self.oracle_weight] if self.oracle_weight > 0 else []
        if oracles:
            counted = [region for region in scenes[0].truth if not region.ignored]
            votes.append(tuple(dataclasses.replace(region, confidence=None) for region in counted))
        sized = [scene for scene in scenes if scene.width is not None and scene.height is not None]
        width, height = (sized[0].width, sized[0].height) if sized else (None, None)
        try:
            faces = faces_of(
                votes,
                width=width,
                height=height,
                domain=self.domain,
                use_confidences=self.use_confidences,
            )
        except VoteError as refusal:
            raise VoteError(f"image {scenes[0].name!r}, {refusal}") from refusal
        weights = share_weights(len(scenes), oracles=oracles)
        consensus = faces.weigh(weights, leave_one_out=self.leave_one_out)
        known: dict[str, float | None] = {
            "n_methods": len(scenes),
            "n_faces": len(faces),
            "domain_area": faces.area,
            "size_known": float(bool(sized)),
        }
        if consensus is None:
            nothing = {"size": 0.0, "expected_text_area": None, "top_precision": None}
            tally = Tally(0.0, 0.0, 0.0, 0.0)
            return [ImageScore(None, None, None, tally, indicators=known | nothing)] * len(scenes)
        return [
            self._image_score(own, consensus, known) for own in consensus.systems[: len(scenes)]
        ]

    def _image_score(
        self, own: VoteScore, consensus: Consensus, known: Mapping[str, float | None]
    ) -> ImageScore:
        top = consensus.top.precision
        score = own.with_precision(self.empty_precision, top)
        return ImageScore(
            score.recall,
            score.precision,
            score.f_score,
            Tally(own.shared, own.total, own.shared, own.size),
            indicators={
                **known,
                "size": own.size,
                "expected_text_area": consensus.total,
                "top_precision": top,
            },
        )

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        """Return the figures from areas summed over images.

        Images whose domain has no area are left out and counted. A method that marks nothing on any
        image has the precision given by ``empty_precision``.
        """
        voted = [score for score in scores if score.indicators["top_precision"] is not None]
        area = math.fsum(score.indicators["domain_area"] or 0.0 for score in voted)
        text = math.fsum(score.indicators["expected_text_area"] or 0.0 for score in voted)
        top = text / area if area else None
        total = Tally.total(score.tally for score in voted)
        pooled = vote_score(total.n_detections, total.recalled, total.n_truth).with_precision(
            self.empty_precision, top
        )
        recall, precision = (pooled.recall, pooled.precision) if voted else (None, None)
        return dataclasses.replace(
            super().overall(scores),
            recall=recall,
            precision=precision,
            f_score=f_score(recall, precision),
            indicators={
                "n_images_without_area": len(scores) - len(voted),
                "n_images_without_detections": sum(not score.tally.n_detections for score in voted),
                "top_precision": top,
            },
        )

"""CLEval: characters found and characters read ([B20]_, version 0.1.1)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self

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
from ..core.fitting import of_known_text
from ..core.matching import first_credited
from ..core.regions import Region
from .images import CharacterMatches, Polygons, Quads, images_of

# Four corners, x and y of each.
_FOUR_POINTS: Final = 8


@dataclass(frozen=True)
class Cleval(Protocol):
    """Count the characters of the ground truth that detections hold, less a cost for granularity.

    A pair is good enough if ``min_area_precision`` of the detection's area is on the truth and the
    detection contains a character; one-to-one, split and merge matches do not exclude each other.
    Detections are visited in file order, and a character counts for the first one that contains it.
    Every truth costs one character for each of its detections except the first, every detection one
    for each of its truths except the first.

    R = (characters found - cost) / characters of the ground truth, P = (characters found - cost) /
    (characters held + characters that false positives seem to hold); a zero denominator gives 0,
    also for an image with nothing on either side. A truth without text has no characters. The order
    of detections, not their confidence, decides for which of two overlapping ones a character
    counts.
    """

    slug: ClassVar[str] = "cleval"
    family: ClassVar[Family] = "Characters"
    name: ClassVar[str] = "CLEval"
    reference: ClassVar[str] = "B20"
    summary: ClassVar[str] = "Characters found, less a cost for splitting and merging words."
    needs: ClassVar[Needs] = "text"

    min_area_precision: float = parameter(
        0.3,
        says="share of a detection that must lie on a truth",
        rrc="AREA_PRECISION_CONSTRAINT",
    )
    recall_granularity_weight: float = parameter(
        1.0,
        high=10.0,
        says="cost, in characters, of each further detection of a truth",
        rrc="RECALL_GRANULARITY_PENALTY_WEIGHT",
    )
    precision_granularity_weight: float = parameter(
        1.0,
        high=10.0,
        says="cost, in characters, of each further truth of a detection",
        rrc="PRECISION_GRANULARITY_PENALTY_WEIGHT",
    )
    min_aspect: float = parameter(
        0.5,
        high=10.0,
        says="a quadrilateral with a smaller ratio of width to height runs downwards",
        rrc="VERTICAL_ASPECT_RATIO_THRESH",
    )

    box_type: str = choice(
        "auto",
        "quad",
        "poly",
        says="the program's rules for boxes or for polygons; auto: for polygons where a truth has "
        "other than four points",
        rrc="BOX_TYPE",
    )

    def settled_for(self, truth: Iterable[Region]) -> Self:
        if self.box_type != "auto":
            return self
        has_polygons = any(len(region.points) != _FOUR_POINTS for region in truth)
        return replace(self, box_type="poly" if has_polygons else "quad")

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        settled = self.settled_for(region for scene in scenes for region in scene.truth)
        rule = Polygons() if settled.box_type == "poly" else Quads(self.min_aspect)
        return [self._scored(image) for image in images_of(scenes, rule, self.min_area_precision)]

    def _scored(self, image: CharacterMatches) -> ImageScore:
        held = sum(int(inside.sum()) for inside in image.held.values())
        return self._counted(
            image,
            image.found,
            image.found_by_detection,
            image.n_characters,
            held + image.n_false_positive_characters,
        )

    def _counted(
        self,
        image: CharacterMatches,
        found: Sequence[int],
        found_by_detection: Sequence[int],
        n_characters: int,
        n_detected: int,
    ) -> ImageScore:
        """Return the score from the characters found of each truth and by each detection."""
        of_truth = Counter(i for i, _ in image.pairs).values()
        of_detection = Counter(j for _, j in image.pairs).values()
        truth_cost = self.recall_granularity_weight * sum(n - 1 for n in of_truth)
        cost = self.precision_granularity_weight * sum(n - 1 for n in of_detection)
        tally = Tally(
            sum(found) - truth_cost, n_characters, sum(found_by_detection) - cost, n_detected
        )
        recall, precision = _divided(tally)
        return ImageScore(
            recall,
            precision,
            f_score(recall, precision),
            tally,
            first_credited(image.groups, found, found_by_detection),
            image.unmatched(self.min_area_precision),
            {
                "n_characters": n_characters,
                "n_detected_characters": n_detected,
                "n_found_characters": sum(found),
                "n_false_positive_characters": image.n_false_positive_characters,
                "recall_granularity": truth_cost,
                "precision_granularity": cost,
                "n_split": sum(n > 1 for n in of_truth),
                "n_merged": sum(n > 1 for n in of_detection),
                "n_overlapped": image.n_overlapped,
            },
        )

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        figures = super().overall(scores)
        recall, precision = _divided(Tally.total(score.tally for score in scores))
        names = scores[0].indicators if scores else ()
        indicators = {name: sum(score.indicators[name] or 0 for score in scores) for name in names}
        return replace(
            figures,
            recall=recall,
            precision=precision,
            f_score=f_score(recall, precision),
            indicators=indicators,
        )


@dataclass(frozen=True)
class ClevalEndToEnd(Cleval):
    """CLEval of transcriptions: characters found in the right order, removed from the texts.

    The matches are those of CLEval. A truth finds as many characters as the longest common
    subsequence of its text and the joined texts of its detections (in the order in which they first
    hold one of its characters). These are then removed from the detections' texts. Precision is the
    share of removed characters, less the cost, among all detected ones. A truth without text is
    ignored.
    """

    slug: ClassVar[str] = "cleval-end-to-end"
    family: ClassVar[Family] = "What was read"
    name: ClassVar[str] = "CLEval (end to end)"
    summary: ClassVar[str] = (
        "Characters read in the right order, less a cost for splitting and merging."
    )

    needs: ClassVar[Needs] = "detected text"

    case_sensitive: bool = parameter(True, says="whether A and a are different characters")

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        return super().score([of_known_text(scene) for scene in scenes])

    def _scored(self, image: CharacterMatches) -> ImageScore:
        texts = [region.text or "" for region in image.scene.detections or ()]
        wanted = [region.text or "" for region in image.scene.truth]
        if not self.case_sensitive:
            texts, wanted = [t.upper() for t in texts], [t.upper() for t in wanted]
        left = list(texts)
        found = [0] * len(wanted)
        for i in sorted({i for i, _ in image.pairs}):
            order = image.reading_order(i)
            common = _common_subsequence(wanted[i], "".join(left[j] for j in order))
            found[i] = len(common)
            for letter in common:
                for j in order:
                    if letter in left[j]:
                        left[j] = left[j].replace(letter, "", 1)
                        break
        counted = [j for j, ignored in enumerate(image.ignored) if not ignored]
        struck = [
            len(text) - len(rest) if j in set(counted) else 0
            for j, (text, rest) in enumerate(zip(texts, left, strict=True))
        ]
        return self._counted(
            image, found, struck, image.n_characters, sum(len(texts[j]) for j in counted)
        )


def _divided(tally: Tally) -> tuple[float, float]:
    recall = max(tally.recalled, 0.0) / tally.n_truth if tally.n_truth else 0.0
    precision = max(tally.precise, 0.0) / tally.n_detections if tally.n_detections else 0.0
    return recall, precision


def _common_subsequence(a: str, b: str) -> str:
    """Return a longest common subsequence; of several, the one the published program finds.

    Its table is built forwards, and prefers the shorter prefix of ``a`` only if strictly better.
    """
    if not a or not b:
        return ""
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for x, letter in enumerate(a, 1):
        above, row = lengths[x - 1], lengths[x]
        for y, other in enumerate(b, 1):
            if letter == other:
                row[y] = above[y - 1] + 1
            else:
                row[y] = above[y] if above[y] > row[y - 1] else row[y - 1]
    letters = []
    x, y = len(a), len(b)
    while x and y:
        if a[x - 1] == b[y - 1]:
            letters.append(a[x - 1])
            x, y = x - 1, y - 1
        elif lengths[x - 1][y] > lengths[x][y - 1]:
            x -= 1
        else:
            y -= 1
    return "".join(reversed(letters))

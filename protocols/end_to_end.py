"""End-to-end reading as the Robust Reading Competition scores it: location, then text ([K15]_)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Final

from .core import thresholds
from .core.base import (
    Family,
    ImageScore,
    Needs,
    OverallScore,
    Scene,
    Unmatched,
    Variant,
    choice,
    parameter,
)
from .core.credits import CreditProtocol
from .core.edits import edit_distance
from .core.matching import IGNORED
from .core.regions import Region
from .iou import Image, IouMatching, average_precision

SPECIAL: Final = "!?.:,*\"()·[]/'"
OUT_OF_VOCABULARY: Final = "oov"
_POSSESSIVES: Final = ("'s", "'S")
# Letters that a word to spot may have: first and last of each range, and the exceptions.
_LETTERS: Final = (("a", "z"), ("A", "Z"), ("À", "ƿ"), ("Ǆ", "ɿ"), ("Ά", "Ͽ"), ("-", "-"))
_NO_LETTERS: Final = "×÷·"
_NO_WORD: Final = (
    "no word to spot: too short, of several words, or with characters other than letters"
)
_NO_TEXT: Final = "its text is not known"
_OTHER_VOCABULARY: Final = "its vocabulary is not the requested one"


@dataclass(frozen=True)
class EndToEnd(CreditProtocol):
    """Pair truths and detections as IOU does, then check the text.

    A pair whose texts disagree counts for neither side, and both its regions are used up: the order
    of truths and detections decides which are matched before any text is compared. ``text`` says
    when texts agree: ``special`` (E2E 1.1) ignores case, and a special sign at either end of the
    truth may be missing (if ``only_first_and_last`` is false, all of them at the ends of both
    texts); ``caseless`` and ``exact`` (MLT 2019, [N19]_); ``similarity`` gives each pair its 1 -
    NED (edit distance over the longer length, without case; ArT [C19]_, LSVT [S19]_).

    ``word_spotting`` strips special signs, hyphens at the ends and 's from a truth's text; it
    ignores a truth if the rest is not a word of at least ``min_length`` letters. ``vocabulary``
    ignores truths in or out of the vocabulary ([G22]_); those with the label "oov" are out of it.

    If there is no counted truth, recall is 1, and precision is 0 if there are counted detections,
    else 1. Counted truth but no counted detection gives precision 0. A truth without text is ignored; a
    detection without text has an empty one.
    """

    slug: ClassVar[str] = "end-to-end"
    family: ClassVar[Family] = "What was read"
    name: ClassVar[str] = "End to end"
    reference: ClassVar[str] = "K15"
    summary: ClassVar[str] = "A truth is found as in IOU, if its text has also been read."
    needs: ClassVar[Needs] = "detected text"
    depends_on_order: ClassVar[bool] = True
    variants: ClassVar[Mapping[str, Variant]] = {
        "spotting": Variant({"word_spotting": True}, "word spotting"),
        "mlt2019": Variant({"text": "exact"}, "MLT 2019, task 4 (case counts)"),
        "art": Variant({"text": "similarity", "matching": "best"}, "ArT and LSVT (1-NED)"),
        "oov": Variant({"text": "exact", "vocabulary": "out"}, "OOV 2022, out of the vocabulary"),
        "iv": Variant({"text": "exact", "vocabulary": "in"}, "OOV 2022, in the vocabulary"),
    }

    min_iou: float = thresholds.min_iou()
    max_ignored_share: float = thresholds.max_ignored_share()
    use_confidences: bool = parameter(
        False,
        says="go through the detections by descending confidence, and average precision over them",
        rrc="CONFIDENCES",
        reads="confidence",
    )
    matching: str = thresholds.matching()
    text: str = choice(
        "special", "caseless", "exact", "similarity", says="when the texts of a pair agree"
    )
    only_first_and_last: bool = parameter(
        True,
        says="of special characters only the first and the last of a truth may be missing",
        rrc="ONLY_REMOVE_FIRST_LAST_CHARACTER",
    )
    word_spotting: bool = parameter(
        False, says="count only words that a dictionary could hold", rrc="WORD_SPOTTING"
    )
    min_length: int = parameter(
        3, low=1, high=20, says="letters of a word to spot, at least", rrc="MIN_LENGTH_CARE_WORD"
    )
    vocabulary: str = choice("all", "in", "out", says="truths to count, by their vocabulary")

    def score(self, scenes: Sequence[Scene]) -> list[ImageScore]:
        prepared = [replace(scene, truth=tuple(map(self._asked, scene.truth))) for scene in scenes]
        matching = IouMatching(
            prepared,
            min_iou=self.min_iou,
            max_ignored_share=self.max_ignored_share,
            use_confidences=self.use_confidences,
            matching=self.matching,
        )
        return [
            self._scored(scene, asked, image)
            for scene, asked, image in zip(scenes, prepared, matching.images(), strict=True)
        ]

    def _asked(self, region: Region) -> Region:
        """Return a truth as scored: ignored if it does not count, with the text to compare."""
        if region.ignored:
            return region
        if region.text is None or self._is_of_other_vocabulary(region):
            return replace(region, ignored=True)
        if not self.word_spotting:
            return region
        word = word_to_spot(region.text, self.min_length)
        return replace(region, ignored=True) if word is None else replace(region, text=word)

    def _scored(self, scene: Scene, asked: Scene, image: Image) -> ImageScore:
        found = scene.detections or ()
        pairs = [(asked.truth[i].text or "", found[j].text or "") for i, j, _ in image.matched]
        alike = [similarity(expected.upper(), read.upper()) for expected, read in pairs]
        # Each pair counts once, and so does each unpaired region.
        n_regions = image.n_truth + image.n_detections - len(pairs)
        indicators: dict[str, float | None] = {
            "one_minus_ned": sum(alike) / n_regions if n_regions else 1.0,
            "n_regions": n_regions,
            "n_counted_truth": image.n_truth,
            "n_located": len(pairs),
        }
        if self.text != "similarity":
            image = image.agreeing(partial(self._objection, asked.truth, found))
            alike = [1.0] * len(image.matched)
        score = image.score(self.min_iou, alike, alike, indicators)
        score = replace(score, unmatched=tuple(self._explained(scene, score.unmatched)))
        if self.use_confidences:
            ranked = image.ranked(scene)
            value = average_precision(ranked, image.n_truth) if image.n_truth else score.precision
            indicators = {**score.indicators, "average_precision": value}
            score = replace(score, ranked=ranked, indicators=indicators)
        return self.settled(scene, score, image.truth_ignored, image.ignored)

    def _explained(self, scene: Scene, unmatched: Iterable[Unmatched]) -> Iterator[Unmatched]:
        """Yield the reasons, with a more precise one for truths that only this protocol ignores."""
        for one in unmatched:
            if one.reason == IGNORED and not scene.truth[one.index].ignored:
                yield replace(one, reason=self._why_ignored(scene.truth[one.index]))
            else:
                yield one

    def _why_ignored(self, region: Region) -> str:
        if region.text is None:
            return _NO_TEXT
        return _OTHER_VOCABULARY if self._is_of_other_vocabulary(region) else _NO_WORD

    def _is_of_other_vocabulary(self, region: Region) -> bool:
        is_out = region.label == OUT_OF_VOCABULARY
        return self.vocabulary != "all" and is_out != (self.vocabulary == "out")

    def _objection(
        self, truth: Sequence[Region], detections: Sequence[Region], i: int, j: int
    ) -> str:
        expected, read = truth[i].text or "", detections[j].text or ""
        return (
            "" if self._agree(expected, read) else f"read {read!r} where the text is {expected!r}"
        )

    def _agree(self, expected: str, read: str) -> bool:
        if self.text == "exact":
            return expected == read
        expected, read = expected.upper(), read.upper()
        if self.text == "caseless" or self.word_spotting:
            return expected == read
        if not self.only_first_and_last:
            return expected.strip(SPECIAL) == read.strip(SPECIAL)
        return read in _without_ends(expected)

    def overall(self, scores: Sequence[ImageScore]) -> OverallScore:
        counts = [score.indicators["n_regions"] or 0.0 for score in scores]
        alike = sum(
            n * (score.indicators["one_minus_ned"] or 0.0)
            for n, score in zip(counts, scores, strict=True)
        )
        indicators: dict[str, float | None] = {
            "one_minus_ned": alike / sum(counts) if any(counts) else 0.0
        }
        if self.use_confidences:
            n_truth = sum(score.indicators["n_counted_truth"] or 0.0 for score in scores)
            ranked = [entry for score in scores for entry in score.ranked]
            indicators["average_precision"] = average_precision(ranked, n_truth)
        return replace(super().overall(scores), indicators=indicators)


def _without_ends(text: str) -> set[str]:
    """Return a text with and without a special sign at its start, at its end, and at both."""
    starts = {0, 1} if text[:1] and text[0] in SPECIAL else {0}
    ends = {len(text), len(text) - 1} if text[-1:] and text[-1] in SPECIAL else {len(text)}
    return {text[start:end] for start in starts for end in ends}


def word_to_spot(text: str, min_length: int) -> str | None:
    """Return a truth's text for word spotting, or None if it is not a word to spot ([K15]_).

    A final 's is dropped, then hyphens at the ends, then special signs everywhere. The remainder
    must be one piece of at least ``min_length`` letters (Latin, extended Latin, Greek) and hyphens.
    """
    word = text[:-2] if text.endswith(_POSSESSIVES) else text
    word = "".join(" " if sign in SPECIAL else sign for sign in word.strip("-")).strip()
    if " " in word or len(word) < min_length or not all(map(_is_letter, word)):
        return None
    return word


def _is_letter(sign: str) -> bool:
    return sign not in _NO_LETTERS and any(low <= sign <= high for low, high in _LETTERS)


def similarity(a: str, b: str) -> float:
    """Return 1 - the edit distance of two texts / the longer length; 1 if both are empty."""
    longer = max(len(a), len(b))
    return 1.0 - edit_distance(a, b) / longer if longer else 1.0


def with_vocabulary(truth: Iterable[Region], words: Collection[str]) -> tuple[Region, ...]:
    """Return truths labelled as out of a vocabulary if their text is not one of its words.

    Words are compared exactly, including case.
    """
    return tuple(
        region
        if region.ignored or region.text in words
        else replace(region, label=OUT_OF_VOCABULARY)
        for region in truth
    )

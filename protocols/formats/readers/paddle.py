"""PaddleOCR: Label.txt with a line for each image, and the ``NAME_res.json`` of version 3."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REASONS, REGION, Collector
from ..containers.contents import IGNORED_TEXT
from ..containers.documents import Document, image_name, json_in, json_of, lines_of, page_name
from ..containers.pages import units_of
from ..problems import Fault, quoted

# Texts that PaddleOCR's own readers ignore.
_IGNORED: Final = (IGNORED_TEXT, "*")
# Outlines, texts and confidences, which are parallel lists.
_LISTS: Final = (("rec_polys", "rec_texts", "rec_scores"), ("dt_polys", "", "dt_scores"))
_WORD_BOXES: Final = REASONS["boxes-of-words"]
_UNRECOGNISED: Final = REASONS["unrecognised-outlines"]
_WANTED_RESULTS: Final = 'an object with "rec_polys" or "dt_polys"'
_WANTED: Final = 'a path, a tab and a list of regions, [{"transcription": …, "points": …}]'


def read_paddle(document: Document, collector: Collector) -> None:
    """Read a line for each image; one that raises Fault is reported."""
    for number, line in lines_of(document):
        with collector.catching(number, text=line):
            path, tab, written = line.partition("\t")
            if not tab:
                raise Fault("L1", quoted(line), _WANTED)
            regions = json_in(written)
            if not isinstance(regions, list):
                raise Fault("L1", checked.shown(regions), _WANTED)
            image = collector.named(path.strip())
            collector.image_with(image, regions, _region, REGION, line=number)


def _region(given: Any) -> Region:
    if isinstance(given, list):
        # det_results.txt has outlines alone.
        return Region(checked.points_of_pairs(given))
    if not isinstance(given, Mapping) or not isinstance(given.get("points"), list):
        raise Fault("L1", checked.shown(given), 'an object with "points"')
    text, label = checked.text_in(given, "transcription"), checked.text_in(given, "key_cls")
    return Region(
        checked.points_of_pairs(given["points"]),
        text,
        checked.confidence_of(given.get("score")),
        given.get("difficult") is True or text in _IGNORED,
        label=label or None,
    )


def read_results(document: Document, collector: Collector, *, words: bool) -> None:
    """Read what version 3 found in an image, in recognised lines if there are such, or their words.

    Raises Fault if it has neither (A1), or turned the page (F1).
    """
    data = json_of(document)
    given = data.get("res", data) if isinstance(data, Mapping) else None
    # Of these the second is of PaddleOCR-VL.
    for inner in ("overall_ocr_res", "spotting_res"):
        if isinstance(given, Mapping):
            given = {**checked.object_in(given, inner), **given}
    if not isinstance(given, Mapping) or not any(names[0] in given for names in _LISTS):
        raise Fault("A1", checked.shown(data), _WANTED_RESULTS)
    made_ready = checked.object_in(given, "doc_preprocessor_res")
    settings = checked.object_in(made_ready, "model_settings")
    is_unwarped = settings.get("use_doc_unwarping") is True
    if made_ready.get("angle") not in (None, -1, 0) or is_unwarped:
        raise Fault(
            "F1",
            "coordinates on a page that PaddleOCR turned or unwarped",
            "results with use_doc_orientation_classify=False and use_doc_unwarping=False",
        )
    path, page = checked.text_in(given, "input_path"), given.get("page_index")
    stem = path or document.stem.removesuffix("_res")
    name = image_name(stem) if not isinstance(page, int) else page_name(stem, page + 1, 2)
    polygons, texts, scores = next(names for names in _LISTS if names[0] in given)

    def at(name: str, index: int) -> Any:
        values = given.get(name)
        return values[index] if isinstance(values, list) and index < len(values) else None

    listed = given[polygons]
    if not isinstance(listed, list):
        raise Fault("L1", checked.shown(listed), _WANTED_RESULTS)
    found: Sequence[Mapping[str, Any]] = [
        {"points": of, "transcription": at(texts, index), "score": at(scores, index)}
        for index, of in enumerate(listed)
    ]
    if words:
        of_lines = [
            _words(at("text_word_boxes", index), at("text_word", index))
            for index in range(len(listed))
        ]
        bare = [line for line, of_line in zip(found, of_lines, strict=True) if not of_line]
        every = [word for of_line in of_lines for word in of_line]
        found = units_of(every, bare, [], collector)
    collector.image_with(name, found, _region, REGION)
    _count_others(given, polygons, name, collector, words)


def _words(boxes: Any, texts: Any) -> list[Mapping[str, Any]]:
    """Return the words of a line, from boxes of left, top, right and bottom, and as many texts."""
    if not isinstance(boxes, list) or not isinstance(texts, list):
        return []
    if len(boxes) != len(texts):
        raise Fault("L1", f"{len(texts)} text_word for {len(boxes)} boxes", "a text for each box")
    return [
        {"points": _corners(box), "transcription": text}
        for box, text in zip(boxes, texts, strict=True)
    ]


def _corners(box: Any) -> list[list[float]]:
    if not isinstance(box, list) or len(box) != 4:
        raise Fault("L1", f"{checked.shown(box)} in text_word_boxes", "the four numbers of a box")
    left, top, right, bottom = map(checked.finite, box)
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


def _count_others(
    given: Mapping[str, Any], polygons: str, name: str, collector: Collector, reads_words: bool
) -> None:
    """Count what is given besides the lines that are read: boxes of words, unrecognised outlines."""
    of_lines = given.get("text_word_boxes")
    words = [of for of in of_lines if isinstance(of, list)] if isinstance(of_lines, list) else []
    if (n_words := sum(map(len, words))) and not reads_words:
        collector.count(_WORD_BOXES, n=n_words, image=name)
    detected = given.get("dt_polys")
    n_more = len(detected) - len(given[polygons]) if isinstance(detected, list) else 0
    if n_more > 0:
        collector.count(_UNRECOGNISED, n=n_more, image=name)


def paddle_line(image: str, regions: tuple[Region, ...]) -> str:
    """Return the line of an image, without the line end."""
    written = []
    for region in regions:
        given: dict[str, Any] = {"points": checked.pairs_of(region), "difficult": region.ignored}
        if region.text is not None:
            given["transcription"] = region.text
        if region.confidence is not None:
            given["score"] = region.confidence
        if region.label is not None:
            given["key_cls"] = region.label
        written.append(given)
    return f"{image}\t{json.dumps(written, ensure_ascii=False, allow_nan=False)}"

"""HierText: words in lines in paragraphs, as one JSON object or one per line ([L22]_)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import LINES_READ, REASONS, Collector
from ..containers.documents import Document, json_in, text_of
from ..problems import Fault

# In ground truth, words that were not transcribed.
_NO_WORDS: Final = LINES_READ._replace(code="U1", level="line")
_NO_LINES: Final = REASONS["paragraphs-without-lines"]
_WANTED: Final = (
    '{"annotations": [{"image_id": …, "paragraphs": […]}]}, or such an annotation a line'
)


def read_hiertext(document: Document, collector: Collector) -> None:
    """Read the words of a HierText file, each with its line as parent; illegible ones are ignored.

    Ground truth also has the outlines of lines and paragraphs. A line without words represents words
    that were not transcribed; it is a line, and no word.
    """
    for given in _annotations(document, collector):
        with collector.catching():
            _read_image(given, collector)


def _annotations(document: Document, collector: Collector) -> Iterator[Any]:
    text = text_of(document)
    try:
        whole = json_in(text)
    except Fault:
        if "\n" not in text.strip():
            raise
    else:
        annotations = whole.get("annotations") if isinstance(whole, Mapping) else None
        yield from annotations if isinstance(annotations, list) else [whole]
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            with collector.catching(number, text=line):
                yield json_in(line)


def _read_image(given: Any, collector: Collector) -> None:
    if not isinstance(given, Mapping) or not isinstance(given.get("image_id"), str):
        raise Fault("L1", checked.shown(given), _WANTED)
    if "paragraphs" not in given:
        raise Fault("A1", "an annotation without paragraphs", _WANTED)
    image = collector.named(given["image_id"])
    size = checked.size_in(given, "image_width", "image_height")
    collector.level = "word"
    collector.new_image(image, size=size)
    for at, paragraph in enumerate(_list_in(given, "paragraphs")):
        lines = _list_in(paragraph, "lines")
        if not lines:
            collector.count(_NO_LINES, image=image)
        _keep_outline(image, str(at), paragraph, None, collector)
        for number, line in enumerate(lines):
            place = f"{at}.{number}"
            words = _list_in(line, "words")
            if not words:
                collector.count(_NO_WORDS, image=image)
            is_grouped = line.get("grouped") is not False
            if is_grouped:
                _keep_outline(image, place, line, str(at), collector)
            for word in words:
                try:
                    collector.add(image, _region(word, place if is_grouped else None), given=word)
                except Fault as fault:
                    collector.tell(fault, f"line {place} of {image}")


def _keep_outline(
    image: str, id_: str, given: Mapping[str, Any], parent: str | None, collector: Collector
) -> None:
    # Results have them too, but are compared by their words.
    if collector.kind == "truth" and given.get("vertices"):
        try:
            collector.parent(image, id_, _region(given, parent))
        except Fault as fault:
            collector.tell(fault, f"line {id_} of {image}")


def _list_in(given: Any, name: str) -> list[Any]:
    if not isinstance(given, Mapping):
        raise Fault("L1", checked.shown(given), f'an object with "{name}"')
    found = given.get(name) or []
    if not isinstance(found, list):
        raise Fault("L1", checked.shown(found), f'a list of "{name}"')
    return found


def _region(given: Any, parent: str | None) -> Region:
    if not isinstance(given, Mapping) or not isinstance(given.get("vertices"), list):
        raise Fault("L1", checked.shown(given), 'an object with "vertices"')
    return Region(
        checked.points_of_pairs(given["vertices"]),
        checked.text_in(given, "text"),
        checked.confidence_of(given.get("score")),
        given.get("legible") is False,
        parent=parent,
    )


def hiertext_annotation(
    image: str, regions: Sequence[Region], size: tuple[int, int] | None
) -> dict[str, Any]:
    """Return the annotation of an image; words with the same parent form a line.

    The size is in pixels.
    """
    lines: dict[str | None, list[dict[str, Any]]] = {}
    for region in regions:
        lines.setdefault(region.parent, []).append(_word(region))
    paragraphs: dict[str, list[dict[str, Any]]] = {}
    for parent, words in lines.items():
        line: dict[str, Any] = {"vertices": _around(words), "legible": True, "words": words}
        if parent is None:
            line["grouped"] = False
        paragraph = "" if parent is None else parent.partition(".")[0]
        paragraphs.setdefault(paragraph, []).append(line)
    whole: dict[str, Any] = {"image_id": image}
    if size is not None:
        whole |= {"image_width": size[0], "image_height": size[1]}
    return whole | {"paragraphs": [{"lines": of, "legible": True} for of in paragraphs.values()]}


def _word(region: Region) -> dict[str, Any]:
    given: dict[str, Any] = {"vertices": checked.pairs_of(region), "legible": not region.ignored}
    if region.text is not None:
        given["text"] = region.text
    if region.confidence is not None:
        given["score"] = region.confidence
    return given


def _around(words: Sequence[Mapping[str, Any]]) -> list[list[float]]:
    points = [point for word in words for point in word["vertices"]]
    xs, ys = zip(*points, strict=True)
    left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
    return [[left, top], [right, top], [right, bottom], [left, bottom]]

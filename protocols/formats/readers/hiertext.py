"""HierText: words in lines in paragraphs, as one JSON object or one per line ([L22]_)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import IN_IMAGE, LINE, LINES_READ, Collector, Reason, reader_of
from ..containers.contents import Kind
from ..containers.documents import Document, json_in, text_of
from ..problems import Fault, Problems

# In ground truth, words that were not transcribed.
_NO_WORDS: Final = LINES_READ._replace(code="U1", level="line")
_NO_LINES: Final = Reason(
    "{n} paragraph without lines",
    "{n} paragraphs without lines",
    "lines with words",
    level="paragraph",
)
_WANTED: Final = (
    '{"annotations": [{"image_id": …, "paragraphs": […]}]}, or such an annotation a line'
)


def _read_hiertext(
    document: Document, collector: Collector, problems: Problems, kind: Kind
) -> None:
    """Read the words of a HierText file, each with its line as parent; illegible ones are ignored.

    Ground truth also has the outlines of lines and paragraphs. A line without words represents words
    that were not transcribed; it is a line, and no word.
    """
    for annotation in _annotations(document, problems):
        with problems.catching(document.entry):
            _Image(collector, problems, document.entry, kind).read(annotation)


read_hiertext: Final = reader_of("hiertext", (".jsonl", ".json"), _read_hiertext)


def _annotations(document: Document, problems: Problems) -> Iterator[Any]:
    text = text_of(document, problems)
    try:
        whole = json_in(text)
    except Fault as fault:
        if "\n" not in text.strip():
            problems.fault(fault, document.entry)
            return
    else:
        if isinstance(whole, Mapping) and isinstance(whole.get("annotations"), list):
            yield from whole["annotations"]
        else:
            yield whole
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            with problems.catching(document.entry, number, text=line):
                yield json_in(line)


@dataclass(frozen=True, slots=True)
class _Image:
    """Reader of the annotation of an image."""

    collector: Collector
    problems: Problems
    entry: str | None
    kind: Kind

    def read(self, given: Any) -> None:
        if not isinstance(given, Mapping) or not isinstance(given.get("image_id"), str):
            raise Fault("L1", checked.shown(given), _WANTED)
        if "paragraphs" not in given:
            raise Fault("A1", "an annotation without paragraphs", _WANTED)
        image = self.collector.named(given["image_id"])
        if image in self.collector:
            raise self.collector.second(image)
        size = checked.size_in(given, "image_width", "image_height")
        self.collector.level = "word"
        self.collector.image(image, size=size, entry=self.entry)
        for at, paragraph in enumerate(_list_in(given, "paragraphs")):
            lines = _list_in(paragraph, "lines")
            if not lines:
                self.collector.count(_NO_LINES, self.entry, image=image)
            self._outline(image, str(at), paragraph, None)
            for number, line in enumerate(lines):
                parent = f"{at}.{number}"
                words = _list_in(line, "words")
                if not words:
                    self.collector.count(_NO_WORDS, self.entry, image=image)
                if self._is_grouped(line):
                    self._outline(image, parent, line, str(at))
                    self._words(image, words, parent, parent)
                else:
                    self._words(image, words, None, parent)

    @staticmethod
    def _is_grouped(line: Any) -> bool:
        return not isinstance(line, Mapping) or line.get("grouped") is not False

    def _words(self, image: str, words: Sequence[Any], parent: str | None, place: str) -> None:
        for word in words:
            with self._telling(image, place):
                region = _region(word, parent)
                self.collector.add(image, region, entry=self.entry, given=word)

    def _outline(self, image: str, id_: str, given: Any, parent: str | None) -> None:
        # Results have them too, but are compared by their words.
        if self.kind == "truth" and isinstance(given, Mapping) and given.get("vertices"):
            with self._telling(image, id_):
                self.collector.parent(image, id_, _region(given, parent))

    @contextmanager
    def _telling(self, image: str, place: str) -> Iterator[None]:
        try:
            yield
        except Fault as fault:
            found = IN_IMAGE.format(fault=fault.found, what=LINE, at=place, image=image)
            self.problems.error(fault.code, found, fault.expected, self.entry)


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

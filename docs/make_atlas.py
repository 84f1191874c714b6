"""Write docs/protocols/iou-atlas.md: the same results under everything called "IoU 0.5".

``python docs/make_atlas.py`` scores the shared result sets and dates the page; without them it
prints a message and exits with 2.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from protocols import __version__, registry  # noqa: E402
from protocols.core.base import Protocol, Scene  # noqa: E402
from protocols.iou_toolkits import not_valid  # noqa: E402
from tests.support.reading import scenes_of  # noqa: E402

PAGE = ROOT / "docs" / "protocols" / "iou-atlas.md"
DATA = ROOT.parent / "shared" / "data"
# The name of each way on the page, and its protocol; the others are compared with the first.
WAYS: Mapping[str, Protocol] = {
    "ICDAR 2015": registry.get("iou"),
    "ArT, LSVT: best IoU": registry.get("iou:art"),
    "as many as possible": registry.get("iou", {"matching": "most"}),
    "largest sum of IoU": registry.get("iou", {"matching": "heaviest"}),
    "PASCAL VOC, RCTW-17": registry.get("average-precision:rctw"),
    "PaddleOCR": registry.get("iou-toolkits"),
    "MMOCR, no sweep": registry.get("iou-toolkits:mmocr-no-sweep"),
    "MMOCR": registry.get("iou-toolkits:mmocr"),
    "MMOCR, most, no sweep": registry.get("iou-toolkits:mmocr-most-no-sweep"),
    "MMOCR, most": registry.get("iou-toolkits:mmocr-most"),
    "docTR, polygons": registry.get("iou-toolkits:doctr"),
    "docTR, boxes": registry.get("iou-toolkits:doctr-boxes"),
}
SETS = {
    "ICDAR 2015, words as quadrilaterals": ("icdar2015", ("gt", "images")),
    "ICDAR 2013, words as boxes": ("icdar2013", ("gt",)),
    "SCUT-CTW1500, curved lines": ("ctw1500", ("gt",)),
    "Clova's documents, words as quadrilaterals": ("clova-doc", ("gt",)),
}
# Smaller differences from the first way do not count.
LEAST = 0.0001

MADE = """\
Made on {date} with version {version} by `python docs/make_atlas.py` from the result sets of the
conformance tests.
"""


@dataclass(frozen=True)
class Comparison:
    """The F-scores of a dataset's methods by way and method; None is undefined."""

    title: str
    results: Mapping[str, Sequence[Scene]]
    figures: Mapping[str, Mapping[str, float | None]]

    @classmethod
    def of(cls, title: str, results: Mapping[str, Sequence[Scene]]) -> "Comparison":
        figures = {
            name: {method: _f_score(way, scenes) for method, scenes in results.items()}
            for name, way in WAYS.items()
        }
        return cls(title, results, figures)

    def lines(self) -> Iterator[str]:
        yield f"\n## {self.title}\n"
        yield f"{self._data()}\n"
        methods = list(self.results)
        several = len(methods) > 1
        yield f"| way | {' | '.join(methods)} |" + (" pairs reversed |" if several else "")
        yield "| --- |" + " ---: |" * (len(methods) + several)
        for figures, names in self._alike().items():
            n_reversed = f" {len(self.reversed_under(names[0]))} |" if several else ""
            yield f"| {'; '.join(names)} | {' | '.join(figures)} |{n_reversed}"
        spread = [_percent(self.spread(method)) for method in methods]
        yield f"| *largest less smallest* | {' | '.join(spread)} |" + (" |" if several else "")
        yield from self._orders()

    def _alike(self) -> dict[tuple[str, ...], list[str]]:
        """Group the ways by the figures that they give, as printed."""
        alike: dict[tuple[str, ...], list[str]] = {}
        for name, of_methods in self.figures.items():
            printed = tuple(_percent(of_methods[method]) for method in self.results)
            alike.setdefault(printed, []).append(name)
        return alike

    def spread(self, method: str) -> float | None:
        known = [of[method] for of in self.figures.values()]
        values = [value for value in known if value is not None]
        return max(values) - min(values) if values else None

    def reversed_under(self, name: str) -> list[tuple[str, str]]:
        """Return the pairs that a way reverses, with the better method by ICDAR 2015 first."""
        first, other = next(iter(self.figures.values())), self.figures[name]
        pairs = []
        for a, b in combinations(self.results, 2):
            better, worse = (a, b) if _order(first, a, b) > 0 else (b, a)
            if _order(first, better, worse) > 0 > _order(other, better, worse):
                pairs.append((better, worse))
        return pairs

    def _orders(self) -> Iterator[str]:
        by_pair: dict[tuple[str, str], list[str]] = {}
        for name in self.figures:
            for pair in self.reversed_under(name):
                by_pair.setdefault(pair, []).append(name)
        if len(self.results) < 2:
            return
        if not by_pair:
            yield "\nNo order of two methods changes."
            return
        yield "\nOrders that change, the better one of ICDAR 2015 first:\n"
        for (better, worse), names in by_pair.items():
            yield f"- *{better}* before *{worse}*: the other way round for {'; '.join(names)}."

    def _data(self) -> str:
        scenes = next(iter(self.results.values()))
        truth = [region for scene in scenes for region in scene.truth]
        found = [
            region
            for of_method in self.results.values()
            for scene in of_method
            for region in scene.detections or ()
        ]
        sure = [
            method
            for method, of_method in self.results.items()
            if any(r.confidence is not None for scene in of_method for r in scene.detections or ())
        ]
        confident = f"only {' and '.join(sure)} has them" if sure else "no method has them"
        return (
            f"{len(scenes)} images, {len(truth)} truths, {sum(r.ignored for r in truth)} of them ignored; "
            f"{len(found)} detections. No valid polygons: {len(not_valid(truth))} truths, "
            f"{len(not_valid(found))} detections. Confidences, for a sweep: {confident}."
        )


def _f_score(way: Protocol, scenes: Sequence[Scene]) -> float | None:
    return way.overall(way.score(scenes)).f_score


def _order(figures: Mapping[str, float | None], a: str, b: str) -> float:
    """Return by how much ``a`` is better than ``b``, as printed; 0 if either is undefined."""
    of_a, of_b = figures[a], figures[b]
    return 0.0 if of_a is None or of_b is None else round(of_a, 4) - round(of_b, 4)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"


def page(comparisons: Sequence[Comparison], made: date) -> str:
    """Return the page's text, with its present introduction."""
    introduction, _, _ = PAGE.read_text(encoding="utf-8").partition("Made on ")
    lines = [introduction + MADE.format(date=made.isoformat(), version=__version__)]
    lines += _summary(comparisons)
    for comparison in comparisons:
        lines += comparison.lines()
    return "\n".join(lines) + "\n"


def _summary(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield a table of each way's largest differences from ICDAR 2015 and the pairs it reverses."""
    yield "## In short\n"
    yield "How far a way moves any of the result sets from ICDAR 2015, in points of percent, and how"
    yield "many pairs of methods of one dataset it puts the other way round. It does not show recall and"
    yield "precision apart.\n"
    yield "| way | largest fall | largest rise | pairs reversed |"
    yield "| --- | ---: | ---: | ---: |"
    still = []
    first, *others = WAYS
    for name in others:
        moves = [
            of - comparison.figures[first][method]
            for comparison in comparisons
            for method, of in comparison.figures[name].items()
            if of is not None and comparison.figures[first][method] is not None
        ]
        n_pairs = sum(
            len(comparison.results) * (len(comparison.results) - 1) // 2
            for comparison in comparisons
        )
        n_reversed = sum(len(comparison.reversed_under(name)) for comparison in comparisons)
        fall, rise = -min([0.0, *moves]), max([0.0, *moves])
        yield f"| {name} | {_percent(abs(fall))} | {_percent(abs(rise))} | {n_reversed} of {n_pairs} |"
        if max(fall, rise) < LEAST:
            still.append(name)
    if still:
        yield f"\nWithin {100 * LEAST:g} everywhere: {'; '.join(still)}."


def comparisons_at_hand() -> list[Comparison]:
    made = []
    for title, (data, others) in SETS.items():
        methods = sorted(path.stem for path in (DATA / data).glob("*.zip"))
        results = {method: scenes_of(data, method) for method in methods if method not in others}
        made.append(Comparison.of(title, results))
    return made


def main() -> int:
    if not DATA.is_dir():
        print("The result sets are not here; nothing was written.", file=sys.stderr)
        return 2
    made = comparisons_at_hand()
    PAGE.write_text(page(made, datetime.now(UTC).date()), encoding="utf-8")
    print(f"{sum(len(one.results) for one in made)} result sets in {len(WAYS)} ways.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

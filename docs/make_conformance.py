"""Write docs/protocols/conformance.md: how far protocols deviate from their tools, by image.

``python docs/make_conformance.py`` compares with the shared reference values, and exits with 1 if
an image is beyond the bound; without the values it prints a message and exits with 2.
"""

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from protocols import registry  # noqa: E402
from protocols.command_line.slot_cases import score_documents  # noqa: E402
from protocols.command_line.table_folders import evaluate_folders  # noqa: E402
from protocols.command_line.vote_cases import evaluate_cases  # noqa: E402
from protocols.core.base import Scene  # noqa: E402
from protocols.formats.readers.ctdar import read_document  # noqa: E402
from protocols.formats.readers.scenes import read_scene  # noqa: E402
from protocols.slot_error.ontology import read_ontology  # noqa: E402
from tests.support import conformance, maptext  # noqa: E402
from tests.support.reading import scenes_of  # noqa: E402
from tests.support.total_text import total_text_tally  # noqa: E402
from tools.pages import between, row  # noqa: E402

PAGE = ROOT / "docs" / "protocols" / "conformance.md"
SHARED = ROOT.parent / "shared"
INDEPENDENT = "independent implementation"
THE_SAME = "the same tool"

# The lines of the page around the rows of its table.
BEGIN, END = f"{'| --- ' * 8}|\n", "\n## Deviations, explained"


@dataclass
class Row:
    """One line of the table."""

    slug: str
    tool: str
    data: str
    # One for each image; an image is beyond the bound if its deviation is.
    deviations: Sequence[float]
    whole: float | None = None
    n_sets: int = 1
    bound: float = conformance.BOUND

    @property
    def n_beyond(self) -> int:
        return sum(deviation > self.bound for deviation in self.deviations)

    def text(self) -> str:
        name = registry.PROTOCOLS[self.slug].name
        whole = "–" if self.whole is None else shown(self.whole)
        cells = [f"[{name}]({self.slug}.md)", self.tool, self.data, self.n_sets]
        cells += [len(self.deviations), shown(max(self.deviations)), self.n_beyond, whole]
        return row(*cells) + "\n"


def merged(found: Iterator[Row]) -> list[Row]:
    """Return one row for each protocol and tool, in the order of their first comparison."""
    together: dict[tuple[str, str], Row] = {}
    latest: dict[str, str] = {}
    for of in found:
        tool = latest[of.slug] if of.tool == THE_SAME else of.tool
        latest[of.slug] = tool
        row = together.get((of.slug, tool))
        if row is None:
            together[of.slug, tool] = replace(of, tool=tool)
            continue
        wholes = [whole for whole in (row.whole, of.whole) if whole is not None]
        together[of.slug, tool] = replace(
            row,
            data=f"{row.data}, {of.data}",
            deviations=[*row.deviations, *of.deviations],
            whole=max(wholes, default=None),
            n_sets=row.n_sets + of.n_sets,
        )
    return list(together.values())


def shown(deviation: float) -> str:
    return "0" if deviation == 0 else f"{deviation:.0e}".replace("e-0", "e-")


def rows() -> Iterator[Row]:
    for name in conformance.FILES:
        found = list(conformance.compare(name))
        first = found[0]
        yield Row(
            first.slug,
            first.tool.split(" of specs/")[0],
            first.data,
            [deviation for one in found for deviation in one.image_deviations.values()],
            max(one.overall_deviation for one in found),
            len(found),
        )
    for protocol, slug in conformance.EDGE_SLUGS.items():
        deviations = list(conformance.compare_edge_cases(protocol).values())
        yield Row(slug, THE_SAME, "edge cases", deviations)
    yield from maptext_rows()
    yield from total_text_rows()
    yield from evaltex_rows()
    yield from table_rows()
    parents = SHARED / "data" / "bb2016" / "OntoBiotope_BioNLP-ST-2016_parents.txt"
    ontology = read_ontology(parents.read_text(encoding="utf-8"))
    yield case_row("slot-error", partial(score_documents, ontology=ontology), 1e-9)
    yield case_row("no-ground-truth", evaluate_cases, 1e-6)


def maptext_rows() -> Iterator[Row]:
    deviations = [deviation for _, deviation in maptext.deviations_of_scenes()]
    whole = max(deviation for _, deviation in maptext.deviations_together())
    tool = "icdar-maptext/evaluation, 159832f7 (2025) and 816da23d (2024)"
    yield Row("maptext", tool, "drawn scenes, by task", deviations, whole)


def read(name: str) -> dict:
    return json.loads((SHARED / "reference" / name).read_text(encoding="utf-8"))


def total_text_rows() -> Iterator[Row]:
    scenes = scenes_of("ctw1500", "ctd")
    rules = [("deteval-total-text", "today's rule"), ("deteval-total-text:one-sided", "first rule")]
    for (slug, rule), (tr, tp) in product(rules, ((0.7, 0.6), (0.8, 0.4))):
        protocol = registry.get(slug, {"min_area_recall": tr, "min_area_precision": tp})
        scores = protocol.score(scenes)
        one_sided = slug.endswith("one-sided")
        tallies = [total_text_tally(scene, tr, tp, one_sided=one_sided) for scene in scenes]
        deviations = [
            max(
                abs((score.recall or 0.0) - r / t),
                # Limited to 1 here; the published program has no such limit.
                abs((score.precision or 0.0) - (min(p / n, 1.0) if n else 0.0)),
            )
            for score, (r, t, p, n) in zip(scores, tallies, strict=True)
        ]
        sums = [math.fsum(column) for column in zip(*tallies, strict=True)]
        whole = protocol.overall(scores)
        largest = max(
            abs((whole.recall or 0.0) - sums[0] / sums[1]),
            abs((whole.precision or 0.0) - sums[2] / sums[3]),
        )
        tool = f"second computation, {rule}, {tr} and {tp}"
        yield Row(protocol.slug, tool, "ctw1500", deviations, largest)


def evaltex_rows() -> Iterator[Row]:
    cases = read("evaltex_cases.json")["cases"]
    for variant in ("evaltex", "evaltex_no_split", "evaltex_emd", "evaltex_emd_no_split"):
        slug = variant.replace("_", "-")
        deviations = []
        for case in cases:
            protocol = registry.get(slug, case.get("params", {}))
            [score] = protocol.score([read_scene(case, case["name"])])
            expected = case["expected"]["variants"][variant]
            found = (score.recall, score.precision, score.f_score)
            pairs = zip(found, (expected["r"], expected["p"], expected["f"]), strict=True)
            deviations.append(max(abs(a - b) for a, b in pairs))
        yield Row(slug, INDEPENDENT, "cases", deviations, bound=1e-6)


def table_rows() -> Iterator[Row]:
    reference = read("ctdar.json")
    for track, slug in (("A", "table-detection"), ("B", "table-structure")):
        for variant, said in (("tool", "the released program"), ("page", "the definition")):
            small = [case for case in reference["small_cases"] if case["track"] == track]
            deviations = [small_deviation(slug, case, variant) for case in small]
            tool = f"{said} (`{variant}`)"
            yield Row(slug, tool, "small cases", deviations)
            runs = [name for name in reference["runs"] if name.startswith(f"track{track}/")]
            whole, differing = 0.0, []
            for name in runs:
                expected = reference["runs"][name][variant]
                folder = SHARED / "data" / "ctdar2019" / f"track{track}"
                answer = evaluate_folders(
                    track, folder / "gt", folder / "results" / name.split("/")[1], variant
                )
                for image in answer["images"]:
                    counts = [
                        [at["n_correct"], image["n_truth"], image["n_detections"]]
                        for at in image["at_thresholds"]
                    ]
                    differing.append(float(counts != expected["per_file"][image["name"]]))
                average = answer["overall"]["weighted_average_f1"]
                whole = max(whole, abs(average - expected["wavg_f1"]))
            yield Row(slug, tool, "cTDaR 2019 (counts)", differing, whole, len(runs))


def small_deviation(slug: str, case: dict, variant: str) -> float:
    truth = read_document(case["gt"].encode(), "truth")
    found = read_document(case["result"].encode(), "result")
    [score] = registry.get(slug, {"variant": variant}).score([Scene(truth, found)])
    return abs((score.f_score or 0.0) - case["wavg_f1"][variant])


def case_row(slug: str, answers: Callable[[dict], list[dict]], bound: float) -> Row:
    reference = read(f"{slug.replace('-', '_')}_cases.json")
    deviations = [
        conformance.difference(answer["result"], case["expected"])
        for answer, case in zip(answers(reference), reference["cases"], strict=True)
    ]
    return Row(slug, INDEPENDENT, "cases", deviations, bound=bound)


def main() -> int:
    if not (SHARED / "reference").is_dir():
        print("The reference values are not here; nothing was written.", file=sys.stderr)
        return 2
    made = merged(rows())
    table = "".join(row.text() for row in made)
    PAGE.write_text(between(PAGE.read_text("utf-8"), BEGIN, END, table), "utf-8")
    n_beyond = sum(row.n_beyond for row in made)
    print(
        f"{len(made)} comparisons, {sum(len(row.deviations) for row in made)} images, {n_beyond} beyond."
    )
    return int(n_beyond > 0)


if __name__ == "__main__":
    raise SystemExit(main())

"""The outcome of checking the files of a load, and the report that is stored with the draft."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from protocols.core.regions import Region, encode_regions
from protocols.diagnostics.inspection import Noticed
from protocols.formats.containers.contents import Archive
from protocols.formats.problems import Problems
from protocols.formats.summaries import summaries
from protocols.loading.looking import Truth

from .models import Draft, DraftFile, FileKind, Finding
from .staging import Rows

# Maximum number of boxes drawn on a picture.
MAX_DRAWN: Final = 1000
# Upper ends of the classes of the histogram; the last is open.
HISTOGRAM: Final = (0, 1, 2, 5, 10, 20, 50, 100)
# Images to look at, of each file and of the report.
_N_EXAMPLES: Final = 5
_BATCH: Final = 500
_OF_KINDS: Final = ("severity", "code", "n", "text", "advice")
_OF_EXAMPLES: Final = ("place", "text", "span", "found")


@dataclass
class Checked:
    """The outcome of checking one file."""

    rows: Rows
    problems: Problems
    counts: dict[str, Any] = field(default_factory=dict)
    # Images to look at: name, regions in the file, and number of problems.
    at_random: list[dict[str, Any]] = field(default_factory=list)
    worst: list[dict[str, Any]] = field(default_factory=list)
    # Of ground truth and results: what was noticed, without the regions.
    noticed: Noticed | None = None
    # Of ground truth.
    known: Truth | None = None

    def choose_examples(self, archive: Archive, regions: Mapping[str, Sequence[Region]]) -> None:
        """Choose images to look at: some at random, and those with the most problems."""
        # Checking a file again gives the same images, so that people can discuss a report.
        rng = random.Random(archive.name)  # nosec B311
        per_entry = Counter(problem.entry for problem in self.problems.found if problem.entry)
        n_problems = {
            image: per_entry[archive.entries[image]]
            for image in regions
            if archive.entries.get(image) in per_entry
        }
        worst = sorted(n_problems, key=lambda image: -n_problems[image])[:_N_EXAMPLES]
        at_random = rng.sample(list(regions), min(_N_EXAMPLES, len(regions)))
        for names, chosen in ((at_random, self.at_random), (worst, self.worst)):
            for image in names:
                drawn = encode_regions(regions[image][:MAX_DRAWN])
                n = n_problems.get(image, 0)
                chosen.append({"image": image, "regions": drawn, "problems": n})


def histogram(numbers: Iterable[int]) -> list[int]:
    """Count the images by their number of boxes, in one class more than HISTOGRAM has entries."""
    counts = [0] * (len(HISTOGRAM) + 1)
    for number in numbers:
        counts[next((at for at, end in enumerate(HISTOGRAM) if number <= end), -1)] += 1
    return counts


def store(draft: Draft, checked: Mapping[DraftFile, Checked]) -> dict[str, Any]:
    """Replace the findings and counts of a draft's files; return their part of its summary."""
    draft.findings.all().delete()
    kinds = []
    for file, of in checked.items():
        file.counts = of.counts | {"codes": dict(of.problems.counts)}
        file.rows_sha256 = of.rows.sha256()
        file.save(update_fields=["counts", "rows_sha256"])
        findings = [Finding.of(file, problem) for problem in of.problems.found]
        Finding.objects.bulk_create(findings, batch_size=_BATCH)
        for kind in summaries(of.problems.found, of.problems.counts):
            shown = {name: getattr(kind, name) for name in _OF_KINDS}
            examples = [
                {name: getattr(one, name) for name in _OF_EXAMPLES} for one in kind.examples
            ]
            kinds.append({"file": file.pk, **shown, "lines": kind.lines(), "examples": examples})
    # The readings to offer, each with an image on which it differs from the current one.
    trials = [
        (file, of.noticed.trial)
        for file, of in checked.items()
        if of.noticed is not None and of.noticed.trial
    ]
    return {
        "examples": _drawn(draft, checked, _examples(draft, checked)),
        "trials": _drawn(draft, checked, trials),
        "kinds": kinds,
    }


def _examples(
    draft: Draft, checked: Mapping[DraftFile, Checked]
) -> list[tuple[DraftFile, dict[str, Any]]]:
    """Choose the example images: five at random, and the five with the most problems."""
    # The same at each check, as those of a file.
    rng = random.Random(draft.pk)  # nosec B311
    at_random = [(file, example) for file, of in checked.items() for example in of.at_random]
    rng.shuffle(at_random)
    worst = [(file, example) for file, of in checked.items() for example in of.worst]
    worst.sort(key=lambda pair: -pair[1]["problems"])
    chosen = worst[:_N_EXAMPLES]
    seen = {(file.pk, example["image"]) for file, example in chosen}
    others = [pair for pair in at_random if (pair[0].pk, pair[1]["image"]) not in seen]
    return chosen + others[:_N_EXAMPLES]


def _drawn(
    draft: Draft,
    checked: Mapping[DraftFile, Checked],
    chosen: Sequence[tuple[DraftFile, Mapping[str, Any]]],
) -> list[dict[str, Any]]:
    """Return images with their ground truth and photograph (hash, type, width, height, file, entry)."""
    images = {of["image"] for _file, of in chosen}
    truths: dict[str, Any] = {}
    photographs: dict[str, Any] = {}
    if draft.dataset is not None:
        for row in draft.dataset.images.filter(name__in=images):
            truths[row.name] = row.truth
            if row.sha256:
                stored = [row.sha256, row.content_type, row.width, row.height, None, None]
                photographs[row.name] = stored
    for file, of in checked.items() if draft.dataset is None else ():
        if file.kind == FileKind.TRUTH:
            truths = {row[0]: row[1] for row in of.rows if row[0] in images}
        elif file.kind == FileKind.PHOTOGRAPHS:
            rows = (row for row in of.rows if row[0] in images)
            photographs = {row[0]: [*row[1:5], file.pk, row[5]] for row in rows}
    return [
        {
            "file": file.pk,
            **of,
            # Ground truth would otherwise be drawn twice.
            "truth": None if file.kind == FileKind.TRUTH else truths.get(of["image"]),
            "photograph": photographs.get(of["image"]),
        }
        for file, of in chosen
    ]

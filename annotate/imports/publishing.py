"""Write checked rows into the database and remove them again.

The caller holds the transaction. Rows come from disk in batches: memory holds the names of a
dataset's images, never all regions.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any, Final, TypeVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.datasets.mending import mended
from annotate.datasets.models import BoxConvention, Dataset, Image, Method, Result
from annotate.datasets.photographs import Photograph
from annotate.names import address_of, refuse_unseen
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Study
from protocols.core.base import f_score
from protocols.core.regions import canonical_bytes, encode_regions
from protocols.formats.containers.contents import LineFormat
from protocols.formats.problems import quoted

from .errors import NotLoaded
from .models import Missing
from .staging import Progress, Rows

_Row = TypeVar("_Row")
_BATCH: Final = 500
_MAX_NAME: Final = 120
# Fields that images and photographs share.
OF_PHOTOGRAPHS: Final = (
    *("sha256", "content_type", "width", "height", "orientation", "original_sha256"),
)
# Taken below data/, where the address of a dataset would be.
_TAKEN_ADDRESSES: Final = {"images", "load"}


_UNNAMED: Final = {
    "dataset": gettext_lazy(
        "The name of the dataset, {name}, needs letters or digits, and at most {n} characters."
    ),
    "method": gettext_lazy(
        "The name of the method, {name}, needs letters or digits, and at most {n} characters."
    ),
    "protocol": gettext_lazy(
        "The name of the protocol, {name}, needs letters or digits, and at most {n} characters."
    ),
}


def named(name: str, what: str) -> tuple[str, str]:
    """Return a stripped name, and the slug that becomes part of addresses."""
    name = name.strip()
    refuse_unseen(name, NotLoaded)
    slug = address_of(name)
    if not slug or len(name) > _MAX_NAME:
        raise NotLoaded(_UNNAMED[what].format(name=quoted(name), n=_MAX_NAME))
    return name, slug


def name_of_new_dataset(name: str) -> tuple[str, str]:
    """Return name and slug; raise NotLoaded if they are taken or invalid."""
    name, slug = named(name, "dataset")
    if slug in _TAKEN_ADDRESSES:
        raise NotLoaded(
            _("{name} cannot be the name of a dataset. Choose another.").format(name=quoted(name))
        )
    if Dataset.objects.filter(Q(slug=slug) | Q(name=name)).exists():
        raise NotLoaded(_("There is a dataset named {name} already.").format(name=quoted(name)))
    return name, slug


def method_named(dataset: Dataset, title: str) -> Method | None:
    """Return the dataset's method with this name or its slug, if there is one."""
    name, slug = named(title, "method")
    return dataset.methods.filter(slug=slug).first() or dataset.methods.filter(name=name).first()


def refuse_doubles(dataset: Dataset | None, titles: Iterable[str], *, replace: bool) -> None:
    """Raise NotLoaded if two files are for one method, or loaded results must not be replaced."""
    seen: set[str] = set()
    for title in titles:
        name, slug = named(title, "method")
        if slug in seen:
            raise NotLoaded(
                _("Two of the archives are for the method {name}.").format(name=quoted(name))
            )
        seen.add(slug)
        if dataset is not None:
            _method_to_replace(dataset, title, replace=replace)


def _method_to_replace(dataset: Dataset, title: str, *, replace: bool) -> Method | None:
    """Return the method of this name if it has results; raise NotLoaded if they must be kept."""
    method = method_named(dataset, title)
    if method is None or not method.results.exists():
        return None
    if not replace:
        raise NotLoaded(
            _("Results of {method} are loaded already.").format(method=quoted(method.name))
        )
    studies = studies_with_answers_on(method)
    if studies:
        raise NotLoaded(
            _(
                "Answers in these studies refer to the results of {method}, which therefore cannot be "
                "replaced: {studies}. Load the new results under another name."
            ).format(method=quoted(method.name), studies=", ".join(study.name for study in studies))
        )
    return method


def fingerprint(dataset: Dataset | None) -> dict[str, int | None]:
    """Return a fingerprint of the dataset's contents, which each load, undo and correction changes."""
    if dataset is None:
        return {}
    receipts = dataset.imports.all()
    return {
        "newest": receipts.order_by("-pk").values_list("pk", flat=True).first(),
        "undone": receipts.filter(undone__isnull=False).count(),
        "images": dataset.images.count(),
        "methods": dataset.methods.count(),
        "mended": mended(dataset),
    }


def write_dataset(
    *,
    name: str,
    line_format: str,
    read_as: str,
    truth: Rows,
    photographs: Mapping[str, Photograph],
    provenance: str,
    licence: str,
) -> Dataset:
    """Write a new dataset with its images."""
    name, slug = name_of_new_dataset(name)
    inclusive = line_format == LineFormat.LTRB
    dataset = Dataset.objects.create(
        name=name,
        slug=slug,
        line_format=line_format,
        read_as=read_as,
        box_convention=BoxConvention.INCLUSIVE if inclusive else BoxConvention.POINTS,
        provenance=provenance,
        licence=licence,
    )
    rows = (
        _image(dataset, position, image, regions, photographs.get(image))
        for position, (image, regions) in enumerate(truth)
    )
    for batch in _batches(rows):
        Image.objects.bulk_create(batch)
    return dataset


def _image(
    dataset: Dataset, position: int, name: str, truth: Any, photograph: Photograph | None
) -> Image:
    row = Image(dataset=dataset, name=name, position=position, truth=truth)
    if photograph is not None:
        _give(row, photograph)
    return row


def _give(row: Image, photograph: Photograph) -> None:
    for name in OF_PHOTOGRAPHS:
        setattr(row, name, getattr(photograph, name))


def write_photographs(dataset: Dataset, by_image: Mapping[str, Photograph]) -> list[int]:
    """Give images of a dataset their photographs; return the keys of the images."""
    rows = list(dataset.images.filter(name__in=by_image).only("name").order_by("pk"))
    for row in rows:
        _give(row, by_image[row.name])
    Image.objects.bulk_update(rows, OF_PHOTOGRAPHS, batch_size=_BATCH)
    return [row.pk for row in rows]


def method_to_fill(dataset: Dataset, title: str, *, replace: bool) -> tuple[Method, bool]:
    """Return the method of this name, created or emptied, and whether it had results before.

    Raises NotLoaded for results that are already loaded, unless ``replace`` is set and no answer
    refers to them.
    """
    replaced = _method_to_replace(dataset, title, replace=replace)
    if replaced is not None:
        remove_results(replaced)
        return replaced, True
    method = method_named(dataset, title)
    if method is None:
        name, slug = named(title, "method")
        method = Method.objects.create(dataset=dataset, name=name, slug=slug)
    return method, False


def write_results(
    method: Method,
    rows: Iterable[list[Any]],
    *,
    missing: str,
    read_as: str,
    images: Mapping[str, int],
    progress: Progress,
) -> dict[str, int]:
    """Write the result set of a method that has none for the dataset's images; return counts."""
    left = set(images)
    counts = {"results": 0, "boxes": 0, "empty": 0, "without_file": 0}

    def results() -> Iterator[Result]:
        for _name, image, regions, n_regions, digest in rows:
            left.discard(image)
            yield Result(
                image_id=images[image],
                method=method,
                regions=regions,
                n_regions=n_regions,
                sha256=digest,
            )
        if missing == Missing.EMPTY:
            digest = sha256(canonical_bytes(())).hexdigest()
            for key in sorted(images[image] for image in left):
                yield Result(
                    image_id=key,
                    method=method,
                    regions=encode_regions(()),
                    n_regions=0,
                    had_file=False,
                    sha256=digest,
                )

    for batch in _batches(results()):
        Result.objects.bulk_create(batch)
        counts["results"] += len(batch)
        counts["boxes"] += sum(row.n_regions for row in batch)
        counts["empty"] += sum(row.n_regions == 0 for row in batch)
        counts["without_file"] += sum(not row.had_file for row in batch)
        progress(counts["results"], len(images))
    totals = {key: counts[key] for key in ("boxes", "empty", "without_file")}
    method.totals = {"n": counts["results"], **totals}
    method.read_as = read_as
    method.save(update_fields=["totals", "read_as"])
    return counts | {"not_evaluated": len(images) - counts["results"]}


def write_scores(
    *, dataset: Dataset, protocol: str, rows: Rows, progress: Progress
) -> tuple[ProtocolRun, int]:
    """Write imported scores as a run of the protocol; return the run and the number of scores."""
    run = ProtocolRun.objects.create(
        dataset=dataset,
        name=named(protocol, "protocol")[0],
        version="",
        origin=ProtocolRun.Origin.IMPORTED,
    )
    n_scores = 0
    for name, of_method in rows.by_method():
        results_of = Result.objects.filter(method__dataset=dataset, method__name=name)
        results = dict(results_of.values_list("image__name", "pk").iterator())
        scores = (
            Score(
                run=run,
                result_id=results[image],
                recall=recall,
                precision=precision,
                f_score=f_score(recall, precision),
            )
            for _name, image, recall, precision in of_method
        )
        for batch in _batches(scores):
            Score.objects.bulk_create(batch)
            n_scores += len(batch)
            progress(n_scores, 0)
    run.n_scores = n_scores
    run.save(update_fields=["n_scores"])
    return run, n_scores


def studies_with_answers_on(method: Method) -> models.QuerySet[Study]:
    """Return the studies in which an annotator was shown a result of this method."""
    left = Q(assignments__screens__left__method=method)
    right = Q(assignments__screens__right__method=method)
    return Study.objects.filter(left | right).distinct()


def remove_results(method: Method) -> None:
    """Delete a method's results, and the scores of protocols on them."""
    for run in ProtocolRun.objects.filter(scores__result__method=method).distinct():
        run.overall.pop(method.name, None)
        (run.losses or {}).pop(method.name, None)
        run.n_scores = run.scores.exclude(result__method=method).count()
        run.save(update_fields=["overall", "losses", "n_scores"])
    _remove(Score.objects.filter(result__method=method))
    _remove(Result.objects.filter(method=method))
    method.totals = None
    method.save(update_fields=["totals"])


def remove_dataset(dataset: Dataset) -> None:
    """Delete a dataset that holds only images; the next sweep deletes its photographs."""
    _remove(dataset.images.all())
    dataset.delete()


def _remove(rows: "models.QuerySet[Any]") -> None:
    """Delete rows in batches; a single delete would hold all of them in memory."""
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:_BATCH]):
        rows.model._default_manager.filter(pk__in=keys).delete()


def _batches(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    left = iter(rows)
    while batch := list(islice(left, _BATCH)):
        yield batch

"""All URLs of the site and all operations of its API."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver, reverse
from drf_spectacular.generators import SchemaGenerator

from annotate.figures.kinds import NAMES as FIGURES
from annotate.reports.models import KeptReport
from annotate.studies.models import Study
from rankings.output.detector_tables import DETECTOR_TABLES
from rankings.output.pair_tables import PAIR_TABLES

SITE = "text_rankings.site.urls"
ON_THE_DATASET = (
    *("datasets", "scoring", "imports", "files", "planning", "codabench", "leaderboards"),
    *("scored", "setup:begin"),
)

_DRAWN = ("figures:figure", "figures:kept_figure", "leaderboards:figure", "planning:map")


@cache
def keys_of_addresses(urls: str = "annotate.urls") -> dict[str, frozenset[str]]:
    """Return the names of the values in every named URL of a module of URLs."""
    return dict(_named(get_resolver(urls).url_patterns))


def _named(
    entries: Iterable[URLPattern | URLResolver],
    namespace: str = "",
    before: frozenset[str] = frozenset(),
) -> Iterator[tuple[str, frozenset[str]]]:
    for entry in entries:
        pattern = entry.pattern
        keys = before | {*(pattern.converters or getattr(pattern.regex, "groupindex", {}))}
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from _named(entry.url_patterns, inner, keys)
        elif entry.name:
            yield f"{namespace}{entry.name}", keys


def address_of(name: str, study: Study, /, **given: Any) -> str:
    """Return the address of a page about a study or its dataset; ``given`` are its other values."""
    image = study.images.in_order().first()
    of_image = dict.fromkeys(("datasets:viewer", "datasets:mend"), image.name if image else "")
    names = {"exchange:raw_file": "events.csv", **of_image}
    extension = "zip" if name.startswith("files:") else "csv"
    values = {
        "slug": study.dataset.slug if name.startswith(ON_THE_DATASET) else study.slug,
        "dataset_slug": study.dataset.slug,
        "method": study.methods.first().slug,
        "image": image.name if image else "",
        "name": names.get(name, FIGURES[0]),
        "extension": "svg" if name in _DRAWN else extension,
        "kind": "list" if name.startswith("recruiting:") else "csv",
        "table": "leaderboard" if name == "leaderboards:file" else "criteria",
        "step": "data" if name.startswith("setup:") else "start",
        "key": "annotator-1",
        "number": 1,
        "round_number": 1,
        "token": "unknown",
        "task": "1-2-3-1",
        "part": "both",
        "sha256": "0" * 64,
        **given,
    }
    return reverse(name, kwargs={key: values[key] for key in keys_of_addresses(SITE)[name]})


_OF_A_STUDY = (
    *("studies", "reports", "evidence", "figures", "questions", "exchange", "publication"),
    *("judges", "accounts:study_invitations", "audit:study", "recruiting:entrances"),
    *("datasets", "leaderboards", "scored", "planning", "scoring", "imports:receipts"),
)
# An annotator's own file, and photographs.
_NOT_ASKED = ("exchange:own_answers", "datasets:image", "datasets:small_image")
_TABLES = (
    *("intervals", "differences", "verdicts", "people", "sensitivity", "rounding", "agreement"),
    *("annotators", "variance", "taste", "values", "betas", "slices"),
    *DETECTOR_TABLES,
    *PAIR_TABLES,
)


def of_a_study(study: Study, kept: KeptReport) -> Iterator[tuple[str, str]]:
    """Yield the name and the path of every page and file of a study and of its dataset.

    Some files exist only if a table has a row, or a figure a drawing.
    """
    for name, wanted in keys_of_addresses().items():
        if name.startswith(_OF_A_STUDY) and name not in _NOT_ASKED:
            for own in _variations(name, wanted):
                yield name, address_of(name, study, pk=kept.pk, other=kept.pk, **own)


def _variations(name: str, wanted: frozenset[str]) -> list[dict[str, str]]:
    if name in ("figures:figure", "figures:kept_figure"):
        return [{"name": figure, "extension": "svg"} for figure in FIGURES]
    if name in _DRAWN:
        return [{"extension": "svg"}]
    if name == "leaderboards:file":
        return [{"table": one, "extension": "csv"} for one in ("leaderboard", "disagreements")]
    if name == "exchange:raw_file":
        names = ("events.csv", "rankings.csv", "rankings.json", "exclusions.csv", "dictionary.csv")
        return [{"name": one} for one in names]
    if "table" in wanted:
        return [{"table": table, "extension": "md"} for table in _TABLES]
    kinds = ("csv", "json", "tex", "md") if "extension" in wanted else ("csv",)
    return [{"extension": kind} for kind in kinds]


def operations() -> list[str]:
    """Return every operation of the schema, as “METHOD path”."""
    schema = SchemaGenerator().get_schema(public=True)
    return sorted(
        f"{method.upper()} {path.removeprefix('/api/v1/')}"
        for path, methods in schema["paths"].items()
        for method in methods
    )

"""A study's raw data: every event and every ranking, row by row, with a dictionary and checksums."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final

from django.db.models import QuerySet

from annotate.datasets.models import Image, Result
from annotate.judging.models import Assignment, Judgement, Skip, Withdrawal
from annotate.judging.replay import item_of_each_result
from annotate.reports.snapshots import snapshot
from annotate.studies.exclusions import left_out
from annotate.studies.models import Study
from annotate.studies.pseudonyms import names_of
from rankings.elicitation import CRITERIA

CHECKSUMS: Final = "checksums.sha256"
_IMAGES_AT_A_TIME: Final = 20
_ROWS_AT_A_TIME: Final = 200
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: str
    meaning: str


EVENT_COLUMNS: Final = (
    Column("study", "text", "Name of the study."),
    Column("image", "text", "Name of the image."),
    Column(
        "annotator", "text", "Who answered: a pseudonym, or the user name where it was asked for."
    ),
    Column(
        "image_number", "integer", "1 for the first image this annotator ranked, 2 for the next."
    ),
    Column(
        "event", "integer", "Place in the log of this annotator and image, from 1, over all kinds."
    ),
    Column("kind", "judgement, skip or withdrawal", "What happened."),
    Column("at", "time (ISO 8601, UTC)", "When it was stored."),
    Column("screen", "integer", "Number of the screen among those of this annotator and image."),
    Column(
        "purpose",
        "place, near, repeat, again or repair",
        "Why the pair was asked: to place a result; as a re-check of neighbours, of an earlier pair, "
        "or of a doubtful pair; or because a changed answer opened it again.",
    ),
    Column("strategy", "insertion or balanced", "How the pair was chosen."),
    Column("attempt", "integer", "How often this screen had been answered or skipped before."),
    Column("left_method", "text", "Method of the result on the left."),
    Column("right_method", "text", "Method of the result on the right."),
    Column(
        "left_alike",
        "list of text (JSON)",
        "All methods whose result looks like the one on the left; an answer holds for each of them.",
    ),
    Column("right_alike", "list of text (JSON)", "The same for the right."),
    Column(
        "left_item",
        "integer",
        "Place of the left result in the order in which this annotator's results of the image were "
        "drawn, from 1. When a result is placed by insertion, the later one is the newcomer.",
    ),
    Column("right_item", "integer", "The same for the right."),
    Column(
        "recall",
        "left, equal, right or empty",
        "The better side by recall; empty: not asked, because it followed from earlier answers.",
    ),
    Column("precision", "left, equal, right or empty", "The same for precision."),
    Column("preference", "left, equal, right or empty", "The same for preference."),
    Column(
        "seconds",
        "number or empty",
        "Active time on the screen; empty where the page could not measure it.",
    ),
    Column(
        "aids",
        "object (JSON)",
        "Seconds for which each aid was on: ground_truth, match_colours, differences, boxes_hidden, "
        "blink, zoomed.",
    ),
    Column("reason", "text", "Of a skip: cannot_see, no_text, question, broken or other."),
    Column("text", "text", "Of a skip: what the annotator wrote."),
    Column("ends", "integer or empty", "Of a withdrawal: the event that no longer counts."),
    Column(
        "in_force",
        "true, false or empty",
        "Whether the answer or skip still counts; false: a withdrawal ended it. Empty for "
        "withdrawals.",
    ),
)
RANKING_COLUMNS: Final = (
    Column("study", "text", "Name of the study."),
    Column("image", "text", "Name of the image."),
    Column(
        "annotator", "text", "Who ranked: a pseudonym, or the user name where it was asked for."
    ),
    Column("criterion", "recall, precision or preference", "What was ranked by."),
    Column(
        "buckets",
        "list of lists of text (JSON)",
        "The complete ranking, best first; the methods of an inner list are tied.",
    ),
    Column(
        "unsettled",
        "true or false",
        "Whether a confirmed contradiction was left standing in this criterion.",
    ),
    Column("finished", "time (ISO 8601, UTC)", "When the ranking was complete."),
    Column(
        "in_reports",
        "true or false",
        "Whether reports count the ranking; false: its annotator is left out, see exclusions.",
    ),
)
EXCLUSION_COLUMNS: Final = (
    Column("study", "text", "Name of the study."),
    Column("annotator", "text", "Whose rankings: a pseudonym, or the user name."),
    Column(
        "excluded",
        "true or false",
        "Whether reports leave the rankings out from then on, or count them again.",
    ),
    Column("reason", "text", "Why."),
    Column("at", "time (ISO 8601, UTC)", "When it was decided; the last word on a person holds."),
    Column(
        "by",
        "text or empty",
        "Who decided; empty for an admin who is none of the study's people, and for a study that "
        "came from another site.",
    ),
)
TABLES: Final[Mapping[str, Sequence[Column]]] = {
    "events": EVENT_COLUMNS,
    "rankings": RANKING_COLUMNS,
    "exclusions": EXCLUSION_COLUMNS,
}
_DICTIONARY_COLUMNS: Final = (
    Column("table", "text", ""),
    Column("column", "text", ""),
    Column("values", "text", ""),
    Column("meaning", "text", ""),
)


def assignments_in_order(study: Study, people: Mapping[int, str]) -> Iterator[list[Assignment]]:
    """Yield the study's assignments by image and annotator, those of a few images at a time."""
    images = Image.objects.filter(assignments__study=study).distinct().in_order()
    place = {person: at for at, person in enumerate(people)}
    for some in _some_at_a_time(images.values_list("pk", flat=True), _IMAGES_AT_A_TIME):
        order = {image: at for at, image in enumerate(some)}
        found = study.assignments.filter(image__in=some).select_related("image")
        yield sorted(found, key=lambda one: (order[one.image_id], place[one.annotator_id]))


def _some_at_a_time(values: Iterable[Any], n: int) -> Iterator[list[Any]]:
    iterator = iter(values)
    while some := list(islice(iterator, n)):
        yield some


@dataclass(frozen=True, slots=True)
class Logs:
    """The events of some assignments, each in order, and the method of each of their results."""

    events: Mapping[int, Sequence[Judgement | Skip | Withdrawal]]
    method_of: Mapping[int, str]


def logs_of(assignments: Sequence[Assignment]) -> Logs:
    """Fetch what happened to some assignments in a handful of queries."""
    events: dict[int, list[Judgement | Skip | Withdrawal]] = {one.pk: [] for one in assignments}
    queries: tuple[QuerySet[Any], ...] = (
        Judgement.objects.select_related("screen", "withdrawal"),
        Skip.objects.select_related("screen", "withdrawal"),
        Withdrawal.objects.select_related("judgement__screen", "skip__screen"),
    )
    for query in queries:
        for event in query.filter(assignment__in=list(events)):
            events[event.assignment_id].append(event)
    for log in events.values():
        log.sort(key=lambda event: event.number)
    results = Result.objects.filter(image__in={one.image_id for one in assignments})
    return Logs(events, dict(results.values_list("pk", "method__name")))


def events(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield every event of a study, by image, annotator and place in the log."""
    people = names_of(study, real=names)
    for some in assignments_in_order(study, people):
        logs = logs_of(some)
        for assignment in some:
            item_of = item_of_each_result(assignment)
            for event in logs.events[assignment.pk]:
                yield {
                    "study": study.name,
                    "image": assignment.image.name,
                    "annotator": people[assignment.annotator_id],
                    "image_number": assignment.position,
                    **_event(event, assignment, item_of, logs.method_of),
                }


def _event(
    event: Judgement | Skip | Withdrawal,
    assignment: Assignment,
    item_of: Mapping[int, int],
    method_of: Mapping[int, str],
) -> Row:
    ended = (event.judgement or event.skip) if isinstance(event, Withdrawal) else None
    screen = (ended or event).screen
    row: Row = {
        "event": event.number,
        "kind": type(event).__name__.lower(),
        "at": event.created.isoformat(),
        "screen": screen.number,
        "purpose": screen.purpose,
        "strategy": screen.strategy,
        "attempt": (ended or event).attempt,
    }
    for side, result in (("left", screen.left_id), ("right", screen.right_id)):
        item = item_of[result]
        row[f"{side}_method"] = method_of[result]
        row[f"{side}_alike"] = sorted(method_of[one] for one in assignment.items[item])
        row[f"{side}_item"] = item + 1
    is_judgement, is_skip = isinstance(event, Judgement), isinstance(event, Skip)
    return row | {
        **{name: (getattr(event, name) or None) if is_judgement else None for name in CRITERIA},
        "seconds": event.seconds_taken if is_judgement else None,
        "aids": event.aids if is_judgement else {},
        "reason": event.reason if is_skip else None,
        "text": event.text if is_skip else None,
        "ends": ended.number if ended else None,
        "in_force": None if ended else not hasattr(event, "withdrawal"),
    }


def rankings(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield every complete ranking of a study, by image, annotator and criterion."""
    people = names_of(study, real=names)
    method_of = dict(study.dataset.methods.values_list("pk", "name"))
    excluded = left_out(study)
    for some in assignments_in_order(study, people):
        for assignment in some:
            for criterion, buckets in (assignment.rankings or {}).items():
                yield {
                    "study": study.name,
                    "image": assignment.image.name,
                    "annotator": people[assignment.annotator_id],
                    "criterion": criterion,
                    "buckets": [sorted(method_of[one] for one in bucket) for bucket in buckets],
                    "unsettled": criterion in assignment.unsettled,
                    "finished": assignment.finished and assignment.finished.isoformat(),
                    "in_reports": assignment.annotator_id not in excluded,
                }


def exclusions(study: Study, *, names: bool = False) -> Iterator[Row]:
    """Yield every decision on whose rankings reports count, in order."""
    people = names_of(study, real=names)
    for row in study.exclusions.all():
        yield {
            "study": study.name,
            "annotator": people[row.person_id],
            "excluded": row.is_excluded,
            "reason": row.reason,
            "at": row.created.isoformat(),
            "by": people.get(row.created_by_id),
        }


def dictionary(study: Study | None = None, *, names: bool = False) -> Iterator[Row]:
    """Yield every column of the tables with its meaning; the same for every study."""
    for table, columns in TABLES.items():
        for column in columns:
            yield {
                "table": table,
                "column": column.name,
                "values": column.kind,
                "meaning": column.meaning,
            }


def as_csv(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[str]:
    """Yield a CSV; lists and objects are JSON in their cells, and undefined is empty."""
    names = [column.name for column in columns]
    lines = ([_cell(row[name]) for name in names] for row in rows)
    for some in _some_at_a_time(_with_first(names, lines), _ROWS_AT_A_TIME):
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows(some)
        yield stream.getvalue()


def _with_first(first: list[str], others: Iterable[list[str]]) -> Iterator[list[str]]:
    yield first
    yield from others


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        # A spreadsheet would run a cell that starts like this.
        return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
    return _json(value)


def as_json(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[str]:
    """Yield a JSON list with one object per line."""
    names = [column.name for column in columns]
    before = "["
    for some in _some_at_a_time(rows, _ROWS_AT_A_TIME):
        lines = [_json({name: row[name] for name in names}) for row in some]
        yield before + "\n" + ",\n".join(lines)
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class File:
    """One file of the raw data: what it is called, and how it is written."""

    label: str
    content_type: str
    rows: Callable[..., Iterator[Row]]
    columns: Sequence[Column]
    write: Callable[[Sequence[Column], Iterable[Row]], Iterator[str]]


_CSV, _JSON = "text/csv; charset=utf-8", "application/json"
FILES: Final[Mapping[str, File]] = {
    "events.csv": File("every event, CSV", _CSV, events, EVENT_COLUMNS, as_csv),
    "events.json": File("every event, JSON", _JSON, events, EVENT_COLUMNS, as_json),
    "rankings.csv": File("every ranking, CSV", _CSV, rankings, RANKING_COLUMNS, as_csv),
    "rankings.json": File("every ranking, JSON", _JSON, rankings, RANKING_COLUMNS, as_json),
    "exclusions.csv": File(
        "who was left out of reports and why, CSV", _CSV, exclusions, EXCLUSION_COLUMNS, as_csv
    ),
    "dictionary.csv": File("the columns, CSV", _CSV, dictionary, _DICTIONARY_COLUMNS, as_csv),
}


def content(study: Study, name: str, *, names: bool = False) -> Iterator[bytes]:
    """Yield one of FILES piece by piece; memory does not grow with the study."""
    file = FILES[name]
    with snapshot():
        for piece in file.write(file.columns, file.rows(study, names=names)):
            yield piece.encode()


def checksum(study: Study, name: str, *, names: bool = False) -> str:
    """Return the line that ``sha256sum --check`` reads for one of FILES."""
    digest = hashlib.sha256()
    for piece in content(study, name, names=names):
        digest.update(piece)
    return f"{digest.hexdigest()}  {name}\n"


def write_folder(study: Study, folder: Path, *, names: bool = False) -> list[str]:
    """Write all FILES and their checksums into a folder, as of one moment; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_all(study, lambda name: (folder / name).open("wb"), names=names)
    return [*FILES, CHECKSUMS]


def write_zip(study: Study, stream: IO[bytes], *, names: bool = False) -> None:
    """Write all FILES and their checksums into a zip, as of one moment. Equal data, equal bytes."""
    with zipfile.ZipFile(stream, "w") as archive:
        _write_all(study, lambda name: archive.open(zip_entry(name), "w"), names=names)


def zip_entry(name: str, *, compress: bool = True) -> zipfile.ZipInfo:
    """Return an entry that says nothing of when and where it was written."""
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    entry.create_system = 3  # or the file modes would differ between systems
    entry.external_attr = 0o644 << 16
    return entry


def _write_all(study: Study, opened: Callable[[str], IO[bytes]], *, names: bool) -> None:
    sums = []
    with snapshot():
        for name, file in FILES.items():
            digest = hashlib.sha256()
            with opened(name) as out:
                for piece in file.write(file.columns, file.rows(study, names=names)):
                    out.write(piece.encode())
                    digest.update(piece.encode())
            sums.append(f"{digest.hexdigest()}  {name}\n")
    with opened(CHECKSUMS) as out:
        out.write("".join(sums).encode())

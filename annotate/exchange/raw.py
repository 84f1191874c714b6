"""A study's raw data as files: tables as CSV and JSON, singly or all together with checksums."""

import hashlib
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.csv_tables import Column, Row, as_csv, as_json_text, some_at_a_time
from annotate.judges import exports as judges
from annotate.reports.errors import TooLarge
from annotate.reports.snapshots import snapshot
from annotate.studies.models import Study

from .columns import COLUMNS
from .rows import dictionary, events, exclusions, notes, questions, rankings

CHECKSUMS: Final = "checksums.sha256"
_ROWS_AT_A_TIME: Final = 200


def as_json(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[str]:
    """Yield a JSON list with one object per line."""
    names = [column.name for column in columns]
    before = "["
    for some in some_at_a_time(rows, _ROWS_AT_A_TIME):
        lines = [as_json_text({name: row[name] for name in names}) for row in some]
        yield before + "\n" + ",\n".join(lines)
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


# By extension: the writer of a table, and the type of the file.
WRITERS: Final = {
    "csv": (as_csv, "text/csv; charset=utf-8"),
    "json": (as_json, "application/json"),
}


@dataclass(frozen=True, slots=True)
class File:
    """One file of the raw data: its label, and its rows."""

    label: str | Promise
    rows: Callable[..., Iterator[Row]]


# About 130,000 events.
MAX_RANKINGS_AT_ONCE: Final = 5000
# By table and extension.
FILES: Final[Mapping[str, File]] = {
    "events.csv": File(gettext_lazy("every event, CSV"), events),
    "events.json": File(gettext_lazy("every event, JSON"), events),
    "rankings.csv": File(gettext_lazy("every ranking, CSV"), rankings),
    "rankings.json": File(gettext_lazy("every ranking, JSON"), rankings),
    "exclusions.csv": File(gettext_lazy("who was left out of reports and why, CSV"), exclusions),
    "notes.csv": File(gettext_lazy("annotators' notes, CSV"), notes),
    "questions.csv": File(gettext_lazy("answers to the questions of entrances, CSV"), questions),
    "judges.csv": File(gettext_lazy("programs that judged, CSV"), judges.judges),
    "judge_answers.csv": File(gettext_lazy("every answer of a program, CSV"), judges.answers),
    "judge_rankings.csv": File(gettext_lazy("rankings by programs, CSV"), judges.rankings),
    "dictionary.csv": File(gettext_lazy("the columns, CSV"), dictionary),
}


def require_small(study: Study) -> None:
    """Raise TooLarge for a study whose tables would occupy a web process for too long."""
    n_rankings = study.assignments.count()
    if n_rankings > MAX_RANKINGS_AT_ONCE:
        raise TooLarge(
            _(
                "{study} has {n} rankings, and above {most} its tables are not sent one by one. "
                "Request all of them in one zip, which is made in the background."
            ).format(study=study, n=n_rankings, most=MAX_RANKINGS_AT_ONCE)
        )


def content(study: Study, name: str, *, names: bool = False) -> Iterator[bytes]:
    """Yield one of FILES in pieces; memory does not grow with the study."""
    table, _dot, extension = name.partition(".")
    write, _type = WRITERS[extension]
    with snapshot():
        for piece in write(COLUMNS[table], FILES[name].rows(study, names=names)):
            yield piece.encode()


def checksum(study: Study, name: str, *, names: bool = False) -> str:
    """Return the line that ``sha256sum --check`` reads for one of FILES."""
    digest = hashlib.sha256()
    for piece in content(study, name, names=names):
        digest.update(piece)
    return f"{digest.hexdigest()}  {name}\n"


def write_folder(study: Study, folder: Path, *, names: bool = False) -> list[str]:
    """Write a snapshot of all FILES with checksums into a folder; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_all(study, lambda name: (folder / name).open("wb"), names=names)
    return [*FILES, CHECKSUMS]


def write_zip(
    study: Study,
    stream: IO[bytes],
    *,
    names: bool = False,
    tell: Callable[[int, int, str], None] | None = None,
) -> None:
    """Write a snapshot of all FILES with checksums into a zip. Equal data give equal bytes.

    ``tell(done, total, doing)`` is called before each file.
    """

    def opened(name: str) -> IO[bytes]:
        if tell is not None and name in FILES:
            tell(list(FILES).index(name), len(FILES), _("Writing {file}").format(file=name))
        return archive.open(zip_entry(name), "w")

    with zipfile.ZipFile(stream, "w") as archive:
        _write_all(study, opened, names=names)


def zip_entry(name: str, *, compress: bool = True) -> zipfile.ZipInfo:
    """Return an entry that does not depend on when and where it is written."""
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    entry.create_system = 3  # or the file modes would differ between systems
    entry.external_attr = 0o644 << 16
    return entry


def _write_all(study: Study, opened: Callable[[str], IO[bytes]], *, names: bool) -> None:
    sums = []
    with snapshot():
        for name in FILES:
            digest = hashlib.sha256()
            with opened(name) as out:
                for piece in content(study, name, names=names):
                    out.write(piece)
                    digest.update(piece)
            sums.append(f"{digest.hexdigest()}  {name}\n")
    with opened(CHECKSUMS) as out:
        out.write("".join(sums).encode())

"""Check, report on and load any files the site can read, as its pages do."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError

from annotate.imports import plans
from annotate.imports.errors import NotLoaded
from annotate.imports.guessing import guess_file
from annotate.imports.immediate import FileToLoad, LoadAtOnce
from annotate.imports.models import Draft, FileKind, Missing
from annotate.management import reporting
from annotate.management.site_command import SiteCommand
from protocols.diagnostics.readings import AS_READ, FRAMES, ReadingError, words_of
from protocols.formats.names import method_name
from protocols.formats.problems import PASSED_OVER
from protocols.formats.recognition.reading import ENCODINGS, FORMATS

_LEFT_OUT: Final = (PASSED_OVER, "left undefined")
_OF_FRAMES: Final = (AS_READ, *FRAMES)
_OF_REGIONS: Final = (FileKind.TRUTH, FileKind.RESULTS)


class Command(SiteCommand):
    help = (
        "Check files and load them: ground truth, photographs, results, scores, people. What each is "
        "is found out. Ends with 0 if everything was loaded, with notes or without, 1 if a part of a "
        "file was left out, 2 if nothing was or could be loaded."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="a file or a folder")
        parser.add_argument("--dataset", help="slug of the dataset to load into")
        parser.add_argument("--name", default="", help="name of a new dataset")
        parser.add_argument("--provenance", default="")
        parser.add_argument("--licence", default="")
        parser.add_argument(
            "--as",
            dest="described",
            action="append",
            default=[],
            metavar="FILE=KIND[:TITLE]",
            help="what a file is, where the guess is wrong; TITLE names the method or protocol",
        )
        parser.add_argument(
            "--missing", choices=Missing.values, help="what an image without a result file means"
        )
        parser.add_argument(
            "--per-cent", action="store_true", help="scores above 1 are per cent, not faults"
        )
        parser.add_argument(
            "--format",
            action="append",
            default=[],
            metavar="[FILE=]FORMAT",
            help="how files are written, where the guess is wrong: " + ", ".join(FORMATS),
        )
        parser.add_argument(
            "--reading",
            action="append",
            default=[],
            metavar="[FILE=]READING",
            help="how results are read that fit better another way: as-read, as-named, exchanged, stored, "
            "upright, sides, columns, rows, diagonals, next, previous, following, preceding, "
            "scaled:FACTOR, share:UNIT",
        )
        parser.add_argument(
            "--encoding", choices=ENCODINGS, default="", help="of texts that are not UTF-8"
        )
        parser.add_argument("--replace", action="store_true", help="of results that are loaded")
        parser.add_argument("--dry-run", action="store_true", help="check only; load nothing")
        parser.add_argument("--yes", action="store_true", help="load without asking")
        parser.add_argument("--report", metavar="FILE.csv", help="write all findings there")

    def handle(self, **options: Any) -> None:
        dataset = options["dataset"] and reporting.dataset_named(options["dataset"])
        load = LoadAtOnce(
            reporting.TellingProgress(self.stdout),
            dataset=dataset or None,
            name=options["name"],
            provenance=options["provenance"],
            licence=options["licence"],
        )
        with load:
            self._run(load, options)

    def _run(self, load: LoadAtOnce, options: dict[str, Any]) -> None:
        for path in map(Path, options["files"]):
            file = load.add(_described(path, options))
            self.stdout.write(f"{file.name}: {file.get_kind_display()} {file.title}".rstrip())
        load.check()
        self._tell_findings(load.draft, options["report"])
        planned = plans.plan(load.draft)
        for title, lines in (
            ("Will be added", planned.added),
            ("Will be replaced", planned.replaced),
            ("Is left alone", planned.left_alone),
        ):
            for line in lines:
                self.stdout.write(f"{title}: {line}.")
        for question in plans.questions(load.draft):
            if not question.is_answered:
                self.stderr.write(_option_that_answers(question))
        if planned.obstacles:
            raise NotLoaded(" ".join(planned.obstacles))
        if options["yes"]:
            load.refuse_faults()
        n_left_out = load.draft.findings.filter(action__in=_LEFT_OUT).count()
        if options["dry_run"]:
            self.stdout.write("Nothing was loaded: this was a dry run.")
        elif options["yes"] or self._agrees():
            for receipt in load.load(replace=options["replace"]):
                self.stdout.write(f"Loaded: {receipt} (receipt {receipt.pk}).")
        else:
            raise CommandError("Nothing was loaded: it was not confirmed.", returncode=2)
        if n_left_out:
            raise CommandError(
                f"Something was left out in {n_left_out} place{'s' if n_left_out != 1 else ''}, and the "
                "rest was read; all are listed above.",
                returncode=1,
            )

    def _tell_findings(self, draft: Draft, report: str | None) -> None:
        reporting.write_kinds(self.stderr, draft.summary["kinds"])
        for results in draft.files.filter(kind=FileKind.RESULTS):
            for method, fit in results.counts["fits"].items():
                self.stdout.write(f"{method}: {_fit_in_words(fit)}")
        if report:
            with open(report, "w", encoding="utf-8", newline="") as file:
                file.writelines(draft.findings.all().as_csv())

    def _agrees(self) -> bool:
        try:
            return input("Load this? [y/N] ").strip().lower() in ("y", "yes")
        except EOFError:
            return False


def _option_that_answers(question: plans.OpenQuestion) -> str:
    """Return the options that answer a question."""
    if question.field == "per_cent":
        return f"{question.file.name}: answer with --per-cent, or mend the file."
    # The same for all files, if there is one value.
    of_file = f"{question.file.name}=" if question.field in ("format", "reading") else ""
    options = (f"--{question.field} {of_file}{choice}" for choice, _label in question.offered)
    return f"{question.file.name}: answer with {' or '.join(options)}."


def _fit_in_words(fit: Mapping[str, Any]) -> str:
    names = {"recall": "recall", "precision": "precision", "touched": "of the ground truth touched"}
    numbers = (
        f"{words} {'undefined' if fit[name] is None else format(fit[name], '.2f')}"
        for name, words in names.items()
    )
    outside = "" if fit["outside"] is None else f", {fit['outside']} boxes outside their image"
    return f"{', '.join(numbers)}{outside} (at IoU 0.5)."


def _said_of(path: Path, given: Sequence[str]) -> str:
    """Return the last value given for a file or for all files; empty if there is none."""
    said = ""
    for of in given:
        name, equals, value = of.rpartition("=")
        if not equals or name in (path.name, str(path)):
            said = value
    return said


def _described(path: Path, options: dict[str, Any]) -> FileToLoad:
    """Return a file to load; its kind is guessed unless it was given."""
    try:
        guess = guess_file(path, path.name, has_truth=bool(options["dataset"]))
    except OSError as fault:
        raise CommandError(f"{path}: {fault.strerror}", returncode=2) from fault
    kind, title = guess.kind, guess.title
    for described in options["described"]:
        name, _, what = described.partition("=")
        if name in (path.name, str(path)):
            kind, _, said = what.partition(":")
            title = said or title or (method_name(path.name) if kind == FileKind.RESULTS else "")
    if kind not in FileKind.values:
        known = ", ".join(FileKind.values)
        raise CommandError(f"{kind} is no kind of file; {known}.", returncode=2)
    format = _said_of(path, options["format"])
    # A reading of all files is of results; of other files, only the frame of boxes can be asked.
    readings = options["reading"]
    if kind != FileKind.RESULTS:
        readings = [of for of in readings if of.endswith(tuple(f"={one}" for one in _OF_FRAMES))]
    reading = _said_of(path, readings)
    if format and format not in FORMATS:
        known = ", ".join(FORMATS)
        raise CommandError(f"{format} is no known format; formats: {known}.", returncode=2)
    try:
        words_of(reading or AS_READ)
    except ReadingError as refusal:
        raise CommandError(f"{refusal}.", returncode=2) from refusal
    return FileToLoad(
        path,
        kind,
        title=title,
        format=format or guess.format if kind in _OF_REGIONS else "",
        missing=options["missing"] or "",
        per_cent=options["per_cent"] or None,
        reading=reading,
        encoding=options["encoding"],
    )

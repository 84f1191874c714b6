"""The files of data that a study file names, and how each is read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from annotate.imports.errors import NotLoaded, Question
from annotate.imports.guessing import guess_file
from annotate.imports.immediate import FileToLoad
from annotate.imports.models import FileKind
from protocols.diagnostics.readings import ReadingError, words_of
from protocols.formats.names import method_name
from protocols.formats.recognition.reading import FORMATS

from .errors import FileRefused
from .reading import StudyFile


def question_of(file: StudyFile, key: str, asked: Question, refusal: NotLoaded) -> FileRefused:
    """Return the refusal that asks for an answer, with the key of the file that it is about."""
    choices = [choice for choice, _label in asked.choices]
    answer = choices[0] if len(choices) == 1 else "…"
    hint = _("Say it of this file, as in {example}; {field} is one of: {choices}.").format(
        example=f'{{ file = "{asked.path.name}", {asked.field} = "{answer}" }}',
        field=asked.field,
        choices=", ".join(choices),
    )
    refused = file.refused(f"{key}.{asked.field}", f"{refusal} {hint}")
    refused.questions = refusal.questions
    return refused


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file of data as the study file names it; ``read`` holds the keys of its own table."""

    key: str
    name: str
    kind: FileKind
    method: str | None = None
    read: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, key: str, given: Any, kind: FileKind, method: str | None = None) -> "NamedFile":
        if isinstance(given, str):
            return cls(key, given, kind, method)
        return cls(key, given["file"], kind, method, given)


def named_files(file: StudyFile) -> Iterator[NamedFile]:
    """Yield the files of data, each with its method if the study file names it."""
    data = file.content["data"]
    yield NamedFile.of("data.truth", data["truth"], FileKind.TRUTH)
    if "photographs" in data:
        yield NamedFile.of("data.photographs", data["photographs"], FileKind.PHOTOGRAPHS)
    results = data["results"]
    named = results.items() if isinstance(results, dict) else ((None, path) for path in results)
    for number, (method, given) in enumerate(named):
        key = f"data.results.{number if method is None else method}"
        yield NamedFile.of(key, given, FileKind.RESULTS, method)


def file_to_load(file: StudyFile, named: NamedFile) -> FileToLoad:
    path, kind = file.file(named.key, named.name), named.kind
    guess = guess_file(path, path.name, has_truth=kind != FileKind.TRUTH)
    is_lines = kind in (FileKind.TRUTH, FileKind.RESULTS)

    def said(key: str) -> str:
        # Of this file, else of all files.
        return str(named.read.get(key) or file.content["data"].get(key, ""))

    # Of ground truth and photographs, only the frame can be asked, and not of all files at once.
    reading = said("reading") if kind == FileKind.RESULTS else str(named.read.get("reading", ""))
    if reading:
        try:
            words_of(reading)
        except ReadingError as refusal:
            key = f"{named.key}.reading" if "reading" in named.read else "data.reading"
            raise file.refused(key, f"{refusal}.") from refusal
    format = named.read.get("format") or guess.format or said("format")
    if format and format not in FORMATS and is_lines:
        key = f"{named.key}.format" if "format" in named.read else "data.format"
        known = ", ".join(FORMATS)
        raise file.refused(
            key,
            _("{format} is no known format; formats: {known}.").format(format=format, known=known),
        )
    return FileToLoad(
        path,
        kind,
        title=named.method or guess.title or method_name(path.name),
        format=format if is_lines else "",
        missing=said("missing") if kind == FileKind.RESULTS else "",
        reading=reading,
        encoding=said("encoding"),
    )

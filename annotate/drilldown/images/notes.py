"""Annotators' notes, for researchers: of a study or of one image."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotate.datasets.models import Image
from annotate.judging.models import Note
from annotate.studies.models import Study


@dataclass(frozen=True, slots=True)
class Told:
    """A note, with the annotator's key and shown name."""

    note: Note
    key: str
    name: str


def notes_of(
    study: Study,
    names: Mapping[int, tuple[str, str]],
    *,
    image: Image | None = None,
    discuss: bool = False,
) -> Iterator[Told]:
    """Yield the notes of a study or an image, the newest first; only those to discuss if asked.

    ``names``: key and shown name of each person.
    """
    notes = Note.objects.of(study)
    if image is not None:
        notes = notes.filter(screen__assignment__image=image)
    if discuss:
        notes = notes.filter(discuss=True)
    for note in notes:
        key, name = names.get(note.screen.assignment.annotator_id, ("", "–"))
        yield Told(note, key, name)

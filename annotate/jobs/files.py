"""Files that jobs create: written under a temporary name, then moved into place."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import IO, Final
from uuid import uuid4

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.access import Person

from .access import may_have
from .models import Job
from .registry import Outcome, Running

# Older files are deleted.
KEPT_FOR: Final = timedelta(days=7)
_UNFINISHED: Final = ".part"


def folder() -> Path:
    path = Path(settings.DATA_DIR) / "results"
    path.mkdir(parents=True, exist_ok=True)
    return path


def path_of(job: Job) -> Path | None:
    """Return the path of a job's file, or None if it has none or the file was deleted."""
    path = folder() / job.file if job.file else None
    return path if path is not None and path.is_file() else None


def given_to(person: Person, job: Job) -> Path | None:
    """Return the path of a job's file if the person still has access to its data."""
    path = path_of(job)
    is_allowed = path is not None and may_have(person, job.kind, job.arguments)
    return path if is_allowed else None


@contextmanager
def publishing_file(
    running: Running, file_name: str, write: Callable[[IO[bytes]], object]
) -> Iterator[Outcome]:
    """Write a file and publish the job with it; an incomplete file is never visible.

    Raises the exceptions of ``write``, such as OSError for a full disk; then no file remains.
    """
    # Left by an attempt whose worker was killed while publishing.
    for left in folder().glob(f"{running.pk}-*"):
        left.unlink(missing_ok=True)
    name = f"{running.pk}-{uuid4().hex}{Path(file_name).suffix}"
    part, whole = folder() / f"{name}{_UNFINISHED}", folder() / name
    try:
        with part.open("wb") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        with running.publishing() as outcome:
            part.rename(whole)
            outcome.file, outcome.file_name = name, file_name
            yield outcome
    except BaseException:
        part.unlink(missing_ok=True)
        whole.unlink(missing_ok=True)
        raise


def publish_file(running: Running, file_name: str, write: Callable[[IO[bytes]], object]) -> None:
    """Publish a job whose only result is a file, as ``publishing_file`` does."""
    with publishing_file(running, file_name, write) as outcome:
        outcome.text = _("{file} is ready.").format(file=file_name)


def forget_old() -> int:
    """Remove expired files, and files that belong to no job; return the number removed."""
    old = Job.objects.exclude(file="").filter(finished__lt=timezone.now() - KEPT_FOR)
    old.update(file="")
    return remove_unnamed(folder(), Job.objects.exclude(file="").values_list("file", flat=True))


def remove_unnamed(folder: Path, names: Iterable[str]) -> int:
    """Remove the files of a folder without a name in use; return how many.

    A recent one stays: it may be about to be published.
    """
    named, long_ago = set(names), (timezone.now() - timedelta(days=1)).timestamp()
    left = [path for path in folder.iterdir() if path.name not in named]
    old = [path for path in left if path.stat().st_mtime < long_ago]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)

"""Long work that is killed half-way: a load of files, and a job whose chunks a cluster computes."""

import io
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.own_site import ROOT, free_port
from tests.support.archives import zip_bytes

from .breaking import Supervised

_IMAGES, _SIZE, _METHODS = 40, (320, 240), ("first", "second")
# A restore waited for four minutes where other work had the processors.
_PATIENCE_SECONDS = 900
# On a busy machine a load may be over before its first photograph is seen.
_TRIES = 5


def until(happened: Callable[[], Any], what: str, *, every: float = 0.1) -> None:
    """Wait until something has happened. Raises RuntimeError with what has not."""
    ends = time.monotonic() + _PATIENCE_SECONDS
    while not happened():
        if time.monotonic() > ends:
            raise RuntimeError(f"{what} did not happen within {_PATIENCE_SECONDS} s")
        time.sleep(every)


class Loads:
    """Datasets with photographs and results of methods, loaded by the worker while it is killed."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._n_made = 0

    def kill_half_way(self, kill: Callable[[], None]) -> None:
        """Kill when the first photograph of a load is stored; a load that was faster shows nothing."""
        from annotate.imports import drafts
        from annotate.imports.models import Draft

        for _ in range(_TRIES):
            draft = self.start(seed=len(self._names) + 1)
            states = Draft.objects.filter(pk=draft.pk).values_list("state", flat=True)
            n_before = _n_stored()
            drafts.confirm(draft=drafts.find(draft.pk))
            until(lambda n=n_before: _n_stored() > n, "a load", every=0.002)  # type: ignore[misc]
            kill()
            if states.get() == Draft.State.LOADING:
                return
        raise RuntimeError("each load had ended before it was killed")

    def load(self, seed: int) -> str:
        """Load a dataset and return its name."""
        draft = self.start(seed)
        self.confirm(draft)
        self.wait_for(draft)
        return str(draft.name)

    def confirm(self, draft: Any) -> None:
        from annotate.imports import drafts

        drafts.confirm(draft=drafts.find(draft.pk))

    def wait_for(self, draft: Any) -> None:
        from annotate.datasets.models import Dataset

        until(Dataset.objects.filter(name=draft.name).exists, "a load")

    def forget(self, name: str) -> None:
        """Expect this dataset no more: its load was undone."""
        self._names.remove(name)

    def start(self, seed: int) -> Any:
        """Add the files of a dataset, check them, and return the load that waits for its yes."""
        from annotate.imports import drafts
        from annotate.imports.models import Draft, FileKind

        self._n_made += 1
        name = f"Loaded {self._n_made}"
        self._names.append(name)
        draft = drafts.open_draft(person=None, dataset=None, name=name)
        for file_name, kind, entries in _files(seed=seed):
            stream = io.BytesIO(zip_bytes(entries))
            title = Path(file_name).stem if kind == FileKind.RESULTS else ""
            file = drafts.add_file(draft=draft, stream=stream, name=file_name)
            drafts.change_file(file=file, kind=kind, title=title)
        drafts.start_check(draft=draft)
        states = Draft.objects.filter(pk=draft.pk).values_list("state", flat=True)
        until(lambda: states.get() != Draft.State.CHECKING, "a check of files")
        return draft

    def faults(self, *, ended: bool) -> Iterator[str]:
        """Return the partly loaded datasets; with ``ended`` also those not loaded after all waiting."""
        from annotate.datasets.models import Dataset, Image, Result
        from annotate.imports.models import Import

        for name in self._names:
            loaded = Dataset.objects.filter(name=name)
            images = Image.objects.filter(dataset__in=loaded)
            found = (
                loaded.count(),
                images.count(),
                images.exclude(sha256="").count(),
                Result.objects.filter(image__in=images).count(),
                Import.objects.filter(dataset__in=loaded).count(),
            )
            whole = (1, _IMAGES, _IMAGES, len(_METHODS) * _IMAGES, 2)
            if found != whole and (ended or found != (0,) * len(whole)):
                yield f"{name} is loaded in part: {found} of {whole}"


def _files(seed: int) -> Iterator[tuple[str, str, Mapping[str, bytes]]]:
    from PIL import Image as Picture

    rng = random.Random(seed)
    numbers = range(1, _IMAGES + 1)
    box = ",".join(map(str, (20, 20, 20 + rng.randint(40, 200), 60)))
    pictures = {}
    for number in numbers:
        stream = io.BytesIO()
        # The same for the same seed.
        Picture.frombytes("L", _SIZE, rng.randbytes(_SIZE[0] * _SIZE[1])).save(stream, "JPEG")
        pictures[f"img_{number}.jpg"] = stream.getvalue()
    truth = f"{box},word\n".encode()
    yield "truth.zip", "truth", {f"gt_img_{number}.txt": truth for number in numbers}
    yield "photographs.zip", "photographs", pictures
    for at, name in enumerate(_METHODS):
        found = f"{20 + at},{box.partition(',')[2]}\n".encode()
        yield f"{name}.zip", "results", {f"res_img_{number}.txt": found for number in numbers}


def _n_stored() -> int:
    from django.conf import settings

    return sum(path.is_file() for path in Path(settings.MEDIA_ROOT).rglob("*"))


class Cluster:
    """A Dask scheduler and a worker, both started again when they die. Needs Dask (`is_there`)."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "DASK_TEMPORARY_DIRECTORY": str(folder),
        }

        def started(name: str, *arguments: str) -> Supervised:
            command = ["-m", "dask", name, "--host", "127.0.0.1", "--no-dashboard", *arguments]
            return Supervised(command, environment, folder / f"{name}.log")

        self._scheduler = started("scheduler", "--port", str(port))
        one = ("--nworkers", "1", "--nthreads", "1", "--memory-limit", "0")
        self._worker = started("worker", self.address, *one)
        self._n_jobs = 0

    @staticmethod
    def is_there() -> bool:
        return find_spec("distributed") is not None

    def kill_scheduler_of_a_job(self, dataset: Any, person: Any) -> None:
        """Kill the scheduler while a chunk is computed, by a worker that is held meanwhile."""
        from distributed import Client

        from annotate.jobs.models import Job
        from annotate.scoring import work

        self._n_jobs += 1
        # One like it may still wait.
        other = {"max_ignored_share": 0.5 + self._n_jobs / 1000}
        with self._worker.held():
            job = work.start(dataset=dataset, slug="iou", parameters=other, person=person)
            states = Job.objects.filter(pk=job.pk).values_list("state", flat=True)
            until(lambda: states.get() == Job.State.RUNNING, "a job")
            with Client(self.address, set_as_default=False) as client:
                until(lambda: any(client.processing().values()), "a chunk of a job")
            self._scheduler.kill()

    def stop(self) -> None:
        self._worker.stop()
        self._scheduler.stop()


def faults_of_jobs() -> Iterator[str]:
    """Wait until no job is open, and say which did not end well."""
    from annotate.jobs.models import Job

    until(lambda: not Job.objects.open().exists(), "the end of all jobs", every=1)
    for job in Job.objects.exclude(state=Job.State.DONE):
        yield f"the job {job.title!r} is {job.state}: {job.failure}"

"""Writing a competition's bundle, and loading an organiser's downloads, in jobs."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict
from typing import IO, Any, Final

from django.conf import settings as site
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.text import slugify

from annotate.datasets.models import Dataset
from annotate.jobs import services as jobs
from annotate.jobs.errors import Cancelled, JobFailed
from annotate.jobs.files import publishing_file
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from protocols.codabench.packages import needed, unpacked
from protocols.codabench.settings import Settings, settings_of
from protocols.codabench.values import SettingsError, shipped
from protocols.codabench.writing import write_bundle

from .downloads import Download
from .loading import load_submissions, score_as_settings, truth_of

WRITE: Final = "codabench.write"
LOAD: Final = "codabench.load"
_DEFAULT_IMAGE: Final = shipped("settings.yaml")["docker_image"]["default"]
_NO_WHEELS: Final = (
    "needs wheels of numpy and shapely, and this site has none (CODABENCH_WHEELS); name an image "
    "that has both"
)


def write_competition(
    dataset: Dataset,
    content: Mapping[str, Any],
    target: IO[bytes],
    *,
    picture: bytes | None,
    is_trial: bool = False,
) -> tuple[Settings, list[str]]:
    """Write a bundle as the shell does with ``--packages``; return checked settings and warnings.

    A trial leaves out the wheels, which take long to pack. Raises SettingsError for settings that do
    not fit the dataset, and if wheels are missing.
    """
    truth = truth_of(dataset)
    settings = settings_of(dict(content), [scene.name for scene in truth])
    packages = None
    if settings.given["docker_image"] == _DEFAULT_IMAGE:
        if site.CODABENCH_WHEELS is None:
            raise SettingsError("packages", _NO_WHEELS)
        packages = unpacked(site.CODABENCH_WHEELS, needed(settings.protocols))
    packages = None if is_trial else packages
    return settings, write_bundle(target, settings, truth, packages=packages, picture=picture)


def start_write(
    *, dataset: Dataset, content: Mapping[str, Any], picture: bytes, person: User
) -> Job:
    """Start writing the bundle of settings that were tried before."""
    return jobs.start(
        kind=WRITE,
        person=person,
        title=f"Competition on {dataset} for Codabench",
        dataset=dataset.pk,
        content=content,
        picture=b64encode(picture).decode(),
    )


def start_load(
    *, dataset: Dataset, download: Download, chosen: Mapping[str, str], person: User
) -> Job:
    """Start loading submissions of a download; ``chosen`` has their methods by their keys."""
    return jobs.start(
        kind=LOAD,
        person=person,
        title=f"Load Codabench's downloads into {dataset}",
        dataset=dataset.pk,
        token=download.folder.name,
        chosen=chosen,
    )


def write(arguments: Mapping[str, Any], running: Running) -> None:
    """Run the job; the file is the bundle."""
    dataset = jobs.still_there(Dataset.objects.all(), arguments["dataset"])
    content = arguments["content"]
    picture = b64decode(arguments["picture"]) or None

    def to(stream: IO[bytes]) -> None:
        try:
            write_competition(dataset, content, stream, picture=picture)
        except SettingsError as refusal:
            raise JobFailed(f"{refusal}.") from refusal

    with publishing_file(running, f"{slugify(content['title']) or 'bundle'}.zip", to) as outcome:
        outcome.text = "The bundle is written."


def load(arguments: Mapping[str, Any], running: Running) -> None:
    """Run the job; the file lists the outcomes as JSON, and the downloads are deleted."""
    dataset = jobs.still_there(Dataset.objects.all(), arguments["dataset"])
    download = Download.of(dataset, arguments["token"])
    asked = dataset, download, arguments["chosen"]
    try:
        outcomes = list(load_submissions(*asked, person=running.person, progress=running))
        remarks = list(score_as_settings(dataset, download.settings, outcomes, running))
    except Cancelled as stop:
        raise JobFailed(
            "Stopped. Submissions that were loaded stay; load the others again."
        ) from stop
    content = json.dumps([asdict(of) for of in outcomes]).encode()
    file = f"{dataset.slug}-codabench.json"
    with publishing_file(running, file, lambda stream: stream.write(content)) as outcome:
        n = sum(bool(of.method) for of in outcomes)
        outcome.text = " ".join([f"{n} of {len(outcomes)} submissions are loaded.", *remarks])
        outcome.address = reverse("codabench:loaded", args=[dataset.slug, running.pk])
    download.forget()

"""The seven doors through which ground truth and results come in, each called as people call it.

Each returns names, regions, figures of IOU, and the sentences that it shows. The metric and
the arrays of Python take no files.
"""

import csv
import html
import io
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

import text_rankings as tr
from annotate.datasets.models import Dataset, Result
from annotate.datasets.selectors import truths_of
from annotate.imports.models import Draft
from annotate.scoring.services import score_protocol
from protocols.command_line.main import main as protocols_main
from protocols.core.errors import ProtocolError
from protocols.formats.names import method_name
from tests.support import commands
from tests.support.factories import make_admin
from tests.support.world import signed_in

Regions = Mapping[str, list[tuple]]


@dataclass
class Load:
    """Ground truth, results and photographs on disk, with the answers that a person gives."""

    truth: Path
    results: Path
    photographs: Path | None = None
    # Formats and readings that are named, by "truth" and "results".
    formats: Mapping[str, str] = field(default_factory=dict)
    # The images of the ground truth.
    names: Sequence[str] = ()
    readings: Mapping[str, str] = field(default_factory=dict)
    # The meaning of an image without a file of results: "empty", "not-evaluated", or "" for none.
    missing: str = ""

    @property
    def folder(self) -> Path:
        return self.truth.parent


@dataclass
class Seen:
    """Data that came in through a door, and the sentences about them."""

    said: str
    # The severities and codes of findings, where a door shows them.
    codes: set[str] | None = None
    is_refused: bool = False
    method: str = ""
    images: list[str] = field(default_factory=list)
    figures: tuple[float, float] | None = None
    # By image; None where a door shows no regions.
    truth: Regions | None = None
    results: Regions | None = None


def shown(regions) -> list[tuple]:
    """Return outlines to a hundredth of a pixel, texts, and whether a region is ignored."""
    return [
        (tuple(round(float(one), 2) for one in of.points), of.text, of.ignored) for of in regions
    ]


def _options(load: Load) -> list[str]:
    given = [] if load.photographs is None else ["--images", str(load.photographs)]
    for side in ("truth", "results"):
        for what, named in (("format", load.formats), ("reading", load.readings)):
            given += [f"--{side}-{what}", named[side]] if side in named else []
    return given


def shell(load: Load) -> Seen:
    """Score with text-protocols, whose table has names and figures."""
    out = load.folder / "scores.csv"
    done = commands.run_here(
        protocols_main,
        *("score", "--protocol", "iou", "--truth", load.truth, "--results", load.results),
        *("--out", out, *_options(load)),
    )
    if done.returncode:
        assert done.returncode == 2, done.stderr
        return Seen(done.stderr, is_refused=True)
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    *images, overall = rows
    return Seen(
        done.stderr,
        method=overall["method"],
        images=[row["image"] for row in images],
        figures=(float(overall["recall"]), float(overall["precision"])),
    )


def facade(load: Load) -> Seen:
    """Score in Python, which also gives the regions."""
    given = {f"{side}_format": of for side, of in load.formats.items()}
    given |= {f"{side}_reading": of for side, of in load.readings.items()}
    given |= {} if load.photographs is None else {"images": str(load.photographs)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = tr.score(str(load.truth), [str(load.results)], "iou", **given)
        except ProtocolError as refusal:
            return Seen(str(refusal), is_refused=True)
    assert all(one.category.__name__ == "DataWarning" for one in caught), list(map(str, caught))
    [(method, scenes)] = found.scenes.items()
    overall = found.overall[method]
    return Seen(
        "\n".join(str(one.message) for one in caught),
        method=method,
        images=found.images,
        figures=(overall.recall, overall.precision),
        truth={scene.name: shown(scene.truth) for scene in scenes},
        results={scene.name: shown(scene.detections or ()) for scene in scenes},
    )


def _as_stored(said: str, codes: set[str] | None = None, method: str | None = None) -> Seen:
    """Return what the site stored, and its figures of a run of IOU."""
    dataset = Dataset.objects.get()
    if method is None:
        method = dataset.methods.get().name
    run = dataset.runs.filter(name="iou").first() or score_protocol(dataset=dataset, slug="iou")
    names = sorted(dataset.images.values_list("name", flat=True))
    truths = truths_of(dataset, names)
    stored = Result.objects.filter(method__name=method).select_related("image")
    return Seen(
        said,
        codes,
        method=method,
        images=names,
        figures=(run.overall[method]["recall"], run.overall[method]["precision"]),
        truth={name: shown(truths[name]) for name in names},
        results={of.image.name: shown(of.detections) for of in stored},
    )


def _codes(said: str) -> set[str]:
    return set(re.findall(r"^(?:warning|error|question) ([A-Z]\w+): ", said, re.MULTILINE))


def import_files(load: Load) -> Seen:
    """Load with manage.py import_files."""
    files = [load.truth, load.results, *filter(None, [load.photographs])]
    err, out = io.StringIO(), io.StringIO()
    given = {
        what: [f"{getattr(load, side).name}={of}" for side, of in named.items()]
        for what, named in (("format", load.formats), ("reading", load.readings))
    }
    described = [f"{load.truth.name}=truth", f"{load.results.name}=results"]
    try:
        call_command(
            *("import_files", *map(str, files)),
            **{"name": "Street", "yes": True, "stderr": err, "stdout": out, **given},
            **({"missing": load.missing} if load.missing else {}),
            described=described,
        )
    except CommandError as refusal:
        said = f"{err.getvalue()}{refusal}"
        # 1 says that a part was left out, and the rest loaded.
        if refusal.returncode != 1 or not Dataset.objects.exists():
            return Seen(said, _codes(said), is_refused=True)
    return _as_stored(err.getvalue(), _codes(err.getvalue()))


def study_file(load: Load) -> Seen:
    """Make a study from one file, with a second method, because a study compares several."""
    other = load.folder / "other.csv"
    # Boxes that no reading can bring to those of the ground truth.
    rows = "".join(
        f"{name},{5 * at % 31},{7 * at % 17},{5 * at % 31 + 4},{7 * at % 17 + 3}\n"
        for at, name in enumerate(load.names)
    )
    other.write_text(f"image,left,top,right,bottom\n{rows}", encoding="utf-8")
    lines = ['name = "Street"', "open = false", "[data]"]
    if load.photographs is not None:
        lines.append(f"photographs = {json.dumps(load.photographs.name)}")
    truth, results = (_table(load, side) for side in ("truth", "results"))
    lines += [f"truth = {truth}", f'results = [{results}, "other.csv"]']
    lines += [f'missing = "{load.missing}"'] if load.missing else []
    lines += ["[protocols]", 'use = ["iou"]']
    (load.folder / "study.toml").write_text("\n".join(lines), encoding="utf-8")
    err = io.StringIO()
    try:
        call_command(
            *("make_study", str(load.folder / "study.toml"), "--yes"),
            stderr=err,
            stdout=io.StringIO(),
        )
    except CommandError as refusal:
        said = f"{_without_other(err)}{refusal}"
        return Seen(said, _codes(said), is_refused=True)
    said = _without_other(err)
    [method] = Dataset.objects.get().methods.exclude(name="other").values_list("name", flat=True)
    return _as_stored(said, _codes(said), method)


def _without_other(err: io.StringIO) -> str:
    """Return lines about the load, without those about the second method."""
    lines = err.getvalue().splitlines(keepends=True)
    return "".join(line for line in lines if ": other.csv" not in line)


def _table(load: Load, side: str) -> str:
    given = {"file": getattr(load, side).name}
    given |= {"format": load.formats[side]} if side in load.formats else {}
    given |= {"reading": load.readings[side]} if side in load.readings else {}
    return "{ " + ", ".join(f"{key} = {json.dumps(of)}" for key, of in given.items()) + " }"


def _kinds(load: Load) -> dict[str, Path]:
    kinds = {"truth": load.truth, "results": load.results}
    return kinds | ({} if load.photographs is None else {"photographs": load.photographs})


def _answers(load: Load, kind: str) -> dict[str, str]:
    """Return the answers to questions of a file."""
    answers = {"reading": load.readings[kind]} if kind in load.readings else {}
    return answers | ({"missing": load.missing} if load.missing and kind == "results" else {})


def api(load: Load) -> Seen:
    """Load through the REST API."""
    client = signed_in(make_admin(), scopes=("load", "read"))
    begun = client.post("/api/v1/loads", {"name": "Street"})
    url = begun["Location"].removeprefix("http://testserver")
    sent = {}
    for kind, path in _kinds(load).items():
        upload = {"file": SimpleUploadedFile(path.name, path.read_bytes())}
        answer = client.post(f"{url}/files", upload, format="multipart")
        if answer.status_code != 201:
            return Seen(answer.json()["detail"], is_refused=True)
        sent[kind] = answer.json()
    for kind, file in sent.items():
        changes = {"kind": kind, "format": load.formats.get(kind, file["format"])}
        if kind == "results":
            changes["title"] = file["title"] or method_name(file["name"])
        client.patch(f"{url}/files/{file['id']}", changes)
    client.post(f"{url}/check")
    state = client.get(url).json()
    answers = [{"file": of["id"], **_answers(load, of["kind"])} for of in state["files"]]
    if answers := [of for of in answers if len(of) > 1]:
        client.post(f"{url}/answers", {"answers": answers}, format="json")
    found = client.get(f"{url}/findings").json()["results"]
    said = "\n".join(
        f"{of['archive']} > {of['entry']}: found {of['found']}; expected {of['expected']}"
        for of in found
    )
    codes = {of["code"] for of in found}
    confirmed = client.post(f"{url}/confirm", {})
    if confirmed.status_code != 202:
        return Seen(f"{said}\n{confirmed.json()['detail']}", codes, is_refused=True)
    return _as_stored(said, codes)


def site(load: Load) -> Seen:
    """Load on the pages of the site, without scripts."""
    client = Client()
    client.force_login(make_admin())
    kinds = _kinds(load)
    files = [SimpleUploadedFile(path.name, path.read_bytes()) for path in kinds.values()]
    begun = client.post(reverse("imports:start"), {"dataset": "", "files": files}, follow=True)
    draft = Draft.objects.first()
    if draft is None or draft.files.count() < len(files):
        return Seen(_words(begun), is_refused=True)
    sent = {"name": "Street", "provenance": "", "licence": "", "check": "1"}
    for (kind, path), file in zip(kinds.items(), draft.files.order_by("pk"), strict=True):
        title = file.title or method_name(path.name) if kind == "results" else ""
        for key, value in (
            ("kind", kind),
            ("format", load.formats.get(kind, file.format)),
            ("title", title),
        ):
            sent[f"file-{file.pk}-{key}"] = value
    report = client.post(reverse("imports:files", args=[draft.pk]), sent, follow=True)
    answers = {
        f"{key}-{file.pk}": of
        for file in draft.files.all()
        for key, of in _answers(load, file.kind).items()
    }
    if answers:
        report = client.post(reverse("imports:report", args=[draft.pk]), answers, follow=True)
    said = _words(report)
    done = client.post(reverse("imports:confirm", args=[draft.pk]), follow=True)
    draft.refresh_from_db()
    if draft.state != Draft.State.LOADED:
        return Seen(f"{said}\n{_words(done)}", is_refused=True)
    return _as_stored(said)


def _words(response) -> str:
    """Return the text of a page, without its elements, its blanks as one."""
    assert response.status_code < 500
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", response.content.decode())).split())

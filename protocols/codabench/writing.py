"""Bundles for Codabench: the same settings, truth and packages give the same bytes."""

import io
import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from text_rankings.base.names import natural_order

from .. import __version__
from ..core.base import Scene
from ..core.fitting import lacking
from ..core.regions import Region
from ..formats.writing.regions import write_rrc_zip
from .packages import Packages, sources
from .rules import require_accepted
from .scoring import IMAGES_COLUMN, TRUTH_FILE, score, truth_as_json
from .settings import FIGURES, KEPT_FILE, Settings
from .values import FILES, SettingsError, shipped, write_yaml

_TIME: Final = (1980, 1, 1, 0, 0, 0)
# Times in UTC, to be quoted in YAML.
_WRITTEN: Final = "%Y-%m-%d %H:%M:%S"
_PUBLIC_DATA: Final = "public_data.zip"
_LARGE_BYTES: Final = 100_000_000
_FULL_DIGITS: Final = 8
_LINES: Final = {"ltrb": "left,top,right,bottom", "quad": "x1,y1,x2,y2,x3,y3,x4,y4"}
_FIELDS: Final = {"none": "", "text": ",text", "confidence": ",confidence from 0 to 1"}
_COMMAND: Final = b"command: python3 /app/program/score.py /app/input /app/output\n"
# Protocols that read the size of an image; for the others it would only change the bytes.
_READ_SIZES: Final = frozenset({"panoptic-quality"})
_PICTURES: Final = {b"GIF": ".gif", b"RIFF": ".webp", b"\xff\xd8": ".jpg"}
# Settings that the program reads, and scores after the download.
_KEPT: Final = ("docker_image", "format", "fields", "max_boxes", "digits", "protocols")
_KEPT_OF_PHASE: Final = ("name", "images", "truth")


def write_bundle(
    target: Path | BinaryIO,
    settings: Settings,
    truth: Sequence[Scene],
    *,
    packages: Packages | None = None,
    picture: bytes | None = None,
    public_data: Path | None = None,
) -> list[str]:
    """Write the bundle of a competition; return warnings, a sentence each.

    Parameters
    ----------
    target : Path or binary file
        It is not opened if the settings are refused.
    settings : Settings
    truth : sequence of Scene
        All images of the dataset; detections do not count.
    packages : Packages or None
        Unpacked wheels; None: the image has numpy and shapely.
    picture : bytes or None
        PNG, JPEG, GIF or WebP; None: that of the package.
    public_data : Path or None
        A zip that participants may download in each phase.

    Raises
    ------
    SettingsError
        If a setting does not fit the truth, or Codabench would refuse the bundle.
    """
    picture = picture or (FILES / "logo.png").read_bytes()
    logo = (
        f"logo{next((of for begin, of in _PICTURES.items() if picture.startswith(begin)), '.png')}"
    )
    scenes = {of.name: of for of in sorted(truth, key=lambda of: natural_order(of.name))}
    files = {
        logo: picture,
        "starting_kit.zip": _starting_kit(settings, list(scenes)),
        **_pages(settings, next(iter(scenes))),
    }
    content = _competition(settings) | {"image": logo}
    _add_tasks(content, files, settings, scenes, packages)
    if public_data is not None:
        for phase in content["phases"]:
            phase["public_data"] = _PUBLIC_DATA
    require_accepted(content, {*files, _PUBLIC_DATA}, files.__getitem__)
    files["competition.yaml"] = write_yaml(content).encode()
    files[KEPT_FILE] = _kept(settings, list(scenes), (), packages)
    with zipfile.ZipFile(target, "w") as bundle:
        _pack(bundle, files)
        if public_data is not None:
            info = zipfile.ZipInfo(_PUBLIC_DATA, _TIME)
            with open(public_data, "rb") as data, bundle.open(info, "w", force_zip64=True) as copy:
                shutil.copyfileobj(data, copy)
        n_bytes = sum(of.compress_size for of in bundle.infolist())
    return list(_warnings(settings, n_bytes))


def _add_tasks(
    content: Mapping[str, Any],
    files: dict[str, bytes],
    settings: Settings,
    scenes: Mapping[str, Scene],
    packages: Packages | None,
) -> None:
    """Add a task for each kind of truth to phases and tasks, with its program and its truth."""
    # One program serves all tasks with truth and the first without.
    first = next((of["images"] for of in settings.phases if of["truth"] == "here"), ())
    tasks: dict[tuple[Any, ...], int] = {}
    programs: dict[tuple[str, ...], str] = {}
    for phase, given in zip(content["phases"], settings.phases, strict=True):
        images, is_here = given["images"], given["truth"] == "here"
        at = tasks.setdefault((images, is_here, given["detailed_results"]), len(tasks))
        phase["tasks"] = [at]
        if at < len(content["tasks"]):
            continue
        truth = [scenes[name] for name in images]
        _require_scores(settings, truth)
        counted = images if is_here else first
        program = programs.setdefault(counted, f"programs/{len(programs) + 1}.zip")
        if program not in files:
            wheels = packages.files if packages else {}
            of_program = _program(settings, list(scenes), counted, packages)
            in_packages = {f"packages/{path}": content for path, content in wheels.items()}
            files[program] = zipped({"metadata.yaml": _COMMAND, **of_program, **in_packages})
        task: dict[str, Any] = {"index": at, "description": "", "scoring_program": program}
        scored = "scored after the download" if is_here else "scored on Codabench"
        task["name"] = f"{len(images)} images, {scored}"
        if not is_here:
            task["reference_data"] = f"truth/{at}.zip"
            details = {"details": b""} if given["detailed_results"] else {}
            of_truth = {TRUTH_FILE: truth_as_json(_read_by(settings, truth)).encode(), **details}
            files[task["reference_data"]] = zipped(of_truth)
        content["tasks"].append(task)


def _read_by(settings: Settings, truth: Sequence[Scene]) -> list[Scene]:
    """Return truth without sizes that no protocol reads; they would only change the bytes."""
    if any(of.slug in _READ_SIZES for of in settings.protocols):
        return list(truth)
    return [replace(scene, width=None, height=None) for scene in truth]


def _require_scores(settings: Settings, truth: Sequence[Scene]) -> None:
    """Raise SettingsError if a protocol cannot read the truth, or does not order an empty submission."""
    regions = [region for scene in truth for region in scene.truth]
    for protocol in settings.protocols:
        if lack := lacking(protocol, regions, (), n_methods=1):
            raise SettingsError("protocols", f"{protocol.slug} cannot be computed: {lack}")
    primary = settings.columns[0].key
    if primary not in score(truth, {}, settings.columns, settings.given["digits"]):
        why = f"{primary}, the first, is not defined for a submission without regions"
        raise SettingsError("protocols", why)


def _program(
    settings: Settings, images: list[str], counted: Sequence[str], packages: Packages | None
) -> dict[str, bytes]:
    """Return the files that check a submission, which are also those that score it."""
    return {
        "score.py": (FILES / "program.txt").read_bytes(),
        KEPT_FILE: _kept(settings, images, counted, packages),
        **{f"packages/{path}": content for path, content in sources().items()},
    }


def _kept(
    settings: Settings, images: list[str], counted: Sequence[str], packages: Packages | None
) -> bytes:
    given = {name: settings.given[name] for name in _KEPT}
    given["phases"] = [{name: of[name] for name in _KEPT_OF_PHASE} for of in settings.phases]
    given |= {
        "all_images": images,
        "counted": counted,
        "python": packages.python if packages else "",
    }
    return json.dumps(given, indent=1).encode()


def _starting_kit(settings: Settings, images: list[str]) -> bytes:
    fields = settings.given["fields"]
    box = Region.from_box(
        *(10, 10, 110, 50),
        text="text" if fields == "text" else None,
        confidence=0.9 if fields == "confidence" else None,
    )
    example, of_images = io.BytesIO(), {name: [box] for name in images}
    write_rrc_zip(example, of_images, kind="results", line_format=settings.given["format"])
    check = _program(settings, images, (), None)
    return zipped(
        {
            "README.md": _text("README", title=settings.given["title"]),
            "example.zip": example.getvalue(),
            **{f"check/{path}": content for path, content in check.items()},
        }
    )


def _pages(settings: Settings, image: str) -> dict[str, bytes]:
    """Return the pages of the competition, by their paths."""
    given = settings.given
    line = _LINES.get(given["format"], "x1,y1,x2,y2,x3,y3 …") + _FIELDS[given["fields"]]
    columns = [
        f"- {of.title}: {FIGURES[of.figure]} of {of.protocol.name}, {of.protocol.full_slug} "
        f"{of.protocol.parameters() or ''}".rstrip()
        for of in settings.columns
    ]
    shown = {"digits": given["digits"], "columns": "\n".join(columns), "version": __version__}
    return {
        "pages/terms.md": given["terms"].encode(),
        "pages/overview.md": given["overview"].encode(),
        "pages/submitting.md": _text(
            "submitting", image=image, line=line, max_boxes=given["max_boxes"]
        ),
        "pages/scoring.md": _text("scoring", **shown),
    }


def _text(name: str, **values: Any) -> bytes:
    return (FILES / f"{name}.md").read_text(encoding="utf-8").format(**values).encode()


def _competition(settings: Settings) -> dict[str, Any]:
    """Return the content of ``competition.yaml`` without tasks and files."""
    given = settings.given
    content: dict[str, Any] = deepcopy(shipped("competition.yaml"))
    for name in ("title", "contact_email", "reward", "docker_image"):
        content[name] = given[name]
    if given["queue"]:
        content["queue"] = given["queue"]
    for name in ("enable_detailed_results", "show_detailed_results_in_submission_panel"):
        content[name] = any(of["detailed_results"] for of in settings.phases)
    for at, of in enumerate(settings.phases):
        is_hidden = of["output"] == "hidden"
        content["phases"].append(
            {
                "index": at,
                "name": of["name"],
                "description": of["description"],
                "start": f"{of['start']:{_WRITTEN}}",
                "end": f"{of['end']:{_WRITTEN}}",
                "max_submissions_per_day": of["submissions_per_day"],
                "max_submissions": of["submissions"],
                "execution_time_limit": of["seconds"],
                "hide_output": is_hidden,
                "hide_prediction_output": is_hidden,
                "hide_score_output": is_hidden,
                "starting_kit": "starting_kit.zip",
            }
        )
    [board] = content["leaderboards"]
    board["submission_rule"] = {"last": "Force_Last", "best": "Force_Best"}[given["rule"]]
    columns = [(of.key, of.title, given["digits"]) for of in settings.columns]
    if any(of["truth"] == "here" for of in settings.phases):
        columns.append((IMAGES_COLUMN, "images with a file", 0))
    for at, (key, title, digits) in enumerate(columns):
        column = {"index": at, "key": key, "title": title, "sorting": "desc"}
        board["columns"].append(column | {"precision": digits, "hidden": False})
    return content


def _warnings(settings: Settings, n_bytes: int) -> Iterator[str]:
    if n_bytes > _LARGE_BYTES:
        yield f"the bundle has {n_bytes // 1_000_000} MB, which Codabench may refuse"
    if (digits := settings.given["digits"]) >= _FULL_DIGITS:
        yield f"figures with {digits} digits can give the number of words away"
    readable = {name for of in settings.phases if of["truth"] == "bundle" for name in of["images"]}
    for of in settings.phases:
        if of["detailed_results"]:
            yield f"{of['name']}: detailed results show all teams the figures of each image"
        if of["truth"] == "here" and (n := len(readable & set(of["images"]))):
            yield f"{of['name']}: the truth of {n} of its images is in the bundle, for another phase"
        if of["truth"] == "here" and settings.given["rule"] == "best":
            yield f"{of['name']}: without scores, Codabench cannot choose the best submission"


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of files, with the same bytes for the same files; inner zips are stored."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        _pack(archive, files)
    return packed.getvalue()


def _pack(archive: zipfile.ZipFile, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        info = zipfile.ZipInfo(path, _TIME)
        info.external_attr = 0o644 << 16
        if not path.endswith(".zip"):
            info.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(info, content, compresslevel=9)

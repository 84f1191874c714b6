"""Bundles for Codabench: the same settings, truth and packages give the same bytes."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

from .. import __version__
from ..core.fitting import lacking
from ..core.regions import Region
from ..formats.writing.regions import write_rrc_zip
from .packages import Packages, sources
from .rules import require_accepted
from .scoring import IMAGES_COLUMN, TRUTH_FILE, TruthImage, columns_as_data, score, truth_as_json
from .settings import FIGURES, Phase, Settings
from .values import FILES, SettingsError, shipped, write_yaml

_TIME: Final = (1980, 1, 1, 0, 0, 0)
_LARGE_BYTES: Final = 100_000_000
_FULL_DIGITS: Final = 8
_LINES: Final = {"ltrb": "left,top,right,bottom", "quad": "x1,y1,x2,y2,x3,y3,x4,y4"}
_COMMAND: Final = "command: python3 /app/program/score.py /app/input /app/output\n"


@dataclass(frozen=True, slots=True)
class _Task:
    images: tuple[str, ...]
    has_truth: bool
    has_details: bool


def write_bundle(
    stream: BinaryIO,
    settings: Settings,
    truth: Mapping[str, TruthImage],
    *,
    packages: Packages | None = None,
    picture: bytes | None = None,
    public_data: Path | None = None,
) -> list[str]:
    """Write the bundle of a competition; return warnings, a sentence each.

    Parameters
    ----------
    stream : binary file
        Nothing is written to it if the settings are refused.
    settings : Settings
    truth : mapping of str to TruthImage
        Of all images of the dataset.
    packages : Packages or None
        Unpacked wheels; None: the image has numpy and shapely.
    picture : bytes or None
        PNG, JPEG, GIF or WebP; None: one is drawn.
    public_data : Path or None
        A zip that participants may download in each phase.

    Raises
    ------
    SettingsError
        If a setting does not fit the truth, or Codabench would refuse the bundle.
    """
    of_phases = [_task_of(of, truth, at) for at, of in enumerate(settings.phases, 1)]
    tasks: dict[_Task, str] = {}
    files: dict[str, bytes | Path] = {}
    programs: dict[tuple[str, ...], str] = {}
    # One program serves all tasks with truth and the first list of images without.
    for task in sorted(dict.fromkeys(of_phases), key=lambda task: task.has_truth):
        here = () if task.has_truth else task.images
        _require_scores(settings, {name: truth[name] for name in task.images})
        if here not in programs and not (programs and task.has_truth):
            programs[here] = f"programs/{len(programs) + 1}.zip"
            files[programs[here]] = _program(settings, list(truth), here, packages)
        tasks[task] = programs.get(here) or next(iter(programs.values()))
    for at, task in enumerate(tasks):
        if task.has_truth:
            of_task = truth_as_json({name: truth[name] for name in task.images})
            details = {"details": b""} if task.has_details else {}
            files[f"truth/{at}.zip"] = zipped({TRUTH_FILE: of_task.encode(), **details})
    picture = picture or _drawn_picture()
    logo = f"logo{_suffix(picture)}"
    files[logo] = picture
    files["starting_kit.zip"] = _starting_kit(settings, list(truth))
    if public_data is not None:
        files["public_data.zip"] = public_data
    files.update(_texts(settings, list(truth)))
    content = _competition(settings, tasks, of_phases, public_data is not None) | {"image": logo}
    require_accepted(content, files, lambda path: _bytes_of(files[path]))
    written = zipped({"competition.yaml": write_yaml(content).encode(), **files})
    stream.write(written)
    return _warnings(settings, of_phases, len(written))


def _suffix(picture: bytes) -> str:
    begins = {b"GIF": ".gif", b"RIFF": ".webp", b"\xff\xd8": ".jpg"}
    return next((suffix for of, suffix in begins.items() if picture.startswith(of)), ".png")


def _task_of(phase: Phase, truth: Mapping[str, TruthImage], at: int) -> _Task:
    try:
        images = phase.chosen(list(truth))
    except ValueError as fault:
        raise SettingsError(f"phases.{at}.images", str(fault)) from fault
    return _Task(images, phase.has_truth, phase.given["detailed_results"])


def _require_scores(settings: Settings, truth: Mapping[str, TruthImage]) -> None:
    """Raise SettingsError if a protocol cannot read the truth, or does not order an empty submission."""
    regions = [region for of in truth.values() for region in of.regions]
    for protocol in settings.protocols:
        if lack := lacking(protocol, regions, (), n_methods=1):
            raise SettingsError("protocols", f"{protocol.slug} cannot be computed: {lack}")
    figures = score(truth, {}, settings.columns, settings.given["digits"])
    primary = settings.columns[0]
    if primary.key not in figures:
        why = f"{primary.key}, the first, is not defined for a submission without regions"
        raise SettingsError("protocols", why)


def _program(
    settings: Settings, images: list[str], here: tuple[str, ...], packages: Packages | None
) -> bytes:
    wheels = packages.files if packages else {}
    return zipped(
        {
            "metadata.yaml": _COMMAND.encode(),
            **_program_files(settings, images, here, packages.python if packages else ""),
            **{f"packages/{path}": content for path, content in wheels.items()},
        }
    )


def _program_files(
    settings: Settings, images: list[str], here: tuple[str, ...], python: str
) -> dict[str, bytes]:
    given = {
        "python": python,
        "docker_image": settings.given["docker_image"],
        "format": settings.given["format"],
        "max_boxes": settings.given["max_boxes"],
        "digits": settings.given["digits"],
        "columns": columns_as_data(settings.columns),
        "images": images,
        "here": here,
    }
    return {
        "score.py": (FILES / "program.txt").read_bytes(),
        "settings.json": json.dumps(given, indent=1).encode(),
        **{f"packages/{path}": content for path, content in sources().items()},
    }


def _starting_kit(settings: Settings, images: list[str]) -> bytes:
    box = Region.from_box(
        *(10, 10, 110, 50),
        text="text" if settings.given["fields"] == "text" else None,
        confidence=0.9 if settings.given["fields"] == "confidence" else None,
    )
    example = io.BytesIO()
    write_rrc_zip(
        example,
        {name: [box] for name in images},
        kind="results",
        line_format=settings.given["format"],
    )
    check = _program_files(settings, images, (), "")
    readme = (FILES / "README.md").read_text(encoding="utf-8")
    return zipped(
        {
            "README.md": readme.format(title=settings.given["title"]).encode(),
            "example.zip": example.getvalue(),
            **{f"check/{path}": content for path, content in check.items()},
        }
    )


def _texts(settings: Settings, images: list[str]) -> dict[str, bytes]:
    """Return the pages of the competition, by their names."""
    given = settings.given
    line = _LINES.get(given["format"], "x1,y1,x2,y2,x3,y3 …")
    line += {"none": "", "text": ",text", "confidence": ",confidence from 0 to 1"}[given["fields"]]
    columns = [
        f"- {of.title}: {FIGURES[of.figure]} of {of.protocol.name}, {of.protocol.full_slug} "
        f"{of.protocol.parameters() or ''}".rstrip()
        for of in settings.columns
    ]
    submitting = (FILES / "submitting.md").read_text(encoding="utf-8")
    scoring = (FILES / "scoring.md").read_text(encoding="utf-8")
    texts = {
        "terms": given["terms"],
        "overview": given["overview"],
        "submitting": submitting.format(image=images[0], line=line, max_boxes=given["max_boxes"]),
        "scoring": scoring.format(
            digits=given["digits"], columns="\n".join(columns), version=__version__
        ),
    }
    return {f"pages/{name}.md": text.encode() for name, text in texts.items()}


def _competition(
    settings: Settings, tasks: Mapping[_Task, str], of_phases: Sequence[_Task], has_data: bool
) -> dict[str, Any]:
    """Return the content of ``competition.yaml``; a task comes with the path of its program."""
    given = settings.given
    columns = [(of.key, of.title, given["digits"]) for of in settings.columns]
    if not all(task.has_truth for task in tasks):
        columns.append((IMAGES_COLUMN, "images with a file", 0))
    content: dict[str, Any] = deepcopy(shipped("competition.yaml"))
    for name in ("title", "contact_email", "reward", "docker_image"):
        content[name] = given[name]
    if given["queue"]:
        content["queue"] = given["queue"]
    for name in ("enable_detailed_results", "show_detailed_results_in_submission_panel"):
        content[name] = any(task.has_details for task in tasks)
    for at, (task, program) in enumerate(tasks.items()):
        scored = "scored on Codabench" if task.has_truth else "scored after the download"
        name = f"{len(task.images)} images, {scored}"
        of_task = {"index": at, "name": name, "description": "", "scoring_program": program}
        if task.has_truth:
            of_task["reference_data"] = f"truth/{at}.zip"
        content["tasks"].append(of_task)
    for at, (phase, task) in enumerate(zip(settings.phases, of_phases, strict=True)):
        hidden = ("hide_output", "hide_prediction_output", "hide_score_output")
        content["phases"].append(
            {
                "index": at,
                "name": phase.name,
                "description": phase.given["description"],
                "start": written_time(phase.given["start"]),
                "end": written_time(phase.given["end"]),
                "tasks": [list(tasks).index(task)],
                "max_submissions_per_day": phase.given["submissions_per_day"],
                "max_submissions": phase.given["submissions"],
                "execution_time_limit": phase.given["seconds"],
                **dict.fromkeys(hidden, phase.is_hidden),
                "starting_kit": "starting_kit.zip",
                **({"public_data": "public_data.zip"} if has_data else {}),
            }
        )
    [board] = content["leaderboards"]
    board["submission_rule"] = {"last": "Force_Last", "best": "Force_Best"}[given["rule"]]
    for at, (key, title, digits) in enumerate(columns):
        of_column = {"index": at, "key": key, "title": title, "sorting": "desc"}
        board["columns"].append(of_column | {"precision": digits, "hidden": False})
    return content


def written_time(moment: datetime) -> str:
    """Return a time as Codabench reads it: in UTC, to be quoted in YAML."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def _warnings(settings: Settings, of_phases: Sequence[_Task], n_bytes: int) -> list[str]:
    said = []
    if n_bytes > _LARGE_BYTES:
        said.append(f"the bundle has {n_bytes // 1_000_000} MB, which Codabench may refuse")
    if (digits := settings.given["digits"]) >= _FULL_DIGITS:
        said.append(f"figures with {digits} digits can give the number of words away")
    readable = {name for task in of_phases if task.has_truth for name in task.images}
    for phase, task in zip(settings.phases, of_phases, strict=True):
        if task.has_details:
            said.append(f"{phase.name}: detailed results show all teams the figures of each image")
        if not task.has_truth and (n := len(readable & set(task.images))):
            why = f"the truth of {n} of its images is in the bundle, for another phase"
            said.append(f"{phase.name}: {why}")
        if not task.has_truth and settings.given["rule"] == "best":
            said.append(
                f"{phase.name}: without scores, Codabench cannot choose the best submission"
            )
    return said


def zipped(files: Mapping[str, bytes | Path]) -> bytes:
    """Return a zip of files, with the same bytes for the same files; inner zips are stored."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files.items():
            info = zipfile.ZipInfo(path, _TIME)
            info.external_attr = 0o644 << 16
            info.compress_type = (
                zipfile.ZIP_STORED if path.endswith(".zip") else zipfile.ZIP_DEFLATED
            )
            archive.writestr(info, _bytes_of(content), compresslevel=9)
    return packed.getvalue()


def _bytes_of(content: bytes | Path) -> bytes:
    return content if isinstance(content, bytes) else content.read_bytes()


def _drawn_picture() -> bytes:
    """Return a PNG of 256 x 256 pixels: three words as bars."""
    rows = bytearray()
    for y in range(256):
        on = y // 64 in (1, 2) and 16 < y % 64 < 48
        rows += b"\0" + bytes(
            40 if on and 32 < x < (224 if y < 128 else 160) else 235 for x in range(256)
        )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 0, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + header
        + chunk(b"IDAT", zlib.compress(bytes(rows), 9))
        + chunk(b"IEND", b"")
    )

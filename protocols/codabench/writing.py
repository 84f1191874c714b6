"""Bundles for Codabench: the same settings, truth and packages give the same bytes."""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Final

from text_rankings.base.names import natural_order

from .. import __version__
from ..core.base import Scene
from ..core.fitting import lacking
from ..core.regions import Region
from ..formats.writing.regions import NotWritable, write_rrc_zip
from .packages import Packages, sources
from .rules import require_accepted
from .scoring import IMAGES_COLUMN, TRUTH_FILE, score, truth_as_json
from .settings import FIGURES, KEPT_FILE, Settings
from .values import FILES, SettingsError, shipped, write_yaml

_TIME: Final = (1980, 1, 1, 0, 0, 0)
_LARGE_BYTES: Final = 100_000_000
_FULL_DIGITS: Final = 8
_LINES: Final = {"ltrb": "left,top,right,bottom", "quad": "x1,y1,x2,y2,x3,y3,x4,y4"}
# The field after the coordinates, in words and as a region has it.
_FIELDS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "none": ("", {}),
    "text": (",text", {"text": "text"}),
    "confidence": (",confidence from 0 to 1", {"confidence": 0.9}),
}
_COMMAND: Final = b"command: python3 /app/program/score.py /app/input /app/output\n"
# Protocols that read the size of an image; for the others it would only change the bytes.
_READ_SIZES: Final = frozenset({"panoptic-quality"})
_ENDINGS: Final = {b"GIF": ".gif", b"RIFF": ".webp", b"\xff\xd8": ".jpg"}
# Phases that are equal in these have the same task.
_TASK_OF_PHASE: Final = ("images", "truth", "detailed_results")
_HIDDEN: Final = ("hide_output", "hide_prediction_output", "hide_score_output")
_DETAILS: Final = ("enable_detailed_results", "show_detailed_results_in_submission_panel")


def write_bundle(
    target: Path | IO[bytes],
    settings: Settings,
    truth: Sequence[Scene],
    *,
    packages: Packages | None = None,
    picture: bytes | None = None,
    public_data: bytes | None = None,
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
    public_data : bytes or None
        A zip that participants may download in each phase.

    Raises
    ------
    SettingsError
        If a setting does not fit the truth, or Codabench would refuse the bundle.
    """
    picture = picture or (FILES / "logo.png").read_bytes()
    ending = next((of for begin, of in _ENDINGS.items() if picture.startswith(begin)), ".png")
    scenes = {of.name: of for of in sorted(truth, key=lambda of: natural_order(of.name))}
    bundle = _Bundle(settings, scenes, packages)
    content = bundle.competition() | {"image": f"logo{ending}"}
    bundle.files.update({f"logo{ending}": picture, KEPT_FILE: bundle.kept()})
    if public_data is not None:
        bundle.files["public_data.zip"] = public_data
        for phase in content["phases"]:
            phase["public_data"] = "public_data.zip"
    require_accepted(content, bundle.files, bundle.files.__getitem__)
    packed = zipped({"competition.yaml": write_yaml(content).encode(), **bundle.files})
    target.write_bytes(packed) if isinstance(target, Path) else target.write(packed)
    return list(_warnings(settings, len(packed)))


@dataclass(frozen=True, slots=True)
class _Bundle:
    """A bundle; its files are added as they are named."""

    settings: Settings
    scenes: Mapping[str, Scene]
    packages: Packages | None
    files: dict[str, bytes] = field(default_factory=dict)

    def competition(self) -> dict[str, Any]:
        """Return the content of ``competition.yaml``, and add the files that it names."""
        self._add_pages()
        self._add_starting_kit()
        given, rules = self.settings.given, shipped("settings.yaml")
        content: dict[str, Any] = deepcopy(shipped("competition.yaml")) | _written(given, rules)
        content |= dict.fromkeys(_DETAILS, any(of["detailed_results"] for of in given["phases"]))
        kinds = [tuple(of[name] for name in _TASK_OF_PHASE) for of in given["phases"]]
        of_kind = {kind: self._task(at, *kind) for at, kind in enumerate(dict.fromkeys(kinds))}
        content["tasks"] = list(of_kind.values())
        for at, phase in enumerate(given["phases"]):
            task = of_kind[kinds[at]]["index"]
            of_phase = {"index": at, **_written(phase, rules["phases"]["each"])}
            of_phase |= dict.fromkeys(_HIDDEN, phase["output"] == "hidden")
            of_phase |= {"tasks": [task], "starting_kit": "starting_kit.zip"}
            content["phases"].append(of_phase)
        [board] = content["leaderboards"]
        board["submission_rule"] = f"Force_{given['rule'].title()}"
        columns = [(of.key, of.title, given["digits"]) for of in self.settings.columns]
        if any(of["truth"] == "here" for of in given["phases"]):
            columns.append((IMAGES_COLUMN, "images with a file", 0))
        for at, (key, title, digits) in enumerate(columns):
            column = {"index": at, "key": key, "title": title, "sorting": "desc"}
            board["columns"].append(column | {"precision": digits, "hidden": False})
        return content

    def _task(
        self, at: int, images: Sequence[str], truth: str, has_details: bool
    ) -> dict[str, Any]:
        """Return the task of phases with these images and this kind of truth."""
        scenes = [self.scenes[name] for name in images]
        _require_scores(self.settings, scenes)
        scored = "on Codabench" if truth == "bundle" else "after the download"
        name = f"{len(images)} images, scored {scored}"
        # One program serves all tasks with truth and the first without.
        without = [of["images"] for of in self.settings.phases if of["truth"] == "here"] or [()]
        number = 0 if truth == "bundle" else without.index(images)
        path = f"programs/{number + 1}.zip"
        task = {"index": at, "name": name, "description": "", "scoring_program": path}
        if path not in self.files:
            wheels = self.packages.files if self.packages else {}
            files = {"metadata.yaml": _COMMAND, **self._program(without[number])}
            files |= {f"packages/{name}": content for name, content in wheels.items()}
            self.files[path] = zipped(files)
        if truth == "bundle":
            task["reference_data"] = f"truth/{at}.zip"
            if not any(of.slug in _READ_SIZES for of in self.settings.protocols):
                scenes = [replace(scene, width=None, height=None) for scene in scenes]
            details = {"details": b""} if has_details else {}
            files = {TRUTH_FILE: truth_as_json(scenes).encode(), **details}
            self.files[f"truth/{at}.zip"] = zipped(files)
        return task

    def kept(self, counted: Sequence[str] = ()) -> bytes:
        """Return the settings that are kept; ``counted`` are the images of a task without truth."""
        python = self.packages.python if self.packages else ""
        more = {"all_images": list(self.scenes), "counted": counted, "python": python}
        return json.dumps({**self.settings.given, **more}, indent=1).encode()

    def _program(self, counted: Sequence[str] = ()) -> dict[str, bytes]:
        return {
            "score.py": (FILES / "program.txt").read_bytes(),
            KEPT_FILE: self.kept(counted),
            **{f"packages/{path}": content for path, content in sources().items()},
        }

    def _add_starting_kit(self) -> None:
        given, example = self.settings.given, io.BytesIO()
        box = Region.from_box(10, 10, 110, 50, **_FIELDS[given["fields"]][1])
        regions = {name: [box] for name in self.scenes}
        try:
            write_rrc_zip(example, regions, kind="results", line_format=given["format"])
        except NotWritable as refusal:
            raise SettingsError("format", str(refusal)) from refusal
        files = {"README.md": _text("README", given), "example.zip": example.getvalue()}
        files |= {f"check/{path}": content for path, content in self._program().items()}
        self.files["starting_kit.zip"] = zipped(files)

    def _add_pages(self) -> None:
        given = self.settings.given
        columns = [
            f"- {of.title}: {FIGURES[of.figure]} of {of.protocol.name}, {of.protocol.full_slug} "
            f"{of.protocol.parameters() or ''}".rstrip()
            for of in self.settings.columns
        ]
        shown = {
            **given,
            "line": _LINES.get(given["format"], "x1,y1,x2,y2,x3,y3 …")
            + _FIELDS[given["fields"]][0],
            "first_image": next(iter(self.scenes)),
            "columns": "\n".join(columns),
            "version": __version__,
        }
        for name in ("overview", "terms", "submitting", "scoring"):
            self.files[f"pages/{name}.md"] = _text(name, shown)


def _written(given: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that Codabench reads, under its names for them."""
    return {
        rule["to"]: given[name]
        for name, rule in rules.items()
        if "to" in rule and given[name] is not None
    }


def _text(name: str, shown: Mapping[str, Any]) -> bytes:
    return (FILES / f"{name}.md").read_text(encoding="utf-8").format_map(shown).encode()


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
        for path, content in files.items():
            info = zipfile.ZipInfo(path, _TIME)
            info.external_attr = 0o644 << 16
            if not path.endswith(".zip"):
                info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content, compresslevel=9)
    return packed.getvalue()

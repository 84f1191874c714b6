"""The steps of Codabench's compute worker for a submission of results, run on this machine."""

import io
import json
import shutil
import subprocess  # nosec B404
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Final

from ..core.errors import ProtocolError
from .packages import OURS
from .rules import require_accepted
from .scoring import IMAGES_COLUMN, SCORES_FILE, TRUTH_FILE, truth_of_json
from .settings import KEPT_FILE, settings_of_bundle
from .values import SettingsError, read_yaml
from .writing import zipped

_SLOW_SECONDS: Final = 200


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a submission: all that its participant may see, and the time it took."""

    code: int
    stdout: str
    stderr: str
    files: Mapping[str, bytes]
    seconds: float

    @property
    def scores(self) -> Mapping[str, float]:
        found: Mapping[str, float] = json.loads(self.files.get(SCORES_FILE, b"{}"))
        return found

    def __str__(self) -> str:
        shown = "".join(f"\n    {key} = {value}" for key, value in self.scores.items())
        return (self.stdout + self.stderr).strip() + shown


def run_program(
    program: bytes, reference: bytes | None, submission: bytes, python: str = sys.executable
) -> Outcome:
    """Score a submission in the worker's two steps, in folders of its own and without environment.

    Wheels for another Python than this one are left out; then the installed ones are used.
    """
    with TemporaryDirectory() as folder:
        app, submitted = Path(folder, "app"), Path(folder, "submitted")
        _unzip(submission, submitted)
        (submitted / "metadata").write_text("elapsedTime: 0.1\n")
        shutil.copytree(submitted, app / "input/res")
        _unzip(program, app / "program")
        if reference is not None:
            _unzip(reference, app / "input/ref")
        (app / "output").mkdir()
        if python == sys.executable:
            _fit_to_this_python(app / "program")
        metadata = (app / "program/metadata.yaml").read_text(encoding="utf-8")
        command = read_yaml(metadata, "metadata.yaml")["command"].replace("/app/", f"{app}/")
        started = monotonic()
        done = subprocess.run(  # nosec B603
            [python, *command.split()[1:]],
            cwd=app / "program",
            env={"PYTHONUNBUFFERED": "1"},
            capture_output=True,
            check=False,
        )
        seconds = monotonic() - started
        files = {of.name: of.read_bytes() for of in sorted((app / "output").iterdir())}
        out, err = (of.decode(errors="replace") for of in (done.stdout, done.stderr))
        return Outcome(done.returncode, out, err, files, seconds)


def _unzip(content: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        folder.mkdir(parents=True)
        packed.extractall(folder)


def _fit_to_this_python(program: Path) -> None:
    given = json.loads((program / KEPT_FILE).read_bytes())
    if given["python"] not in ("", "{}.{}".format(*sys.version_info)):
        (program / KEPT_FILE).write_text(json.dumps(given | {"python": ""}), encoding="utf-8")
        for path in (program / "packages").iterdir():
            if path.name not in OURS:
                shutil.rmtree(path)


def check_bundle(path: Path, submissions: Sequence[Path]) -> Iterator[str]:
    """Yield what a participant of each phase would see for an empty and for each given submission.

    Output of a phase that hides it is marked, since organisers alone see it. Raises SettingsError if
    Codabench would refuse the bundle, its truth cannot be read, or the empty submission has no score.
    """
    try:
        for of in submissions:
            if not zipfile.is_zipfile(of):
                raise SettingsError(of.name, "must be a zip that can be read")
        tried = [(of.name, of.read_bytes()) for of in submissions]
        with zipfile.ZipFile(path) as bundle:
            if "competition.yaml" not in (files := set(bundle.namelist())):
                raise SettingsError("competition.yaml", "is missing at the top of the zip")
            text = bundle.read("competition.yaml").decode(errors="replace")
            content = read_yaml(text, "competition.yaml")
            require_accepted(content, files, bundle.read)
            yield f"{path.name}: Codabench's rules are kept"
            for phase in content["phases"]:
                for said in _tried(bundle, content, phase, tried):
                    yield f"{phase['name']}, {said}"
    except (OSError, zipfile.BadZipFile) as fault:
        raise SettingsError(path.name, f"cannot be read: {fault}") from fault


def _tried(
    bundle: zipfile.ZipFile,
    content: Mapping[str, Any],
    phase: Mapping[str, Any],
    submissions: Sequence[tuple[str, bytes]],
) -> Iterator[str]:
    task = next(of for of in content["tasks"] if of["index"] == phase["tasks"][0])
    program, columns = bundle.read(task["scoring_program"]), [IMAGES_COLUMN]
    settings, reference = settings_of_bundle(io.BytesIO(program)), None
    if "reference_data" in task:
        columns = [of.key for of in settings.columns]
        reference = _readable(task["reference_data"], bundle)
    empty = zipped({f"res_{settings.given['all_images'][0]}.txt": b""})
    for name, submission in [("an empty submission", empty), *submissions]:
        outcome = run_program(program, reference, submission)
        hidden = " (hidden from participants)" if phase["hide_output"] else ""
        yield f"{name}{hidden}: {outcome}"
        missing = [key for key in columns if key not in outcome.scores]
        if submission is empty and columns[0] in missing:
            raise SettingsError(phase["name"], f"an empty submission has no {columns[0]}")
        if missing and outcome.code == 0:
            yield f"{name}: not defined: {', '.join(missing)}"
        if outcome.seconds > _SLOW_SECONDS and "queue" not in content:
            yield f"{name}: took {outcome.seconds:.0f} s; the public queue stops at 600 s"


def _readable(name: str, bundle: zipfile.ZipFile) -> bytes:
    reference = bundle.read(name)
    try:
        with zipfile.ZipFile(io.BytesIO(reference)) as packed:
            truth_of_json(packed.read(TRUTH_FILE))
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, ProtocolError) as fault:
        raise SettingsError(name, "the ground truth cannot be read") from fault
    return reference

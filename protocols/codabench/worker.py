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

from .packages import sources
from .rules import require_accepted
from .scoring import IMAGES_COLUMN, SCORES_FILE
from .values import SettingsError, read_yaml
from .writing import zipped

_SLOW_SECONDS: Final = 200
_MARK: Final = "metadata"


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

    Wheels for another Python than this one are left out; then the installed ones are used. Raises
    SettingsError if the submission is no zip.
    """
    with TemporaryDirectory() as folder:
        submitted, app = Path(folder, "submitted"), Path(folder, "app")
        try:
            _unzip(submission, submitted)
        except zipfile.BadZipFile as fault:
            raise SettingsError("submission", "not a zip") from fault
        (submitted / _MARK).write_text("elapsedTime: 0.1\n")
        shutil.copytree(submitted, app / "input/res")
        _unzip(program, app / "program")
        if reference is not None:
            _unzip(reference, app / "input/ref")
        (app / "output").mkdir()
        if python == sys.executable:
            _fit_to_this_python(app / "program")
        metadata = (app / "program/metadata.yaml").read_text(encoding="utf-8")
        command = [
            part.replace("/app", str(app), 1) if part.startswith("/app") else part
            for part in read_yaml(metadata, "metadata.yaml")["command"].split()
        ]
        started = monotonic()
        done = subprocess.run(  # nosec B603
            [python, *command[1:]],
            cwd=app / "program",
            env={"PYTHONUNBUFFERED": "1"},
            capture_output=True,
            check=False,
        )
        files = {of.name: of.read_bytes() for of in sorted((app / "output").iterdir())}
        out, err = (of.decode(errors="replace") for of in (done.stdout, done.stderr))
        return Outcome(done.returncode, out, err, files, monotonic() - started)


def _unzip(content: bytes, folder: Path) -> None:
    folder.mkdir(parents=True)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        packed.extractall(folder)


def _fit_to_this_python(program: Path) -> None:
    settings = program / "settings.json"
    given = json.loads(settings.read_text(encoding="utf-8"))
    if given["python"] in ("", "{}.{}".format(*sys.version_info)):
        return
    settings.write_text(json.dumps(given | {"python": ""}), encoding="utf-8")
    ours = {name.partition("/")[0] for name in sources()}
    for path in (program / "packages").iterdir():
        if path.name not in ours:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def check_bundle(path: Path, submissions: Sequence[Path]) -> Iterator[str]:
    """Yield what a participant of each phase would see for an empty and for each given submission.

    Raises SettingsError if Codabench would refuse the bundle, or the empty submission has no score.
    """
    try:
        with zipfile.ZipFile(path) as bundle:
            files = set(bundle.namelist())
            if "competition.yaml" not in files:
                raise SettingsError("competition.yaml", "is missing at the top of the zip")
            text = bundle.read("competition.yaml").decode(errors="replace")
            content = read_yaml(text, "competition.yaml")
            require_accepted(content, files, bundle.read)
            yield f"{path.name}: Codabench's rules are kept"
            columns = [of["key"] for of in content["leaderboards"][0]["columns"]]
            for phase in content["phases"]:
                task = next(of for of in content["tasks"] if of["index"] == phase["tasks"][0])
                yield from _tried(bundle, phase, task, columns, submissions)
    except (OSError, zipfile.BadZipFile) as fault:
        raise SettingsError(path.name, f"cannot be read: {fault}") from fault


def _tried(
    bundle: zipfile.ZipFile,
    phase: Mapping[str, Any],
    task: Mapping[str, Any],
    columns: Sequence[str],
    submissions: Sequence[Path],
) -> Iterator[str]:
    program = bundle.read(task["scoring_program"])
    reference = bundle.read(task["reference_data"]) if "reference_data" in task else None
    with zipfile.ZipFile(io.BytesIO(program)) as packed:
        image = json.loads(packed.read("settings.json"))["images"][0]
    expected = [of for of in columns if (of == IMAGES_COLUMN) == (reference is None)]
    tried = {"an empty submission": zipped({f"res_{image}.txt": b""})}
    for name, content in {**tried, **{of.name: of.read_bytes() for of in submissions}}.items():
        outcome = run_program(program, reference, content)
        yield f"{phase['name']}, {name}: {outcome}"
        if name in tried and expected[0] not in outcome.scores:
            raise SettingsError(
                f"phase {phase['name']}", f"an empty submission has no {expected[0]}"
            )
        if outcome.code == 0 and (missing := [of for of in expected if of not in outcome.scores]):
            yield f"{phase['name']}, {name}: not defined: {', '.join(missing)}"
        if outcome.seconds > _SLOW_SECONDS:
            yield f"{phase['name']}, {name}: took {outcome.seconds:.0f} s; public workers stop at 600 s"

"""The shipped cluster scores, started as the image, compose, the manifest and the units start it.

Each process gets the environment, the working directory and the command of its file, and nothing of
the environment of the tests. What a file names inside an image or on a server is mapped to what is
here: the program (/site, /srv/rankings) to the repository, the packages (/packages,
/srv/rankings/.venv) to the environment of the tests, /data and /srv/rankings/var to the data of the
test, /tmp to a folder of the test. The address of the scheduler and the database are this machine's.
A machine gets one engine process, not one for each core.
"""

import re
import shlex
import subprocess
import sys
from configparser import ConfigParser
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command

from annotate.scoring import work
from annotate.scoring.models import ProtocolRun
from annotate.scoring.services import score_protocol
from benchmarks.own_site import free_port
from tests.support.chunks import until
from tests.support.factories import (
    make_admin,
    make_street,
)
from tests.support.processes import database_url, wait_for_end

pytest.importorskip("distributed", reason="Dask is not installed")
pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]
_BASE_PATH = "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
_SCHEDULER = "tcp://scheduler:8786"


@dataclass(frozen=True)
class Shipped:
    """A process as a file describes it."""

    command: list[str]
    folder: str
    environment: dict[str, str] = field(default_factory=dict)


def image() -> tuple[str, dict[str, str]]:
    """Return the working directory and the environment of the last stage of the Dockerfile."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    stage = text[text.rindex("\nFROM ") :]
    environment = {"PATH": _BASE_PATH}
    for line in re.findall(r"^ENV (.+)$", stage, re.MULTILINE):
        for given in shlex.split(line):
            name, _, value = given.partition("=")
            environment[name] = value.replace("$PATH", environment["PATH"])
    [folder] = re.findall(r"^WORKDIR (.+)$", stage, re.MULTILINE)
    return folder, environment


def env_file() -> dict[str, str]:
    """Return .env.example as a server has it, with a key, that computes on the cluster."""
    lines = (ROOT / ".env.example").read_text().splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return given | {"SECRET_KEY": "only-for-this-test-" + "x7Q" * 20, "DASK_SCHEDULER": _SCHEDULER}


def of_compose() -> dict[str, Shipped]:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    folder, environment = image()
    return {
        name: Shipped(
            services[name]["command"],
            services[name].get("working_dir", folder),
            environment
            | (env_file() if "env_file" in services[name] else {})
            | services[name].get("environment", {}),
        )
        for name in ("scheduler", "engine", "worker")
    }


def of_the_manifest_and_the_units() -> dict[str, Shipped]:
    """Scheduler and engine on Kubernetes; the site's worker with systemd."""
    manifest = (ROOT / "deploy/kubernetes.yaml").read_text()
    folder, environment = image()
    shipped = {}
    for part in yaml.safe_load_all(manifest):
        for given in part["spec"].get("template", {}).get("spec", {}).get("containers", []):
            own = {one["name"]: one["value"] for one in given.get("env", [])}
            shipped[given["name"]] = Shipped(
                given["command"], given.get("workingDir", folder), environment | own
            )
    return shipped | {"worker": of_the_unit("rankings-worker")}


def of_the_unit(name: str) -> Shipped:
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(ROOT / f"deploy/systemd/{name}.service")
    service = unit["Service"]
    own = dict(one.split("=", 1) for one in shlex.split(service.get("Environment", "")))
    # With systemd DATA_DIR is in the file of the environment (docs/how-to/deploy.md).
    given = env_file() | {"DATA_DIR": "/srv/rankings/var"}
    return Shipped(
        service["ExecStart"].split(),
        service["WorkingDirectory"],
        {"PATH": _BASE_PATH} | own | given,
    )


def here(text: str, folder: Path) -> str:
    """Return a value of a file with its places mapped to this machine."""
    places = {
        "/srv/rankings/.venv": sys.prefix,
        "/srv/rankings/var": str(folder),
        "/srv/rankings": str(ROOT),
        "/packages": sys.prefix,
        "/site": str(ROOT),
        "/data": str(folder),
        "/tmp": str(folder),
    }
    named = "|".join(re.escape(place) for place in places)
    return re.sub(rf"(?<![\w.-])({named})(?=[/:]|$)", lambda found: places[found[1]], text)


@pytest.fixture
def dataset():
    return make_street()


@pytest.mark.usefixtures("workers")
@pytest.mark.parametrize("shipped", [of_compose, of_the_manifest_and_the_units])
def test_the_shipped_processes_score_together(shipped, dataset, tmp_path):
    expected = score_protocol(dataset=dataset, slug="evaltex").overall
    ProtocolRun.objects.all().delete()
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    processes = shipped()
    job = work.start(dataset=dataset, slug="evaltex", parameters={}, person=make_admin("ana"))
    with ExitStack() as started:
        log = {name: tmp_path / f"{name}.log" for name in processes}

        def start(name: str, *more: str) -> None:
            process = processes[name]
            given = [here(one, tmp_path).replace(_SCHEDULER, address) for one in process.command]
            environment = {
                key: here(value, tmp_path).replace(_SCHEDULER, address)
                for key, value in process.environment.items()
            }
            program = subprocess.run(
                ["which", given[0]], env=environment, capture_output=True, text=True, check=True
            )
            # Its folder is that of the file; all that the tests add to an environment is a database.
            if "DATABASE_URL" in environment:
                environment["DATABASE_URL"] = database_url()
            with log[name].open("wb") as stream:
                running = subprocess.Popen(
                    [program.stdout.strip(), *given[1:], *more],
                    cwd=here(process.folder, tmp_path),
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                )
            started.callback(running.wait)
            started.callback(running.terminate)

        start("scheduler", "--host", "127.0.0.1", "--port", str(port))
        until(lambda: "Scheduler at" in log["scheduler"].read_text())
        start("engine", "--host", "127.0.0.1", "--nworkers", "1")
        until(lambda: "Register worker" in log["scheduler"].read_text())
        start("worker")
        job = wait_for_end(job)
    said = "\n".join(path.read_text() for path in log.values())
    assert (job.state, job.failure) == ("done", ""), said
    assert ProtocolRun.objects.get().overall == expected
    assert "Computing on this machine instead" not in said


def test_the_shipped_backup_makes_a_whole_archive(dataset, tmp_path):
    """As the timer starts it: ExecStartPre, then ExecStart, with the environment of the unit."""
    unit = of_the_unit("rankings-backup")
    environment = {key: here(value, tmp_path) for key, value in unit.environment.items()}
    environment["DATABASE_URL"] = database_url()
    (tmp_path / "archives").mkdir()
    program, *given = (here(one, tmp_path) for one in unit.command)
    done = subprocess.run(
        [program, *given],
        cwd=here(unit.folder, tmp_path),
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    [archive] = (tmp_path / "archives").glob("site-*.zip")
    call_command("rehearse", str(archive))

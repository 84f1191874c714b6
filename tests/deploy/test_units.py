"""The units of systemd start what is there, with the settings that are there."""

import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml

from tests.support.cases import cases

ROOT = Path(__file__).resolve().parents[2]


@cases("name", ["rankings-site", "rankings-worker", "rankings-backup"])
def test_a_unit_starts_what_is_there_and_writes_in_one_folder(name):
    # Lines of one kind may stand more than once.
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(ROOT / f"deploy/systemd/{name}.service")
    service = unit["Service"]
    program, *given = service["ExecStart"].split()
    assert Path(program).parent == Path("/srv/rankings/.venv/bin")
    assert Path(program).name in ("python", "gunicorn")
    for one in given:
        if one.endswith(".py"):
            assert (ROOT / one).exists()
    assert service["User"] == "rankings"
    # The same path to the program as on a cluster (docs/how-to/cluster.md).
    assert service["Environment"] == "PYTHONPATH=/srv/rankings"
    assert service["ProtectSystem"] == "strict"
    assert service["ReadWritePaths"] == "/srv/rankings/var"
    # A backup is made once; the timer starts the next.
    assert service.get("Type") == "oneshot" or service["Restart"] == "always"


# Options of systemd.exec(5) for a service that computes, writes one folder and opens sockets.
HARDENED = {
    "CapabilityBoundingSet": "",
    "AmbientCapabilities": "",
    "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6",
    "SystemCallArchitectures": "native",
    "UMask": "0077",
    **dict.fromkeys(
        [
            *("NoNewPrivileges", "PrivateDevices", "PrivateTmp", "ProtectHome", "ProtectClock"),
            *("ProtectControlGroups", "ProtectHostname", "ProtectKernelLogs", "LockPersonality"),
            *("ProtectKernelModules", "ProtectKernelTunables", "RestrictNamespaces"),
            *("RestrictRealtime", "RestrictSUIDSGID"),
        ],
        "true",
    ),
}


@cases(("name", "memory"), [("site", "2G"), ("worker", "6G"), ("backup", "1G")])
def test_a_unit_may_do_only_what_it_needs(name, memory):
    path = ROOT / f"deploy/systemd/rankings-{name}.service"
    given: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        key, is_set, value = line.partition("=")
        if is_set and not line.startswith("#"):
            given.setdefault(key, []).append(value)
    assert {key: given.get(key) for key in HARDENED} == {
        key: [value] for key, value in HARDENED.items()
    }
    assert given["MemoryMax"] == [memory]
    assert given["SystemCallFilter"][:2] == ["@system-service", "~@privileged @resources"]
    assert given["SystemCallErrorNumber"] == ["EPERM"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("name", ["site", "worker", "backup"])
def test_the_exposure_of_a_unit_is_below_2_5_as_systemd_counts(name):
    unit = ROOT / f"deploy/systemd/rankings-{name}.service"
    checked = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=25", str(unit)],
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout or checked.stderr


@cases("name", ["proxy", "site", "worker", "database", "scheduler", "engine"])
def test_every_container_is_hardened_and_limited(name):
    service = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "unless-stopped"
    assert service["mem_limit"].endswith(("m", "g"))
    assert service["pids_limit"] > 0


def test_a_worker_that_reports_no_more_is_started_again():
    text = (ROOT / "deploy/systemd/rankings-worker.service").read_text()
    assert "\nWatchdogSec=120\nNotifyAccess=main\n" in text
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["worker"]
    assert compose["healthcheck"]["test"][1:] == ["python", "manage.py", "worker", "--check"]


def test_a_backup_is_made_every_week_even_if_the_machine_was_off():
    timer = ConfigParser(strict=False, interpolation=None)
    timer.read(ROOT / "deploy/systemd/rankings-backup.timer")
    assert timer["Timer"]["Persistent"] == "true"
    assert timer["Install"]["WantedBy"] == "timers.target"
    if shutil.which("systemd-analyze"):
        when = ["systemd-analyze", "calendar", timer["Timer"]["OnCalendar"]]
        assert subprocess.run(when, capture_output=True).returncode == 0

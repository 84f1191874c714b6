"""The units of systemd start what is there, with the settings that are there."""

from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["rankings-site", "rankings-worker"])
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
    assert service["Restart"] == "always"

"""`.env.example` names every setting that is read, and nothing else."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# For programs, not for people.
_INNER = {"NOTIFY_SOCKET", "DJANGO_SETTINGS_MODULE", "PROMETHEUS_MULTIPROC_DIR", "PYTHONPATH"}
_READ = re.compile(r"(?:\benv\.\w+|environ\.get|environ\.setdefault)\(\s*\"([A-Z_]+)\"")
_GIVEN = re.compile(r"^([A-Z_]+)=", re.MULTILINE)
_OF_COMPOSE = re.compile(r"\$\{([A-Z_]+)")


def test_every_setting_is_explained_in_the_example():
    code = [*ROOT.glob("text_rankings/site/*.py"), *ROOT.glob("annotate/**/*.py")]
    read = {name for path in code for name in _READ.findall(path.read_text())} - _INNER
    composed = set(_OF_COMPOSE.findall((ROOT / "docker-compose.yml").read_text()))
    given = _GIVEN.findall((ROOT / ".env.example").read_text())
    assert len(read) > 25
    assert set(given) == read | composed
    assert len(given) == len(set(given))

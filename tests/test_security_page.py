"""The review of security has every item of level 2, and names files that are there."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from tests.support.cases import cases

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/explanation/security.md").read_text(encoding="utf-8")
# The items of level 2 by section, as ASVS 4.0.3 numbers them.
LEVEL_2 = """
1.1: 1-7; 1.2: 1-4; 1.4: 1 4 5; 1.5: 1-4; 1.6: 1-4; 1.7: 1-2; 1.8: 1-2; 1.9: 1-2; 1.10: 1; 1.11: 1-2;
1.12: 2; 1.14: 1-6; 2.1: 1-12; 2.2: 1-3; 2.3: 1-3; 2.4: 1-6; 2.5: 1-7; 2.6: 1-3; 2.7: 1-6; 2.8: 1-7;
2.9: 1-3; 2.10: 1-4; 3.1: 1; 3.2: 1-4; 3.3: 1-4; 3.4: 1-5; 3.5: 1-3; 3.7: 1; 4.1: 1-3 5; 4.2: 1-2;
4.3: 1-3; 5.1: 1-5; 5.2: 1-8; 5.3: 1-10; 5.4: 1-3; 5.5: 1-4; 6.1: 1-3; 6.2: 1-6; 6.3: 1-2; 6.4: 1-2;
7.1: 1-4; 7.2: 1-2; 7.3: 1 3 4; 7.4: 1-3; 8.1: 1-4; 8.2: 1-3; 8.3: 1-8; 9.1: 1-3; 9.2: 1-4; 10.2: 1-2;
10.3: 1-3; 11.1: 1-8; 12.1: 1-3; 12.2: 1; 12.3: 1-6; 12.4: 1-2; 12.5: 1-2; 12.6: 1; 13.1: 1 3 4 5;
13.2: 1-3 5 6; 13.3: 1-2; 13.4: 1-2; 14.1: 1-4; 14.2: 1-6; 14.3: 2 3; 14.4: 1-7; 14.5: 1-4
"""


def items():
    for section, numbers in re.findall(r"([\d.]+): ([\d\- ]+)", LEVEL_2):
        for part in numbers.split():
            yield from expanded(f"{section}.{part}")


def expanded(part):
    """Yield the items of a part such as 2.7.1 or 2.7.1-6."""
    section, _, numbers = part.rpartition(".")
    first, _, last = numbers.partition("-")
    yield from (f"{section}.{n}" for n in range(int(first), int(last or first) + 1))


def rows():
    return re.findall(r"^\| ([\d., -]+) \| (\w+) \| (.+) \|$", PAGE, re.MULTILINE)


def test_every_item_of_level_2_is_there_once():
    found = [item for cell, _, _ in rows() for part in cell.split(", ") for item in expanded(part)]
    assert sorted(found) == sorted(items())


@cases(("cell", "kind", "text"), rows())
def test_an_item_has_a_test_a_place_or_a_reason(cell, kind, text):
    assert kind in ("test", "place", "reason")
    paths = re.findall(r"`((?:tests|docs|annotate|deploy|\.ci|\.github)/[\w./-]+)`", text)
    assert all((ROOT / path).exists() for path in paths), paths
    assert kind != "test" or any(path.startswith("tests/") for path in paths)


@cases(("password", "is_taken"), [("eleven-long", False), ("twelve-longer", True)])
def test_a_password_has_twelve_characters(password, is_taken):
    if is_taken:
        validate_password(password)
        return
    with pytest.raises(ValidationError, match="at least 12 characters"):
        validate_password(password)

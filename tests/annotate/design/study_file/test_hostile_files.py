"""Study files that were made to harm are refused with a sentence, and quickly."""

import os
import signal

import pytest

from annotate.design.study_file.errors import FileRefused
from annotate.design.study_file.reading import checked, read

FILES = {
    "lists in lists": "x = " + "[" * 20_000 + "]" * 20_000,
    "lists without an end": "x = " + "[" * 20_000,
    "tables in tables": "x = " + "{a = " * 5_000 + "1" + "}" * 5_000,
    "a dotted key of 20,000 parts": ".".join(["a"] * 20_000) + " = 1",
    "a header of 20,000 parts": "[" + ".".join(["a"] * 20_000) + "]\n",
    "an integer of 5,000 digits": "x = " + "9" * 5_000,
    "an integer of 5,000 hexadecimal digits": "x = 0x" + "f" * 5_000,
    "an integer of 5,000 digits as a setting": "[study]\nname = 'a'\nseed = -" + "9" * 5_000,
    "not a number": "[study]\nname = 'a'\nseed = nan",
    "no end": "[study]\nname = 'a'\nseed = inf",
    "two megabytes of a comment": "#" + "x" * 2_000_000,
    "two megabytes of one text": "x = '" + "y" * 2_000_000 + "'",
    "a million empty lines": "\n" * 1_100_000,
    "the same table 20,000 times": "[study]\n" * 20_000,
    "a text without an end": 'x = """' + "y" * 500_000,
    "a character of control": 'x = "a\0b"',
    "no TOML": "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>",
    "an escape that is no character": 'x = "\\ud800"',
}


@pytest.fixture
def ten_seconds():
    """End a test that keeps the processor busy for longer."""
    before = signal.signal(signal.SIGPROF, lambda *_: pytest.fail("ten seconds have passed"))
    signal.setitimer(signal.ITIMER_PROF, 10)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


@pytest.mark.usefixtures("ten_seconds")
@pytest.mark.parametrize("name", FILES)
def test_it_is_refused_with_a_sentence(name, tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(FILES[name], encoding="utf-8")
    with pytest.raises(FileRefused) as refusal:
        checked(read(path))
    assert str(refusal.value).startswith(str(path))
    assert 20 < len(str(refusal.value)) - len(str(path)) + 20 < 500


@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "folder", "nothing"])
def test_what_never_ends_is_not_read(name, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileRefused):
        read(tmp_path / name)

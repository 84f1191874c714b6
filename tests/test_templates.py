"""Every template compiles, and begins by saying what it needs."""

from pathlib import Path

from django.template.loader import get_template

from tests.support.cases import cases

_FOLDER = Path(__file__).resolve().parents[1] / "templates"
TEMPLATES = sorted(path.relative_to(_FOLDER).as_posix() for path in _FOLDER.rglob("*.html"))


def test_there_are_templates():
    assert "judging/screen.html" in TEMPLATES


@cases("name", TEMPLATES)
def test_every_template_compiles(name):
    get_template(name)


@cases("name", TEMPLATES)
def test_no_template_carries_inline_script_or_style(name):
    """The content security policy refuses them, so they would do nothing."""
    text = (_FOLDER / name).read_text()
    assert " style=" not in text
    assert "<style" not in text
    assert "onclick=" not in text
    for tag in text.split("<script")[1:]:
        assert "src=" in tag.split(">")[0]


def test_lines_and_files_are_short():
    """The formatter breaks no text; a longer file becomes several."""
    faults = []
    for name in TEMPLATES:
        lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
        faults += [f"{name}:{n}" for n, line in enumerate(lines, 1) if len(line) > 120]
        faults += [name] if len(lines) > 150 else []
    assert faults == []

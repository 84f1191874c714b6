"""Required content of a table's note, or a figure's caption."""

import re

_METHOD = re.compile(r"bootstrap|jackknife|Student's t|moderated t-test|Wilson")
_OVER = re.compile(r"over |annotators and images|images and annotators|image and annotator")


def check_note(note: str, columns: list[str]) -> None:
    """Check that a note states the limits of the table, and the source and method of intervals."""
    assert re.search(r"\b(does|do) not\s+say\b", note), note
    check_interval(note, columns)


def check_interval(text: str, columns: list[str]) -> None:
    if any(re.search(r"\blow\b", name, re.IGNORECASE) for name in columns):
        assert "95 %" in text, text
        assert _METHOD.search(text), text
        assert _OVER.search(text), text

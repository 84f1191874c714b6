"""A researcher's own questions, before or after a visit: one line each, and their answers."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _

MOST: Final = 5
_WHEN: Final = ("before", "after")
_KINDS: Final = ("text", "choice", "number")
_LONGEST: Final = 500


def read_lines(text: str) -> list[dict[str, Any]]:
    """Read lines as ``before | choice | words | choice 1; choice 2``. Raises ValidationError."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MOST:
        raise forms.ValidationError(_("At most {n} questions.").format(n=MOST))
    return [_question(number, line) for number, line in enumerate(lines, 1)]


def _question(number: int, line: str) -> dict[str, Any]:
    when, kind, words, choices, *more = [*(part.strip() for part in line.split("|")), "", "", ""]
    given = [choice.strip() for choice in choices.split(";") if choice.strip()]
    is_good = (
        when in _WHEN
        and kind in _KINDS
        and 0 < len(words) <= _LONGEST
        and (kind == "choice") == (len(given) > 1)
        and not any(more)
    )
    if not is_good:
        raise forms.ValidationError(
            _(
                "Line {n}: write before or after, then text, number or choice, then the question, "
                "and for a choice two or more answers with ; between them. Put | between the parts."
            ).format(n=number)
        )
    return {"when": when, "kind": kind, "words": words, "choices": given}


def as_lines(questions: list[dict[str, Any]]) -> str:
    return "\n".join(
        " | ".join(part for part in (q["when"], q["kind"], q["words"], "; ".join(q["choices"])) if part)
        for q in questions
    )  # fmt: skip


class QuestionsForm(forms.Form):
    """The questions of one moment; every answer may be left empty."""

    def __init__(
        self, data: Mapping[str, Any] | None, questions: list[dict[str, Any]], when: str
    ) -> None:
        super().__init__(data)
        self._asked = [question for question in questions if question["when"] == when]
        for number, question in enumerate(self._asked):
            self.fields[f"question_{number}"] = _FIELDS[question["kind"]](question)

    def answers(self) -> list[dict[str, str]]:
        """Return the questions with their answers, as they are stored."""
        return [
            {"words": question["words"], "answer": str(self.cleaned_data[f"question_{number}"] or "")}
            for number, question in enumerate(self._asked)
        ]  # fmt: skip


def _choice(question: dict[str, Any]) -> forms.Field:
    choices = [("", "–"), *((choice, choice) for choice in question["choices"])]
    return forms.ChoiceField(label=question["words"], choices=choices, required=False)


_FIELDS: Final = {
    "text": lambda q: forms.CharField(label=q["words"], max_length=_LONGEST, required=False),
    "number": lambda q: forms.DecimalField(label=q["words"], required=False),
    "choice": _choice,
}

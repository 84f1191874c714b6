"""A report in reading order: the answer, its figure, its table, and further parts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotate.figures.presentation import ShownFigure
from annotate.reports.main_table import ShownTable
from annotate.reports.presentation import ShownAround
from rankings.analysis.verdicts import earlier_loss, for_whom, headline, verdicts
from rankings.output.question_tables import SLUGS as QUESTIONS

# The figure next to the answer.
FIRST_FIGURE: Final = "nearness"


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdict on one criterion: a headline, the full sentences, and to whom it generalises."""

    headline: str
    sentences: Sequence[str]
    for_whom: str


def answer_of(shown: ShownTable, data: Mapping[str, Any]) -> Answer:
    """Return the answer for one criterion; ``data`` is the report's JSON, if it has an analysis."""
    around = data["analysis"].get(shown.criterion) if data else None
    scores = {one.row.protocol: one.row.score for one in shown.rows}
    said = headline(shown.criterion, scores, around)
    sentences = [
        sentence
        for verdict in (verdicts(data) if data else ())
        if verdict.criterion == shown.criterion
        for sentence in verdict.sentences
        if sentence[1:] not in said
    ]
    whom = (for_whom(data) or earlier_loss(data)) if data else ""
    return Answer(said, sentences, whom)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the page: figures and tables that answer one question."""

    slug: str
    title: str
    about: str
    figures: Sequence[ShownFigure]
    tables: Sequence[ShownAround]


@dataclass(frozen=True, slots=True)
class _Plan:
    slug: str
    title: "str | Promise"
    about: "str | Promise"
    tables: Sequence[str]
    figures: Sequence[str] = ()


_PLANS: Final = (
    _Plan(
        "sure",
        gettext_lazy("Uncertainty"),
        gettext_lazy(
            "Whether differences between protocols hold for other annotators and other images."
        ),
        ("intervals", "differences", "silence", "person"),
        ("critical-difference",),
    ),
    _Plan(
        "people",
        gettext_lazy("Annotators"),
        gettext_lazy("Agreement among the people whose rankings the protocols are compared with."),
        ("agreement", "ties", "annotators"),
        ("agreement",),
    ),
    _Plan(
        "robust",
        gettext_lazy("Robustness"),
        gettext_lazy("The same question under another consensus, distance or rounding."),
        ("sensitivity", "measures", "rounding", "calibration"),
    ),
    _Plan(
        "open",
        gettext_lazy("Open questions"),
        gettext_lazy("The paper's open questions, as far as this report answers them."),
        QUESTIONS,
    ),
)
# Figures in which each image counts once, in the part that leads to the images.
OF_IMAGES: Final = ("distances", "wins")
# Drawn from the study as it is, not from a kept report.
_LIVE: Final = ("agreement",)


def figure_names(*, is_kept: bool) -> list[str]:
    """Return the figures of the page; a kept report has those whose numbers are always kept."""
    names = [FIRST_FIGURE, *(name for plan in _PLANS for name in plan.figures), *OF_IMAGES]
    return [name for name in names if not (is_kept and name in _LIVE)]


def parts_of(
    around: Mapping[str, ShownAround], figures: Mapping[str, ShownFigure], *, is_kept: bool
) -> list[Part]:
    """Return the parts with content; outside kept reports, open questions have a page of their own."""
    return [part for part in _parts(around, figures, is_kept) if part.figures or part.tables]


def _parts(
    around: Mapping[str, ShownAround], figures: Mapping[str, ShownFigure], is_kept: bool
) -> Iterator[Part]:
    for plan in _PLANS:
        if plan.tables == QUESTIONS and not is_kept:
            continue
        yield Part(
            *(plan.slug, str(plan.title), str(plan.about)),
            [figures[name] for name in plan.figures if name in figures],
            [around[name] for name in plan.tables if name in around],
        )

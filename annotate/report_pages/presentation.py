"""A report in three layers: the answer, the table of a paper, and questions closed until asked."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate.figures.presentation import Preferred, ShownFigure
from annotate.judges.comparison import programs_in
from annotate.judges.presentation import shown_comparison
from annotate.languages import in_decimals
from annotate.reports.cache import Asked
from annotate.reports.main_table import ShownTable
from annotate.reports.presentation import ShownAround
from annotate.studies.models import Study
from rankings.analysis.verdicts import (
    earlier_loss,
    for_whom,
    for_whom_in_short,
    headline,
    n_undecided,
    verdicts,
)
from rankings.output.question_tables import SLUGS

from .questions.presentation import nearest_by_part

# The figure next to the answer.
FIRST_FIGURE: Final = "nearness"
# The parameter of the address that names the open questions, and its value that opens all.
OPEN: Final = "open"
ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdict on one criterion in one sentence, to whom it generalises, and the next step."""

    headline: str
    for_whom: str
    # Sentence and address.
    next_steps: Sequence[tuple[str, str]] = ()


def answer_of(shown: ShownTable, data: Mapping[str, Any], study: Study | None = None) -> Answer:
    """Return the answer for one criterion; ``data`` is the report's JSON, if it has an analysis.

    ``study`` of a live report adds next steps.
    """
    around = data["analysis"].get(shown.criterion) if data else None
    scores = {one.row.protocol: one.row.score for one in shown.rows}
    said = headline(shown.criterion, scores, around)
    whom = for_whom_in_short(data, shown.criterion) or earlier_loss(data) if data else ""
    return Answer(said, whom, [*_next_steps(shown, around, study)] if study else [])


def _next_steps(
    shown: ShownTable, around: Mapping[str, Any] | None, study: Study
) -> Iterator[tuple[str, str]]:
    """Yield what would make the answer surer: rankings that are missing, and more people."""
    n_missing = len(shown.table.left_out)
    if n_missing and study.state == Study.State.OPEN:
        words = ngettext("{n} image does not count yet", "{n} images do not count yet", n_missing)
        yield words.format(n=n_missing), reverse("studies:detail", args=[study.slug])
    n_pairs, n_open = n_undecided(around) if around else (0, 0)
    if n_open:
        plan = reverse("planning:plan", args=[study.dataset.slug])
        words = ngettext(
            "{n} of {total} pair of protocols is undecided: plan how many people more",
            "{n} of {total} pairs of protocols are undecided: plan how many people more",
            n_pairs,
        )
        query = f"study={study.slug}&criterion={shown.criterion}"
        yield words.format(n=n_open, total=n_pairs), f"{plan}?{query}"


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the page, its figures and tables, and the template of what is around them."""

    slug: str
    title: "str | Promise"
    template: str
    tables: Sequence[str] = ()
    figures: Sequence[str] = ()
    # Further anchors of what it holds, which earlier addresses name.
    anchors: Sequence[str] = ()
    # Reads more for its template, once it is open.
    reads: "Callable[[Found], Any] | None" = None


def _programs(found: "Found") -> dict[str, Any] | None:
    """Return programs and protocols next to people; None if there are none, or too many answers."""
    compared = programs_in(found.asked, found.data, found.criterion)
    return shown_comparison(compared, found.criterion) if compared else None


# Another subject joins the page with a line here, a template and perhaps a function that reads.
QUESTIONS: Final = (
    Question(
        "sure",
        gettext_lazy("How sure is this?"),
        "reports/asked_sure.html",
        ("intervals", "differences", "silence", "person"),
        ("critical-difference",),
        ("pairs", "losses", "lossdifferences"),
    ),
    Question(
        "detectors",
        gettext_lazy("What do people say of the detectors?"),
        "reports/asked_detectors.html",
        figures=("strengths",),
    ),
    Question(
        "people",
        gettext_lazy("Who disagrees, and on which images?"),
        "reports/asked_people.html",
        ("agreement", "ties", "annotators"),
        ("distances", "agreement", "wins"),
        ("part-images", "left-out", "known-answers"),
    ),
    Question(
        "robust",
        gettext_lazy("Does the order hold under other settings?"),
        "reports/asked_robust.html",
        ("sensitivity", "measures", "rounding", "calibration", "criteria"),
        (),
        ("part-criteria",),
    ),
    Question(
        "kinds",
        gettext_lazy("Where does it hold: kinds of images, taste, open questions"),
        "reports/asked_kinds.html",
        SLUGS,
        ("parts",),
        ("part-open",),
    ),
    Question(
        "programs",
        gettext_lazy("Programs and people"),
        "reports/asked_programs.html",
        reads=_programs,
    ),
    Question(
        "made",
        gettext_lazy("Settings and files"),
        "reports/asked_made.html",
        anchors=("settings", "files", "origin"),
    ),
)
# Drawn from the study as it is, not from a kept report.
_LIVE: Final = ("agreement",)


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question as the page shows it; closed, it has no sentences, figures or tables."""

    slug: str
    title: str
    template: str
    is_open: bool
    # The query that opens or closes it, and leaves the others as they are.
    query: str
    # The anchors of what it holds, in words.
    holds: str
    sentences: Sequence[str] = ()
    shown: Sequence[ShownFigure | ShownAround] = ()
    content: Any = None


@dataclass(frozen=True, slots=True)
class Found:
    """The answers to the open questions by one criterion: sentences' data, figures and tables."""

    study: Study
    criterion: str
    data: Mapping[str, Any]
    preferred: Preferred | None
    figures: Mapping[str, ShownFigure]
    around: Mapping[str, ShownAround]
    # A sentence on changes since the last kept report; "" without one.
    since: str = ""
    # None: a kept report, with the programs that its data have.
    asked: Asked | None = None

    def sentences(self, slug: str) -> list[str]:
        """Return what a question's first paragraph says."""
        around = self.data["analysis"].get(self.criterion) if self.data else None
        if slug == "made":
            return [self.since] if self.since else []
        if slug == "detectors" and self.preferred:
            return [self.preferred.headline, *self.preferred.sentences]
        if around is None:
            return []
        says = {"sure": self._sure, "people": _of_people, "robust": _of_settings}
        if slug == "kinds":
            return [nearest_by_part(around)]
        return says[slug](around) if slug in says else []

    def _sure(self, around: Mapping[str, Any]) -> list[str]:
        found = [
            sentence
            for verdict in verdicts(self.data)
            if verdict.criterion == self.criterion
            for sentence in verdict.sentences
        ]
        return [*found, *filter(None, [for_whom(self.data) or earlier_loss(self.data)])]


def asked_for(query: QueryDict) -> set[str]:
    """Return the slugs of the questions that an address opens."""
    named = set(query.getlist(OPEN))
    every = {question.slug for question in QUESTIONS}
    return every if ALL in named else named & every


def figure_names(opened: Collection[str], *, is_kept: bool) -> list[str]:
    """Return the figures of the page; a kept report has those whose numbers are always kept."""
    names = (name for one in QUESTIONS if one.slug in opened for name in one.figures)
    return [name for name in (FIRST_FIGURE, *names) if not (is_kept and name in _LIVE)]


def shown_questions(query: QueryDict, found: Found) -> list[ShownQuestion]:
    """Return every question that the report can answer; those of the address are open."""
    opened = asked_for(query)
    return [
        _shown(question, query, opened, found)
        for question in QUESTIONS
        if (found.data or question.slug in ("people", "made", "detectors"))
        and (found.asked or "programs" in found.data or question.slug != "programs")
    ]


def _shown(question: Question, query: QueryDict, opened: set[str], found: Found) -> ShownQuestion:
    changed = query.copy()
    changed.setlist(OPEN, sorted(opened ^ {question.slug}))
    is_open = question.slug in opened
    holds = " ".join((f"part-{question.slug}", *question.anchors, *question.tables))
    same = question.slug, str(question.title), question.template, is_open
    if not is_open:
        return ShownQuestion(*same, changed.urlencode(), holds)
    figures = [found.figures[name] for name in question.figures if name in found.figures]
    tables = [found.around[name] for name in question.tables if name in found.around]
    said = found.sentences(question.slug)
    content = question.reads(found) if question.reads else None
    return ShownQuestion(*same, changed.urlencode(), holds, said, [*figures, *tables], content)


def _of_people(around: Mapping[str, Any]) -> list[str]:
    """Return how far people agree, and who is farthest from the others."""
    found, people = around["agreement"], around["annotators"]
    said = []
    if found["kendall_w"] is not None:
        words = _("Annotators agree with each other by Kendall's W {w} (1 is full agreement")
        by_chance = _("; {w} by chance alone)").format(w=_two(found["w_by_chance"]))
        said.append(f"{words.format(w=_two(found['kendall_w']))}{by_chance}.")
    measured = [row for row in people.items() if row[1]["distance"] is not None]
    measured.sort(key=lambda row: -row[1]["distance"])
    shown = [_two(row["distance"]) for _name, row in measured]
    # By the digits that are shown, the next must be nearer.
    if shown[1:] and shown[0] != shown[1]:
        name, far = measured[0]
        words = ngettext(
            "{name} is farthest from the others: {distance} on average over {n} image.",
            "{name} is farthest from the others: {distance} on average over {n} images.",
            far["n_images"],
        )
        said.append(words.format(name=name, distance=shown[0], n=far["n_images"]))
    return said


def _of_settings(around: Mapping[str, Any]) -> list[str]:
    """Return under how many other settings the first protocol stays first."""
    variants = around["sensitivity"]
    # Without images nothing is first.
    best, others = (
        variants[0]["best"] if variants else [],
        [of for of in variants[1:] if of["best"]],
    )
    if not best or not others:
        return []
    differing = [one for one in others if not {*best} <= {*one["best"]}]
    words = ngettext(
        "Under {same} of {n} other setting, {name} has the smallest Score as well.",
        "Under {same} of {n} other settings, {name} has the smallest Score as well.",
        len(others),
    )
    same = len(others) - len(differing)
    said = [words.format(same=same, n=len(others), name=" = ".join(best))]
    if differing:
        each = "; ".join(f"{one['name']}: {' = '.join(one['best'])}" for one in differing)
        said.append(_("The first place differs by {each}.").format(each=each))
    return said


def _two(value: float) -> str:
    return in_decimals(value, 2)

"""Images needed to find a difference between two protocols, by number of people."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate.languages import numeral
from annotate.reports.pilots import pilot_of_study
from rankings.design.bands import Band, band
from rankings.design.pilots import DEMO
from rankings.design.study_plans import (
    ASKED,
    SHARINGS,
    USUAL_PEOPLE,
    Choice,
    Plan,
    Question,
    in_100,
    plan,
)

from ..data import FigureData, noted_as_live
from ..figure import Cell, Figure, Spec, without_drawing
from ..parts import drawn, fitted, heads_of
from ..themes import Paper
from ..words import titled, whole

NAME: Final = "plan"


# Multiple of the study's number of people, so that the effect of more people is visible.
_MORE: Final = 2
# Without those of the band.
_N_COLUMNS: Final = 6
_DASHES: Final[Sequence[list[float]]] = ([1, 0], [4, 2])
# Short enough for a column of a paper.
_SHORT: Final = {
    "rankings": gettext_lazy("whole rankings"),
    "pairs": gettext_lazy("pairs"),
}


def figure_of(data: FigureData) -> Figure:
    pilot = pilot_of_study(data.study, data.criterion, settings=data.settings, runs=list(data.runs))
    if pilot.origin == DEMO:
        reason = _("The study's answers are too few to tell how much images and people vary.")
        return without_drawing(
            NAME, _title(Question(), data.criterion), heads_of(NAME)[:_N_COLUMNS], reason
        )
    people = max(USUAL_PEOPLE, _MORE * len(data.of_annotator))
    figure = sufficient_designs(plan(pilot, Question(people=people)), criterion=data.criterion)
    return noted_as_live(figure, data)


def sufficient_designs(found: Plan, *, criterion: str = "preference") -> Figure:
    """Return lines of the images needed by number of people, for each way to ask and to share."""
    question = found.question
    title = _title(question, criterion)
    enough = [choice for choice in found.choices if choice.n_images is not None]
    if not enough:
        return without_drawing(NAME, title, heads_of(NAME)[:_N_COLUMNS], found.remarks[0])
    best, around = found.cheapest, band(found)
    caption = _(
        "Number of images with which a difference of {difference} in 100 pairs is detected "
        "in {share} % of studies, by number of people; how much images and people vary is "
        "taken from {origin}. Ring: the design with the fewest hours."
    ).format(
        difference=numeral(in_100(question.difference)),
        share=numeral(f"{100 * question.share:g}"),
        origin=found.pilot.origin,
    )
    return Figure(
        name=NAME,
        title=title,
        caption=caption if around is None else f"{caption} {_of_band(around)}",
        summary=_summary(enough, best),
        columns=heads_of(NAME)[: _N_COLUMNS if around is None else None],
        rows=tuple(_rows(enough, around)),
        notes=tuple(found.remarks),
        draw=partial(_lines, choices=enough, around=around),
    )


def _of_band(around: Band) -> str:
    return _(
        "Area: what {asked}, {sharing}, need in the kindest and the hardest of several simulated "
        "worlds; where it reaches the top, no number of images suffices in the hardest."
    ).format(asked=ASKED[around.asking], sharing=around.sharing)


def _rows(choices: Sequence[Choice], around: Band | None) -> Iterator[tuple[Cell, ...]]:
    """Yield the numbers of each design; with a band, also the fewest and most images, or None."""
    for choice in choices:
        row = (
            *(ASKED[choice.asking], choice.sharing, choice.n_annotators, choice.n_images),
            *(choice.answers, choice.hours),
        )
        if around is None:
            yield row
        else:
            is_own = (choice.asking, choice.sharing) == (around.asking, around.sharing)
            own = around.of(choice.n_annotators) if is_own else None
            yield (*row, None, None) if own is None else (*row, own.fewest, own.most)


def _title(question: Question, criterion: str) -> str:
    difference = numeral(in_100(question.difference))
    return titled(
        _("Designs that find a difference of {n} in 100 pairs").format(n=difference), criterion
    )


def _summary(choices: Sequence[Choice], best: Choice | None) -> str:
    lines = len({(choice.asking, choice.sharing) for choice in choices})
    text = ngettext(
        "{n} line, falling as people are added.", "{n} lines, falling as people are added.", lines
    ).format(n=lines)
    if best is None or best.n_images is None:
        return text
    cheapest = _("The fewest hours: {asked}, {sharing}, {people} people, {images} images.").format(
        asked=ASKED[best.asking],
        sharing=best.sharing,
        people=best.n_annotators,
        images=whole(best.n_images),
    )
    return f"{text} {cheapest}"


def _lines(paper: Paper, choices: Sequence[Choice], around: Band | None) -> Spec:
    sharings = [sharing.name for sharing in SHARINGS]
    askings = [
        str(text) for name, text in _SHORT.items() if any(one.asking == name for one in choices)
    ]
    rows = [
        {
            "asked": str(_SHORT[choice.asking]),
            "sharing": choice.sharing,
            "people": choice.n_annotators,
            "images": choice.n_images,
            "cheapest": choice.is_cheapest,
        }
        for choice in choices
    ]
    needed = () if around is None else around.needed
    known = [one.most for one in needed if one.most is not None]
    top = max(*known, *(choice.n_images or 0 for choice in choices), 0)
    area = [
        {"people": one.n_annotators, "fewest": one.fewest, "most": one.most or top}
        for one in needed
        if one.fewest is not None and one.fewest <= top
    ]
    legend = {"orient": "top", "columns": 1, "title": None, "symbolSize": 200, "offset": 6}
    chart = drawn(
        "plan",
        paper,
        rows=rows,
        band=area,
        people=_("People"),
        images=_("Images (log scale)"),
        sharings=sharings,
        askings=askings,
        dashes=[list(dash) for dash in _DASHES[: len(askings)]],
        legend_of_dashes=legend if len(askings) > 1 else None,
    )
    height = (210 if paper.is_wide else 190) + 11 * (len(sharings) + len(askings))
    return fitted(paper, chart, height_pt=height)

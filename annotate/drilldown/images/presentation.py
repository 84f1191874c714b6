"""Tables of the pages about images."""

from collections.abc import Iterable, Sequence

from django.http import QueryDict
from django.template.defaultfilters import capfirst
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from annotate.datasets.models import Image
from annotate.studies.models import Study
from annotate.tables import NONE, Cell, Column, Table, moment, number, plain_number
from rankings.elicitation.log import CRITERIA

from .compare import Side
from .page import Baseline
from .screens import InSight, PairAnswer, Shown


def scores(side: Side) -> list[tuple[str, str]]:
    """Return the words and the value of each score of a side."""
    score = side.score
    given = (score.recall, score.precision, score.f_score) if score else (None, None, None)
    words = (_("Recall"), _("Precision"), _("F-score"))
    return [(said, plain_number(value, 4).words) for said, value in zip(words, given, strict=True)]


def costs_table(side: Side) -> Table:
    numbers = (_("Truths"), _("Detections"), _("Recall"), _("Precision"))
    columns = [
        Column(_("Cause"), sorts=False),
        *(Column(words, is_number=True, sorts=False) for words in numbers),
    ]
    rows = [
        [
            Cell(capfirst(gettext(cost.cause)), is_heading=True),
            number(cost.n_truth),
            number(cost.n_detections),
            plain_number(cost.recall, 4, sign="+"),
            plain_number(cost.precision, 4, sign="+"),
        ]
        for cost in side.costs
    ]
    return Table(columns, rows)


def matches_table(side: Side) -> Table:
    columns = [
        Column(_("Regions"), sorts=False),
        Column(_("Kind"), sorts=False),
        Column(_("Recall credit"), is_number=True, sorts=False),
        Column(_("Precision credit"), is_number=True, sorts=False),
        *([Column(_("Cause of loss"), sorts=False)] if side.costs else []),
    ]
    rows = [
        [
            Cell(capfirst(line.regions)),
            Cell(line.kind),
            plain_number(line.recall_credit, 4),
            plain_number(line.precision_credit, 4),
            *([Cell(line.cause or "–")] if side.costs else []),
        ]
        for line in side.matches
    ]
    return Table(columns, rows)


def _verdicts(verdicts: Sequence[str]) -> list[Cell]:
    return [Cell(gettext(verdict) if verdict else NONE) for verdict in verdicts]


def _criteria() -> list[Column]:
    return [Column(capfirst(gettext(name))) for name in CRITERIA]


def _seen(seen: InSight | None) -> list[Cell]:
    """Return two cells: the result shown first, and the seconds that each was shown."""
    first = gettext(seen.first) if seen and seen.first else NONE
    times: str = NONE
    if seen and seen.left is not None:
        times = f"{plain_number(seen.left, 1).words} / {plain_number(seen.right, 1).words}"
    return [Cell(first), Cell(times, is_number=True)]


def answers_table(
    answers: Iterable[PairAnswer], study: Study, image: Image, *, hides_names: bool
) -> Table:
    columns = [
        Column(_("Annotator")),
        *_criteria(),
        Column(_("Asked")),
        Column(_("Shown first")),
        Column(_("Left / right shown, s"), is_number=True, sorts=False),
        Column(_("Differences looked at"), is_number=True, sorts=False),
        Column(_("When")),
    ]
    of_image = reverse("evidence:image", args=[study.slug, image.name])
    names = "&pseudonyms=1" if hides_names else ""
    rows = []
    for answer in answers:
        places = answer.places
        looked: str = NONE
        if places:
            looked = _("%(n)s of %(total)s") % {"n": places["seen"], "total": places["n"]}
        rows.append(
            [
                Cell(
                    answer.name,
                    f"{of_image}?annotator={answer.key}{names}#screens",
                    is_heading=True,
                ),
                *_verdicts(answer.verdicts),
                Cell(
                    _("sides swapped") if answer.was_swapped else _("as here"),
                    small=answer.seen_with,
                ),
                *_seen(answer.in_sight),
                Cell(looked, is_number=True),
                moment(answer.at),
            ]
        )
    return Table(columns, rows)


def screens_table(screens: Iterable[Shown], study: Study, image: Image) -> Table:
    columns = [
        Column(_("No."), is_number=True),
        Column(_("Left")),
        Column(_("Right")),
        *_criteria(),
        Column(_("Seconds"), is_number=True),
        Column(_("Shown first")),
        Column(_("Left / right shown, s"), is_number=True, sorts=False),
        Column(_("Purpose")),
        Column(_("Counts")),
        Column(_("When")),
    ]
    return Table(columns, [_screen_row(shown, study, image) for shown in screens])


def _screen_row(shown: Shown, study: Study, image: Image) -> list[Cell]:
    asked = QueryDict(mutable=True)
    asked.update({"left": shown.left.slug, "right": shown.right.slug})
    address = reverse("evidence:compare", args=[study.slug, image.name])
    counts = shown.counts
    if shown.tone:
        counts = format_html('<span class="badge badge--{}">{}</span>', shown.tone, counts)
    return [
        Cell(
            str(shown.number),
            f"{address}?{asked.urlencode()}",
            _("Pair %(number)s") % {"number": shown.number},
            is_number=True,
        ),
        Cell(shown.left.name),
        Cell(shown.right.name),
        *_verdicts(shown.verdicts),
        number(shown.seconds, 1),
        *_seen(shown.in_sight),
        Cell(shown.purpose),
        Cell(counts),
        moment(shown.at),
    ]


def baselines_table(baselines: Iterable[Baseline], asked: QueryDict) -> Table:
    columns = [
        Column(_("Baseline"), sorts=False),
        Column(_("Edit"), is_number=True, sorts=False),
        Column(_("Kemeny"), is_number=True, sorts=False),
        Column(_("What it is"), sorts=False),
    ]
    rows = []
    for one in baselines:
        edit = plain_number(one.edit, 2)
        if one.key:
            query = asked.copy()
            query["script"] = one.key
            label = _("Edit distance %(distance)s: steps of %(name)s")
            said = label % {"distance": edit.words, "name": one.name}
            href = f"?{query.urlencode()}#{one.key}"
            edit = Cell(edit.words, href, said, is_number=True)
        kemeny = plain_number(one.kemeny, 2)
        rows.append([Cell(one.name, is_heading=True), edit, kemeny, Cell(one.about)])
    return Table(columns, rows)

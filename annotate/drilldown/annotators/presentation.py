"""Tables and sentences of the annotators' page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.http import QueryDict
from django.template.defaultfilters import capfirst
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext as _

from annotate.judging.attention_checks import Tally
from annotate.reports.forms import choices_of
from annotate.studies.models import Study
from annotate.tables import NONE, Cell, Column, Table, badges, moment, number
from rankings.agreement.settings import declared_settings
from rankings.consensus.rules import ConsensusMethod
from rankings.elicitation.error_rate import ErrorRate, Mistakes
from rankings.elicitation.log import CRITERIA

from .answers import Sides, Work
from .page import Annotator

PER_CENT: Final = "\N{NO-BREAK SPACE}%"
_WARNING: Final = '<span class="badge badge--warning">{}</span>'


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses from the annotators' page, which keep its settings."""

    study: Study
    asked: QueryDict
    hides_names: bool

    @property
    def page(self) -> str:
        # A refused decision shows this page at another address.
        return reverse("evidence:annotators", args=[self.study.slug])

    def changed(self, **values: str | None) -> str:
        query = self.asked.copy()
        for name, value in values.items():
            if value is None:
                query.pop(name, None)
            else:
                query[name] = value
        return f"{self.page}?{query.urlencode()}"

    def person(self, key: str, part: str = "person") -> str:
        return f"{self.changed(annotator=key, page=None)}#{part}"

    def image(self, name: str, key: str = "") -> str:
        """Return the address of an image; with a key, of what that annotator saw of it."""
        asked = [f"annotator={key}"] if key else []
        asked += ["pseudonyms=1"] if self.hides_names else []
        address = reverse("evidence:image", args=[self.study.slug, name])
        query = f"?{'&'.join(asked)}" if asked else ""
        return f"{address}{query}{'#screens' if key else ''}"


def _numbers(*words: str) -> list[Column]:
    return [Column(one, is_number=True) for one in words]


def _of(n: int) -> str:
    return _("of %(n)s") % {"n": n}


def said_of_consensus(chosen: ConsensusMethod, links: Links) -> SafeString:
    """Name the consensus methods, with links to the others."""
    words = [
        format_html("<strong>{}</strong>", said)
        if value == chosen
        else format_html('<a href="{}">{}</a>', links.changed(consensus=value), said)
        for value, said in choices_of(declared_settings()["consensus"])
    ]
    return format_html_join(", ", "{}", ((one,) for one in words))


def work_table(people: Iterable[Annotator], links: Links) -> Table:
    known = _numbers(_("Known right")) if links.study.n_known else []
    columns = [
        Column(_("Annotator")),
        *_numbers(_("Images"), _("Pairs"), _("Active minutes"), _("Median seconds")),
        *_numbers(_("Same again")),
        *known,
        *_numbers(_("Unresolved contradictions"), _("Distance to the others")),
        Column(_("Practice")),
        Column(_("Marked")),
        Column(_("In reports")),
    ]
    rows = [_work_row(one, links, bool(known)) for one in people]
    return Table(columns, rows, filters="annotators")


def _work_row(one: Annotator, links: Links, has_known: bool) -> list[Cell]:
    work, href = one.work, links.person(one.key)
    repeated = _of(work.repeated.n)
    return [
        Cell(one.name, href, is_heading=True),
        number(one.n_complete, href=href),
        number(work.n_screens, href=href),
        number(work.minutes, 1, href=href),
        number(work.median_seconds, 1, href=href),
        number(one.consistency, unit=PER_CENT, href=href, small=repeated),
        *([_known(work.known, href)] if has_known else []),
        number(len(work.unsettled), href=href),
        number(work.distance, 2, href=href),
        Cell(one.practice or NONE),
        badges(one.marks),
        _in_reports(one, links.person(one.key, "counting")),
    ]


def _known(known: Tally, href: str) -> Cell:
    small = []
    if known.interval:
        low, high = known.interval
        shown = {"n": known.n, "low": f"{low:.0f}", "high": f"{high:.0f}"}
        small.append(_("of %(n)s, %(low)s–%(high)s") % shown)
    if known.n_skipped:
        small.append(_("%(n)s skipped") % {"n": known.n_skipped})
    return number(known.share, unit=PER_CENT, href=href, small=" ".join(small))


def _in_reports(one: Annotator, href: str) -> Cell:
    if one.left_out:
        link = f'<a href="{{}}">{_WARNING}</a> {{}}'
        return Cell(format_html(link, href, _("left out"), one.left_out.reason))
    label = _("%(name)s is counted in reports: change") % {"name": one.name}
    return Cell(_("counted"), href, label)


def _sides_cells(sides: Sides, href: str) -> list[Cell]:
    """Return the shares of left, equal and right, and of left among the answers for a side."""
    low, high = sides.interval or (0, 0)
    badge, interval = _("one side") if sides.is_one_sided else "", f"{low:.0f}–{high:.0f}"
    decided = number(sides.left_of_decided, unit=PER_CENT, href=href, badge=badge, small=interval)
    first, *others = (number(share, href=href) for share in sides.percents)
    return [replace(first, kind="sides__first"), *others, decided]


def sides_rows(people: Iterable[Annotator], links: Links) -> list[list[Cell]]:
    return [
        [
            Cell(one.name, is_heading=True),
            *(
                cell
                for sides in one.work.of_criteria
                for cell in _sides_cells(sides, links.person(one.key, "person-sides"))
            ),
        ]
        for one in people
    ]


def seen_table(people: Iterable[Annotator], links: Links) -> Table:
    columns = [
        Column(_("Annotator")),
        *_numbers(_("Answers with known visibility"), _("Left first"), _("Both at once")),
        *_numbers(_("Right first"), _("Result shown less, median s")),
    ]
    rows = []
    for one in people:
        seen = one.work.in_sight
        rows.append(
            [
                Cell(one.name, links.person(one.key), is_heading=True),
                number(seen.n_known, small=_of(one.work.n_screens)),
                number(seen.first_left),
                number(seen.first_both),
                number(seen.first_right),
                number(seen.median_least, 1),
            ]
        )
    return Table(columns, rows)


def images_table(images: Iterable[tuple[str, str, Work]], key: str, links: Links) -> Table:
    known = _numbers(_("Known right")) if links.study.n_known else []
    columns = [
        Column(_("Image")),
        Column(_("State")),
        *_numbers(_("Pairs"), _("Minutes"), _("Median seconds")),
        *_numbers(_("Result shown less, median s"), _("Differing again")),
        *known,
        Column(_("Unresolved contradictions")),
        *_numbers(
            *(_("Distance, %(criterion)s") % {"criterion": gettext(name)} for name in CRITERIA)
        ),
    ]
    rows = [_image_row(name, state, work, key, links) for name, state, work in images]
    return Table(columns, rows, filters="images")


def _image_row(name: str, state: str, work: Work, key: str, links: Links) -> list[Cell]:
    label = ngettext("%(n)s pair on %(image)s", "%(n)s pairs on %(image)s", work.n_screens)
    known = work.known
    skipped = [_("%(n)s skipped") % {"n": known.n_skipped}] if known.n_skipped else []
    of_known = number(
        known.n_right if known.n else None,
        small=" ".join([*([_of(known.n)] if known.n else []), *skipped]),
    )
    differing = work.repeated.n_differing if work.repeated.n else None
    return [
        Cell(name, links.image(name), is_heading=True),
        Cell(state),
        Cell(
            str(work.n_screens),
            links.image(name, key),
            label % {"n": work.n_screens, "image": name},
            is_number=True,
        ),
        number(work.minutes, 1),
        number(work.median_seconds, 1),
        number(work.in_sight.median_least, 1),
        number(differing, small=_of(work.repeated.n)),
        *([of_known] if links.study.n_known else []),
        Cell(", ".join(map(gettext, work.unsettled)) or NONE),
        *(number(distance, 1) for distance in work.distance_by_criterion),
    ]


def image_sides_table(images: Iterable[tuple[str, str, Work]], key: str, links: Links) -> Table:
    columns = [Column(_("Image"))]
    for name in CRITERIA:
        left = _("%(criterion)s left") % {"criterion": capfirst(gettext(name))}
        columns += _numbers(left, _("equal"), _("right"))
    rows = [
        [
            Cell(name, links.image(name, key), is_heading=True),
            *(
                number(n)
                for sides in map(work.sides.__getitem__, CRITERIA)
                for n in (sides.left, sides.equal, sides.right)
            ),
        ]
        for name, _state, work in images
    ]
    return Table(columns, rows, filters="images")


def decisions_table(decisions: Sequence[tuple[Any, str, str, str]], links: Links) -> Table:
    """Draw the decisions: of each the row, the annotator's name and key, and who decided."""
    columns = [
        Column(_("When")),
        Column(_("Annotator")),
        Column(_("Decision")),
        Column(_("Reason"), sorts=False),
        Column(_("By")),
    ]
    rows = [
        [
            moment(row.created),
            Cell(name, f"{links.changed(annotator=key)}#counting", is_heading=True),
            Cell(_("left out") if row.is_excluded else _("counted again")),
            Cell(row.reason),
            Cell(who),
        ]
        for row, name, key, who in decisions
    ]
    return Table(columns, rows)


def said_of_mistakes(mistakes: Mistakes) -> str:
    """Say how many mistakes are made again, and what follows for asking again."""
    words = ngettext(
        "On %(n)s repeated pair, the first answer was the opposite of that of all other annotators "
        "of the image (at least two); %(again)s of these got the same answer again.",
        "On %(n)s repeated pairs, the first answer was the opposite of that of all other annotators "
        "of the image (at least two); %(again)s of these got the same answer again.",
        mistakes.n,
    )
    said = [words % {"n": mistakes.n, "again": mistakes.n_again}]
    if mistakes.n:
        low, high = (f"{100 * limit:.0f}" for limit in mistakes.interval)
        words = _("The 95 %% interval of their share is %(low)s to %(high)s %%.")
        said.append(words % {"low": low, "high": high})
        if mistakes.expected is not None:
            words = _("If people erred independently each time, it would be about %(expected)s %%.")
            said.append(words % {"expected": f"{100 * mistakes.expected:.0f}"})
    if mistakes.belong_to == "pair":
        advice = _(
            "Mistakes, or differing opinions, are usually repeated on the same pair, so asking again "
            "corrects little. Consider few re-checks, or careful insertion with the probability 1, "
            "which compares every two results once."
        )
    elif mistakes.belong_to == "answer":
        advice = _(
            "Most mistakes are not repeated, so asking again corrects them. Consider re-checks, or "
            "careful insertion that may compare the same two results again."
        )
    else:
        advice = _("That is too little to tell whether mistakes are made again.")
    return " ".join([*said, advice])


def said_of_errors(work: Work, error: ErrorRate | None) -> str:
    """Say how many repeated answers differ; "" without any."""
    counts = {"n": work.repeated.n_differing, "all": work.repeated.n}
    if error:
        words = _(
            "%(n)s of %(all)s repeated answers differ, which means an error rate of about "
            "%(rate)s %% (%(low)s to %(high)s %%)."
        )
        limits = {"rate": error.rate, "low": error.low, "high": error.high}
        shown = {name: f"{100 * share:.0f}" for name, share in limits.items()}
        return words % (counts | shown)
    if not work.repeated.n:
        return ""
    return _("%(n)s of %(all)s repeated answers differ: too few for an error rate.") % counts

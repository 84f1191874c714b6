"""What is decided, in sentences and a table, for the progress page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_stubs_ext import StrOrPromise

from annotate.reports.errors import TooLarge
from annotate.reports.services import require_small
from annotate.studies.models import Study
from rankings.sequences import FIRST, Decisions, PairSequence

from .selectors import decisions_of, n_answers

# Of a larger study this is not computed while somebody waits.
MAX_IMAGES: Final = 500
_NEXT: Final = 5
CAUTION: Final = gettext_lazy(
    "These decisions may be looked at at any time: the risk that any of them is wrong is 5 % by each "
    "criterion. They take the annotators as all there are, and say nothing of others; the report's tests do, "
    "and are made once, at the end. Sentinels do not count."
)


@dataclass(frozen=True)
class Decided:
    """What is decided by one criterion."""

    criterion: str
    sentence: str
    decided: tuple[PairSequence, ...]
    upcoming: tuple[PairSequence, ...]


@dataclass(frozen=True)
class ShownDecisions:
    """What the page says: by criterion, or why it does not; and how the study ends."""

    criteria: tuple[Decided, ...]
    reason: str
    ending: str
    caution: StrOrPromise = CAUTION


def shown_decisions(study: Study) -> ShownDecisions:
    try:
        require_small(study, MAX_IMAGES)
    except TooLarge:
        reason = _(
            "Above {n} images this is not computed while you wait; a kept report has the tests."
        ).format(n=MAX_IMAGES)
        return ShownDecisions((), reason, ending_of(study))
    found = decisions_of(study)
    if not found:
        reason = _("There are not two protocols to compare: score some.")
        return ShownDecisions((), reason, ending_of(study))
    criteria = tuple(
        Decided(
            criterion,
            sentence_of(own),
            tuple(pair for pair in own.pairs if pair.decided_at is not None),
            own.upcoming[:_NEXT],
        )
        for criterion, own in found.items()
    )
    return ShownDecisions(criteria, "", ending_of(study))


def sentence_of(own: Decisions) -> str:
    """Say how much is decided, and what comes next."""
    return " ".join(_sentences(own))


def _sentences(own: Decisions) -> Iterator[str]:
    n, n_pairs = own.n_decided, len(own.pairs)
    if own.n_images < FIRST:
        yield _("Nothing is decided before {n} images count; so far: {n_images}.").format(
            n=FIRST, n_images=own.n_images
        )
        return
    yield ngettext(
        "{n} of {total} pair of protocols is decided.",
        "{n} of {total} pairs of protocols are decided.",
        n_pairs,
    ).format(n=n, total=n_pairs)
    if n == n_pairs:
        return
    if not own.upcoming:
        yield _("When the next one will be cannot be foreseen.")
        return
    first = own.upcoming[0]
    more = _round(first.images_more or 0)
    yield ngettext(
        "About {n} image more decides the next: {first} and {second}.",
        "About {n} images more decide the next: {first} and {second}.",
        more,
    ).format(n=more, first=first.first, second=first.second)


def ending_of(study: Study) -> str:
    """Say by which rule the study ends, or has ended; empty without one."""
    if study.ends_by == Study.EndRule.NEVER:
        return ""
    budget = study.answer_budget
    if study.ended is not None:
        return _("Its rule closed the study on {time}.").format(
            time=f"{study.ended:%Y-%m-%d %H:%M}"
        )
    if budget is None:
        return _("The study ends by itself when every pair is decided by all three criteria.")
    by_budget = _("The study ends by itself after {budget} answers; given so far: {n}.")
    if study.ends_by != Study.EndRule.BUDGET:
        by_budget = _(
            "The study ends by itself when every pair is decided by all three criteria, or after "
            "{budget} answers; given so far: {n}."
        )
    return by_budget.format(budget=budget, n=n_answers(study))


def _round(n: int) -> int:
    """Return a number with two digits that count: nobody knows it better."""
    step: int = 10 ** max(0, len(str(n)) - 2)
    return max(1, round(n / step) * step)

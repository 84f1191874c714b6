"""The protocols' order so far and planned looks, in sentences and tables, for the progress page."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_stubs_ext import StrOrPromise

from annotate.reports.errors import TooLarge
from annotate.reports.services import require_small
from annotate.studies.models import Study
from rankings.inference.sequential import FEWEST_ANNOTATORS, FEWEST_IMAGES

from .models import Look
from .selectors import Missing, Standings, had_last_look, missing, n_answers, standings_of

# Larger studies are not computed within a request.
MAX_IMAGES: Final = 500
CAUTION: Final = gettext_lazy(
    "Mean losses are the order so far, not a conclusion: annotators come one after another, and later "
    "ones may disagree. While the study runs, only planned looks decide. The report's tests are made "
    "once, when it has ended."
)


@dataclass(frozen=True)
class ShownLook:
    """A planned look with its decisions in words."""

    look: Look
    decided: Sequence[str]
    withdrawn: Sequence[str]


@dataclass(frozen=True)
class ShownStandings:
    """Content of the page: missing data, losses by criterion, looks, and the rule that ends the study."""

    needed: str
    criteria: Standings
    reason: str
    ending: str
    looks: Sequence[ShownLook]
    held: Sequence[str]
    had_last_look: bool
    caution: StrOrPromise = CAUTION

    @property
    def n_taken(self) -> int:
        return sum(one.look.taken is not None for one in self.looks)


def shown_standings(study: Study) -> ShownStandings:
    reason, found = "", Standings()
    try:
        require_small(study, MAX_IMAGES)
        found = standings_of(study)
        if not found:
            reason = _("There are fewer than two protocols to compare: score more protocols.")
    except TooLarge:
        reason = _(
            "Above {n} images this is not computed while you wait; a kept report has the tests."
        ).format(n=MAX_IMAGES)
    looks = list(study.looks.all())
    shown = [
        ShownLook(one, _in_words(one, "decided"), _in_words(one, "withdrawn")) for one in looks
    ]
    held = next((_in_words(one, "held") for one in reversed(looks) if one.taken), [])
    return ShownStandings(
        *(needed_of(study), found, reason, ending_of(study), shown, held, had_last_look(study)),
        "" if study.state == Study.State.CLOSED else CAUTION,
    )


def _in_words(look: Look, part: str) -> list[str]:
    """Return a sentence for each criterion and nearer protocol of a look's decisions."""
    return [
        _("{criterion}: {nearer} is nearer to people than {others}").format(
            criterion=_(criterion), nearer=nearer, others=", ".join(others)
        )
        for criterion, nearer, others in _by_nearer(look, part)
    ]


def _by_nearer(look: Look, part: str) -> Iterator[tuple[str, str, list[str]]]:
    for criterion, own in look.found.items():
        others: dict[str, list[str]] = defaultdict(list)
        for nearer, farther in own[part]:
            others[nearer].append(farther)
        yield from ((criterion, nearer, some) for nearer, some in others.items())


def needed_of(study: Study) -> str:
    """Describe what planned looks still need; a closed study, or a small one, gets no more of them."""
    if study.state == Study.State.CLOSED:
        return _("The study is closed: the report's tests decide.")
    if study.study_images.count() < FEWEST_IMAGES:
        words = _("Looks decide nothing here: they need {n} images, and the study has fewer.")
        return words.format(n=FEWEST_IMAGES)
    return needed_in_words(missing(study))


def needed_in_words(lacking: Missing) -> str:
    """Describe the annotators and images that are needed before a conclusion is possible."""
    if not lacking.images:
        return _("{n} annotators have at least {images} images each.").format(
            n=lacking.n_enough, images=FEWEST_IMAGES
        )
    images = ngettext("{n} more image", "{n} more images", lacking.images).format(n=lacking.images)
    people = ngettext("{n} more annotator", "{n} more annotators", lacking.people)
    needed = _("Still needed: {images}.").format(images=images)
    if lacking.people:
        needed = _("Still needed: {people} and {images}, each counted per annotator.").format(
            people=people.format(n=lacking.people), images=images
        )
    so_far = _(
        "Too early for conclusions: at least {people} annotators must have {images} images each; "
        "so far {n} have them."
    ).format(people=FEWEST_ANNOTATORS, images=FEWEST_IMAGES, n=lacking.n_enough)
    return f"{so_far} {needed}"


def ending_of(study: Study) -> str:
    """Describe the rule that ends, or has ended, the study; empty if there is none."""
    if study.ended is not None:
        time = f"{localtime(study.ended):%Y-%m-%d %H:%M %Z}"
        return _("Its rule closed the study on {time}.").format(time=time)
    rules = []
    if study.ends_by == Study.EndRule.DECIDED and not had_last_look(study):
        rules.append(_("The study ends by itself once looks have decided every pair of protocols."))
    if study.answer_budget is not None:
        words = _("The study ends by itself after {budget} answers; given so far: {n}.")
        rules.append(words.format(budget=study.answer_budget, n=n_answers(study)))
    return " ".join(rules)

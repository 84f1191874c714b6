"""Pairwise answers that other tools collected, as a study that is never opened."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset, Method, Result
from annotate.errors import Refusal
from annotate.judging.models import A_DAY_SECONDS, Assignment, Judgement, Screen
from annotate.studies.models import Membership, Role, Study, StudyImage
from annotate.studies.services import create_study
from rankings.command_line.answer_files import read_answer_file
from rankings.command_line.tools import counted
from rankings.elicitation.log import CRITERIA
from rankings.elicitation.pairs import (
    AnsweredPair,
    Codes,
    answered_pairs,
    rankings_that_follow,
    without_repeats,
)
from rankings.errors import RankingError
from rankings.orders.buckets import Ranking, methods_of

from .bundles.reading import person_elsewhere

_NO_NAME: Final = "annotator"
_MOST_NAMED: Final = 5


class AnswersRefused(Refusal):
    """Refusal of a file of answers; nothing was loaded."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One person's pairs on one image, and the rankings that follow from them."""

    annotator: str
    image: str
    pairs: Sequence[AnsweredPair]
    # By criterion; all rank the same methods, best first.
    rankings: Mapping[str, Ranking]

    @property
    def methods(self) -> list[str]:
        """The names of the methods, sorted."""
        return sorted(methods_of(next(iter(self.rankings.values()))))


def read_answers(
    path: str, *, dataset: Dataset, criterion: str, codes: Codes
) -> tuple[list[Ranked], Sequence[str], Sequence[str]]:
    """Read a file of pairs; return the rankings that follow, sentences on what is left out, and notes.

    ``criterion`` is that of rows that name none, ``codes`` say what numbers mean as verdicts. Raises
    AnswersRefused with every reason if the
    file holds no pairs, or names images, methods or criteria that do not exist.
    """
    try:
        file = read_answer_file(path, ("method_a", "method_b"), codes)
        read = answered_pairs(file.rows, _("row"), criterion, codes)
        pairs, repeated = without_repeats(read)
    except RankingError as fault:
        raise AnswersRefused(str(fault).replace(path, _("The file"))) from fault
    if not pairs:
        raise AnswersRefused(_("The file holds no answers."))
    pairs = _fitting(pairs, dataset)
    found = rankings_that_follow(pairs)
    left_out = [*repeated, *found.left_out]
    of_person: dict[tuple[str, str], list[AnsweredPair]] = defaultdict(list)
    for pair in pairs:
        of_person[pair.annotator, pair.image].append(pair)
    ranked = []
    for (name, image), own in of_person.items():
        orders = {
            by: of_image[image][name]
            for by, of_image in found.following.items()
            if name in of_image.get(image, {})
        }
        most = max(map(methods_of, orders.values()), key=len, default=frozenset())
        whole = {by: order for by, order in orders.items() if methods_of(order) == most}
        fewer = [_(by) for by in orders.keys() - whole.keys()]
        left_out += [(image, name, _("other methods by {by}").format(by=by)) for by in fewer]
        if whole:
            kept = [pair for pair in own if pair.criterion in whole]
            ranked.append(Ranked(name, image, kept, whole))
    notes = [
        *counted(file.left_out),
        *(f"{image}, {name}: {reason}" for image, name, reason in left_out),
    ]
    if not ranked:
        nothing = _("No ranking follows from the answers. {notes}")
        raise AnswersRefused(nothing.format(notes=_listed(notes)))
    return ranked, notes, file.notes


def _fitting(pairs: Iterable[AnsweredPair], dataset: Dataset) -> list[AnsweredPair]:
    """Return the pairs with the dataset's names of images. Raises AnswersRefused for strangers."""
    results = Result.objects.filter(method__dataset=dataset).values_list(
        "image__name", "method__name"
    )
    methods_on: dict[str, set[str]] = defaultdict(set)
    for image, method in results:
        methods_on[image].add(method)
    by_stem: dict[str, list[str]] = defaultdict(list)
    for image in methods_on:
        by_stem[_stem(image)].append(image)
    strange: dict[str, dict[str, None]] = defaultdict(dict)
    fitting = []
    for pair in pairs:
        named = [pair.image] if pair.image in methods_on else by_stem[_stem(pair.image)]
        if len(named) != 1:
            strange[_("images")][pair.image or "–"] = None
            continue
        if pair.criterion not in CRITERIA:
            strange[_("criteria")][pair.criterion] = None
        for method in {pair.first, pair.second} - methods_on[named[0]]:
            strange[_("results")][f"{method} / {named[0]}"] = None
        fitting.append(replace(pair, image=named[0], annotator=pair.annotator or _NO_NAME))
    if strange:
        found = _("Not in {dataset}: {what} {names}.")
        raise AnswersRefused(
            " ".join(
                found.format(dataset=dataset, what=what, names=_listed([*names]))
                for what, names in strange.items()
            )
        )
    return fitting


def _stem(name: str) -> str:
    return name.rpartition(".")[0] or name


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return _("{names} and {n} more").format(names=shown, n=more) if more > 0 else shown


@transaction.atomic
def load_answers(
    *, dataset: Dataset, name: str, answers: Sequence[Ranked], file: Mapping[str, Any]
) -> Study:
    """Make a closed study of answers from elsewhere; all or nothing.

    The people become accounts that cannot sign in, numbered in the file's order: their names are
    not kept. ``file`` goes into the log. Raises StudyRefused if the name is taken.
    """
    compared = {method for one in answers for method in one.methods}
    methods = {method.name: method for method in dataset.methods.filter(name__in=compared)}
    images = {image.name: image for image in dataset.images.all()}
    study = create_study(
        name=name,
        dataset=dataset,
        methods=list(methods.values()),
        images=[images[name] for name in dict.fromkeys(one.image for one in answers)],
        state=Study.State.CLOSED,
        is_external=True,
        min_annotators=1,
        n_checks=0,
        methods_per_visit=2 if any(len(one.methods) < len(methods) for one in answers) else None,
        drawn_by=Study.Draw.RANDOM,
    )
    people = {
        annotator: person_elsewhere(f"elsewhere-{number}", study.slug)
        for number, annotator in enumerate(dict.fromkeys(one.annotator for one in answers), 1)
    }
    Membership.objects.bulk_create(
        Membership(study=study, person=person, role=Role.ANNOTATOR) for person in people.values()
    )
    keys = Result.objects.filter(method__in=methods.values()).values_list(
        "image__name", "method__name", "pk"
    )
    results = {(image, method): pk for image, method, pk in keys}
    position: Counter[str] = Counter()
    for one in answers:
        position[one.annotator] += 1
        assignment = Assignment.objects.create(
            study=study,
            image=images[one.image],
            annotator=people[one.annotator],
            position=position[one.annotator],
            state=Assignment.State.COMPLETE,
            items=[[results[one.image, method]] for method in one.methods],
            drawn=_drawn([methods[method].pk for method in one.methods], methods.values()),
            rankings={
                by: [sorted(methods[method].pk for method in bucket) for bucket in order]
                for by, order in one.rankings.items()
            },
            finished=timezone.now(),
        )
        assignment.n_answered = _store_log(assignment, one, results)
        assignment.save(update_fields=["n_answered"])
    for image, n in Counter(one.image for one in answers).items():
        StudyImage.objects.filter(study=study, image=images[image]).update(n_complete=n)
    record(Act.STUDY_LOADED, study=study, what=study.name, details={"origin": "elsewhere", **file})
    return study


def _drawn(shown: Sequence[int], methods: Collection[Method]) -> dict[str, Any] | None:
    """Return the sample of methods as if drawn at random, or None if it is all of them."""
    k, m = len(methods), len(shown)
    if m == k:
        return None
    chance = m * (m - 1) / (k * (k - 1))
    return {
        "methods": shown,
        "from": [method.pk for method in methods],
        "pairs": [[a, b, chance] for a, b in combinations(shown, 2)],
        "runs": [],
    }


def _store_log(
    assignment: Assignment, ranked: Ranked, results: Mapping[tuple[str, str], int]
) -> int:
    """Store an answer for each pair, its criteria together; return how many they are."""
    asked: list[tuple[AnsweredPair, dict[str, str]]] = []
    for pair in ranked.pairs:
        same = (said for one, said in asked if (one.first, one.second) == (pair.first, pair.second))
        said = next((said for said in same if pair.criterion not in said), None)
        if said is None:
            said = {}
            asked.append((pair, said))
        said[pair.criterion] = pair.verdict
    for number, (pair, said) in enumerate(asked, 1):
        screen = Screen.objects.create(
            assignment=assignment,
            number=number,
            left_id=results[ranked.image, pair.first],
            right_id=results[ranked.image, pair.second],
            strategy="elsewhere",
            state=Screen.State.ANSWERED,
        )
        is_known = pair.seconds is not None and pair.seconds <= A_DAY_SECONDS
        seconds = pair.seconds if is_known else None
        Judgement.objects.create(
            assignment=assignment, screen=screen, number=number, seconds_taken=seconds, **said
        )
    return len(asked)

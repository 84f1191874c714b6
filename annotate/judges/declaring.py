"""Answers that a program gave as an annotator become those of a judge."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import combinations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Result
from annotate.errors import Refusal
from annotate.judging.models import Assignment, Judgement
from annotate.names import refuse_unseen
from annotate.studies.exclusions import decide, left_out
from annotate.studies.models import Role, Study
from annotate.studies.services import remove_member
from rankings import __version__
from rankings.elicitation.log import CRITERIA
from rankings.orders.buckets import bucket_of

from .models import Judge, JudgeAnswer
from .tasks import looks_of


@transaction.atomic
def declare_program(*, study: Study, person: User, name: str, reason: str, admin: User) -> Judge:
    """Make a closed judge of an annotator's answers, which leave the numbers of people for good.

    The person is no longer a member, and no decision counts the answers again. The log of answers
    and kept reports do not change. Raises Refusal if there is a judge of this name, if the person
    does not rank in the study, or without answers.
    """
    refuse_unseen(name, Refusal)
    if study.judges.filter(name=name).exists():
        raise Refusal(
            _("There is a program “{name}” already. Choose another name.").format(name=name)
        )
    for membership in study.memberships.select_for_update().filter(
        person=person, role=Role.ANNOTATOR
    ):
        remove_member(membership=membership)
    said = _("These answers came from a program: {reason}").format(reason=reason)
    if person.pk not in left_out(study):
        decide(study=study, person=person, is_excluded=True, reason=said, by=admin)
    answers = [*_answers(study, person)]
    if not answers:
        raise Refusal(_("This person has not answered in the study."))
    of_person = Judgement.objects.filter(assignment__study=study, assignment__annotator=person)
    judge = Judge.objects.create(
        study=study,
        name=name,
        kind=Judge.Kind.COMMAND,
        host="command",
        prompt_sha256=sha256(b"").hexdigest(),
        parts=[],
        pairs="all",
        images=sorted({answer.image_id for answer in answers}),
        orders=Judge.Orders.ONE,
        criteria=[one for one in CRITERIA if any(getattr(answer, one) for answer in answers)],
        sees_truth=any("ground_truth" in aids for aids in of_person.values_list("aids", flat=True)),
        software_version=__version__,
        made_by=admin,
        closed=timezone.now(),
    )
    for answer in answers:
        answer.judge = judge
    JudgeAnswer.objects.bulk_create(answers, batch_size=500)
    # With ``about``, the entry marks the person as a program (studies.exclusions.programs()).
    details = {"reason": reason, "answers": len(answers)}
    record(Act.JUDGE_MADE, study=study, about=person, actor=admin, what=name, details=details)
    return judge


def _answers(study: Study, person: User) -> Iterator[JudgeAnswer]:
    """Yield an answer to each pair that the person's ranking of an image orders, or that was answered."""
    own = study.assignments.filter(annotator=person).order_by("position")
    looks = looks_of(study, [*own.values_list("image", flat=True)])
    methods = dict(
        Result.objects.filter(method__studies=study, image__in=[*looks]).values_list("pk", "method")
    )
    for assignment in own:
        of_image = looks.get(assignment.image_id, [])
        first = {result: look[0] for look in of_image for result in look}
        if assignment.state == Assignment.State.COMPLETE:
            pairs = _ranked(assignment, first, methods)
        else:
            pairs = _answered(assignment, first)
        for (left, right), verdicts in pairs.items():
            given = {name: verdict for name, verdict in verdicts.items() if verdict}
            if given:
                yield JudgeAnswer(
                    image_id=assignment.image_id,
                    left_id=left,
                    right_id=right,
                    repeat=1,
                    attempt=1,
                    outcome=JudgeAnswer.Outcome.ANSWERED,
                    **given,
                )


Verdicts = dict[tuple[int, int], dict[str, str]]


def _ranked(
    assignment: Assignment, first: Mapping[int, int], methods: Mapping[int, int]
) -> Verdicts:
    shown = [first[result] for item in assignment.items for result in item if result in first]
    found: Verdicts = {pair: {} for pair in combinations(dict.fromkeys(shown), 2)}
    for criterion, buckets in (assignment.rankings or {}).items():
        place = bucket_of(buckets)
        for (left, right), verdicts in found.items():
            one, other = place.get(methods[left]), place.get(methods[right])
            if one is not None and other is not None:
                verdicts[criterion] = (
                    "equal" if one == other else "left" if one < other else "right"
                )
    return found


def _answered(assignment: Assignment, first: Mapping[int, int]) -> Verdicts:
    """Return the last answer in force to each pair; of a known-answer pair there is none."""
    found: Verdicts = {}
    answers = assignment.judgements.filter(withdrawal__isnull=True, screen__known__isnull=True)
    for answer in answers.select_related("screen").order_by("number"):
        sides = answer.screen.left_id, answer.screen.right_id
        if all(side in first for side in sides):
            left, right = (first[side] for side in sides)
            found.pop((right, left), None)
            found[left, right] = {**answer.verdicts}
    return found

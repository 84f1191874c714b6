"""Methods that join or leave a running study; no pair is asked again."""

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Method, Result
from annotate.studies.errors import StudyRefused
from annotate.studies.models import Membership, Study
from rankings.elicitation.rechecks import Settled

from .models import Assignment, Screen
from .planning import finish, next_screen, reopen
from .replay import item_of_each_result, method_of_each_result, read_log

_MIN_METHODS = 2


@transaction.atomic
def add_method(*, study: Study, method: Method) -> int:
    """Add another method; return how many rankings wait for it.

    Its results are placed in the existing rankings with few screens; no pair is asked again.
    Raises StudyRefused for a method of another dataset or one that already takes part.
    """
    if method.dataset_id != study.dataset_id:
        raise StudyRefused(
            _("{method} is not a method of {dataset}.").format(method=method, dataset=study.dataset)
        )
    if study.methods.contains(method):
        raise StudyRefused(_("{method} already takes part.").format(method=method))
    _lock_members(study)
    study.methods.add(method)
    record(Act.METHOD_ADDED, study=study, what=method.name)
    results = {
        result.image_id: result
        for result in method.results.filter(image__study_images__study=study)
    }
    n_waiting = 0
    for assignment in _assignments(study):
        result = results.get(assignment.image_id)
        if result is not None and _may_ask(assignment, method):
            _extend(assignment, result)
            n_waiting += _take_stock(assignment)
    return n_waiting


@transaction.atomic
def withdraw_method(*, study: Study, method: Method) -> None:
    """Remove a method. Its answers stay in the log; rankings leave it out.

    Raises StudyRefused for a method that does not take part, and if fewer than two would be left.
    """
    if not study.methods.contains(method):
        raise StudyRefused(
            _("{method} does not take part in {study}.").format(method=method, study=study)
        )
    if study.methods.count() <= _MIN_METHODS:
        raise StudyRefused(_("A study compares at least two methods, and this one has only two."))
    _lock_members(study)
    study.methods.remove(method)
    record(Act.METHOD_WITHDRAWN, study=study, what=method.name)
    for assignment in _assignments(study):
        method_of = method_of_each_result(assignment)
        hidden = [
            item
            for item, results in enumerate(assignment.items)
            if not any(result in method_of for result in results)
        ]
        if hidden != assignment.hidden or assignment.rankings is not None:
            assignment.hidden = hidden
            assignment.save(update_fields=["hidden"])
            _take_stock(assignment)


def _lock_members(study: Study) -> None:
    """Block every annotator's answers until the study's methods have changed."""
    list(Membership.objects.select_for_update().filter(study=study).order_by("pk"))


def _assignments(study: Study) -> list[Assignment]:
    assignments = Assignment.objects.filter(study=study).order_by("pk")
    return list(assignments.select_related("study", "image__dataset"))


def _may_ask(assignment: Assignment, method: Method) -> bool:
    """Return whether a visit may ask about a method: not if its sample was drawn without it."""
    return assignment.drawn is None or method.pk in assignment.drawn["methods"]


def _extend(assignment: Assignment, result: Result) -> None:
    """Assign a result to one of the planner's items: a new one, or that of an equal result."""
    ids = [results[0] for results in assignment.items]
    digest_of = dict(Result.objects.filter(pk__in=ids).values_list("pk", "sha256"))
    for item, results in enumerate(assignment.items):
        if digest_of.get(results[0]) == result.sha256:
            if result.pk not in results:
                results.append(result.pk)
            assignment.hidden = [other for other in assignment.hidden if other != item]
            break
    else:
        assignment.items.append([result.pk])
    assignment.save(update_fields=["items", "hidden"])


def _take_stock(assignment: Assignment) -> bool:
    """Bring an assignment's state up to date with its log; return whether it waits for answers."""
    log = read_log(assignment)
    reopen(assignment)
    waiting = assignment.screens.filter(state=Screen.State.WAITING)
    asked_still = [
        screen for screen in waiting if not _is_out_of_date(assignment, screen, log.settled)
    ]
    if asked_still:
        return True
    waiting.update(state=Screen.State.RETIRED)
    if next_screen(assignment, log) is not None:
        return True
    finish(assignment, log)
    return False


def _is_out_of_date(assignment: Assignment, screen: Screen, settled: Settled) -> bool:
    item_of = item_of_each_result(assignment)
    pair = item_of[screen.left_id], item_of[screen.right_id]
    if not set(settled.state.items).issuperset(pair):
        return True
    if screen.is_check or screen.known is not None:
        return False
    return not settled.state.open_criteria(*pair)

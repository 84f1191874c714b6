"""Entrances made and changed; people admitted, followed through their visit, and given their code."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.accounts.models import hash_of
from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.judging import services as judging
from annotate.judging.attention_checks import answers_so_far
from annotate.judging.current_screen import Outcome as Answered
from annotate.judging.image_allocation import first_visit_is_due
from annotate.judging.models import Judgement, Screen, Skip
from annotate.learning.selectors import contacts
from annotate.learning.services import give_consent
from annotate.studies.models import Membership, Study
from annotate.studies.services import add_visitor, remove_member
from rankings.elicitation.attention_checks import (
    EVIDENCE_TO_END,
    EVIDENCE_TO_WARN,
    evidence_of_guessing,
)

from . import pace
from .errors import EntranceRefused, IncompleteLink, NotAdmitted
from .models import Arrival, Entrance, Outcome
from .platforms import is_https, is_known_host
from .selectors import minutes_of

# Letters that ids of platforms are made of. None of them means anything to a spreadsheet at the start.
_AN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@+=-]{0,127}")
_LEAST_LIMIT_MINUTES: Final = 20
# A place without an answer is lent after this long without a sign of life.
LENT_AFTER: Final = timedelta(minutes=10)
_SIGNS_EVERY: Final = timedelta(seconds=30)
# How long a withdrawal waits that another browser than the consenting one asked for.
_WITHDRAWAL_WAITS: Final = timedelta(days=1)
# Pairs at the start of a visit, none of which has a known answer.
_N_WITHOUT_CHECKS: Final = 2


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids that a platform adds to its link; empty for an entrance without ids."""

    person: str = ""
    submission: str = ""


def ids_of(entrance: Entrance, given: Mapping[str, str]) -> Ids:
    """Read the ids from the parameters of a link. Raises IncompleteLink."""
    if not entrance.takes_ids:
        return Ids()
    person = given.get(entrance.person_parameter, "")
    submission = given.get(entrance.submission_parameter, "")
    is_whole = bool(_AN_ID.fullmatch(person))
    if entrance.submission_parameter and submission:
        is_whole = is_whole and bool(_AN_ID.fullmatch(submission))
    if not is_whole:
        raise IncompleteLink(
            _("The link is incomplete: it lacks the code by which {platform} knows you.").format(
                platform=entrance.get_platform_display()
            )
        )
    return Ids(person, submission)


@transaction.atomic
def save_entrance(entrance: Entrance, *, excludes: Any = None, may_send_anywhere: bool) -> None:
    """Store a new or changed entrance.

    Raises EntranceRefused as `check_entrance` does, and for a link that is taken.
    """
    check_entrance(entrance, may_send_anywhere=may_send_anywhere)
    if Entrance.objects.filter(slug=entrance.slug).exclude(pk=entrance.pk).exists():
        raise EntranceRefused(_("Another entrance has this link already."), "slug")
    is_new = entrance.pk is None
    before = None if is_new else Entrance.objects.get(pk=entrance.pk)
    entrance.save()
    if excludes is not None:
        entrance.excludes.set(excludes)
    names = [field.attname for field in Entrance._meta.concrete_fields]
    changed = [name for name in names if getattr(before, name, None) != getattr(entrance, name)]
    act = Act.ENTRANCE_MADE if is_new else Act.ENTRANCE_CHANGED
    details = {} if is_new else {"settings": changed}
    record(act, study=entrance.study, what=entrance.name, details=details)


def check_entrance(entrance: Entrance, *, may_send_anywhere: bool) -> None:
    """Raise EntranceRefused for a way back to a strange host, or for too few pairs."""
    check_way_back(entrance.way_back, may_send_anywhere=may_send_anywhere)
    if entrance.n_pairs is not None:
        check_size(entrance.n_pairs, entrance.n_checks)


def check_way_back(address: str, *, may_send_anywhere: bool) -> None:
    """Raise EntranceRefused unless people may be sent to this address."""
    if not address:
        return
    if not is_https(address):
        raise EntranceRefused(
            _("The way back is an address that begins with https://."), "way_back"
        )
    if not may_send_anywhere and not is_known_host(address, settings.RECRUITING_HOSTS):
        raise EntranceRefused(
            _(
                "People can be sent back to the known platforms only. An admin may allow more hosts."
            ),
            "way_back",
        )


def check_size(n_pairs: int, n_checks: int) -> None:
    """Raise EntranceRefused if a visit is too short for its known-answer pairs."""
    if n_pairs < n_checks + _N_WITHOUT_CHECKS:
        words = _("Too few: the known-answer pairs come after the first two.")
        raise EntranceRefused(words, "size")


def has_contact(study: Study) -> bool:
    """Return whether the page before consent names a contact: in own words, or by e-mail address."""
    return bool(study.contact.strip()) or any(person.email for person in contacts(study))


@transaction.atomic
def set_state(entrance: Entrance, state: str) -> None:
    """Open, pause or close an entrance. People who are in may finish.

    Raises EntranceRefused to open one whose study names no contact.
    """
    if state == Entrance.State.OPEN and not has_contact(entrance.study):
        raise EntranceRefused(_("Say first whom participants can ask: change the entrance."))
    entrance.state = Entrance.State(state)
    entrance.save(update_fields=["state"])
    details = {"state": entrance.state}
    record(Act.ENTRANCE_CHANGED, study=entrance.study, what=entrance.name, details=details)


def arrival_by(entrance: Entrance, ids: Ids) -> Arrival | None:
    """Return the arrival of the person with these ids in the study, by any of its entrances."""
    if not ids.person:
        return None
    arrivals = Arrival.objects.select_related("entrance", "study", "person")
    found_by = {"platform": entrance.platform, "participant": ids.person}
    return arrivals.filter(study=entrance.study_id, **found_by).first()


def why_shut(entrance: Entrance, ids: Ids) -> str:
    """Return the outcome for a newcomer whom the entrance does not admit now; empty if it does.

    A paused entrance gives none: its page asks people to come back.
    """
    if entrance.state == Entrance.State.CLOSED or entrance.study.state != Study.State.OPEN:
        return Outcome.LATE
    others = Arrival.objects.filter(platform=entrance.platform, participant=ids.person)
    is_excluded = Exists(others.exclude(participant="").filter(study__in=entrance.excludes.all()))
    held = entrance.arrivals.holding_places().order_by().values("entrance")
    n_held = Subquery(held.annotate(n=Count("pk")).values("n"))
    row = Entrance.objects.filter(pk=entrance.pk).values_list(is_excluded, n_held)
    excluded, taken = row.get()
    if excluded:
        return Outcome.DEVICE
    return Outcome.FULL if (taken or 0) >= entrance.places else ""


@judging.in_turn()
@transaction.atomic
def admit(
    *,
    entrance: Entrance,
    ids: Ids,
    answers: list[dict[str, str]] | None = None,
    secret: str = "",
) -> Arrival:
    """Take a place for a person who has agreed, as an annotator under a pseudonym.

    The browser keeps the secret. The same ids twice give the same arrival. Raises NotAdmitted, and
    EntranceRefused while the entrance is paused.
    """
    floor_seconds = pace.floor_of(entrance.study)
    # One after the other, so that places are exact; the study's lock, because ids are unique in it.
    locked = Entrance.objects.select_related("study").select_for_update(of=("self", "study"))
    entrance = locked.get(pk=entrance.pk)
    study = entrance.study
    known = arrival_by(entrance, ids)
    if known is not None:
        return known
    if outcome := why_shut(entrance, ids):
        raise NotAdmitted(outcome)
    if entrance.state == Entrance.State.PAUSED:
        raise EntranceRefused(_("The study is taking a break. Come back later."))
    person = User(username=f"visitor-{secrets.token_hex(6)}")
    person.set_unusable_password()
    person.save()
    now = timezone.now()
    minutes = entrance.limit_minutes or max(4 * minutes_of(entrance), _LEAST_LIMIT_MINUTES)
    arrival = Arrival(
        entrance=entrance,
        study=study,
        person=person,
        platform=entrance.platform,
        participant=ids.person,
        submission=ids.submission,
        consented=now,
        secret_hash=hash_of(secret) if secret else "",
        lent_from=now + LENT_AFTER,
        deadline=now + timedelta(minutes=minutes),
        floor_seconds=floor_seconds,
        answers=answers or [],
        is_asked=not any(one["when"] == "after" for one in entrance.questions),
    )
    arrival.save()
    add_visitor(study=study, person=person, group=entrance.group, **arrival.quota)
    give_consent(study=study, annotator=person)
    return arrival


def see(arrival: Arrival, *, has_answered: bool = False) -> None:
    """Record a sign of life, so that the place is not lent; from the first answer on it never is."""
    if arrival.lent_from is None:
        return
    lent_from = None if has_answered else timezone.now() + LENT_AFTER
    if lent_from is None or lent_from - arrival.lent_from > _SIGNS_EVERY:
        arrival.lent_from = lent_from
        arrival.save(update_fields=["lent_from"])


@judging.in_turn()
def turn_away(*, entrance: Entrance, outcome: str) -> str:
    """Count a person who does not take part, and return the code for it."""
    with transaction.atomic():
        row = Entrance.objects.select_for_update().get(pk=entrance.pk)
        row.turned_away[outcome] = row.turned_away.get(outcome, 0) + 1
        row.save(update_fields=["turned_away"])
    return entrance.code_of(outcome)


def follow(arrival: Arrival, answered: Answered | None = None) -> Arrival:
    """Look at a visit in progress: end it if it is over, and ask for a closer look if it must be.

    ``answered``: the outcome of an answer just stored, so that only what it changed is read. Without
    it the log is read, as often as wanted.
    """
    if arrival.outcome:
        return arrival
    study, person = arrival.study, arrival.person
    waits = Screen.objects.filter(
        assignment__study=study, assignment__annotator=person, state=Screen.State.WAITING
    )
    if study.state != Study.State.OPEN:
        # A pair on screen may still be answered for a while after the study was closed.
        if study.is_ending and waits.exists():
            return arrival
        return finish(arrival=arrival, outcome=Outcome.LATE)
    right = _known_to_look_at(arrival, answered)
    if evidence_of_guessing(right) >= EVIDENCE_TO_WARN or _is_too_fast(arrival, answered):
        if _goes_on(arrival, right):
            return finish(arrival=arrival, outcome=Outcome.CHECKS)
        if arrival.n_pauses == 0 and not arrival.is_paused:
            arrival.is_paused = True
            arrival.save(update_fields=["is_paused"])
    if answered is None:
        if waits.exists() or first_visit_is_due(study, person):
            return arrival
        answered = judging.start(study=study, annotator=person)
    return arrival if answered.turn else finish(arrival=arrival, outcome=_outcome(arrival))


def _known_to_look_at(arrival: Arrival, answered: Answered | None) -> tuple[bool, ...]:
    """Return the known-answer pairs so far, or none if they are of no consequence or as before."""
    is_as_before = answered is not None and answered.event and answered.event.known is None
    if not _is_looked_at(arrival) or is_as_before:
        return ()
    if answered is not None and answered.remaining.known is not None:
        return answered.remaining.known
    return answers_so_far(arrival.study, arrival.person)


def _is_too_fast(arrival: Arrival, answered: Answered | None) -> bool:
    # An answer that is not fast makes the last ones no faster.
    event = answered and answered.event
    if event and (event.is_skip or not pace.may_be_fast(arrival, event.seconds)):
        return False
    return _is_looked_at(arrival) and pace.is_too_fast(arrival)


def _is_looked_at(arrival: Arrival) -> bool:
    """Return whether answers have consequences, and there is one."""
    has_consequences = arrival.entrance.after_checks != Entrance.AfterChecks.NOTHING
    return has_consequences and arrival.lent_from is None


def _goes_on(arrival: Arrival, right: Sequence[bool]) -> bool:
    """Return whether guessing went on after the person was asked to look closer."""
    if arrival.entrance.after_checks != Entrance.AfterChecks.END or not arrival.n_pauses:
        return False
    n_wrong = len(right) - sum(right)
    return evidence_of_guessing(right) >= EVIDENCE_TO_END and n_wrong > arrival.n_wrong_then


def _outcome(arrival: Arrival) -> Outcome:
    entrance = arrival.entrance
    right = answers_so_far(arrival.study, arrival.person)
    is_short = bool(right) and sum(right) < entrance.checks_at_least * len(right)
    ends = entrance.after_checks == Entrance.AfterChecks.END
    return Outcome.CHECKS if is_short and ends else Outcome.COMPLETED


def go_on_after_pause(arrival: Arrival) -> None:
    """Record that the person has read why to look more closely."""
    if not arrival.is_paused:
        return
    right = answers_so_far(arrival.study, arrival.person)
    arrival.is_paused, arrival.n_pauses = False, arrival.n_pauses + 1
    arrival.n_wrong_then = len(right) - sum(right)
    arrival.save(update_fields=["is_paused", "n_pauses", "n_wrong_then"])


@judging.in_turn()
@transaction.atomic
def finish(*, arrival: Arrival, outcome: Outcome) -> Arrival:
    """End a visit and give its code; the first outcome stays."""
    arrival = (
        Arrival.objects.select_for_update(of=("self",))
        .select_related("entrance", "study", "person")
        .get(pk=arrival.pk)
    )
    if arrival.outcome:
        return arrival
    judging.end_work(study=arrival.study, annotator=arrival.person)
    count(arrival)
    arrival.outcome, arrival.ended = outcome, timezone.now()
    arrival.is_paused = False
    arrival.code = arrival.entrance.code_of(outcome)
    arrival.save()
    return arrival


def count(arrival: Arrival) -> None:
    """Set the counts of a visit from the log; nothing is stored."""
    study, person = arrival.study, arrival.person
    in_force = {"assignment__study": study, "assignment__annotator": person}
    answered = Judgement.objects.filter(**in_force, withdrawal__isnull=True)
    taken = list(answered.values_list("seconds_taken", flat=True))
    right = answers_so_far(study, person)
    arrival.n_pairs = len(taken)
    arrival.n_skipped = Skip.objects.filter(**in_force, withdrawal__isnull=True).count()
    arrival.active_seconds = sum(s for s in taken if s is not None) if any(taken) else None
    arrival.n_fast = pace.n_fast(arrival)
    arrival.n_checks, arrival.n_right = len(right), sum(right)


def has_consented_with(arrival: Arrival, secret: str) -> bool:
    """Return whether the secret is that of the browser in which this person consented."""
    return bool(secret) and secrets.compare_digest(hash_of(secret), arrival.secret_hash)


@transaction.atomic
def ask_to_withdraw(*, arrival: Arrival) -> None:
    """Withdraw in a day, unless the person stops it: anyone with the platform's id may ask this."""
    row = Arrival.objects.select_for_update().get(pk=arrival.pk)
    if not row.outcome and row.withdraws is None:
        row.withdraws = timezone.now() + _WITHDRAWAL_WAITS
        row.save(update_fields=["withdraws"])


def keep(*, arrival: Arrival) -> None:
    """Stop a withdrawal that waits."""
    Arrival.objects.filter(pk=arrival.pk).update(withdraws=None)


def withdraw_waiting() -> int:
    """Withdraw the people whose day is over; return how many."""
    due = Arrival.objects.filter(outcome="", withdraws__lte=timezone.now())
    due = due.select_related("entrance", "study", "person")
    return sum(withdraw(arrival=arrival).outcome == Outcome.NO_CONSENT for arrival in due)


@judging.in_turn()
@transaction.atomic
def withdraw(*, arrival: Arrival) -> Arrival:
    """Take back a person's consent: the answers go or stay as it said, and the place is free."""
    arrival = finish(arrival=arrival, outcome=Outcome.NO_CONSENT)
    if arrival.outcome == Outcome.NO_CONSENT and not arrival.entrance.keeps_answers:
        judging.erase_answers(study=arrival.study, annotator=arrival.person)
        arrival.answers = []
        arrival.save(update_fields=["answers"])
        for membership in Membership.objects.filter(study=arrival.study, person=arrival.person):
            remove_member(membership=membership)
    return arrival


@judging.in_turn()
@transaction.atomic
def answer_questions(*, arrival: Arrival, answers: list[dict[str, str]]) -> None:
    """Store the answers to the questions after the last pair; they are asked once."""
    row = Arrival.objects.select_for_update().get(pk=arrival.pk)
    if not row.is_asked:
        row.answers, row.is_asked = [*row.answers, *answers], True
        row.save(update_fields=["answers", "is_asked"])


@transaction.atomic
def erase_ids(*, entrance: Entrance) -> int:
    """Erase the platform's ids of everybody who came by an entrance; return how many."""
    n = _erase(Arrival.objects.filter(entrance=entrance))
    details = {"people": n}
    record(Act.IDS_ERASED, study=entrance.study, what=entrance.name, details=details)
    return n


def _erase(arrivals: Any) -> int:
    cleared = dict.fromkeys(("participant", "submission", "secret_hash"), "")
    n: int = arrivals.filter(erased=None).update(**cleared, erased=timezone.now())
    return n


def erase_ids_of(person: User) -> None:
    """Erase the ids of one person, and their answers to an entrance's questions."""
    arrivals = Arrival.objects.filter(person=person)
    _erase(arrivals)
    arrivals.update(answers=[])


def forget_ids() -> int:
    """Erase the ids that entrances keep no longer; return how many people they were of."""
    now = timezone.now()
    return sum(
        _erase(
            Arrival.objects.filter(
                entrance=entrance, consented__lt=now - timedelta(days=entrance.keep_days)
            )
        )
        for entrance in Entrance.objects.filter(arrivals__erased=None).distinct()
    )

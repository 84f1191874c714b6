"""Many people at the same second: places are exact, and the same ids are one person."""

import pytest

from annotate.recruiting.errors import NotAdmitted
from annotate.recruiting.models import Arrival
from annotate.recruiting.services import Ids, admit
from annotate.studies.models import Membership
from tests.support.participants import crowd_study, make_entrance
from tests.support.together import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def admission(entrance, person):
    def ask():
        try:
            return admit(entrance=entrance, ids=Ids(person))
        except NotAdmitted as refusal:
            return refusal.outcome

    return ask


def test_sixty_people_for_forty_places_at_the_same_second_are_forty_people():
    entrance = make_entrance(crowd_study(images=2), places=40)
    outcomes = at_once(*(admission(entrance, f"person{number}") for number in range(60)))
    assert sum(isinstance(outcome, Arrival) for outcome in outcomes) == 40
    assert outcomes.count("full") == 20
    assert Arrival.objects.count() == Membership.objects.count() == 40


def test_the_same_ids_twice_at_once_are_one_participant():
    entrance = make_entrance(crowd_study(images=2))
    arrivals = at_once(*(admission(entrance, "same") for _ in range(4)))
    assert len({arrival.pk for arrival in arrivals}) == 1
    assert Arrival.objects.count() == Membership.objects.count() == 1

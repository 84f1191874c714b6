"""SQL that is made once gives the rows of today, for other values, and stores what save() stores."""

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.utils import IntegrityError
from django.forms.models import model_to_dict

from annotate.judging.models import Assignment, Screen
from annotate.prepared_sql import PLANNED_AFTER, Prepared, insert, set_value
from annotate.studies.models import Membership
from tests.support.factories import add_annotator, make_person, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def members(person, name):
    memberships = Membership.objects.select_related("study").order_by("pk")
    return memberships.filter(person=person, study__name=name)


def test_each_call_gives_what_the_query_gives_with_these_values():
    first, second = make_person(), make_person()
    one, other = make_study(), make_study()
    for study, person in ((one, first), (other, first), (one, second)):
        add_annotator(study, person)
    prepared = Prepared(members)
    for person in (first, second):
        for study in (one, other):
            asked = {"person": person.pk, "name": study.name}
            assert prepared(**asked) == list(members(**asked))
    assert [found.study for found in prepared(person=first.pk, name=other.name)] == [other]
    assert prepared(person=first.pk, name="'; DROP TABLE x") == []
    # Rows are of now, not of the first call.
    Membership.objects.filter(person=first).delete()
    assert prepared(person=first.pk, name=one.name) == []


def test_no_sql_is_made_after_the_first_call(django_assert_num_queries, monkeypatch):
    person = make_person()
    prepared = Prepared(lambda pk: User.objects.filter(pk=pk))
    assert prepared(pk=person.pk) == [person]
    monkeypatch.setattr(connection.ops.compiler("SQLCompiler"), "as_sql", None)
    with django_assert_num_queries(1):
        assert prepared(pk=person.pk) == [person]


def test_a_value_that_no_row_is_compared_with_is_refused():
    with pytest.raises(LookupError, match="limit"):
        Prepared(lambda pk, limit: User.objects.filter(pk=pk))(pk=1, limit=3)


def test_a_new_row_is_stored_as_save_stores_it():
    study = make_study()
    assignment = Assignment(
        study=study, image=study.images.get(), annotator=make_person(), position=1, items=[[1], [2]]
    )
    insert(assignment)
    stored = Assignment.objects.get(pk=assignment.pk)
    assert model_to_dict(stored) == model_to_dict(assignment)
    assert stored.created == assignment.created
    with pytest.raises(IntegrityError):
        insert(assignment)


def test_one_field_is_stored_and_no_other():
    study = make_study()
    set_value(study, "state", "closed")
    study.name = "not stored"
    set_value(study, "seed", 5)
    study.refresh_from_db()
    assert (study.state, study.seed) == ("closed", 5)
    assert study.name != "not stored"
    assert not Screen.objects.exists()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL keeps plans")
def test_what_is_asked_again_is_planned_once_and_what_others_ask_is_not():
    people = [make_person() for _ in range(PLANNED_AFTER + 3)]
    prepared = Prepared(lambda pk, name: User.objects.filter(pk=pk, username=name))
    for person in people:
        assert prepared(pk=person.pk, name=person.username) == [person]
        assert User.objects.get(email="", pk=person.pk) == person
    assert prepared(pk=people[0].pk, name=people[1].username) == []
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        [(statement,)] = cursor.fetchall()
    assert "$2" in statement
    # After a refusal of the database the same question is asked on.
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(people[0])
    assert prepared(pk=people[0].pk, name=people[0].username) == [people[0]]

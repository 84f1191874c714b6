"""A site of an earlier release goes on after `migrate`: its rows, its rankings, its pages, its bundles.

`first-release.json.gz` holds every row of a site, and `first-release-bundle.zip` its finished
study, as the software before the second migration wrote them: two annotators who contradict
themselves, skip and undo, a study in work, scores, kept reports, a load, jobs, a token. They are
never regenerated.
"""

import gzip
import json
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.urls import reverse

from annotate.exchange.bundles.reading import import_study
from annotate.judging import services as judging
from annotate.judging.models import Judgement, Screen
from annotate.judging.replay import rankings_that_differ
from annotate.operations.backups.rows import set_next_keys
from annotate.reports.models import KeptReport
from annotate.scoring.models import Score
from annotate.studies.models import Study
from tests.support.databases import bare_database
from tests.support.truths import answer as answer_by
from tests.support.truths import same_truth

pytestmark = pytest.mark.database
FOLDER = Path(__file__).parent
FIRST = ("annotate", "0001_initial")


def rows_of_the_release():
    return json.loads(gzip.decompress((FOLDER / "first-release.json.gz").read_bytes()))


def migrated_to_the_release():
    """Make the tables as they were, and return the models as they were."""
    executor = MigrationExecutor(connection)
    others = [leaf for leaf in executor.loader.graph.leaf_nodes() if leaf[0] != "annotate"]
    return executor.migrate([FIRST, *others]).apps


@transaction.atomic
def fill(models_then, tables):
    for label, table in tables.items():
        model = models_then.get_model(label)
        fields = [model._meta.get_field(name) for name in table["columns"]]
        for row in table["rows"]:
            pairs = zip(fields, row, strict=True)
            values = {field.attname: field.to_python(value) for field, value in pairs}
            # Raw: the dates are those of the file.
            model(**values).save_base(raw=True, force_insert=True)


def stored(label, columns):
    """Return rows as the file has them, in the order of keys."""
    rows = apps.get_model(label)._base_manager.order_by("pk").values_list(*columns)
    return json.loads(json.dumps([list(row) for row in rows], default=said))


def said(value):
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


@pytest.fixture(scope="module")
def upgraded(django_db_setup, django_db_blocker, tmp_path_factory):
    """A database of the first release with its rows, migrated to today's."""
    with django_db_blocker.unblock(), bare_database(tmp_path_factory.mktemp("upgrade")):
        models_then = migrated_to_the_release()
        fill(models_then, rows_of_the_release())
        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        # Rows that were stored with their keys leave PostgreSQL's counters where they were.
        set_next_keys()
        yield


@pytest.fixture
def site(upgraded):
    """The upgraded site; what a test changes is taken back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_every_row_is_there_and_says_what_it_said(site):
    for label, table in rows_of_the_release().items():
        assert stored(label, table["columns"]) == table["rows"], label


def test_what_is_new_says_of_old_rows_what_they_meant(site):
    assert set(Study.objects.values_list("recheck_rule", "twin_iou")) == {("shared", 0.7)}
    assert set(Screen.objects.values_list("first", flat=True)) == {"left"}
    assert all(
        seen == {"first": "unknown"} for seen in Judgement.objects.values_list("seen", flat=True)
    )
    assert not Score.objects.exclude(n_truth=None, recalled=None).exists()
    assert Study().recheck_rule == "apart"


def test_every_ranking_is_what_its_log_gives(site):
    compared = list(rankings_that_differ())
    assert len(compared) == 7
    assert not [assignment for assignment, differs in compared if differs]


def test_pages_show_an_old_study_and_its_kept_report(site):
    client = signed_in("rita")
    study = Study.objects.get(name="Finished")
    kept = KeptReport.objects.get(study=study)
    assert kept.is_whole
    for name, arguments in (
        ("studies:detail", [study.slug]),
        ("reports:report", [study.slug]),
        ("reports:kept", [study.slug, kept.pk]),
        ("figures:kept_figures", [study.slug, kept.pk]),
    ):
        assert client.get(reverse(name, args=arguments)).status_code == 200, name


def test_a_study_in_work_goes_on_to_its_end(site):
    study = Study.objects.get(state="open")
    annotator = User.objects.get(memberships__study=study, memberships__role="annotator")
    page = signed_in(annotator.username).get(reverse("judging:judge", args=[study.slug]))
    assert page.status_code == 200
    truth = same_truth([["alpha-net"], ["beta-net"], ["gamma-net"]])
    turn = judging.start(study=study, annotator=annotator)
    while turn is not None:
        turn = answer_by(turn, annotator, truth)
    assignments = study.assignments.filter(annotator=annotator)
    names = dict(study.methods.values_list("pk", "name"))
    for assignment in assignments:
        ranked = [[names[pk] for pk in bucket] for bucket in assignment.rankings["recall"]]
        assert ranked == truth["recall"]
    assert len(assignments) == 2


def test_a_bundle_of_the_first_release_loads_to_the_same_study(site):
    here = Study.objects.get(name="Finished")
    # Names are taken once.
    for row in (here, here.dataset):
        type(row).objects.filter(pk=row.pk).update(name="Before", slug="before")
    loaded = import_study(FOLDER / "first-release-bundle.zip").study
    assert loaded.recheck_rule == "shared"
    assert ranked_by_name(loaded) == ranked_by_name(here)


def ranked_by_name(study):
    names = dict(study.methods.values_list("pk", "name"))
    ranked = []
    for image, rankings in study.assignments.values_list("image__name", "rankings"):
        for criterion, buckets in rankings.items():
            ranked.append((image, criterion, [sorted(map(names.get, one)) for one in buckets]))
    return sorted(ranked)


def signed_in(username):
    client = Client()
    client.force_login(
        User.objects.get(username=username), backend="annotate.permissions.Permissions"
    )
    return client

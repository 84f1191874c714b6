"""A site that today's program made goes on after `migrate`: its rows, rankings, pages and bundles.

Of each state there is a backup of a site and the bundle of its answered study, which
`write_state.py` wrote with the program as it was then.
"""

import io
import json
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.urls import reverse

from annotate.exchange.bundles.reading import import_study
from annotate.judging import services as judging
from annotate.judging.replay import rankings_that_differ
from annotate.operations.backups.errors import NotRestored
from annotate.operations.backups.restoring import restore
from annotate.operations.backups.rows import (
    columns,
    encoded_rows,
    kept_models,
    set_next_keys,
    store_rows,
)
from annotate.operations.backups.writing import write_backup
from annotate.operations.health import deep
from annotate.publication.work import write_paper
from annotate.reports.exports import tables_in
from annotate.reports.models import KeptReport
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.analysis.verdicts import earlier_loss
from rankings.output.analysis_tables import tables_of
from rankings.output.latex import Look
from tests.support.databases import bare_database
from tests.support.made_once import taken_back
from tests.support.pages import flat
from tests.support.truths import answer, same_truth

pytestmark = pytest.mark.database
FOLDER = Path(__file__).parent
STATES = ("0.1",)


def content_of(state):
    """Return the manifest of a state and the lines of each table."""
    with zipfile.ZipFile(FOLDER / f"site-{state}.zip") as archive:
        manifest = json.loads(archive.read("manifest.json"))
        lines = {
            label: archive.read(f"tables/{label}.jsonl").splitlines()
            for label in manifest["tables"]
        }
    return manifest, lines


def migrated_to_the_state(manifest):
    """Make the tables as they were, and return the models as they were."""
    executor = MigrationExecutor(connection)
    ours = [(app, name) for app, name in manifest["migrations"] if app == "annotate"]
    others = [leaf for leaf in executor.loader.graph.leaf_nodes() if leaf[0] != "annotate"]
    return executor.migrate([*ours, *others]).apps


def reordered(lines, order, wanted):
    places = [order.index(name) for name in wanted]
    for line in lines:
        row = json.loads(line)
        yield json.dumps([row[place] for place in places]).encode()


@pytest.fixture(scope="module", params=STATES)
def upgraded(django_db_setup, django_db_blocker, tmp_path_factory, request):
    """A database of a state with its rows, migrated to today's; its name."""
    manifest, lines = content_of(request.param)
    with django_db_blocker.unblock(), bare_database(tmp_path_factory.mktemp("upgrade")):
        models_then = migrated_to_the_state(manifest)
        with transaction.atomic():
            for label, order in manifest["tables"].items():
                model = models_then.get_model(label)
                store_rows(model, reordered(lines[label], order, columns(model)))
        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        set_next_keys()
        yield request.param


@pytest.fixture
def site(upgraded):
    """The state of the upgraded site; what a test changes is taken back."""
    with taken_back():
        yield upgraded


def test_every_row_is_there_and_says_what_it_said(site):
    manifest, lines = content_of(site)
    assert sum(map(len, lines.values())) > 100
    for model in kept_models():
        label = model._meta.label_lower
        kept = [name for name in manifest["tables"].get(label, ()) if name in columns(model)]
        # As data: a database may give the keys of an object in another order.
        stored = map(json.loads, reordered(encoded_rows(model), columns(model), kept))
        was = reordered(lines.get(label, ()), manifest["tables"].get(label), kept)
        assert [*stored] == [*map(json.loads, was)], label


def test_every_ranking_is_what_its_log_gives(site):
    compared = list(rankings_that_differ())
    assert len(compared) >= 4
    assert not [assignment for assignment, differs in compared if differs]


def test_doctor_computes_its_scores_again_and_names_none_as_outdated(site):
    """Its runs have the program's version: scores had none of their own, and are those of version 1."""
    runs = ProtocolRun.objects.filter(origin=ProtocolRun.Origin.COMPUTED)
    assert {run.version for run in runs} == {"0.1.0"}
    found = list(deep.scores())
    assert [finding.state for finding in found] == ["well"], found


def test_pages_show_a_study_and_its_kept_report(site):
    study = Study.objects.get(name="Finished")
    kept = KeptReport.objects.get(study=study)
    assert kept.is_whole
    client = signed_in(study.memberships.get(role="researcher").person)
    for name, arguments in (
        ("studies:detail", [study.slug]),
        ("reports:report", [study.slug]),
        ("reports:kept", [study.slug, kept.pk]),
        ("figures:kept_figures", [study.slug, kept.pk]),
        ("figures:kept_detectors", [study.slug, kept.pk]),
        ("publication:kept_paper", [study.slug, kept.pk]),
    ):
        assert client.get(reverse(name, args=arguments)).status_code == 200, name
    # Its tests had another loss: it is shown as it is, with a sentence, and without a verdict.
    page = client.get(reverse("reports:kept", args=[study.slug, kept.pk]))
    assert page.status_code == 200
    assert earlier_loss(kept.data)
    assert earlier_loss(kept.data) in flat(page.text)
    for table in tables_in(kept.data):
        if table.slug in {one.slug for one in tables_of(kept.data)}:
            assert table.note.startswith(earlier_loss(kept.data)), table.slug


def test_files_for_a_paper_are_written_from_a_kept_report(site):
    kept = KeptReport.objects.get(study__name="Finished")
    with io.BytesIO() as stream:
        write_paper(kept.data, Look(), [], stream)
        with zipfile.ZipFile(stream) as written:
            names = written.namelist()
            readme = written.read("README.md").decode()
    assert "report.md" in names
    # It has no inputs, so nothing in it can be proved.
    assert not {"verify.py", "rankings.csv", "scores.csv"} & {*names}
    assert "verify.py" not in readme
    assert "csv/rankings.csv" not in readme
    assert "No program recomputes these tables" in readme


def test_a_study_in_work_goes_on_to_its_end(site):
    study = Study.objects.get(name="In work")
    annotator = study.memberships.get(role="annotator").person
    page = signed_in(annotator).get(reverse("judging:judge", args=[study.slug]))
    assert page.status_code == 200
    truth = same_truth([["alpha-net"], ["beta-net"], ["gamma-net"]])
    turn = judging.start(study=study, annotator=annotator).turn
    while turn is not None:
        turn = answer(turn, annotator, truth)
    names = dict(study.methods.values_list("pk", "name"))
    assignments = study.assignments.filter(annotator=annotator)
    assert len(assignments) == 2
    for assignment in assignments:
        ranked = [[names[pk] for pk in bucket] for bucket in assignment.rankings["recall"]]
        assert ranked == truth["recall"]


def test_a_bundle_loads_to_the_same_study(site):
    here = Study.objects.get(name="Finished")
    # Names are taken once.
    for row in (here, here.dataset):
        type(row).objects.filter(pk=row.pk).update(name="Before", slug="before")
    loaded = import_study(FOLDER / f"study-{site}.zip").study
    assert ranked_by_name(loaded) == ranked_by_name(here)


def test_its_backup_fills_an_empty_site_with_every_row_and_ranking(upgraded, tmp_path):
    archive = tmp_path / "site.zip"
    with archive.open("wb") as stream:
        write_backup(stream, photographs=False)
    with bare_database(tmp_path), archive.open("rb") as was, io.BytesIO() as again:
        call_command("migrate", verbosity=0)
        assert sum(restore(archive).values()) > 100
        compared = [differs for _, differs in rankings_that_differ()]
        write_backup(again, photographs=False)
        before, after = (
            json.loads(zipfile.ZipFile(one).read("manifest.json")) for one in (was, again)
        )
    assert after["sums"] == before["sums"]
    assert len(compared) >= 4
    assert not any(compared)


@pytest.mark.django_db
@pytest.mark.parametrize("state", STATES)
def test_a_backup_is_not_restored_into_other_tables_and_names_the_version_to_install(state):
    with pytest.raises(
        NotRestored, match=r"Install version 0\.1\.0, and restore .* set_up --migrate"
    ):
        restore(FOLDER / f"site-{state}.zip")
    assert not User.objects.exists()


def ranked_by_name(study):
    names = dict(study.methods.values_list("pk", "name"))
    ranked = []
    for image, rankings in study.assignments.values_list("image__name", "rankings"):
        for criterion, buckets in (rankings or {}).items():
            ranked.append((image, criterion, [sorted(map(names.get, one)) for one in buckets]))
    return sorted(ranked)


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person, backend="annotate.permissions.Permissions")
    return client

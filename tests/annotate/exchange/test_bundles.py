"""A study as one zip, and back: nothing is lost."""

import hashlib
import io
import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.datasets.models import (
    Dataset,
    EarlierTruth,
    Image,
    Method,
    Result,
    Selection,
)
from annotate.exchange.bundles import MANIFEST
from annotate.exchange.bundles.reading import import_study
from annotate.exchange.bundles.records import plain_fields
from annotate.exchange.bundles.writing import NotExported
from annotate.jobs.models import Job
from annotate.judges import exports as raw
from annotate.judges.models import Judge, JudgeAnswer
from annotate.judges.tasks import to_do
from annotate.judging.methods import add_method, withdraw_method
from annotate.judging.models import Assignment, Judgement, Screen, Skip, Withdrawal
from annotate.judging.services import record_skip, start
from annotate.scoring.models import ProtocolRun, Score
from annotate.stopping.models import Look
from annotate.studies.exclusions import decide, left_out
from annotate.studies.models import Membership, Study, StudyImage
from tests.support.bundles import (
    as_lines,
    bundle_of,
    forget_photographs,
    lines_of,
    members_of,
    refused,
    summed,
    zipped,
)
from tests.support.factories import (
    add_annotator,
    make_admin,
    make_method,
    make_result,
    make_run,
    make_study,
)
from tests.support.judges import HOST, with_judges
from tests.support.made_once import made_once, taken_back
from tests.support.truths import rank_by, rank_everything, same_truth
from tests.support.work import file_made
from tests.support.worked import empty_the_site, n_rows, worked_study

pytestmark = pytest.mark.django_db

made_study = made_once(worked_study)


@pytest.fixture(scope="module")
def made_members(made_study):
    return members_of(bundle_of(made_study, photographs=True))


@pytest.fixture
def members(made_members, db):
    """A bundle on a site that is empty again."""
    empty_the_site()
    forget_photographs()
    return dict(made_members)


@pytest.mark.parametrize("photographs", [True, False])
def test_a_study_goes_out_and_comes_back_the_same(study, photographs):
    """The second bundle is equal byte by byte, so nothing it holds was lost or changed."""
    if not photographs:
        # Without them, their sizes are not kept on a site that does not have them.
        Image.objects.update(sha256="", content_type="", width=None, height=None)
        forget_photographs()
    before = {name: n for name, n in n_rows().items() if name not in ("Import", "User")}
    layout = {"panes": "one", "scale": 0.25}
    n_layouts = Judgement.objects.filter(recall="left").update(layout=layout)
    first = bundle_of(study, photographs=photographs)
    assert bundle_of(study, photographs=photographs) == first
    empty_the_site()
    if photographs:
        forget_photographs()
    loaded = import_study(io.BytesIO(first))
    assert loaded.notes == []
    assert {name: n_rows()[name] for name in before} == before
    assert Judgement.objects.filter(layout=layout).count() == n_layouts > 0
    again = bundle_of(loaded.study, photographs=photographs)
    assert members_of(again) == members_of(first)
    assert again == first
    assert (loaded.counts["photographs"] > 0) == photographs


def test_who_is_left_out_stays_left_out_on_another_site(study):
    steady, admin = study.assignments.first().annotator, make_admin()
    decide(study=study, person=steady, is_excluded=True, reason="too quick", by=admin)
    first = bundle_of(study)
    assert b"too quick" in members_of(first)["report.json"]
    Image.objects.update(sha256="", content_type="", width=None, height=None)
    first = bundle_of(study)
    empty_the_site()
    loaded = import_study(io.BytesIO(first))
    assert loaded.notes == []
    last = loaded.study.exclusions.last()
    # An admin of another site has no role here.
    assert (last.is_excluded, last.reason, last.created_by) == (True, "too quick", None)
    assert set(left_out(loaded.study)) == {last.person_id}
    assert members_of(bundle_of(loaded.study)) == members_of(first)


def test_judges_earlier_truths_and_selections_come_along(study):
    Image.objects.update(sha256="", content_type="", width=None, height=None)
    with_judges(study)
    image = study.dataset.images.in_order()[0]
    first = bundle_of(study)
    # A host is named only with user names.
    assert not any(HOST.encode() in content for content in members_of(first).values())
    with_names = bundle_of(study, names=True)
    rows = [*raw.answers(study)]
    empty_the_site()
    loaded = import_study(io.BytesIO(first)).study
    assert [*raw.answers(loaded)] == rows
    assert [one.name for one in loaded.judges.all()] == ["Counter", "Refuser"]
    assert to_do(loaded.judges.first()) == []
    [earlier] = EarlierTruth.objects.all()
    assert (earlier.image.name, earlier.reason, earlier.person) == (image.name, "no text", None)
    [chosen] = Selection.objects.get().images.all()
    assert chosen.name == image.name
    assert members_of(bundle_of(loaded)) == members_of(first)
    empty_the_site()
    assert import_study(io.BytesIO(with_names)).study.judges.first().host == HOST


def test_looks_come_along_with_their_decisions_and_times(study):
    found = {"recall": {"decided": [["p", "q"]], "withdrawn": [], "held": [["p", "q"]]}}
    taken = study.created + timedelta(days=400)
    Image.objects.update(sha256="", content_type="", width=None, height=None)
    Look.objects.create(study=study, number=1, due=3, taken=taken, n_counted=4, found=found)
    Look.objects.create(study=study, number=2, due=6)
    first = bundle_of(study)
    assert json.loads(members_of(first)[MANIFEST])["as_of"] == taken.isoformat()
    empty_the_site()
    loaded = import_study(io.BytesIO(first)).study
    one, two = loaded.looks.all()
    assert (one.due, one.taken, one.n_counted, one.found) == (3, taken, 4, found)
    assert (two.due, two.taken, two.n_counted, two.found) == (6, None, None, {})
    assert members_of(bundle_of(loaded)) == members_of(first)


def pairs_study():
    """Pairs on most images and whole rankings on one, by two people; one image has three annotators."""
    study = make_study(
        list("abcd"),
        images=5,
        methods_per_visit=2,
        whole_percent=20,
        min_annotators=1,
        max_annotators=1,
        agreement_percent=20,
    )
    for name, scores in (("one", (0.9, 0.8, 0.5, 0.1)), ("two", (0.8, 0.9, 0.5, 0.1))):
        make_run(study, name, dict(zip("abcd", scores, strict=True)))
    rank_by(2, study, same_truth([list("ab"), list("cd")]))
    return study


def test_a_study_of_pairs_goes_out_and_comes_back_the_same():
    study = pairs_study()
    first = bundle_of(study)
    empty_the_site()
    loaded = import_study(io.BytesIO(first)).study
    assert bundle_of(loaded) == first
    assert (loaded.methods_per_visit, loaded.drawn_by) == (2, "disagreement")
    assert loaded.study_images.filter(asks_all=True).count() == 1
    assert list(loaded.study_images.values_list("n_annotators", flat=True)).count(3) == 1
    visits = loaded.assignments.filter(drawn__isnull=False)
    newest = sorted(loaded.dataset.runs.values_list("pk", flat=True))
    assert visits.exists()
    assert all(visit.drawn["runs"] == newest for visit in visits)
    call_command("replay", "--check")


def test_a_study_in_the_careful_order_goes_out_and_comes_back_the_same():
    """Each image is read by what it started from, and answers that looked the same stay marked."""
    study = make_study(list("abcd"), images=3, strategy="careful", certainty=0.95, may_repeat=False)
    annotator = add_annotator(study)
    turn = start(study=study, annotator=annotator).turn
    record_skip(screen_id=turn.screen.public_id, annotator=annotator, reason="same")
    rank_everything(study, annotator, same_truth([["a"], list("bc"), ["d"]]))
    first = bundle_of(study)
    priors = list(study.assignments.order_by("position").values_list("slip_prior", flat=True))
    assert len([prior for prior in priors if prior]) == 2
    empty_the_site()
    loaded = import_study(io.BytesIO(first)).study
    assert bundle_of(loaded) == first
    assert (loaded.certainty, loaded.may_repeat) == (0.95, False)
    assert priors == list(
        loaded.assignments.order_by("position").values_list("slip_prior", flat=True)
    )
    assert Judgement.objects.filter(looks_same=True).count() == 1
    call_command("replay", "--check")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda drawn: drawn["pairs"][0].__setitem__(2, 0), "a probability above 0"),
        (lambda drawn: drawn["pairs"].clear(), "a probability above 0"),
        (lambda drawn: drawn["runs"].append(9), "is not a number from 1 to 2"),
        (lambda drawn: drawn["methods"].append("a"), "a probability above 0"),
        (lambda drawn: drawn["from"].append("nobody"), "is missing or unknown"),
    ],
)
def test_a_draw_that_cannot_be_is_refused(change, sentence):
    with taken_back():
        members = members_of(bundle_of(pairs_study()))
    rows = lines_of(members, "assignments-0001.jsonl")
    change(next(row["drawn"] for row in rows if row["drawn"]))
    assert sentence in refused(summed(members | {"assignments-0001.jsonl": as_lines(rows)}))


def test_the_report_of_the_loaded_study_is_the_bundles(members, tmp_path):
    loaded = import_study(zipped(members))
    out = tmp_path / "report.json"
    call_command("export_report", loaded.study.slug, "--format", "json", "--out", str(out))
    # A report is dated; the bundle's date is that of the last answer.
    today, then = (
        json.loads(text)["header"]["date"] for text in (out.read_text(), members["report.json"])
    )
    assert out.read_bytes().replace(today.encode(), then.encode()) == members[
        "report.json"
    ].replace(today.encode(), then.encode())
    call_command("replay", "--check")


def test_without_photographs_their_size_stays_only_where_the_site_has_them(study):
    content = bundle_of(study)
    Study.objects.update(name="other", slug="other")
    Dataset.objects.update(name="other", slug="other")
    loaded = import_study(io.BytesIO(content))
    assert loaded.study.dataset.images.exclude(sha256="").count() == 3
    empty_the_site()
    loaded = import_study(io.BytesIO(content))
    assert not loaded.study.dataset.images.exclude(sha256="").exists()


def test_a_study_comes_beside_other_data(study):
    content = bundle_of(study)
    Study.objects.update(name="other", slug="other")
    Dataset.objects.update(name="other", slug="other")
    rows = n_rows()
    import_study(io.BytesIO(content))
    assert n_rows()["Judgement"] == 2 * rows["Judgement"]
    assert study.assignments.count() == Assignment.objects.count() / 2


def test_nobody_signs_in_as_somebody_of_a_bundle(members):
    import_study(zipped(members))
    people = User.objects.all()
    assert sorted(person.username for person in people) == [
        "annotator-1.street-signs",
        "annotator-2.street-signs",
        "annotator-3.street-signs",
        "researcher-1.street-signs",
    ]
    for person in people:
        assert not person.is_active
        assert not person.has_usable_password()
        assert not person.is_staff
        assert not person.is_superuser


def test_no_name_is_in_a_bundle_unless_it_was_asked_for(study):
    name = Membership.objects.first().person.username
    inside = b"".join(members_of(bundle_of(study)).values())
    assert name.encode() not in inside
    # A browser's description may identify its user.
    assert b"Example 1.0" not in inside
    with_names = b"".join(members_of(bundle_of(study, names=True)).values())
    assert name.encode() in with_names
    assert b"Example 1.0" in with_names


def test_the_researchers_words_go_along_and_whom_to_ask_only_with_names(study):
    Study.objects.update(welcome="Hello **all**", consent="I do.", contact="Ada, ada@example.org")
    study.refresh_from_db()
    for names, contact in ((False, ""), (True, "Ada, ada@example.org")):
        content = bundle_of(study, names=names)
        empty_the_site()
        study = import_study(io.BytesIO(content)).study
        assert (study.welcome, study.consent) == ("Hello **all**", "I do.")
        assert study.contact == contact
        Study.objects.update(contact="Ada, ada@example.org")
        study.refresh_from_db()


def test_a_bundle_with_names_can_be_loaded_and_takes_over_nobodys_account(study):
    content = bundle_of(study, names=True)
    person = study.memberships.filter(role="annotator").first().person
    Study.objects.update(name="other", slug="other")
    Dataset.objects.update(name="other", slug="other")
    loaded = import_study(io.BytesIO(content))
    assert not loaded.study.memberships.filter(person=person).exists()
    assert User.objects.filter(username=f"{person.username}.street-signs").exists()


def test_methods_that_came_and_went_stay_known(study):
    """A withdrawn method is hidden and not forgotten; one that came later is placed or waits."""
    Image.objects.update(sha256="", content_type="", width=None, height=None)
    withdraw_method(study=study, method=study.methods.get(name="d"))
    late = make_method(study.dataset, "late")
    for image in study.images.in_order():
        make_result(image, late)
    add_method(study=study, method=late)
    assert Assignment.objects.exclude(hidden=[]).exists()
    content = bundle_of(study)
    empty_the_site()
    assert bundle_of(import_study(io.BytesIO(content)).study) == content


def test_work_goes_on_where_it_was(members):
    """The pair that waited waits; only the account must be given back to a person."""
    study = import_study(zipped(members)).study
    person = User.objects.get(username="annotator-3.street-signs")
    Membership.objects.create(study=study, person=person, role="annotator")
    waiting = Screen.objects.get(assignment__annotator=person, state="waiting")
    assert start(study=study, annotator=person).turn.screen == waiting


def test_a_study_that_nobody_has_worked_on_goes_out_and_comes_back():
    content = bundle_of(make_study(["a", "b"], name="Empty"))
    empty_the_site()
    assert bundle_of(import_study(io.BytesIO(content)).study) == content


def test_the_order_of_the_zip_does_not_matter(members):
    import_study(zipped(dict(sorted(members.items(), reverse=True))))


def test_long_lists_are_split(study, monkeypatch):
    monkeypatch.setattr("annotate.exchange.bundles.writing.PART_BYTES", 2000)
    content = bundle_of(study)
    parts = [name for name in members_of(content) if name.startswith("assignments-")]
    assert len(parts) > 1
    Image.objects.update(sha256="", content_type="", width=None, height=None)
    content = bundle_of(study)
    empty_the_site()
    assert bundle_of(import_study(io.BytesIO(content)).study) == content


def test_the_command_goes_out_and_comes_back(study, tmp_path, capsys):
    out = tmp_path / "study.zip"
    call_command("export_study", study.slug, "--out", str(out), "--images")
    assert out.read_bytes() == bundle_of(study, photographs=True)
    assert [path.name for path in tmp_path.glob("*.zip*")] == ["study.zip"]
    empty_the_site()
    call_command("import_study", str(out))
    assert "Rankings: identical." in capsys.readouterr().out
    receipt = Dataset.objects.get().imports.get()
    assert receipt.files[0]["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()


def test_the_commands_refuse_with_an_exit_code(tmp_path):
    for arguments in (
        ["export_study", "nothing", "--out", str(tmp_path / "x.zip")],
        ["import_study", str(tmp_path / "x.zip")],
    ):
        with pytest.raises(CommandError) as refusal:
            call_command(*arguments)
        assert refusal.value.returncode == 2


def test_a_photograph_that_is_missing_stops_the_export(study, tmp_path):
    forget_photographs()
    with pytest.raises(NotExported, match="is missing in the site's storage"):
        bundle_of(study, photographs=True)
    with pytest.raises(CommandError):
        call_command("export_study", study.slug, "--out", str(tmp_path / "x.zip"), "--images")
    assert not list(tmp_path.glob("*x.zip*"))
    bundle_of(study)


def test_researchers_download_what_the_command_writes(researcher, study):
    url = reverse("exchange:bundle", args=[study.slug])
    assert file_made(researcher, url).getvalue() == bundle_of(study)
    assert Job.objects.get().outcome == f"{study.slug}.zip is ready."
    with_photographs = file_made(researcher, url, {"images": "yes"}).getvalue()
    assert with_photographs == bundle_of(study, photographs=True)
    assert file_made(researcher, url, {"names": "yes"}).getvalue() == bundle_of(study, names=True)
    forget_photographs()
    page = researcher.post(url, {"images": "yes"}, follow=True)
    assert "is missing in the site" in page.text


def test_a_bundle_knows_every_reference_of_what_it_holds():
    """A new reference between rows has to be written and read; new plain fields come along."""
    known = {
        Dataset: set(),
        Image: {"dataset"},
        Method: {"dataset"},
        Result: {"image", "method"},
        ProtocolRun: {"dataset"},
        Score: {"run", "result"},
        Study: {"dataset"},
        StudyImage: {"study", "image"},
        Membership: {"study", "person"},
        Assignment: {"study", "image", "annotator"},
        Screen: {"assignment", "left", "right"},
        Judgement: {"assignment", "screen"},
        Skip: {"assignment", "screen"},
        Withdrawal: {"assignment", "judgement", "skip"},
        EarlierTruth: {"image", "person"},
        Selection: {"dataset", "person"},
        Judge: {"study", "made_by"},
        JudgeAnswer: {"judge", "image", "left", "right"},
    }
    for model, references in known.items():
        plain = {field.name for field in plain_fields(model)}
        assert {field.name for field in model._meta.concrete_fields} - plain == references | {"id"}
    assert {field.name for field in Study._meta.many_to_many} == {"methods", "images"}


@pytest.mark.parametrize("photographs", [True, False])
def test_the_second_study_of_a_dataset_joins_the_first(study, photographs):
    """The dataset is there once, and each study goes out again as it came, byte by byte."""
    second = Study.objects.create(
        dataset=study.dataset, name="Again", slug="again", seed=7, state="open"
    )
    second.methods.set(study.methods.all())
    second.images.set(study.images.all())
    order = [[name] for name in study.methods.values_list("name", flat=True)]
    rank_everything(second, add_annotator(second), same_truth(order))
    if not photographs:
        Image.objects.update(sha256="", content_type="", width=None, height=None)
    came = [bundle_of(of, photographs=photographs) for of in (study, second)]
    of_data = ("Dataset", "Image", "Method", "Result", "ProtocolRun", "Score")
    before = {name: n_rows()[name] for name in of_data}
    empty_the_site()
    first, joined = (import_study(io.BytesIO(of)) for of in came)
    assert first.study.dataset == joined.study.dataset
    assert first.notes == []
    assert "was here already, with equal checksums" in joined.notes[0]
    assert {name: n_rows()[name] for name in of_data} == before
    assert [bundle_of(of.study, photographs=photographs) for of in (first, joined)] == came


def test_names_that_are_taken_are_refused(study):
    content = bundle_of(study)
    assert "There is a study named “Street signs”" in refused(content)
    Study.objects.update(name="other")
    assert "(at street-signs)" in refused(content)
    Study.objects.update(slug="other")
    study.dataset.methods.create(name="later")
    assert "There is a dataset named" in refused(content)

"""A load step by step: nothing is written before it is confirmed, and then everything or nothing."""

import io
import time
from pathlib import Path
from pkgutil import resolve_name

import pytest
from django.conf import settings as django_settings

from annotate.datasets.models import Dataset, Method, Result
from annotate.imports import (
    checking,
    drafts,
    guessing,
    loading,
    plans,
    staging,
    undoing,
)
from annotate.imports.errors import CannotUndo, NotLoaded
from annotate.imports.models import Draft, Finding, Import
from annotate.jobs.models import Job
from annotate.judging import services as judging
from annotate.scoring.models import ProtocolRun, Score
from annotate.scoring.services import score_protocol
from annotate.studies.models import Membership
from annotate.studies.services import create_study
from tests.support.cases import cases
from tests.support.factories import (
    add_annotator,
    make_admin,
    make_method,
    make_person,
    make_study,
)
from tests.support.loads import (
    DATA,
    PICTURES,
    RESULTS,
    TRUTH,
    add,
    add_results,
    checked,
    load_dataset,
    load_results,
    loaded,
    new_dataset,
    stored,
    stream,
    with_results,
)

pytestmark = pytest.mark.django_db
SCORES = "image,method,recall,precision\nimg_1,net,0.5,1\nimg_2,net,1,1\n"


def staged():
    return sorted(path.name for path in staging.folder().rglob("*") if path.is_file())


def whole_load():
    """Ground truth, photographs, two methods and scores in one go."""
    draft = new_dataset()
    add(draft, PICTURES, "photos.zip", kind="photographs")
    add_results(draft)
    add_results(draft, {"res_img_1.txt": "1,1,5,5\n", "res_img_2.txt": ""}, "other")
    add(draft, SCORES, "theirs.csv", kind="scores", title="Theirs")
    return draft


class TestFiles:
    def test_a_file_waits_under_its_hash_and_not_under_its_name(self):
        draft = drafts.open_draft(person=None, name="Street")
        file = drafts.add_file(draft=draft, stream=stream(TRUTH), name="../../etc/gt.zip")
        assert file.name == "gt.zip"
        assert staged() == [file.sha256]
        assert not Path(django_settings.MEDIA_ROOT).exists()

    @pytest.mark.parametrize(
        ("content", "name", "kind", "title"),
        [
            (TRUTH, "gt.zip", "truth", ""),
            (RESULTS, "res_Deep Net.zip", "results", "Deep Net"),
            ("username,email,role,study\n", "team.csv", "users", ""),
        ],
    )
    def test_what_a_file_is_is_guessed_and_said_why(self, content, name, kind, title):
        draft = drafts.open_draft(person=None)
        file = drafts.add_file(draft=draft, stream=stream(content), name=name)
        assert (file.kind, file.title) == (kind, title)
        assert file.reason

    @pytest.mark.parametrize("order", [("gt.zip", "net.zip"), ("net.zip", "gt.zip")])
    def test_beside_ground_truth_another_file_with_texts_holds_results(self, order):
        contents = {"gt.zip": TRUTH, "net.zip": {"img_1.txt": "0,0,99,39,one\n"}}
        draft = drafts.open_draft(person=None)
        for name in order:
            drafts.add_file(draft=draft, stream=stream(contents[name]), name=name)
        guessed = dict(draft.files.values_list("name", "kind"))
        assert guessed == {"gt.zip": "truth", "net.zip": "results"}
        assert draft.files.get(name="net.zip").title == "net"

    @pytest.mark.parametrize(
        ("name", "content", "kind"),
        [
            ("net.json", b'{"images": [], "annotations": [{"bbox": [0, 0, 9, 4]}]}', "results"),
            ("net.json", b'{"shapes": [{"points": [[0, 0], [9, 4]]}], "imagePath": "img_1.jpg"}', "results"),
            ("net.json", b'{"img_1": {"shape_attributes": {"x": 0}}}', "results"),
            ("net.xml", b'<PcGts><Page imageFilename="img_1.jpg"/></PcGts>', "results"),
            ("net.xml", b"<alto><Layout/></alto>", "results"),
            ("net.txt", b'img_1.jpg\t[{"transcription": "a", "points": [[0, 0]]}]', "results"),
            ("net.zip", {"img_1.txt": "0 0.5 0.5 0.1 0.1\n"}, "results"),
            ("net.zip", {"img_1.txt": "0,0,99,39,one\n"}, "results"),
            # A file marked as ground truth stays ground truth.
            ("gt.json", b'{"images": [], "annotations": []}', "truth"),
            ("net.json", b'{"info": {"kind": "truth"}, "images": [], "annotations": []}', "truth"),
            ("net.json", b'{"chars": [], "lines": []}', "truth"),
        ],
    )  # fmt: skip
    def test_a_file_without_confidences_holds_results_where_the_dataset_has_its_truth(
        self, name, content, kind
    ):
        content = io.BytesIO(content) if isinstance(content, bytes) else stream(content)
        guessed = []
        for dataset in (None, loaded(new_dataset())):
            content.seek(0)
            draft = drafts.open_draft(person=None, dataset=dataset)
            guessed.append(drafts.add_file(draft=draft, stream=content, name=name).kind)
        assert guessed == ["truth", kind]

    def test_the_same_file_twice_is_refused_by_name(self):
        draft = drafts.open_draft(person=None)
        add(draft, RESULTS, "a.zip")
        with pytest.raises(NotLoaded, match=r"b\.zip is the same file as a\.zip"):
            add(draft, RESULTS, "b.zip")
        assert len(staged()) == 1

    def test_a_file_that_is_too_large_is_refused_and_leaves_nothing(self, settings):
        settings.STAGED_FILE_MAX_BYTES = 10
        draft = drafts.open_draft(person=None)
        with pytest.raises(NotLoaded, match="larger than"):
            add(draft, b"x" * 11, "a.zip")
        assert staged() == []

    def test_uploads_together_are_bounded(self, settings):
        settings.STAGED_TOTAL_MAX_BYTES = 15
        draft = drafts.open_draft(person=None)
        add(draft, b"x" * 10, "a.zip")
        with pytest.raises(NotLoaded, match="no room"):
            add(draft, b"y" * 10, "b.zip")

    def test_a_removed_file_goes_from_disk_unless_another_load_needs_it(self):
        first, second = drafts.open_draft(person=None), drafts.open_draft(person=None)
        a, b = add(first, RESULTS, "a.zip"), add(second, RESULTS, "b.zip")
        drafts.remove_file(file=a)
        assert staged() == [b.sha256]
        drafts.remove_file(file=b)
        assert staged() == []

    def test_a_load_that_ends_takes_no_file_from_one_that_is_just_receiving_it(self, monkeypatch):
        ending, draft = drafts.open_draft(person=None), drafts.open_draft(person=None)
        add(ending, RESULTS, "a.zip")
        guess_file = guessing.guess_file

        def guess(path, *args, **kwargs):
            drafts.discard(draft=ending)
            return guess_file(path, *args, **kwargs)

        monkeypatch.setattr(guessing, "guess_file", guess)
        added = drafts.add_file(draft=draft, stream=stream(RESULTS), name="b.zip")
        assert staged() == [added.sha256]

    def test_a_file_that_was_loaded_before_is_known_again(self):
        admin = make_admin("ada")
        dataset = loaded(new_dataset(admin), admin)
        draft = drafts.open_draft(person=None, dataset=dataset)
        file = add(draft, TRUTH, "again.zip")
        earlier = drafts.earlier_loads(draft)[file.pk]
        assert (earlier.person, earlier.files[0]["name"]) == (admin, "gt.zip")
        undoing.undo_import(receipt=dataset.imports.get())
        assert drafts.earlier_loads(draft) == {}

    def test_changing_a_file_after_the_check_asks_for_another_check(self):
        draft = new_dataset()
        file = add_results(draft)
        checked(draft)
        drafts.change_file(file=file, title="better")
        draft.refresh_from_db()
        assert draft.state == "open"
        with pytest.raises(NotLoaded, match="not been checked"):
            drafts.confirm(draft=draft)


class TestCheck:
    def test_nothing_is_written_to_the_data(self):
        before = stored()
        draft = checked(whole_load())
        assert stored() == before
        assert plans.plan(draft).obstacles == []

    @pytest.mark.parametrize(
        ("content", "name", "fields", "refusal"),
        [
            (RESULTS, "a.zip", {"kind": "results", "title": "a"}, "belong to a dataset"),
            (PICTURES, "a.zip", {"kind": "photographs"}, "Photographs belong to a dataset"),
            (TRUTH, "a.zip", {"kind": "truth"}, "name of the dataset"),
        ],
    )
    def test_a_load_that_lacks_something_is_refused_before_it_begins(
        self, content, name, fields, refusal
    ):
        draft = drafts.open_draft(person=None)
        add(draft, content, name, **fields)
        with pytest.raises(NotLoaded, match=refusal):
            drafts.start_check(draft=draft)
        assert not Job.objects.exists()

    def test_a_kind_chosen_by_hand_stays_when_a_ground_truth_comes_later(self):
        """Results with texts look like ground truth while there is none."""
        texts = {"img_1.txt": "0,0,40,0,40,20,0,20,one\n"}
        for is_chosen in (False, True):
            draft = drafts.open_draft(person=None, name=f"Chosen {is_chosen}")
            first = drafts.add_file(draft=draft, stream=stream(texts), name="first.zip")
            assert first.kind == "truth"
            if is_chosen:
                drafts.change_file(file=first, kind="results", title="net")
                drafts.change_file(file=first, kind="truth")
            drafts.add_file(draft=draft, stream=stream(TRUTH), name="gt.zip")
            first.refresh_from_db()
            assert first.kind == ("truth" if is_chosen else "results")

    def test_a_load_without_files_is_refused(self):
        with pytest.raises(NotLoaded, match="at least one file"):
            drafts.start_check(draft=drafts.open_draft(person=None))

    def test_two_files_for_one_method_are_refused(self):
        draft = with_results()
        add_results(draft, {"res_img_1.txt": ""}, "NET")
        with pytest.raises(NotLoaded, match="Two of the archives"):
            drafts.start_check(draft=draft)

    def test_every_fault_stands_with_its_place_and_stops_the_load(self):
        draft = with_results({"res_img_1.txt": "0,0,9,9\n0,0,x,9\n", "res_img_2.txt": ""})
        checked(draft)
        fault = draft.findings.get(severity="error")
        assert (fault.code, fault.archive, fault.entry, fault.line) == (
            "L2",
            "net.zip",
            "res_img_1.txt",
            2,
        )
        assert fault.text[fault.span_start : fault.span_end] == "x"
        assert "1 fault must be fixed" in plans.plan(draft).obstacles[0]
        with pytest.raises(NotLoaded, match="must be fixed"):
            drafts.confirm(draft=draft)

    def test_checking_twice_gives_the_same_report(self):
        draft = with_results({"res_img_1.txt": "x\n", "res_img_2.txt": ""})
        checked(draft)
        first = list(draft.findings.values_list("code", "entry", "line"))
        examples = draft.summary
        checked(draft)
        assert list(draft.findings.values_list("code", "entry", "line")) == first
        assert draft.summary == examples

    def test_five_images_at_random_and_the_five_with_most_problems_are_to_be_seen(self):
        names = [f"img_{n}" for n in range(20)]
        draft = new_dataset(truth={f"gt_{name}.txt": "0,0,9,9,w\n" for name in names})
        # img_7 has three faults, img_3 two, img_5 one.
        faults = {"img_7": 3, "img_3": 2, "img_5": 1}
        add_results(
            draft, {f"res_{name}.txt": "0,0,5,5\n" + "x\n" * faults.get(name, 0) for name in names}
        )
        examples = checked(draft).summary["examples"]
        assert [(example["image"], example["problems"]) for example in examples[:3]] == [
            ("img_7", 3),
            ("img_3", 2),
            ("img_5", 1),
        ]
        assert len(examples) == 3 + 5
        assert len({(example["file"], example["image"]) for example in examples}) == len(examples)

    def test_a_cancelled_check_leaves_the_load_open(self, monkeypatch):
        def read(given, progress, sizes):
            Job.objects.update(cancel_requested=True)
            progress(1, 2)
            pytest.fail("went on")

        monkeypatch.setattr("annotate.imports.checking.check_truth", read)
        monkeypatch.setattr("annotate.jobs.running._BEAT_SECONDS", 0)
        draft = new_dataset()
        drafts.start_check(draft=draft)
        assert Job.objects.get().state == "cancelled"
        assert drafts.find(draft.pk).state == "open"
        assert draft.findings.count() == 0

    def test_a_check_of_files_that_changed_meanwhile_writes_nothing(self, monkeypatch):
        draft = new_dataset()
        real = checking.check_truth

        def change(*args):
            Draft.objects.update(revision=99)
            return real(*args)

        monkeypatch.setattr("annotate.imports.checking.check_truth", change)
        drafts.start_check(draft=draft)
        draft.refresh_from_db()
        assert draft.state == "checking"
        assert draft.findings.count() == 0

    def test_a_file_that_is_gone_from_disk_is_told(self):
        draft = new_dataset()
        staging.forget(draft.pk)
        job = drafts.start_check(draft=draft)
        job.refresh_from_db()
        assert "gt.zip waited too long" in job.failure
        assert drafts.find(draft.pk).state == "open"


class TestQuestions:
    @pytest.fixture
    def draft(self):
        draft = with_results({"res_img_1.txt": "0,0,99,39\n"})
        return checked(draft)

    def test_a_missing_file_is_asked_about_and_never_guessed(self, draft):
        [question] = plans.questions(draft)
        assert (question.finding.code, question.is_answered) == ("N4", False)
        with pytest.raises(NotLoaded, match="1 question waits"):
            drafts.confirm(draft=draft)

    @pytest.mark.parametrize(
        ("meaning", "n_results", "n_boxes"), [("empty", 2, [1, 0]), ("not-evaluated", 1, [1])]
    )
    def test_after_an_answer_the_file_is_read_again(self, draft, meaning, n_results, n_boxes):
        file = draft.files.get(kind="results")
        assert drafts.answer(draft=draft, answers={file.pk: {"missing": meaning}})
        checked(draft)
        drafts.confirm(draft=draft)
        results = Result.objects.order_by("image__position")
        assert [result.n_regions for result in results] == n_boxes
        receipt = draft.dataset.imports.get(kind="results")
        assert receipt.counts["methods"]["net"]["results"] == n_results
        # The receipt said "Nothing unusual was found."
        [note] = receipt.warnings
        assert "no entry for 1 image (img_2)" in note

    @pytest.mark.parametrize("format", ["", "quad"])
    @pytest.mark.parametrize("is_later", [False, True])
    def test_results_that_may_be_polygons_are_asked_about_where_the_truth_has_quadrilaterals(
        self, format, is_later
    ):
        text = "10,10,110,10,110,30,10,30,TOTAL\n10,70,110,70,110,90,10,90,{}\n"
        draft = new_dataset(truth={"gt_img_1.txt": text.format("CASH")})
        drafts.change_file(file=draft.files.get(), format=format)
        if is_later:
            draft = drafts.open_draft(person=None, dataset=loaded(draft))
        file = add_results(draft, {"res_img_1.txt": text.format("3,180.00")})
        drafts.change_file(file=file, format="")
        checked(draft)
        [question] = plans.questions(draft)
        assert question.finding.expected.endswith("quad or polygon")
        drafts.answer(draft=draft, answers={file.pk: {"format": "quad"}})
        loaded(draft)
        read = [region.text for region in Result.objects.get().detections]
        assert read == ["TOTAL", "3,180.00"]

    @pytest.mark.parametrize(("format", "right"), [("", 150), ("ltrb", 100)])
    def test_results_are_boxes_by_their_sides_where_the_truth_was_said_to_be(self, format, right):
        """50 and 100 are a left side and a width, unless the answer is that results have corners."""
        draft = new_dataset(truth={"gt_img_1.txt": "50,10,100,20,TOTAL\n"})
        drafts.change_file(file=draft.files.get(), format="ltwh")
        results = add_results(draft, {"res_img_1.txt": "50,10,100,20\n"})
        drafts.change_file(file=results, format=format)
        loaded(draft)
        assert Result.objects.get().detections[0].box[2] == right

    def test_a_file_of_another_load_is_not_answered_for(self, draft):
        other = new_dataset(name="Other")
        file = add_results(other)
        drafts.answer(draft=draft, answers={file.pk: {"missing": "empty"}})
        file.refresh_from_db()
        assert file.missing == ""


class TestConfirm:
    def test_everything_is_loaded_with_a_receipt_for_each_kind(self):
        admin = make_admin()
        dataset = loaded(whole_load(), admin)
        assert staged() == []
        assert dataset.images.exclude(sha256="").count() == 2
        assert set(dataset.methods.values_list("name", flat=True)) == {"net", "other"}
        assert Score.objects.filter(run__name="Theirs").count() == 2
        receipts = {receipt.kind: receipt for receipt in dataset.imports.all()}
        assert set(receipts) == {"dataset", "results", "scores"}
        assert all(receipt.person == admin for receipt in receipts.values())
        assert [file["name"] for file in receipts["results"].files] == ["net.zip", "other.zip"]
        assert all(len(f["sha256"]) == 64 for r in receipts.values() for f in r.files)

    def test_loading_by_steps_gives_what_loading_at_once_gives(self):
        by_steps = loaded(whole_load())
        at_once = load_dataset(
            name="At once", truth=TRUTH, images=PICTURES, line_format="ltrb"
        ).dataset
        load_results(at_once, {"net": RESULTS})

        def rows(dataset):
            return list(
                Result.objects.filter(method__dataset=dataset, method__name="net")
                .order_by("image__position")
                .values_list("image__name", "regions", "n_regions", "sha256", "had_file")
            )

        assert rows(by_steps) == rows(at_once)
        fields = ("name", "position", "truth", "sha256", "width", "height", "content_type")
        assert list(by_steps.images.in_order().values_list(*fields)) == list(
            at_once.images.in_order().values_list(*fields)
        )
        assert by_steps.line_format == at_once.line_format
        assert by_steps.box_convention == at_once.box_convention

    def test_confirming_twice_loads_once(self):
        draft = checked(new_dataset())
        drafts.confirm(draft=draft)
        with pytest.raises(NotLoaded, match="finished"):
            drafts.confirm(draft=draft)
        assert Dataset.objects.count() == 1

    def test_a_worker_that_comes_second_finds_it_loaded(self):
        draft = checked(new_dataset())
        job = drafts.confirm(draft=draft)
        before = stored()

        class Told:
            def tell(self, done, total, doing=""):
                pytest.fail("loaded a second time")

        loading.load(job.arguments, Told())
        assert stored() == before

    def test_a_dataset_that_changed_after_the_check_is_not_loaded_into(self):
        dataset = loaded(new_dataset())
        first, second = (drafts.open_draft(person=None, dataset=dataset) for _ in range(2))
        add_results(first, title="a")
        add_results(second, RESULTS | {"res_img_1.txt": ""}, "b")
        checked(second)
        loaded(first)
        job = drafts.confirm(draft=second)
        job.refresh_from_db()
        assert "has changed since" in job.failure
        assert drafts.find(second.pk).state == "checked"
        assert not Method.objects.filter(name="b").exists()

    def test_rows_that_somebody_touched_are_not_loaded(self):
        draft = checked(new_dataset())
        staging.Rows(draft.files.get()).write(iter([["img_1", {"version": 1, "regions": []}]]))
        job = drafts.confirm(draft=draft)
        job.refresh_from_db()
        assert "Check the files again" in job.failure
        assert not Dataset.objects.exists()

    def test_the_plan_says_what_is_added_and_what_is_left_alone(self):
        dataset = loaded(whole_load())
        draft = with_results(RESULTS | {"res_img_1.txt": ""}, "third", dataset=dataset)
        planned = plans.plan(checked(draft))
        assert planned.added == ["results of “third”: 2 boxes on 2 images"]
        assert planned.replaced == []
        assert "2 other methods: net, other" in planned.left_alone
        assert "1 protocol run" in planned.left_alone

    def test_a_discarded_load_leaves_no_file_and_no_report(self):
        draft = checked(new_dataset())
        drafts.discard(draft=draft)
        assert (draft.state, staged(), Finding.objects.count()) == ("discarded", [], 0)
        with pytest.raises(NotLoaded, match="discarded"):
            drafts.start_check(draft=draft)


class Killed(BaseException):
    """As if the process were killed: nothing may catch it."""


STEPS = [
    "annotate.datasets.photographs.store",
    "annotate.imports.loading.keep_photographs",
    "annotate.imports.loading._Loader._load_dataset",
    "annotate.imports.loading._Loader._write_results",
    "annotate.imports.loading._Loader._load_scores",
    "annotate.imports.undoing._remove",
    "annotate.imports.loading._Loader._receipt",
    "annotate.imports.drafts.Draft.save",
]


class TestNothingIsHalfLoaded:
    @pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
    @pytest.mark.parametrize("step", STEPS)
    def test_a_load_that_dies_at_any_step_leaves_everything_as_it_was(
        self, monkeypatch, step, after
    ):
        first = loaded(new_dataset(name="First"))
        loaded(with_results(dataset=first))
        if step.endswith("_remove"):  # only where something is replaced
            draft = with_results(RESULTS | {"res_img_1.txt": ""}, dataset=first)
        else:
            draft = whole_load()
        checked(draft)
        before = stored()
        real = resolve_name(step)

        def die(*args, **kwargs):
            if step.endswith("save") and args[0].state != "loaded":
                return real(*args, **kwargs)
            if after:
                real(*args, **kwargs)
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(step, die)
            with pytest.raises(Killed):
                drafts.confirm(draft=draft, replace=True)
        assert stored() == before
        # The draft is as it was, too, and can be confirmed.
        draft = drafts.find(draft.pk)
        assert draft.state == "checked"
        drafts.confirm(draft=draft, replace=True)
        assert drafts.find(draft.pk).state == "loaded"


class TestReplacing:
    @pytest.fixture
    def dataset(self):
        draft = with_results()
        add_results(draft, RESULTS | {"res_img_1.txt": ""}, "other")
        return loaded(draft)

    def draft(self, dataset, title="net"):
        draft = with_results(
            {"res_img_1.txt": "", "res_img_2.txt": "3,3,4,4\n"}, title, dataset=dataset
        )
        return checked(draft)

    def test_results_nobody_was_asked_about_are_replaced_with_consent(self, dataset):
        score_protocol(dataset=dataset, slug="iou")
        draft = self.draft(dataset)
        planned = plans.plan(draft)
        assert planned.obstacles == []
        assert "their scores from 1 protocol run are removed with them" in planned.replaced[0]
        with pytest.raises(NotLoaded, match="Confirm that this is intended"):
            drafts.confirm(draft=draft)
        drafts.confirm(draft=draft, replace=True)
        assert [r.n_regions for r in Result.objects.filter(method__name="net")] == [0, 1]
        assert dataset.methods.count() == 2
        run = dataset.runs.get()
        assert set(run.scores.values_list("result__method__name", flat=True)) == {"other"}
        assert set(run.overall) == {"other"}
        assert dataset.imports.first().replaced == ["net"]

    def test_the_name_in_other_letters_is_the_same_method(self, dataset):
        assert plans.plan(self.draft(dataset, "NET")).replaced

    def test_results_that_answers_refer_to_stay_and_the_studies_are_named(self, dataset):
        study = create_study(
            name="Readers", dataset=dataset, methods=list(dataset.methods.all()), state="open"
        )
        draft = self.draft(dataset)
        # A study without answers does not prevent it.
        assert plans.plan(draft).obstacles == []
        judging.start(study=study, annotator=add_annotator(study))
        assert "Readers" in plans.plan(draft).obstacles[0]
        before = stored()
        with pytest.raises(NotLoaded, match="Readers"):
            drafts.confirm(draft=draft, replace=True)
        # Asked again when the load begins: an answer may have come after the check.
        with pytest.raises(NotLoaded, match="Readers"):
            plans.refuse_doubles(dataset, ["net"], replace=True)
        assert stored() == before

    def test_two_files_for_one_method_are_refused_where_its_address_is_not_of_its_name(
        self, dataset
    ):
        dataset.methods.filter(name="net").update(slug="old-net")
        with pytest.raises(NotLoaded, match="Two of the archives"):
            plans.refuse_doubles(dataset, ["net", "Old net"], replace=True)


class TestUndoing:
    def test_undoing_everything_backwards_leaves_nothing(self):
        before = stored()
        dataset = loaded(whole_load())
        receipts = {receipt.kind: receipt for receipt in dataset.imports.all()}
        for kind in ("scores", "results", "dataset"):
            undoing.undo_import(receipt=receipts[kind])
        after = stored()
        n_receipts = DATA.index(Import)
        assert after[0].pop(n_receipts) == 3
        before[0].pop(n_receipts)
        assert (after[0], after[1]) == (before[0], before[1])

    def test_an_undoing_that_dies_at_its_end_leaves_everything_as_it_was(self, monkeypatch):
        def die(*_, **__):
            raise OSError("disk full")

        dataset = loaded(new_dataset())
        before = stored()
        monkeypatch.setattr(undoing, "record", die)
        with pytest.raises(OSError, match="disk full"):
            undoing.undo_import(receipt=dataset.imports.get())
        assert stored() == before
        assert dataset.imports.get().undone is None

    def test_exactly_what_a_load_added_goes(self):
        dataset = loaded(whole_load())
        loaded(with_results(RESULTS | {"res_img_1.txt": ""}, "third", dataset=dataset))
        admin = make_admin()
        receipt = undoing.undo_import(receipt=dataset.imports.first(), person=admin)
        assert set(dataset.methods.values_list("name", flat=True)) == {"net", "other"}
        assert (receipt.undone_by, receipt.undone is None) == (admin, False)

    def test_a_dataset_stays_while_results_are_on_it_whose_scores_go_with_them(self):
        dataset = loaded(with_results())
        score_protocol(dataset=dataset, slug="iou")
        with pytest.raises(CannotUndo, match=r"Undo those loads first\. Nothing was undone"):
            undoing.undo_import(receipt=dataset.imports.get(kind="dataset"))
        undoing.undo_import(receipt=dataset.imports.get(kind="results"))
        assert Score.objects.count() == 0

    def test_a_dataset_stays_while_a_protocol_has_scored_it(self):
        dataset = loaded(new_dataset())
        ProtocolRun.objects.create(dataset=dataset, name="IOU", version="1")
        with pytest.raises(CannotUndo, match=r"^Protocols have scored it\. Nothing was undone"):
            undoing.undo_import(receipt=dataset.imports.get())

    def test_a_dataset_stays_while_it_has_a_method_that_no_load_added(self):
        dataset = loaded(new_dataset())
        make_method(dataset)
        with pytest.raises(CannotUndo, match="Undo those loads first"):
            undoing.undo_import(receipt=dataset.imports.get())

    def test_results_a_study_uses_stay_and_the_study_is_named(self):
        dataset = loaded(whole_load())
        study = create_study(
            name="Readers", dataset=dataset, methods=list(dataset.methods.all()), state="open"
        )
        judging.start(study=study, annotator=add_annotator(study))
        for _ in range(2):
            with pytest.raises(CannotUndo, match="Readers"):
                undoing.undo_import(receipt=dataset.imports.get(kind="results"))
            # Pairs of methods that have left were asked all the same.
            study.methods.clear()

    def test_results_with_imported_scores_stay_until_those_go(self):
        dataset = loaded(whole_load())
        with pytest.raises(CannotUndo, match="Theirs"):
            undoing.undo_import(receipt=dataset.imports.get(kind="results"))

    def test_a_load_that_replaced_something_says_how_to_go_back(self):
        dataset = loaded(with_results())
        draft = with_results(RESULTS | {"res_img_1.txt": ""}, dataset=dataset)
        loaded(draft, replace=True)
        newer, older = dataset.imports.filter(kind="results")
        assert "Load the earlier file again" in undoing.obstacles(newer)[0]
        assert "replaced by a later load" in undoing.obstacles(older)[0]

    def test_a_load_is_undone_once(self):
        dataset = loaded(new_dataset())
        receipt = undoing.undo_import(receipt=dataset.imports.get())
        with pytest.raises(CannotUndo, match="already been undone"):
            undoing.undo_import(receipt=receipt)

    def test_a_photograph_that_another_dataset_shows_stays(self):
        first = new_dataset(name="First")
        add(first, PICTURES, "p.zip", kind="photographs")
        loaded(first)
        second = new_dataset(name="Second")
        add(second, PICTURES, "p.zip", kind="photographs")
        photographs = stored()[1]
        dataset = loaded(second)
        undoing.undo_import(receipt=dataset.imports.get())
        assert stored()[1] == photographs


class TestPeople:
    def load(self, *lines, header="username,email,role,study"):
        draft = drafts.open_draft(person=None)
        add(draft, "\n".join([header, *lines]) + "\n", "team.csv", kind="users")
        return checked(draft)

    @pytest.fixture
    def study(self):
        return make_study(["a", "b"])

    def test_people_take_part_after_it_is_confirmed(self, study):
        ann, bob = make_person("ann"), make_person("bob")
        draft = self.load(
            f"ann,,annotator,{study.slug}", f"bob,b@example.org,Researcher,{study.name}"
        )
        assert not study.memberships.exists()
        drafts.confirm(draft=draft)
        roles = set(study.memberships.values_list("person__username", "role"))
        assert roles == {(ann.username, "annotator"), (bob.username, "researcher")}

    def test_a_column_may_name_the_group_of_each_member(self, study):
        ann = make_person("ann")
        Membership.objects.create(study=study, person=ann, role="annotator")
        make_person("bob")
        lines = (f"ann,annotator,{study.slug},Paris", f"bob,annotator,{study.slug},")
        header = "username,role,study,group"
        drafts.confirm(draft=self.load(*lines, header=header))
        groups = dict(study.memberships.values_list("person__username", "group"))
        assert groups == {"ann": "Paris", "bob": ""}
        long = self.load(f"ann,annotator,{study.slug},{'x' * 121}", header=header)
        assert "at most 120 characters" in long.findings.get(severity="error").expected

    def test_undoing_lets_them_take_part_no_more_but_not_who_did_before(self, study):
        ann = make_person("ann")
        make_person("bob")
        Membership.objects.create(study=study, person=ann, role="annotator")
        drafts.confirm(
            draft=self.load(f"ann,,annotator,{study.slug}", f"bob,,annotator,{study.slug}")
        )
        undoing.undo_import(receipt=Import.objects.get())
        assert [m.person for m in study.memberships.all()] == [ann]

    @pytest.mark.parametrize(
        ("line", "code", "expected"),
        [
            ("nobody,,annotator,{study}", "S1", "an existing username"),
            ("ann,,judge,{study}", "S1", "annotator or researcher"),
            ("ann,,annotator,elsewhere", "S1", "an existing study"),
            ("ann,annotator", "L1", "username, role, study"),
        ],
    )
    def test_a_line_that_cannot_be_is_refused_with_its_number(self, study, line, code, expected):
        make_person("ann")
        fault = self.load(line.format(study=study.slug)).findings.get(severity="error")
        assert (fault.code, fault.line) == (code, 2)
        assert expected in fault.expected


def test_uploads_nobody_came_back_for_are_cleared_away(monkeypatch):
    draft = checked(new_dataset())
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 6 * 24 * 3600)
    drafts.clean_old()
    assert staged()
    monkeypatch.setattr(time, "time", lambda: now + 8 * 24 * 3600)
    drafts.clean_old()
    assert staged() == []
    draft = drafts.find(draft.pk)
    assert draft.state == "discarded"


class TestEmptyResults:
    """300 images, more than the quick look draws, half of them without boxes."""

    N = 300

    @pytest.fixture
    def report(self):
        truth = {f"gt_img_{n}.txt": f"{n},0,{n + 40},20,one\n" for n in range(self.N)}
        dataset = loaded(new_dataset(truth=truth))
        draft = drafts.open_draft(person=None, dataset=dataset)

        def check(is_empty):
            results = {
                f"res_img_{n}.txt": "" if is_empty(n) else f"{n},0,{n + 40},20\n"
                for n in range(self.N)
            }
            return checked(add_results(draft, results).draft)

        return check

    def test_they_are_a_warning_with_their_share_of_all_images(self, report):
        draft = report(lambda n: n % 25 > 1)
        [finding] = draft.findings.filter(code="F5")
        assert finding.severity == "warning"
        assert finding.found == ("no boxes on 276 of 300 images whose ground truth has text (92 %)")
        drafts.confirm(draft=draft)
        assert Method.objects.count() == 1

    def test_the_quick_look_sees_that_every_second_file_is_empty(self, report):
        """Recall of the whole set is 0.5; of 250 drawn images within four standard errors of it."""
        for phase in (0, 1):
            draft = report(lambda n, phase=phase: n % 2 == phase)
            [fit] = draft.files.get().counts["fits"].values()
            assert abs(fit["recall"] - 0.5) < 4 * (0.25 / 250 * 50 / 299) ** 0.5
            [finding] = draft.findings.filter(code="F5")
            assert "150 of 300 images" in finding.found
            draft.files.all().delete()
            Draft.objects.update(state="open")


class TestSameResults:
    """One file under two names, in one load or in two."""

    def findings(self, draft):
        return [(of.file.title, of.found) for of in checked(draft).findings.filter(code="F6")]

    def test_a_method_with_the_results_of_a_loaded_one_is_named(self):
        dataset = loaded(new_dataset())
        first = drafts.open_draft(person=None, dataset=dataset)
        assert self.findings(add_results(first, RESULTS, "east").draft) == []
        drafts.confirm(draft=Draft.objects.get(pk=first.pk))
        again = drafts.open_draft(person=None, dataset=dataset)
        [(_, found)] = self.findings(add_results(again, RESULTS, "craft").draft)
        assert found == "the same boxes as “east” on every image"

    @cases(
        ("first", "second", "n_found"),
        [
            (RESULTS, {name: f"{text}\n" for name, text in RESULTS.items()}, 1),
            (RESULTS, RESULTS | {"res_img_1.txt": "0,0,99,39\n500,500,520,520\n"}, 0),
            # Without any box, nothing tells that it is one file.
            (dict.fromkeys(RESULTS, ""), dict.fromkeys(RESULTS, "\n"), 0),
        ],
    )
    def test_two_methods_of_one_load_are_named_if_all_boxes_are_the_same(
        self, first, second, n_found
    ):
        draft = with_results(first, "east")
        add_results(draft, second, "craft")
        assert len(self.findings(draft)) == n_found

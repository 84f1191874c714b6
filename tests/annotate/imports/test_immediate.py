"""Loading: what is stored, what is refused with its place, and that a refusal stores nothing."""

import tracemalloc

import pytest
from django.conf import settings as django_settings

from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.imports import staging
from annotate.imports.errors import NotLoaded
from annotate.imports.known import Known
from annotate.imports.models import Draft, Finding
from annotate.judging import services as judging
from annotate.scoring.models import Score
from annotate.studies.services import create_study
from protocols.core.regions import Region, encode_regions
from tests.support.archives import picture_bytes, zip_file
from tests.support.factories import add_annotator
from tests.support.loads import (
    DATA,
    PICTURES,
    load_dataset,
    load_results,
    load_scores,
    stored,
)

pytestmark = pytest.mark.django_db

TRUTH = {"gt_img_1.txt": '0,0,99,39,"one"\r\n', "gt_img_2.txt": "0,0,50,20,###\r\n"}


def refused(load, *places):
    """Check that nothing is stored and that the faults name these places; return them."""
    before = stored()
    with pytest.raises(NotLoaded, match="Nothing was loaded") as refusal:
        load()
    assert stored() == before
    errors = [problem for problem in refusal.value.problems if problem.severity == "error"]
    told = [(problem.code, problem.archive, problem.entry, problem.line) for problem in errors]
    assert told == list(places), [str(problem) for problem in errors]
    return errors


def dataset(truth=TRUTH, images=None, **fields):
    return load_dataset(name="Street", truth=truth, images=images, **fields).dataset


def results(loaded, content, name="net", **fields):
    return load_results(loaded, {name: content}, **fields)


class TestDataset:
    def test_images_regions_and_photographs_are_stored(self):
        loaded = dataset(images=PICTURES)
        assert [image.name for image in loaded.images.in_order()] == ["img_1", "img_2"]
        first, second = loaded.images.in_order()
        assert first.truth_regions[0].text == "one"
        assert second.truth_regions[0].ignored
        assert (first.width, first.height, first.content_type) == (120, 60, "image/png")
        assert second.content_type == "image/jpeg"
        assert loaded.box_convention == "inclusive"
        assert loaded.imports.get().counts == {
            "images": 2,
            "regions": 2,
            "ignored": 1,
            "photographs": 2,
        }
        assert len(stored()[1]) == 2

    def test_photographs_may_come_from_a_folder_and_may_be_missing_altogether(self, tmp_path):
        assert dataset().images.first().sha256 == ""
        folder = tmp_path / "photos"
        folder.mkdir()
        for name, content in PICTURES.items():
            (folder / name).write_bytes(content)
        receipt = load_dataset(name="Other", truth=TRUTH, images=folder)
        assert receipt.counts["photographs"] == 2
        assert receipt.files[1] == {"name": "photos", "sha256": "", "bytes": None}
        account = {"units": 2, "regions": 2, "levels": {"region": 2}, "read": {}, "left_out": []}
        assert receipt.files[0]["account"] == account

    def test_a_zip_without_ground_truth_is_refused(self):
        refused(lambda: dataset({}), ("A1", "gt.zip", None, None))

    def test_a_line_that_cannot_be_read_is_refused_with_its_place(self):
        """Tests of the readers have each kind of such a line."""
        truth = {
            "gt_a.txt": "0,0,9,0,9,9,0,9,w\n0,0,9,0,9,9,0,9,w",
            "gt_b.txt": "0,0,9,0,9,9,0,9,w\n1,2,3,4,5,6,7,w",
        }
        [problem] = refused(lambda: dataset(truth), ("L1", "gt.zip", "gt_b.txt", 2))
        assert problem.expected == "8 numbers (a quadrilateral)"

    def test_null_characters_and_long_names_reach_no_database(self):
        loaded = dataset({"gt_a.txt": b"0,0,9,9,nu\0ll\n"})
        assert loaded.images.get().truth_regions[0].text == "nu\N{REPLACEMENT CHARACTER}ll"
        with pytest.raises(NotLoaded, match="at most 200 characters"):
            load_dataset(name="Long", truth={f"gt_{'x' * 201}.txt": ""})

    def test_regions_outside_the_photograph_are_kept_with_a_note(self):
        receipt = dataset(
            {"gt_img_1.txt": "0,0,125,39,w"}, {"img_1.png": picture_bytes()}
        ).imports.get()
        assert "reaches 5 px outside img_1" in receipt.warnings[0]

    def test_a_part_of_the_photographs_is_loaded_with_a_note(self):
        receipt = dataset(images={"img_1.png": picture_bytes()}).imports.get()
        assert receipt.counts["photographs"] == 1
        assert any("no photograph of 1 of 2 images (img_2)" in of for of in receipt.warnings)

    def test_shares_of_photographs_of_the_same_load_are_read(self):
        """YOLO: the middle of the image, half as wide and high as its 120 x 60 pixels."""
        pictures = {"img_1.png": picture_bytes(120, 60)}
        loaded = dataset({"img_1.txt": "0 0.5 0.5 0.5 0.5\n"}, pictures, line_format="yolo")
        [region] = loaded.images.get().truth_regions
        assert region.box == (30, 15, 90, 45)

    def test_photographs_of_other_names_are_refused(self):
        refused(
            lambda: dataset(images={"img_1.png": picture_bytes(), "b.png": picture_bytes(9, 9)}),
            ("N4", "photos.zip", None, None),
        )

    def test_a_photograph_without_ground_truth_is_left_out_with_a_note(self):
        receipt = dataset(images=PICTURES | {"img_9.png": picture_bytes(9, 9)}).imports.get()
        assert any("img_9.png" in warning for warning in receipt.warnings)
        assert receipt.counts["photographs"] == 2
        assert len(stored()[1]) == 2, "what is left out is not kept"

    def test_two_photographs_of_an_image_are_refused(self):
        more = PICTURES | {"img_1.jpg": picture_bytes(kind="JPEG")}
        refused(lambda: dataset(images=more), ("N3", "photos.zip", "img_1.jpg", None))

    @pytest.mark.parametrize(
        "content",
        [
            b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
            b"<!doctype html><script>alert(1)</script>",
            b"",
            picture_bytes(300, 300)[:-200],
            picture_bytes(kind="GIF"),
            picture_bytes(kind="TIFF"),
        ],
    )
    def test_what_is_no_photograph_is_refused_whatever_its_name(self, content):
        images = PICTURES | {"img_1.png": content}
        with pytest.raises(NotLoaded) as refusal:
            dataset(images=images)
        assert ("P1", "img_1.png") in [(p.code, p.entry) for p in refusal.value.problems]
        assert stored() == ([0] * len(DATA), [])

    def test_a_photograph_of_too_many_pixels_is_refused_before_it_is_decoded(self, monkeypatch):
        monkeypatch.setattr("annotate.datasets.photographs._MAX_PIXELS", 5000)
        with pytest.raises(NotLoaded) as refusal:
            dataset(images=PICTURES)
        errors = [problem for problem in refusal.value.problems if problem.severity == "error"]
        assert {problem.found for problem in errors} >= {"120 x 60 pixels"}
        # With no comma: in French that is a decimal.
        assert {problem.expected for problem in errors} >= {"at most 5000 pixels"}

    @pytest.mark.parametrize("name", ["Street", "street", "…", "Images", "Load", "x" * 121])
    def test_a_name_that_is_taken_or_has_no_address_is_refused(self, name):
        dataset()
        before = stored()
        with pytest.raises(NotLoaded):
            load_dataset(name=name, truth=TRUTH)
        assert stored() == before

    def test_a_failure_half_way_leaves_no_row_and_no_file(self, monkeypatch):
        def fail(*args, **kwargs):
            raise OSError("disk full")

        monkeypatch.setattr("annotate.imports.loading._Loader._named", fail)
        with pytest.raises(OSError, match="disk full"):
            dataset(images=PICTURES)
        # At once, without the sweep.
        kept = [django_settings.MEDIA_ROOT, staging.folder()]
        assert [path for of in kept for path in of.rglob("*") if path.is_file()] == []
        assert stored() == ([0] * len(DATA), [])

    def test_rows_that_could_not_be_written_leave_no_part(self, monkeypatch):
        def fail(*args, **kwargs):
            raise OSError("disk full")

        monkeypatch.setattr("annotate.imports.staging.json.dumps", fail)
        with pytest.raises(OSError, match="disk full"):
            dataset()
        assert [path for path in staging.folder().rglob("*") if path.is_file()] == []

    def test_a_photograph_that_another_dataset_uses_stays_when_a_load_fails(self):
        dataset(images=PICTURES)
        before = stored()
        with pytest.raises(NotLoaded):
            load_dataset(name="Other", truth=TRUTH | {"gt_img_3.txt": "0,0,9"}, images=PICTURES)
        assert stored() == before


class TestResults:
    def test_boxes_and_empty_results_are_stored(self):
        loaded = dataset()
        receipt = results(loaded, {"res_img_1.txt": "0,0,99,39", "res_img_2.txt": ""})
        assert receipt.counts == {
            "methods": {
                "net": {"results": 2, "boxes": 1, "empty": 1, "without_file": 0, "not_evaluated": 0}
            }
        }
        assert [result.n_regions for result in Result.objects.order_by("image")] == [1, 0]

    def test_a_missing_file_means_what_is_said(self):
        loaded = dataset()
        content = {"res_img_1.txt": "0,0,99,39"}
        results(loaded, content, "a", missing="empty")
        results(loaded, content, "b", missing="not-evaluated")
        assert [
            (result.method.name, result.image.name, result.had_file)
            for result in Result.objects.order_by("method__name", "image__name")
        ] == [("a", "img_1", True), ("a", "img_2", False), ("b", "img_1", True)]

    def test_a_result_for_an_image_there_is_not_is_refused_with_the_nearest_name(self):
        loaded = dataset()
        content = {"res_img_1.txt": "", "res_img_2.txt": "", "res_img_22.txt": ""}
        [problem] = refused(
            lambda: results(loaded, content), ("N2", "net.zip", "res_img_22.txt", None)
        )
        # img_2 looks like it, but is another image.
        assert problem.expected == "an image of the dataset, which has img_1, img_2"

    def test_one_bad_archive_stops_all(self):
        loaded = dataset()
        good = {"res_img_1.txt": "", "res_img_2.txt": ""}
        archives = {"a": good, "b": b"no zip", "c": good | {"res_img_1.txt": "x"}}
        refused(
            lambda: load_results(loaded, archives, missing="empty"),
            ("A1", "b.zip", None, None),
            ("L1", "c.zip", "res_img_1.txt", 1),
        )

    @pytest.mark.parametrize("name", ["net", "NET"])
    def test_a_method_that_is_loaded_is_not_replaced(self, name):
        loaded = dataset()
        results(loaded, {"res_img_1.txt": "", "res_img_2.txt": ""})
        before = stored()
        with pytest.raises(NotLoaded, match="loaded already"):
            results(loaded, {"res_img_1.txt": "0,0,9,9", "res_img_2.txt": ""}, name)
        assert stored() == before

    @pytest.mark.parametrize("name", ["x" * 121, "…"])
    def test_a_method_name_that_is_too_long_or_empty_is_refused(self, name):
        loaded = dataset()
        with pytest.raises(NotLoaded, match="name of the method"):
            results(loaded, {"res_img_1.txt": "", "res_img_2.txt": ""}, name)
        assert not Method.objects.exists()

    def test_results_that_look_alike_share_a_hash(self):
        loaded = dataset()
        results(loaded, {"res_img_1.txt": "0,0,9,9\n5,5,8,8", "res_img_2.txt": ""}, "a")
        results(loaded, {"res_img_1.txt": "5,5,8,8\n0,0,9,9", "res_img_2.txt": "1,1,2,2"}, "b")
        alike, different = (
            set(Result.objects.filter(image__name=name).values_list("sha256", flat=True))
            for name in ("img_1", "img_2")
        )
        assert (len(alike), len(different)) == (1, 2)

    def test_answered_results_stay_whatever_is_said(self):
        loaded = dataset()
        for name, lines in (("net", "0,0,99,39"), ("other", "1,1,9,9")):
            results(loaded, {"res_img_1.txt": lines, "res_img_2.txt": ""}, name)
        study = create_study(
            name="Readers", dataset=loaded, methods=list(loaded.methods.all()), state="open"
        )
        judging.start(study=study, annotator=add_annotator(study))
        nothing = {"res_img_1.txt": "", "res_img_2.txt": ""}
        refused(lambda: results(loaded, nothing, replace=True))
        with pytest.raises(NotLoaded, match="cannot be replaced: Readers"):
            results(loaded, nothing, replace=True)

    def test_what_is_refused_leaves_no_load_behind(self):
        with pytest.raises(NotLoaded):
            dataset(b"no zip")
        assert not Draft.objects.exclude(state="discarded").exists()
        assert not Finding.objects.exists()


class TestScores:
    @pytest.fixture
    def loaded(self):
        loaded = dataset()
        results(loaded, {"res_img_1.txt": "0,0,99,39"}, missing="not-evaluated")
        return loaded

    def load(self, loaded, *lines, header="image,method,recall,precision"):
        text = "\n".join([header, *lines])
        return load_scores(loaded, "Organisers", text)

    def test_scores_become_a_run_with_their_f_score(self, loaded):
        receipt = self.load(loaded, "img_1,net,0.5,1")
        score = Score.objects.get()
        assert (score.recall, score.precision, score.f_score) == (0.5, 1, 2 / 3)
        assert (score.run.name, score.run.origin) == ("Organisers", "imported")
        assert receipt.counts == {"protocol": "Organisers", "scores": 1, "missing": 0}

    @pytest.mark.parametrize(
        ("line", "code", "expected"),
        [
            ("img_1,nett,0.5,1", "S1", "a method of the dataset (perhaps net)"),
            ("img_7,net,0.5,1", "S1", "an image of the dataset"),
            ("img_2,net,0.5,1", "S1", "scores of results that are loaded"),
            ("img_1,net,50,1", "S2", "a number in [0, 1]"),
        ],
    )
    def test_a_score_that_cannot_be_is_refused_with_its_line(self, loaded, line, code, expected):
        [problem] = refused(lambda: self.load(loaded, line), (code, "s.csv", None, 2))
        assert expected in problem.expected

    def test_a_result_without_a_score_is_told(self, loaded):
        results(loaded, {"res_img_1.txt": "", "res_img_2.txt": ""}, "more")
        receipt = self.load(loaded, "img_1,net,0.5,1")
        assert "no score for 2 results" in receipt.warnings[0]

    def test_a_file_without_scores_is_refused(self, loaded):
        refused(lambda: self.load(loaded), ("S3", "s.csv", None, None))


def test_files_are_read_where_they_lie_and_stay_there(tmp_path, settings):
    path = zip_file(tmp_path / "here" / "street.zip", TRUTH)
    receipt = load_dataset(name="Street", truth=path)
    assert receipt.files[0]["name"] == "street.zip"
    assert path.exists()
    assert not [path for path in (settings.DATA_DIR / "staged").rglob("*") if path.is_file()]


def test_the_ground_truth_of_a_dataset_is_not_kept_while_results_are_checked():
    truth = encode_regions([Region.from_box(at, 0, at + 5, 9, text="word") for at in range(30)])

    def peak(n_images):
        dataset = Dataset.objects.create(name=f"set {n_images}", slug=f"set-{n_images}")
        Image.objects.bulk_create(
            Image(dataset=dataset, name=f"img_{at}", position=at, truth=truth)
            for at in range(n_images)
        )
        tracemalloc.start()
        try:
            known = Known.of(dataset, with_results=False)
            assert len(known.truth.with_text) == len(known.images) == n_images
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    least, most = peak(600), peak(1200)
    # The regions of an image have about 9 kB.
    assert most - least < 1000 * 600

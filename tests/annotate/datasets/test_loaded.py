"""The matrix of what is loaded, one image of it, and files that load again to the same regions."""

import json
from copy import deepcopy
from zipfile import ZipFile

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.dashboard import completeness
from annotate.datasets import exports, selectors
from annotate.datasets.models import Image, Method, Result, image_storage, stored_name
from annotate.jobs.models import Job
from annotate.scoring.services import score_protocol
from protocols.core.regions import Region, encode_regions
from tests.support.factories import (
    add_annotator,
    make_dataset,
    make_image,
    make_method,
    make_result,
    make_study,
)
from tests.support.loads import load_dataset, load_results
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.work import file_made
from tests.support.world import add_photograph

pytestmark = pytest.mark.django_db


def make_the_dataset():
    """Two images; net has two boxes, no file and other one box, not evaluated."""
    truth = {"gt_img_1.txt": "0,0,9,9,one\n5,5,9,9,###\n", "gt_img_2.txt": "0,0,9,9,two\n"}
    dataset = load_dataset(name="Street", truth=truth).dataset
    for method, missing in (("net", "empty"), ("other", "not-evaluated")):
        lines = "0,0,9,9\n1,1,5,5\n" if method == "net" else "2,2,7,7\n"
        load_results(dataset, {method: {"res_img_1.txt": lines}}, missing=missing)
    return dataset


made_dataset = made_once(make_the_dataset)


@pytest.fixture
def dataset(made_dataset, db):
    return deepcopy(made_dataset)


def page_of(client, dataset, **query):
    return client.get(reverse("datasets:matrix", args=[dataset.slug]), query)


class TestMatrix:
    def test_each_cell_says_boxes_no_file_or_not_evaluated(self, admin, dataset):
        rows = page_of(admin, dataset).context["rows"]
        assert [(row.image.name, row.n_regions) for row in rows] == [("img_1", 2), ("img_2", 1)]
        assert [[(cell.n_boxes, cell.had_file) for cell in row.cells] for row in rows] == [
            [(2, True), (1, True)],
            [(0, False), (None, False)],
        ]
        assert [(row.n_boxes, row.n_missing) for row in rows] == [(3, 0), (0, 1)]

    def test_totals_stand_below_the_methods(self, admin, dataset):
        context = page_of(admin, dataset).context
        totals = {
            row.method.name: (row.n_boxes, row.n_empty, row.n_not_evaluated)
            for row in context["methods"]
        }
        assert totals == {"net": (2, 1, 0), "other": (1, 0, 1)}
        assert (context["n_boxes"], context["n_missing"]) == (3, 1)

    def test_totals_that_are_kept_are_what_counting_gives(self, dataset):
        kept = selectors.method_counts(dataset)
        Method.objects.update(totals=None)
        assert selectors.method_counts(dataset) == kept

    def test_some_images_are_drawn_alike_in_order_without_reading_the_others(self):
        dataset = make_study(["net", "other"], images=9).dataset
        for position, image in enumerate(dataset.images.all()):
            dataset.images.filter(pk=image.pk).update(position=position)
        images = selectors.some_images(dataset, 9, 4)
        names = [image.name for image in images]
        assert len(set(names)) == 4
        assert names == [image.name for image in dataset.images.in_order() if image.name in names]
        assert list(selectors.some_images(dataset, 9, 4)) == list(images)
        assert '"position" IN (' in str(images.query)
        assert selectors.some_images(dataset, 9, 9).count() == 9

    def test_a_replaced_result_set_is_counted_anew(self, dataset):
        nothing = {"res_img_1.txt": "", "res_img_2.txt": ""}
        load_results(dataset, {"net": nothing}, replace=True)
        net = selectors.method_counts(dataset)[0]
        assert (net.n_results, net.n_boxes, net.n_empty) == (2, 0, 2)

    def test_the_share_of_scores_is_told_and_never_rounded_up(self, admin, dataset):
        score_protocol(dataset=dataset, slug="iou")
        load_results(dataset, {"third": {"res_img_1.txt": "", "res_img_2.txt": ""}})
        [share] = page_of(admin, dataset).context["shares"]
        # Three results were scored of five: 60 per cent.
        assert (share.n_scores, share.n_results, share.percent) == (3, 5, 60)
        assert completeness.RunCounts("x", 999, 1000, 1000).percent == 99

    def test_methods_that_a_protocol_leaves_out_are_not_missing(self, admin):
        dataset = make_study(["sure", "other"]).dataset
        sure = Result.objects.filter(method__name="sure")
        sure.update(regions=encode_regions([Region.from_box(0, 0, 9, 9, confidence=0.5)]))
        for slug in ("iou", "average-precision"):
            score_protocol(dataset=dataset, slug=slug)
        page = page_of(admin, dataset)
        shares = {share.name: share.n_scores for share in page.context["shares"]}
        assert sorted(shares.values()) == [1, 2]
        assert page.context["complete"].word == "complete"
        make_result(make_image(dataset), dataset.methods.get(name="sure"))
        page = page_of(admin, dataset)
        assert page.context["complete"].word == "incomplete"
        for name, n, of in (("Average precision", 1, 2), ("IOU", 2, 3)):
            assert f"{name} has scored {n} of {of} results." in page.text

    def test_a_run_that_keeps_no_count_is_counted(self, dataset):
        run = score_protocol(dataset=dataset, slug="iou")
        methods = selectors.method_counts(dataset)
        kept = completeness.run_counts(dataset, methods)
        run.n_scores = None
        run.save()
        assert completeness.run_counts(dataset, methods) == kept

    def test_complete_is_said_in_words_and_what_lacks_in_sentences(self, admin, dataset):
        page = page_of(admin, dataset)
        assert page.context["complete"].word == "incomplete"
        assert "other was not evaluated on 1 image." in page.text
        full = make_study(["a", "b"]).dataset
        assert page_of(admin, full).context["complete"].word == "not scored yet"
        score_protocol(dataset=full, slug="iou")
        assert page_of(admin, full).context["complete"].word == "complete"
        assert "complete</span>" in flat(admin.get(reverse("datasets:list")).text)

    def test_a_dataset_without_anything_is_empty_and_has_a_page(self, admin):
        page = page_of(admin, make_dataset())
        assert page.context["complete"].word == "empty"
        assert "has no images" in page.text

    def test_it_is_paged_with_as_many_queries_for_many_images_as_for_few(
        self, admin, django_assert_num_queries
    ):
        """Readiness draws 60 images; of fewer it takes all, by a query less."""
        few, many = make_dataset(), make_dataset()
        for dataset, n in ((few, 65), (many, 120)):
            method = make_method(dataset)
            for position in range(n):
                image = make_image(dataset)
                dataset.images.filter(pk=image.pk).update(position=position)
                make_result(image, method)
        with CaptureQueriesContext(connection) as asked:
            page_of(admin, few)
        with django_assert_num_queries(len(asked)):
            page = page_of(admin, many, page=3)
        assert len(page.context["rows"]) == 20
        assert "Page 3 of 3" in page.text

    def test_the_page_reads_no_results_regions(self, admin, dataset):
        """Readiness of the dataset is computed once, and stored with the totals."""
        for method in dataset.methods.all():
            method.totals = {"n": 1, "boxes": 1, "empty": 0, "without_file": 0}
            method.save()
        page_of(admin, dataset)
        with CaptureQueriesContext(connection) as asked:
            page_of(admin, dataset)
        assert not [
            query["sql"] for query in asked if '"annotate_result"."regions"' in query["sql"]
        ]

    def test_counting_datasets_does_not_multiply_images_by_methods(self, dataset):
        [counted] = selectors.with_counts(type(dataset).objects.all())
        assert (counted.n_images, counted.n_methods) == (2, 2)


class TestViewer:
    def look(self, client, dataset, name="img_1", **query):
        return client.get(reverse("datasets:viewer", args=[dataset.slug, name]), query)

    def test_a_method_is_drawn_over_the_ground_truth(self, admin, dataset):
        context = self.look(admin, dataset, method="net").context
        # ICDAR 2013 boxes include their last pixel.
        assert context["picture"].boxes == ["0,0 10,0 10,10 0,10", "1,1 6,1 6,6 1,6"]
        assert context["picture"].truth == ["0,0 10,0 10,10 0,10"]
        assert context["picture"].ignored == ["5,5 10,5 10,10 5,10"]

    def test_ground_truth_can_be_hidden_and_stands_alone(self, admin, dataset):
        assert self.look(admin, dataset, method="net", truth="no").context["picture"].truth == []
        assert self.look(admin, dataset).context["picture"].boxes == []

    def test_what_was_not_evaluated_is_said(self, admin, dataset):
        page = self.look(admin, dataset, "img_2", method="other")
        assert "was not evaluated on this image" in page.text
        page = self.look(admin, dataset, "img_2", method="net")
        assert "there was no file for this image" in page.text

    def test_images_follow_each_other(self, admin, dataset):
        first, second = (
            self.look(admin, dataset).context,
            self.look(admin, dataset, "img_2").context,
        )
        assert (first["previous"], first["following"]) == (None, "img_2")
        assert (second["previous"], second["following"]) == ("img_1", None)

    def test_scores_of_the_result_stand_beside_it(self, admin, dataset):
        score_protocol(dataset=dataset, slug="iou")
        [score] = self.look(admin, dataset, method="net").context["scores"]
        # One of one region is found, by one of the two boxes; the other is no match.
        assert (score.recall, score.precision) == (1.0, 0.5)

    @pytest.mark.parametrize(("name", "query"), [("img_9", {}), ("img_1", {"method": "none"})])
    def test_what_is_not_there_is_404(self, admin, dataset, name, query):
        assert self.look(admin, dataset, name, **query).status_code == 404

    def test_a_name_may_hold_a_slash(self, admin):
        dataset = make_dataset()
        make_image(dataset, "day/img_1")
        assert self.look(admin, dataset, "day/img_1").status_code == 200

    def test_an_annotator_is_shown_no_method_by_name(self, client):
        study = make_study(["a", "b"])
        client.force_login(add_annotator(study))
        assert self.look(client, study.dataset, study.images.first().name).status_code == 404
        assert page_of(client, study.dataset).status_code == 404


SHAPES = [
    Region.from_box(0, 0, 99, 39, text='say "hi", twice'),
    Region((0.5, 0.0, 9.25, 1.0, 9.0, 9.0, 0.0, 8.0), text="fraction"),
    Region((0.0, 0.0, 9.0, 0.0, 12.0, 4.0, 9.0, 9.0, 0.0, 9.0), text="five corners"),
    Region.from_box(1, 2, 3, 4, text="###", ignored=True),
]
DETECTIONS = [
    Region.from_box(0, 0, 99, 39, confidence=0.5),
    Region((0.0, 0.0, 9.0, 0.0, 12.0, 4.0, 9.0, 9.0, 0.0, 9.0), confidence=0.125),
]


def taken(file, path):
    """Return an exported file as a user has it who downloaded it."""
    with file:
        path.write_bytes(file.read())
    return path


class TestExports:
    @pytest.fixture
    def odd(self):
        """A dataset of boxes whose regions are of many shapes."""
        dataset = make_dataset(line_format="ltrb")
        image = make_image(dataset, "img_1")
        Image.objects.filter(pk=image.pk).update(truth=encode_regions(SHAPES))
        make_image(dataset, "img_2")
        method = make_method(dataset, "net")
        for each, detections in ((image, DETECTIONS), (dataset.images.last(), [])):
            result = make_result(each, method, [])
            Result.objects.filter(pk=result.pk).update(
                regions=encode_regions(detections), n_regions=len(detections)
            )
        return dataset

    def again(self, dataset, extension, folder):
        truth = taken(exports.truth_file(dataset, extension), folder / f"gt.{extension}")
        # Every message has the format but not its name: polygons are lines, too.
        line_format = "polygon" if extension == "zip" else "coco-json"
        loaded = load_dataset(name="Again", truth=truth, line_format=line_format).dataset
        path = folder / f"net.{extension}"
        results = taken(exports.results_file(dataset.methods.get(), extension), path)
        load_results(loaded, {"net": results})
        return loaded

    @pytest.mark.parametrize("extension", ["zip", "json"])
    def test_what_is_exported_loads_again_to_equal_regions(self, odd, extension, tmp_path):
        loaded = self.again(odd, extension, tmp_path)
        for name in ("img_1", "img_2"):
            before, after = odd.images.get(name=name), loaded.images.get(name=name)
            assert after.truth_regions == before.truth_regions
            assert after.results.get().detections == before.results.get().detections

    def test_upright_boxes_are_written_as_the_dataset_has_them(self, dataset, tmp_path):
        truth = taken(exports.truth_file(dataset, "zip"), tmp_path / "gt.zip")
        again = load_dataset(name="Again", truth=truth).dataset
        assert again.line_format == "ltrb"
        assert [image.truth for image in again.images.in_order()] == [
            image.truth for image in dataset.images.in_order()
        ]

    def test_an_image_without_a_file_has_none_again(self, dataset, tmp_path):
        truth = taken(exports.truth_file(dataset, "zip"), tmp_path / "gt.zip")
        method = dataset.methods.get(name="net")
        results = taken(exports.results_file(method, "zip"), tmp_path / "net.zip")
        again = load_dataset(name="Again", truth=truth).dataset
        receipt = load_results(again, {"net": results}, missing="empty")
        assert receipt.counts["methods"]["net"]["without_file"] == 1

    def test_they_are_downloads_of_their_type(self, admin, dataset):
        for name, arguments, types in (
            ("truth_file", [dataset.slug], {"zip": "application/zip", "json": "application/json"}),
            ("results_file", [dataset.slug, "net"], {"zip": "application/zip"}),
        ):
            for extension, kind in types.items():
                response = file_made(admin, reverse(f"files:{name}", args=[*arguments, extension]))
                content = response.getvalue()
                assert response["Content-Type"] == kind
                assert "attachment" in response["Content-Disposition"]
                assert content[:2] == b"PK" or json.loads(content)["images"]

    def test_photographs_load_again_under_their_names(self, admin, tmp_path):
        dataset = make_dataset()
        images = [make_image(dataset, name, [(0, 0, 9, 9)]) for name in ("img_1", "img_2", "bare")]
        hashes = {image.name: add_photograph(image) for image in images[:2]}
        response = file_made(admin, reverse("files:photographs_file", args=[dataset.slug]))
        (tmp_path / "photos.zip").write_bytes(response.getvalue())
        with ZipFile(tmp_path / "photos.zip") as archive:
            assert archive.namelist() == ["img_1.png", "img_2.png"]
        truth = taken(exports.truth_file(dataset, "zip"), tmp_path / "gt.zip")
        again = load_dataset(name="Again", truth=truth, images=tmp_path / "photos.zip").dataset
        assert dict(again.images.exclude(sha256="").values_list("name", "sha256")) == hashes

    def test_a_photograph_that_is_missing_in_the_storage_is_named(self, admin):
        dataset = make_dataset()
        image_storage().delete(stored_name(add_photograph(make_image(dataset, "img_1"))))
        admin.post(reverse("files:photographs_file", args=[dataset.slug]))
        job = Job.objects.latest("pk")
        assert (job.state, "photograph of img_1 is missing" in job.failure) == ("failed", True)

    def test_photographs_are_offered_where_there_are_some(self, admin):
        dataset = make_dataset()
        image = make_image(dataset, "img_1")
        address, page = (
            reverse(name, args=[dataset.slug])
            for name in ("files:photographs_file", "datasets:detail")
        )
        assert f'action="{address}"' not in admin.get(page).text
        add_photograph(image)
        assert f'action="{address}"' in admin.get(page).text

    def test_what_lines_cannot_hold_is_said_and_the_other_format_named(self, admin):
        dataset = make_dataset(line_format="quad")
        image = make_image(dataset, "img_1")
        truth = encode_regions([Region.from_box(0, 0, 9, 9, label="sign")])
        Image.objects.filter(pk=image.pk).update(truth=truth)
        page = admin.post(reverse("files:truth_file", args=[dataset.slug, "zip"]), follow=True)
        assert "cannot be written" in page.text
        assert "COCO" in page.text
        response = file_made(admin, reverse("files:truth_file", args=[dataset.slug, "json"]))
        assert b'"sign"' in response.getvalue()

    def test_the_page_offers_lines_only_for_what_lines_can_hold(self, admin):
        """Of ground truth with labels and of results with ids there is COCO alone, and a sentence why."""
        dataset = make_dataset()
        image = make_image(dataset, "img_1", [(0, 0, 9, 9)])
        plain, with_ids = make_method(dataset, "plain"), make_method(dataset, "with-ids")
        make_result(image, plain)
        result = make_result(image, with_ids)

        def offered():
            page = admin.get(reverse("datasets:detail", args=[dataset.slug])).text
            files = {"truth": reverse("files:truth_file", args=[dataset.slug, "zip"])} | {
                method.slug: reverse("files:results_file", args=[dataset.slug, method.slug, "zip"])
                for method in (plain, with_ids)
            }
            json = reverse("files:truth_file", args=[dataset.slug, "json"])
            assert f'formaction="{json}"' in page
            told = "Lines cannot hold" in page
            return {name for name, url in files.items() if f'formaction="{url}"' in page}, told

        assert offered() == ({"truth", "plain", "with-ids"}, False)
        with_id = encode_regions([Region.from_box(0, 0, 9, 9, id="r1")])
        Result.objects.filter(pk=result.pk).update(regions=with_id)
        assert offered() == ({"truth", "plain"}, True)
        labelled = encode_regions([Region.from_box(0, 0, 9, 9, label="table")])
        Image.objects.filter(pk=image.pk).update(truth=labelled)
        assert offered() == ({"plain"}, True)

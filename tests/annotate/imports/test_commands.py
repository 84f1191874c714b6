"""The load commands say how far they are, what is wrong and where, and end in an error then."""

import csv
import io

import pytest
from django.core.management import CommandError, call_command

from annotate.datasets.models import Dataset, Method
from annotate.scoring.models import Score
from tests.support.archives import picture_bytes, zip_file
from tests.support.shared import shared_path

pytestmark = pytest.mark.django_db


@pytest.fixture
def truth(tmp_path):
    return str(zip_file(tmp_path / "gt.zip", {"gt_img_1.txt": "0,0,99,39,one"}))


def test_a_dataset_its_results_and_scores_are_loaded(tmp_path, truth, capsys):
    photographs = tmp_path / "photos"
    photographs.mkdir()
    (photographs / "img_1.png").write_bytes(picture_bytes())
    results = str(zip_file(tmp_path / "net.zip", {"res_img_1.txt": "0,0,99,39"}))
    scores = tmp_path / "scores.csv"
    scores.write_text("image,method,recall,precision\nimg_1,net,1,1\n")
    call_command("load_dataset", "Street", "--truth", truth, "--images", str(photographs))
    call_command("load_results", "street", results)
    call_command("load_scores", "street", str(scores), "--protocol", "Theirs")
    out = capsys.readouterr().out
    assert "Reading photos, 2 of 2: 1 of 1" in out
    assert "Loaded street: 1 images, 1 regions, 0 ignored, 1 photographs." in out
    assert "Loaded net: 1 results, 1 boxes" in out
    assert "Loaded 1 scores of Theirs." in out
    assert Score.objects.count() == 1


def test_every_fault_is_written_with_its_place_and_the_command_fails(tmp_path, truth, capsys):
    call_command("load_dataset", "Street", "--truth", truth)
    bad = zip_file(tmp_path / "net.zip", {"res_img_1.txt": "0,0,9\n9,9,0,0", "odd.md": ""})
    with pytest.raises(CommandError, match="Nothing was loaded") as failure:
        call_command("load_results", "street", str(bad))
    assert failure.value.returncode == 2
    err = capsys.readouterr().err
    assert "net.zip > res_img_1.txt, line 1: found 3 numbers in “0,0,9”; expected 4 numbers" in err
    assert "net.zip > res_img_1.txt, line 2: found “9,9,0,0”; expected right >= left" in err
    assert "net.zip > odd.md" in err
    assert not Method.objects.exists()


def test_a_method_name_goes_with_one_zip(tmp_path, truth):
    call_command("load_dataset", "Street", "--truth", truth)
    paths = [str(zip_file(tmp_path / f"{n}.zip", {"res_img_1.txt": ""})) for n in "ab"]
    with pytest.raises(CommandError, match="one zip"):
        call_command("load_results", "street", *paths, "--method", "net")
    call_command("load_results", "street", paths[0], "--method", "My net")
    assert Method.objects.get().name == "My net"


def test_an_unknown_dataset_is_refused_with_those_there_are(truth):
    call_command("load_dataset", "Street", "--truth", truth)
    with pytest.raises(CommandError, match="no dataset 'nowhere'; datasets: street"):
        call_command("load_results", "nowhere", "x.zip")


def test_a_file_that_is_not_there_is_refused():
    with pytest.raises(CommandError, match="no file of this name"):
        call_command("load_dataset", "Street", "--truth", "nowhere.zip")
    assert not Dataset.objects.exists()


REAL = {
    "icdar2013": (
        233,
        1095,
        0,
        {
            "east-argman": 977,
            "ccswt-dec29": 794,
            "ccswt-jan05a": 2703,
            "ccswt-jan10": 10650,
            "fcn-blocks": 1039,
        },
    ),
    "icdar2015": (
        500,
        5230,
        3153,
        {
            "pixellink": 2823,
            "east-argman": 2579,
            "east-resnet50": 2905,
            "east-paddle": 2547,
            "craft-torch": 1762,
            "craft-td-early": 2818,
            "craft-td-late": 2953,
            "fcn-blocks": 1989,
        },
    ),
    "ctw1500": (500, 3068, 0, {"ctd": 3340}),
    "clova-doc": (100, None, None, {"example": None}),
}


@pytest.mark.parametrize("data", REAL)
def test_real_data_sets_load_with_the_counts_of_their_readme(data):
    """The README of clova-doc counts images alone."""
    n_images, n_regions, n_ignored, methods = REAL[data]
    truth = shared_path("data", data, "gt.zip")
    # Prices such as "10,000" among its texts could be further corners.
    named = ["--format", "quad"] if data == "clova-doc" else []
    call_command("load_dataset", data, "--truth", str(truth), *named)
    dataset = Dataset.objects.get(slug=data)
    counts = dataset.imports.get().counts
    assert counts["images"] == n_images
    if n_regions is not None:
        assert (counts["regions"], counts["ignored"]) == (n_regions, n_ignored)
    paths = [str(shared_path("data", data, f"{method}.zip")) for method in methods]
    call_command("load_results", data, *paths, "--missing", "empty", *named)
    loaded = dataset.imports.get(kind="results").counts["methods"]
    for method, n_boxes in methods.items():
        assert loaded[method]["results"] == n_images
        assert n_boxes is None or loaded[method]["boxes"] == n_boxes
    if data == "icdar2013":
        assert loaded["east-argman"]["without_file"] == 13
    if data == "icdar2015":
        assert loaded["east-argman"]["without_file"] == 4


class TestImportFiles:
    """One command for everything, with the report of the pages and three ways to end."""

    @pytest.fixture
    def files(self, tmp_path):
        return {
            "truth": str(zip_file(tmp_path / "gt.zip", {"gt_img_1.txt": "0,0,99,39,one\n"})),
            "results": str(zip_file(tmp_path / "net.zip", {"res_img_1.txt": "0,0,99,39\n"})),
        }

    def test_clean_files_are_loaded_and_it_ends_with_0(self, files, capsys):
        call_command("import_files", files["truth"], files["results"], name="Street", yes=True)
        out = capsys.readouterr().out
        assert "gt.zip: ground truth" in out
        assert "Will be added: results of “net”: 1 box on 1 image." in out
        assert Dataset.objects.get().methods.get().name == "net"

    def test_a_dry_run_loads_nothing_and_leaves_no_file(self, files, capsys, settings):
        call_command("import_files", files["truth"], name="Street", dry_run=True)
        assert "dry run" in capsys.readouterr().out
        assert not Dataset.objects.exists()
        assert not [path for path in (settings.DATA_DIR / "staged").rglob("*") if path.is_file()]

    def test_what_is_loaded_with_a_note_ends_with_0(self, tmp_path, files, capsys):
        twice = zip_file(tmp_path / "twice.zip", {"res_img_1.txt": "0,0,9,9\n0,0,9,9\n"})
        call_command("import_files", files["truth"], str(twice), name="Street", yes=True)
        assert "warning L8: twice.zip > res_img_1.txt, line 2" in capsys.readouterr().err
        assert Method.objects.get().name == "twice"

    def test_official_ground_truth_with_crlf_ends_with_0(self, tmp_path):
        truth = zip_file(tmp_path / "gt.zip", {"gt_img_1.txt": "0,0,9,9,word\r\n"})
        call_command("import_files", str(truth), name="Street", yes=True)
        assert Dataset.objects.get().images.count() == 1

    def test_what_was_left_out_ends_with_1(self, tmp_path):
        entries = {"gt_img_1.txt": "0,0,9,9,word\n", "README.md": "about"}
        truth = zip_file(tmp_path / "gt.zip", entries)
        with pytest.raises(CommandError, match="left out in 1 place") as end:
            call_command("import_files", str(truth), name="Street", yes=True)
        assert end.value.returncode == 1
        assert Dataset.objects.get().images.count() == 1

    def test_faults_are_written_and_it_ends_with_2(self, tmp_path, files, capsys):
        bad = zip_file(tmp_path / "bad.zip", {"res_img_1.txt": "0,0,x,9\n"})
        report = tmp_path / "report.csv"
        with pytest.raises(CommandError, match="must be fixed") as end:
            call_command(
                "import_files",
                files["truth"],
                str(bad),
                name="Street",
                yes=True,
                report=str(report),
            )
        assert end.value.returncode == 2
        assert "error L2: bad.zip > res_img_1.txt, line 1" in capsys.readouterr().err
        with report.open(newline="") as file:
            [row] = csv.DictReader(file)
        assert (row["code"], row["entry"], row["line"]) == ("L2", "res_img_1.txt", "1")
        assert not Dataset.objects.exists()

    def test_a_question_stops_it_until_it_is_answered(self, tmp_path, capsys):
        truth = str(
            zip_file(tmp_path / "gt.zip", {f"gt_img_{n}.txt": "0,0,9,9,w\n" for n in (1, 2)})
        )
        results = str(zip_file(tmp_path / "net.zip", {"res_img_1.txt": "0,0,9,9\n"}))
        with pytest.raises(CommandError, match="1 question waits") as end:
            call_command("import_files", truth, results, name="Street", yes=True)
        assert end.value.returncode == 2
        call_command(
            "import_files", truth, results, name="Street", yes=True, missing="not-evaluated"
        )
        assert Method.objects.get().results.count() == 1

    def test_a_wrong_guess_is_corrected(self, tmp_path, files):
        call_command("import_files", files["truth"], name="Street", yes=True)
        call_command(
            "import_files",
            files["results"],
            dataset="street",
            yes=True,
            described=["net.zip=results:Deep Net"],
        )
        assert Method.objects.get().name == "Deep Net"
        with pytest.raises(CommandError, match="no kind of file") as end:
            call_command("import_files", files["truth"], dataset="street", described=["gt.zip=odd"])
        assert end.value.returncode == 2

    def test_results_that_are_loaded_are_replaced_only_when_it_is_said(self, tmp_path, files):
        call_command("import_files", files["truth"], files["results"], name="Street", yes=True)
        newer = str(zip_file(tmp_path / "new" / "net.zip", {"res_img_1.txt": ""}))
        with pytest.raises(CommandError, match="Confirm that this is intended"):
            call_command("import_files", newer, dataset="street", yes=True)
        call_command("import_files", newer, dataset="street", yes=True, replace=True)
        assert Method.objects.get().results.get().n_regions == 0

    def test_nobody_who_answers_is_no_yes(self, files, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        with pytest.raises(CommandError, match="not confirmed") as end:
            call_command("import_files", files["truth"], name="Street")
        assert end.value.returncode == 2
        assert not Dataset.objects.exists()

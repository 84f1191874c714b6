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


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(data, marks=pytest.mark.release if data in ("icdar2015", "ctw1500") else ())
        for data in REAL
    ],
)
def test_real_data_sets_load_with_the_counts_of_their_readme(data):
    """The README of clova-doc counts images alone."""
    n_images, n_regions, n_ignored, methods = REAL[data]
    truth = shared_path("data", data, "gt.zip")
    # Prices such as "10,000" among its texts could be further corners.
    chosen = {"format": ["quad"] if data == "clova-doc" else [], "yes": True}
    call_command("import_files", str(truth), name=data, **chosen)
    dataset = Dataset.objects.get(slug=data)
    counts = dataset.imports.get().counts
    assert counts["images"] == n_images
    if n_regions is not None:
        assert (counts["regions"], counts["ignored"]) == (n_regions, n_ignored)
    paths = [str(shared_path("data", data, f"{method}.zip")) for method in methods]
    call_command("import_files", *paths, dataset=data, missing="empty", **chosen)
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

    def test_clean_files_are_loaded_and_it_ends_with_0(self, files, tmp_path, capsys):
        photographs = tmp_path / "photos"
        photographs.mkdir()
        (photographs / "img_1.png").write_bytes(picture_bytes())
        scores = tmp_path / "scores.csv"
        scores.write_text("image,method,recall,precision\nimg_1,net,50,100\n")
        call_command(
            "import_files",
            *files.values(),
            *map(str, (photographs, scores)),
            name="Street",
            described=["scores.csv=scores:Theirs"],
            per_cent=True,
            yes=True,
        )
        out = capsys.readouterr().out
        assert "gt.zip: ground truth" in out
        assert "Reading photos, 2 of 4: 1 of 1" in out
        assert "Will be added: results of “net”: 1 box on 1 image." in out
        dataset = Dataset.objects.get()
        assert dataset.methods.get().name == "net"
        assert (dataset.runs.get().name, Score.objects.get().recall) == ("Theirs", 0.5)
        assert dataset.images.get().width

    def test_an_unknown_dataset_is_refused_with_those_there_are(self, files):
        call_command("import_files", files["truth"], name="Street", yes=True)
        with pytest.raises(CommandError, match="no dataset 'nowhere'; datasets: street"):
            call_command("import_files", files["results"], dataset="nowhere")

    def test_a_file_that_is_not_there_is_refused(self):
        with pytest.raises(CommandError, match=r"nowhere\.zip: No such file"):
            call_command("import_files", "nowhere.zip", name="Street")

    def test_the_format_of_all_files_or_of_one_is_said(self, files):
        wrong = ["quad", "gt.zip=ltrb"]
        with pytest.raises(CommandError, match="must be fixed"):
            call_command("import_files", *files.values(), name="Street", yes=True, format=wrong)
        right = [*wrong, "net.zip=ltrb"]
        call_command("import_files", *files.values(), name="Street", yes=True, format=right)
        assert Method.objects.get().results.get().n_regions == 1
        for chosen in ({"format": ["boxes"]}, {"reading": ["backwards"]}):
            with pytest.raises(CommandError, match=r"known (format|reading); "):
                call_command("import_files", files["results"], dataset="street", **chosen)

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

    def test_an_encoding_is_asked_for_and_given(self, tmp_path, capsys):
        truth = str(zip_file(tmp_path / "gt.zip", {"gt_a.txt": "0,0,9,9,서울".encode("euc_kr")}))
        with pytest.raises(CommandError, match="1 question waits"):
            call_command("import_files", truth, name="Street", yes=True)
        assert "cp949 (EUC-KR: “서울”)" in capsys.readouterr().err
        call_command("import_files", truth, name="Street", yes=True, encoding="cp949")
        assert Dataset.objects.get().images.get().truth_regions[0].text == "서울"

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

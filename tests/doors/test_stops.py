"""Loads that stop: ground truth that cannot be right as read, and questions with the answer of each door."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

import text_rankings as tr
from annotate.datasets.models import Dataset
from annotate.studies.models import Study
from tests.support.archives import picture_bytes, zip_file
from tests.support.street_words import WORDS, box, zipped
from tests.support.street_words import upright as quad

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path):
    """Ground truth of quadrilaterals, and boxes of two methods."""
    zipped(tmp_path, "gt.zip", "gt", quad, ",word")
    zipped(tmp_path, "east.zip", "res", box)
    zipped(tmp_path, "craft.zip", "res", lambda x, y, r, b: box(x + 1, y, r + 1, b))
    (tmp_path / "images").mkdir()
    for at in WORDS:
        (tmp_path / "images" / f"img_{at}.png").write_bytes(picture_bytes(width=400, height=200))
    return tmp_path


def study_of(folder, data):
    (folder / "study.toml").write_text(
        f'name = "Street"\n[data]\nphotographs = "images"\n{data}\n[protocols]\nuse = ["iou"]\n'
    )
    call_command("make_study", str(folder / "study.toml"), "--yes")
    return Study.objects.get()


def test_a_study_file_asks_for_the_format_of_the_file_alone_and_is_right_as_told(folder, capsys):
    """With one format for all files, the truth became flat boxes and all scores 0."""
    zipped(folder, "east.zip", "res", lambda x, y, r, b: f"{x},{y},{r - x},{b - y}")
    zipped(folder, "craft.zip", "res", lambda x, y, r, b: f"{x + 1},{y},{r - x},{b - y}")
    with pytest.raises(CommandError) as refused:
        study_of(folder, 'truth = "gt.zip"\nresults = ["east.zip", "craft.zip"]')
    said = str(refused.value)
    assert "study.toml:5: data.results.0.format: " in said
    assert 'as in { file = "east.zip", format = "ltwh" }; format is one of: ltwh.' in said
    assert "question F1: " in capsys.readouterr().err
    told = [f'{{ file = "{name}.zip", format = "ltwh" }}' for name in ("east", "craft")]
    study = study_of(folder, f'truth = "gt.zip"\nresults = [{", ".join(told)}]')
    scores = study.dataset.runs.get().scores.values_list("recall", "precision")
    assert set(scores) == {(1.0, 1.0)}


def test_a_table_of_methods_may_say_how_each_file_is_read(folder):
    zipped(folder, "turned.zip", "res", lambda x, y, r, b: box(y, x, b, r))
    study = study_of(
        folder,
        'truth = { file = "gt.zip", format = "quad" }\n[data.results]\n'
        'east = { file = "east.zip", format = "ltrb" }\n'
        'other = { file = "turned.zip", format = "ltrb", reading = "exchanged" }',
    )
    assert {of.name for of in study.methods.all()} == {"east", "other"}
    assert set(study.dataset.runs.get().scores.values_list("recall", flat=True)) == {1.0}


@pytest.mark.filterwarnings("ignore::protocols.core.errors.DataWarning")
@pytest.mark.parametrize(
    ("lines", "n"),
    [
        ([f"{at},0,99,9,10,000,000 yen" for at in range(4)], 4),
        ([*(f"{at},0,99,9,1,234,567" for at in range(5)), "0,0,9,9,1999"], 6),
        ([f"{at},0,99,9,10,000 yen" for at in range(6)], 6),
        ([*(f"{at},0,90,0,one" for at in range(5)), "0,0,90,9,two"], 6),
    ],
)
def test_prices_and_some_flat_boxes_are_no_reason_to_stop(lines, n, tmp_path):
    truth = zip_file(tmp_path / "gt.zip", {"gt_1.txt": "\n".join(lines)})
    results = zip_file(tmp_path / "east.zip", {"res_1.txt": ""})
    found = tr.score(str(truth), str(results), format="ltrb")
    assert len(found.scenes[""][0].truth) == n


def turned(left, top, right, bottom):
    return box(top, left, bottom, right)


EXCHANGED = "ground truth that all results fit only with x and y exchanged"


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ('["east.zip", "craft.zip"]', "(east.zip, craft.zip)"),
        ('["craft.zip"]', "(craft.zip)"),
        ('[{ file = "craft.zip", reading = "exchanged" }]', "(craft.zip)"),
    ],
)
def test_ground_truth_with_exchanged_axes_is_the_file_to_correct(folder, capsys, results, said):
    """Words at up to 330 px of 200 px of height: the truth leaves its photographs."""
    zipped(folder, "gt.zip", "gt", turned, ",word")
    with pytest.raises(CommandError) as refused:
        study_of(folder, f'truth = "gt.zip"\nresults = {results}\nformat = "ltrb"')
    assert f"gt.zip: found {EXCHANGED} {said}; expected x before y" in str(refused.value)
    told = capsys.readouterr().err
    assert "reading =" not in f"{refused.value}{told}"
    assert "F2" not in told
    # Of each image, the second word ends at 330; the first at 150 + its number.
    assert "warning L6: gt.zip: Outside the image, 6 times in 6 files" in told
    assert " L6: images" not in told
    assert not Dataset.objects.exists()


def test_several_results_do_not_share_a_mistake_where_no_photograph_tells(folder, capsys):
    zipped(folder, "gt.zip", "gt", turned, ",word")
    files = [str(folder / f"{name}.zip") for name in ("gt", "east", "craft")]
    load = {"name": "Street", "yes": True, "format": ["ltrb"]}
    with pytest.raises(CommandError, match="must be fixed"):
        call_command("import_files", *files, **load)
    assert f"error F11: gt.zip: found {EXCHANGED}" in capsys.readouterr().err
    # One result alone is asked about, and an answer for all results counts.
    with pytest.raises(CommandError, match="question"):
        call_command("import_files", *files[:2], **load)
    answers = ["east.zip=exchanged", "craft.zip=exchanged"]
    call_command("import_files", *files, **load, reading=answers)
    assert Dataset.objects.get().methods.count() == 2


def test_results_that_leave_the_photographs_are_asked_about_and_not_their_truth(folder):
    zipped(folder, "east.zip", "res", turned)
    zipped(folder, "craft.zip", "res", lambda x, y, r, b: turned(x + 1, y, r + 1, b))
    data = 'truth = { file = "gt.zip", format = "quad" }\nformat = "ltrb"\nresults = '
    with pytest.raises(CommandError, match=r"results\.0\.reading: .*as-read, exchanged\."):
        study_of(folder, f'{data}["east.zip", "craft.zip"]')


@pytest.mark.parametrize(
    ("write", "reading", "words"),
    [
        (
            box,
            "exchanged",
            "with x and y exchanged: recall 0.00, precision 0.00; as read: recall 1",
        ),
        (
            turned,
            "as-read",
            "as read: recall 0.00, precision 0.00; with x and y exchanged: recall 1",
        ),
    ],
)
def test_a_named_reading_that_hardly_fits_stops_where_another_fits(
    folder, capsys, write, reading, words
):
    zipped(folder, "east.zip", "res", write)
    data = 'truth = { file = "gt.zip", format = "quad" }\nresults = '
    east = f'{{ file = "east.zip", format = "ltrb", reading = "{reading}" }}'
    with pytest.raises(CommandError, match=words):
        study_of(folder, f"{data}[{east}]")
    files = [str(folder / name) for name in ("gt.zip", "east.zip")]
    answers = {"format": ["gt.zip=quad", "east.zip=ltrb"], "reading": [f"east.zip={reading}"]}
    with pytest.raises(CommandError):
        call_command("import_files", *files, name="Street", yes=True, **answers)
    assert not Dataset.objects.exists()
    capsys.readouterr()
    # With a method that fits it is a warning, without "no action is needed".
    study_of(folder, f'{data}[{east}, {{ file = "craft.zip", format = "ltrb" }}]')
    told = capsys.readouterr().err
    assert f"warning F2: east.zip: found {'a file that is read ' * (write == box)}{words}" in told
    assert "No action is needed" not in told


def loaded(folder, *names, photographs=True):
    """Load ground truth with exchanged axes, and results that fit it, as they are."""
    zipped(folder, "gt.zip", "gt", turned, ",word")
    files = [folder / "gt.zip", *[folder / "images"] * photographs, *(folder / of for of in names)]
    call_command("import_files", *map(str, files), name="Street", yes=True)
    return Dataset.objects.get()


def test_exchanged_axes_of_the_stored_truth_stop_results_that_come_later(folder, capsys):
    dataset = loaded(folder)
    load = ["import_files", str(folder / "craft.zip"), "--dataset", dataset.slug, "--yes"]
    with pytest.raises(CommandError, match="must be fixed"):
        call_command(*load)
    told = capsys.readouterr().err
    assert f"error F11: Street: found {EXCHANGED} (craft.zip); expected x before y" in told
    assert "F2" not in told
    with pytest.raises(CommandError):
        call_command(*load, "--reading", "exchanged")
    assert f"error F11: Street: found {EXCHANGED}" in capsys.readouterr().err
    assert not dataset.methods.exists()


def test_a_stored_truth_that_loaded_results_fit_is_not_the_side_to_correct(folder, capsys):
    zipped(folder, "east.zip", "res", turned)
    dataset = loaded(folder, "east.zip")
    with pytest.raises(CommandError, match="question"):
        call_command("import_files", str(folder / "craft.zip"), dataset=dataset.slug, yes=True)
    told = capsys.readouterr().err
    assert "question F2: craft.zip: " in told
    assert "F11" not in told

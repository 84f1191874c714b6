"""A table of inputs through every door: names, regions, figures, and the sentences about them."""

import json
from pathlib import Path

import pytest
from django.db import transaction

import text_rankings as tr
from protocols.torch import TextDetectionMetric
from tests.support import doors
from tests.support.archives import zip_bytes

from .inputs import Input
from .inputs_engines import INPUTS as OF_ENGINES
from .inputs_findings import INPUTS as OF_FINDINGS
from .inputs_formats import INPUTS as OF_FORMATS
from .inputs_readme import INPUTS as OF_README

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore::protocols.core.errors.DataWarning"),
]

# Inputs of which no outline is worked out by hand, so that arrays and the metric cannot be given them.
NOT_AS_ARRAYS = {
    "curves of Bezier": "twenty points along each of two curves",
    "polylines that may be curves": "twenty points along each of two curves",
    "F11a, YOLO with the confidence second": "shares of the sides that are no decimal fractions",
}
INPUTS = {**OF_README, **OF_ENGINES, **OF_FINDINGS, **OF_FORMATS}
# The doors of the site cost ten times those of the libraries: a quarter of the inputs takes one of them by
# turns, and in the release's tests all inputs take all.
OF_SITE = (doors.import_files, doors.api, doors.site, doors.study_file)


def written(folder, file):
    name, content = file
    if isinstance(content, Path):
        if not content.exists():
            pytest.skip(f"needs {content.name} of the shared documents, which are not here")
        content = content.read_bytes()
    elif isinstance(content, str):
        content = content.encode()
    elif isinstance(content, dict) and name.endswith(".zip"):
        content = zip_bytes(content)
    elif not isinstance(content, bytes):
        content = json.dumps(content).encode()
    (folder / name).write_bytes(content)
    return folder / name


def load_of(of: Input, folder: Path) -> doors.Load:
    return doors.Load(
        written(folder, of.truth),
        written(folder, of.results),
        of.photographs and written(folder, of.photographs),
        names=list(of.expected_truth),
        formats=of.formats,
        readings=of.readings,
        missing=of.missing,
    )


def outlined(words):
    """Return words with boxes as four corners, clockwise from the top left one."""
    return {
        image: [(outline and corners(outline), text, ignored) for outline, text, ignored in own]
        for image, own in words.items()
    }


def corners(outline):
    if len(outline) > 4:
        return tuple(map(float, outline))
    left, top, right, bottom = map(float, outline)
    return left, top, right, top, right, bottom, left, bottom


def check(of: Input, load: doors.Load, door) -> None:
    """Compare what came in through a door with what is written down."""
    seen = door(load)
    # A study file is named with its path, and nothing else is.
    assert str(load.folder) not in seen.said.replace(str(load.folder / "study.toml"), "")
    assert seen.is_refused == bool(of.refused), seen.said
    said = " ".join(seen.said.split())
    lacking = [part for part in (*of.said, *of.refused) if part not in said]
    assert not lacking, seen.said
    if seen.codes is not None:
        assert seen.codes == of.codes, seen.said
    if of.refused:
        return
    assert (seen.method, sorted(seen.images)) == (of.method, sorted(of.expected_truth))
    if of.figures is not None:
        assert seen.figures == pytest.approx(of.figures, abs=1e-6)
    if seen.truth is not None:
        assert_same(seen.truth, outlined(of.expected_truth))
        empty = {image: [] for image in of.expected_truth}
        assert_same({**empty, **seen.results}, {**empty, **outlined(of.expected_results)})


def assert_same(seen, expected):
    """Compare words by image; an outline that is not worked out may be any."""
    any_outline = {
        image: [
            (None if of[0] is None else found[0], *found[1:])
            for found, of in zip(seen.get(image, ()), own, strict=True)
        ]
        for image, own in expected.items()
    }
    assert any_outline == expected
    assert seen.keys() == expected.keys()


def is_worked_out(of: Input) -> bool:
    sides = (of.expected_truth, of.expected_results)
    outlines = [word[0] for side in sides for words in side.values() for word in words]
    return not of.refused and of.figures is not None and None not in outlines


def as_arrays(words):
    return {
        "polygons": [list(of[0]) for of in words],
        "ignored": [of[2] for of in words],
    }


def given_to(of_site):
    """Return each input with its doors."""
    return [pytest.param(name, of_site(at), id=name) for at, name in enumerate(INPUTS)]


def by_turns(at):
    of_site = OF_SITE[at // len(OF_SITE) % len(OF_SITE)]
    return (doors.shell, doors.facade, *([] if at % len(OF_SITE) else [of_site]))


def all_others(at):
    return tuple(door for door in OF_SITE if door not in by_turns(at))


@pytest.mark.parametrize(("name", "given"), given_to(by_turns))
def test_the_libraries_and_by_turns_a_door_of_the_site(name, given, tmp_path):
    load = load_of(INPUTS[name], tmp_path)
    for door in given:
        check(INPUTS[name], load, door)


@pytest.mark.parametrize("name", [name for name, of in INPUTS.items() if is_worked_out(of)])
def test_arrays_and_the_metric_give_the_figures_that_are_written_down(name):
    """The words of the table through the two doors that take no files."""
    of = INPUTS[name]
    truth, results = outlined(of.expected_truth), outlined(of.expected_results)
    metric = TextDetectionMetric("iou")
    for image, words in truth.items():
        metric.update([as_arrays(results.get(image, []))], [as_arrays(words)])
    found = metric.compute()
    assert (found["recall"], found["precision"]) == pytest.approx(of.figures, abs=1e-6)
    overall = tr.score(
        {image: as_arrays(words) for image, words in truth.items()},
        {image: as_arrays(results.get(image, [])) for image in truth},
    ).overall
    assert (overall.recall, overall.precision) == pytest.approx(of.figures, abs=1e-6)


def test_each_input_goes_through_each_door_but_those_that_are_named():
    """A file that is refused is no array; all others are, except for those with a reason."""
    lacking = {name for name, of in INPUTS.items() if not of.refused and not is_worked_out(of)}
    assert lacking == NOT_AS_ARRAYS.keys()
    for at in range(len(INPUTS)):
        through = {*by_turns(at), *all_others(at)}
        assert through == {doors.shell, doors.facade, *OF_SITE}


@pytest.mark.release
@pytest.mark.parametrize(("name", "given"), given_to(all_others))
def test_the_other_doors_of_the_site(name, given, tmp_path):
    load = load_of(INPUTS[name], tmp_path)
    for door in given:
        here = transaction.savepoint()
        check(INPUTS[name], load, door)
        transaction.savepoint_rollback(here)

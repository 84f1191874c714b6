"""MapText's JSON: groups, flags of ignored words, what differs between truth and results, and back."""

import io
import json
from dataclasses import replace

import pytest

from protocols.core.regions import Region
from protocols.formats.containers.checking import unknown_images, with_known_names
from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import read
from protocols.formats.writing.converting import write
from protocols.formats.writing.regions import NotWritable, write_coco
from tests.support.cases import cases


def word(x, text="w", **fields):
    return {"vertices": [[x, 0], [x + 9, 0], [x + 9, 5], [x, 5]], "text": text, **fields}


def plain(x, text="w", illegible=False, truncated=False):
    return word(x, text, illegible=illegible, truncated=truncated)


def opened(*entries, kind="truth"):
    content = (
        b"\xef\xbb\xbf"
        + json.dumps([{"image": name, "groups": groups} for name, groups in entries]).encode()
    )
    return read(io.BytesIO(content), kind=kind, name="maps.json")


def test_words_keep_their_group_their_order_and_why_they_are_ignored():
    archive = opened(
        (
            "sample/map_1.png",
            [[plain(30, "Bald"), plain(10, "###"), plain(50, "", truncated=True)]],
        ),
        ("map_2.png", [[plain(0, illegible=True)], [plain(20, "", True, True)]]),
    )
    assert (archive.format, archive.problems) == ("maptext", ())
    found = {
        name: [(of.box[0], of.text, of.parent, of.ignored, of.ignored_as) for of in regions]
        for name, regions in archive.regions.items()
    }
    assert found == {
        "map_1": [
            (30, "Bald", "0", False, None),
            # Only the flags say what is ignored.
            (10, "###", "0", False, None),
            (50, "", "0", True, "truncated"),
        ],
        "map_2": [
            (0, "w", "0", True, "illegible"),
            (20, "", "1", True, "illegible truncated"),
        ],
    }


def test_flags_and_confidences_of_results_are_not_read_and_named():
    archive = opened(("a", [[word(0, illegible=True, score=0.5)], [word(20)]]), kind="results")
    assert [of.ignored for of in archive.regions["a"]] == [False, False]
    [problem] = archive.problems
    assert (problem.code, problem.found) == ("U1", "illegible, score of 1 region (first in a)")


def test_results_of_detection_have_no_texts():
    found = word(0)
    del found["text"]
    archive = opened(("a", [[found, {**found, "text": None}]]), kind="results")
    assert [of.text for of in archive.regions["a"]] == [None, None]


def test_of_two_entries_the_last_counts():
    archive = opened(("a", [[plain(0, "first")]]), ("b", []), ("a", [[plain(0, "last")]]))
    assert {name: [of.text for of in regions] for name, regions in archive.regions.items()} == {
        "a": ["last"],
        "b": [],
    }
    [problem] = archive.problems
    assert problem.found == "1 entry of an image that has a later one (first in a)"


@cases(
    ("entries", "kind"),
    [
        ([("a", [[plain(0)]])], "truth"),
        ([("a", [[word(0)]])], "results"),
        # An image on which nothing was found says nothing of its kind.
        ([("a", [])], "results"),
    ],
)
def test_it_is_recognised_by_its_keys(entries, kind):
    content = json.dumps([{"image": name, "groups": groups} for name, groups in entries])
    guessed = guess(io.BytesIO(content.encode()), "maps.json")
    assert (guessed.format, guessed.kind) == ("maptext", kind)


def test_results_for_other_images_are_passed_over_with_a_warning():
    """As the program does; where no name fits, they are an error as in any format."""
    archive = opened(("a.png", [[word(0)]]), ("b.png", [[word(0)]]), kind="results")
    named, [told] = with_known_names(archive, ["a", "c"])
    assert list(named.regions) == ["a"]
    assert (told.code, told.severity, told.found) == (
        "N2",
        "warning",
        "1 image that the dataset lacks (b)",
    )
    assert unknown_images(named, ["a", "c"]).found == []
    unfit, told = with_known_names(archive, ["x"])
    assert (list(unfit.regions), told) == (["a", "b"], [])
    assert len(unknown_images(unfit, ["x"]).found) == 2


BOX = Region.from_box(0, 0, 9, 5, text="w")


def test_what_is_written_reads_back_with_its_groups():
    regions = {
        "a": (
            replace(BOX, parent="0"),
            replace(BOX, parent="0", ignored=True, ignored_as="illegible truncated"),
            replace(BOX, parent="1", ignored=True, ignored_as="truncated", text="###"),
        ),
        "b": (),
    }
    back = read(io.BytesIO(write(regions, "maptext", kind="truth")), kind="truth", name="a.json")
    assert back.regions == regions


def test_other_groups_get_numbers_and_other_ignored_words_a_reason():
    """Lines of other formats become groups in their order; a word without a line is one of its own."""
    lines = [("3.1", False), (None, False), ("3.0", True), ("3.1", False)]
    regions = {"a": tuple(replace(BOX, parent=line, ignored=out) for line, out in lines)}
    data = json.loads(write(regions, "maptext", kind="truth"))
    assert [[of["illegible"] for of in group] for group in data[0]["groups"]] == [
        [False, False],
        [False],
        [True],
    ]


@cases(
    ("region", "kind", "named"),
    [
        (replace(BOX, confidence=0.5), "results", "confidence"),
        (replace(BOX, label="town"), "truth", "label"),
        (replace(BOX, ignored=True, ignored_as="noise"), "truth", "ignored_as"),
        (replace(BOX, text=None), "truth", "text"),
        # Results have no flags.
        (replace(BOX, ignored=True), "results", "ignored"),
    ],
)
def test_what_it_cannot_hold_is_refused(region, kind, named):
    with pytest.raises(NotWritable, match=named):
        write({"a": (region,)}, "maptext", kind=kind)


def test_coco_keeps_why_a_word_is_ignored():
    regions = {"a": (replace(BOX, ignored=True, ignored_as="truncated"),)}
    stream = io.BytesIO()
    write_coco(stream, regions, kind="truth")
    stream.seek(0)
    assert read(stream, kind="truth", name="a.json").regions == regions

"""Rankings in files of PrefLib, written by hand after its definition (preflib.org/format)."""

import csv
import json

import pytest

from rankings.__main__ import main
from rankings.command_line.answer_files import read_rankings
from rankings.errors import RankingError

# Seven voters; 2 and 3 are tied in an order; two orders do not have all alternatives.
ELECTION = """\
# FILE NAME: 00099-00000001.toi
# TITLE: A small election
# DESCRIPTION: Collected by hand.
# DATA TYPE: toi
# MODIFICATION TYPE: original
# RELATES TO:
# RELATED FILES:
# PUBLICATION DATE: 2026-11-29
# MODIFICATION DATE: 2026-11-29
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 7
# NUMBER UNIQUE ORDERS: 4
# ALTERNATIVE NAME 1: Ann: the first
# ALTERNATIVE NAME 2: Ben
# ALTERNATIVE NAME 3: Cid
# ALTERNATIVE NAME 4: Dan
3: 1,{2,3},4
2: {1, 4}, 2
1: 3
1: {1,2,3,4}
"""
FIRST = (("Ann: the first",), ("Ben", "Cid"), ("Dan",))
HEADER = "image,annotator,criterion,buckets\n"


def test_orders_with_ties_are_read_once_for_each_voter(tmp_path):
    (tmp_path / "small.toi").write_text(ELECTION)
    said = []
    found = read_rankings(str(tmp_path / "small.toi"), said.append, whole=False)
    assert found == {
        "preference": {
            "A small election": {
                "small.toi: 1": FIRST,
                "small.toi: 2": FIRST,
                "small.toi: 3": FIRST,
                "small.toi: 4": (("Ann: the first", "Dan"), ("Ben",)),
                "small.toi: 5": (("Ann: the first", "Dan"), ("Ben",)),
                "small.toi: 6": (("Cid",),),
                "small.toi: 7": (("Ann: the first", "Ben", "Cid", "Dan"),),
            }
        }
    }
    assert len(said) == 1
    assert "names no annotators" in said[0]


def rows(path, *given):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER.strip().split(","))
        writer.writerows((*of, json.dumps(buckets)) for *of, buckets in given)
    return str(path)


def test_a_file_for_each_image_and_criterion_is_written(tmp_path, capsys):
    path = rows(
        tmp_path / "rankings.csv",
        ("img_10.jpg", "ann", "recall", [["m2", "m10"], ["m1"]]),
        ("img_10.jpg", "ben", "recall", [["m10", "m2"], ["m1"]]),
        ("img_10.jpg", "cid", "recall", [["m1"], ["m2"], ["m10"]]),
        ("a/img_9.jpg", "ann", "recall", [["m1"], ["m2"]]),
        ("img_10.jpg", "ann", "preference", [["m1"], ["m2"]]),
        ("img_10.jpg", "ben", "preference", [["m2", "m10"]]),
        ("a/img_9.jpg", "ben", "preference", [["m2"], ["m1"]]),
        ("a/img_9.jpg", "cid", "preference", [["m1"], ["m10"]]),
    )
    assert main(["preflib", path, str(tmp_path / "made")]) == 0
    assert capsys.readouterr().out == "4 files with 8 rankings\n"
    made = {of.relative_to(tmp_path / "made").as_posix(): of for of in tmp_path.rglob("*.?o?")}
    assert sorted(made) == [
        "preference/00001-a_img_9.jpg.soi",
        "preference/00002-img_10.jpg.toi",
        "recall/00001-a_img_9.jpg.soc",
        "recall/00002-img_10.jpg.toc",
    ]
    assert made["recall/00002-img_10.jpg.toc"].read_text() == (
        "# FILE NAME: 00002-img_10.jpg.toc\n# TITLE: img_10.jpg\n# DESCRIPTION: recall\n"
        "# DATA TYPE: toc\n# MODIFICATION TYPE: original\n# RELATES TO: \n# RELATED FILES: \n"
        "# PUBLICATION DATE: \n# MODIFICATION DATE: \n# NUMBER ALTERNATIVES: 3\n"
        "# NUMBER VOTERS: 3\n# NUMBER UNIQUE ORDERS: 2\n# ALTERNATIVE NAME 1: m1\n"
        "# ALTERNATIVE NAME 2: m2\n# ALTERNATIVE NAME 3: m10\n2: {2,3},1\n1: 1,2,3\n"
    )


def test_a_folder_that_was_written_has_the_rankings_again(tmp_path):
    given = [
        (f"img_{at}.jpg", name, criterion, ranking)
        for at in range(3)
        for criterion in ("recall", "precision")
        for name, ranking in (("ann", [["a"], ["b", "c"]]), ("ben", [["c"], ["b"], ["a"]]))
    ]
    path = rows(tmp_path / "rankings.csv", *given)
    main(["preflib", path, str(tmp_path / "made")])
    first, second = (
        {
            criterion: {image: sorted(own.values()) for image, own in images.items()}
            for criterion, images in read_rankings(of, lambda _: None).items()
        }
        for of in (path, str(tmp_path / "made"))
    )
    assert first == second
    assert sorted(first) == ["precision", "recall"]


def test_no_two_files_have_a_voter_in_common(tmp_path):
    for name in ("one.toi", "two.toi"):
        (tmp_path / name).write_text(ELECTION.replace("A small election", name))
    found = read_rankings(str(tmp_path), lambda _: None, whole=False)["preference"]
    assert not {*found["one.toi"]} & {*found["two.toi"]}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("VOTERS: 7", "VOTERS: 8"), "states NUMBER VOTERS 8, and has 7"),
        (("# NUMBER UNIQUE ORDERS: 4\n", ""), "states NUMBER UNIQUE ORDERS None, and has 4"),
        (("ALTERNATIVES: 4", "ALTERNATIVES: 5"), "states NUMBER ALTERNATIVES 5, and has 4"),
        (("1: 3\n", "1: 5\n"), "line 19: there is no ALTERNATIVE NAME 5"),
        (("1: 3\n", "1: {3,2\n"), "line 19: expected an order such as 2: 1,{2,3}"),
        (("1: 3\n", "3\n"), "line 19: expected an order"),
        (("1: 3\n", "1: 3,3\n"), "Cid"),
    ],
)
def test_a_file_that_is_not_consistent_is_refused_by_name_and_place(wrong, said, tmp_path):
    (tmp_path / "small.toi").write_text(ELECTION.replace(*wrong))
    with pytest.raises(RankingError, match=r"small\.toi") as refusal:
        read_rankings(str(tmp_path / "small.toi"), lambda _: None, whole=False)
    assert said in str(refusal.value)


def test_folders_are_not_written_over_and_need_files(tmp_path, capsys):
    path = rows(tmp_path / "rankings.csv", ("img", "ann", "recall", [["a"], ["b"]]))
    assert main(["preflib", path, str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main(["preflib", str(tmp_path / "empty"), str(tmp_path / "made")]) == 2
    assert "has no file of PrefLib" in capsys.readouterr().err
    assert main(["preflib", rows(tmp_path / "none.csv"), str(tmp_path / "made")]) == 2
    assert "has no ranking" in capsys.readouterr().err


@pytest.mark.parametrize("name", [" a", "a\nb"])
def test_a_name_that_the_format_would_change_is_refused(name, tmp_path, capsys):
    path = rows(tmp_path / "rankings.csv", ("img", "ann", "recall", [[name], ["c"]]))
    assert main(["preflib", path, str(tmp_path / "made")]) == 2
    assert "cannot hold the name" in capsys.readouterr().err
    assert not (tmp_path / "made").exists()

"""A score says how it was made, in one line that reads back into the same score."""

import csv
import json
import re
from dataclasses import dataclass, fields
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import __version__, registry, score_versions
from protocols.command_line.main import main
from protocols.core.base import choice, parameter
from protocols.core.errors import ProtocolError
from protocols.iou import Iou
from protocols.signatures import Signature, read_signature, signature
from tests.support.archives import zip_file
from tests.support.commands import run_here
from tests.support.scenes import SLUGS

TRUTH = {
    "gt_img_1.txt": "0,0,99,39,one\r\n200,0,299,39,two\r\n400,0,bad,39,###\r\n",
    "gt_img_2.txt": "0,0,99,39,###\r\n",
}
FOUND = {"res_img_1.txt": "0,0,99,30\r\n", "res_img_2.txt": ""}
LINE = (
    "iou|min_iou:0.5|max_ignored_share:0.5|matching:first|truth:ltrb|results:ltrb|images:2|v:1"
    f"|program:{__version__}"
)


def values_of(declared):
    if isinstance(declared.default, bool):
        return st.booleans()
    if "choices" in declared.metadata:
        return st.sampled_from(declared.metadata["choices"])
    low, high = declared.metadata["low"], declared.metadata["high"]
    whole = isinstance(declared.default, int)
    return st.integers(int(low), int(high)) if whole else st.floats(low, high)


@st.composite
def signatures(draw, protocol):
    named = draw(st.sampled_from(["", *protocol.variants]))
    of_variant = protocol.variants[named].parameters if named else {}
    some = (
        draw(st.sets(st.sampled_from([of.name for of in fields(protocol)])))
        if fields(protocol)
        else ()
    )
    given = {of.name: draw(values_of(of)) for of in fields(protocol) if of.name in some}
    texts = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=9)
    ends = (
        draw(texts),
        draw(texts),
        draw(st.integers(0, 10**9)),
        draw(texts),
        draw(st.just("") | texts),
    )
    return Signature(protocol(**{**of_variant, **given}), *ends)


@pytest.mark.parametrize("slug", SLUGS)
def test_a_signature_reads_back_into_what_was_written(slug):
    @given(signatures(registry.PROTOCOLS[slug]))
    def check(signed):
        assert read_signature(str(signed)) == signed
        assert str(read_signature(str(signed))) == str(signed)

    check()


def test_it_names_numbers_and_choices_and_whatever_is_not_as_published():
    assert signature(Iou(), "ltrb", "ltrb", 2) == LINE
    changed = Iou(matching="best", same_label=True, weight="area")
    assert signature(changed, "quad", "csv", 9).startswith(
        "iou:art|min_iou:0.5|max_ignored_share:0.5|matching:best|same_label:true|weight:area|"
    )


def test_a_value_may_have_the_characters_that_separate():
    @dataclass(frozen=True)
    class Odd(Iou):
        slug: ClassVar[str] = "iou"
        matching: str = choice("a|b:c%", "d", says="Odd.")
        truth: float = parameter(0.5, says="A name that every signature has.")

    line = str(Signature(Odd(), "quad", "quad", 2, "1 + a|b"))
    assert "matching:a%7Cb:c%25|" in line
    assert line.endswith("|truth:0.5|truth:quad|results:quad|images:2|v:1 + a%7Cb")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "is no signature; expected protocol|parameter"),
        ("{iou}", "is no signature"),
        (LINE.replace("|images:2", ""), "is no signature"),
        (LINE.replace("min_iou:0.5", "min_iou:0.5|min_iou:0.6"), "has min_iou twice"),
        (
            LINE.replace("images:2", "images:two"),
            "images must be a number in a signature, got 'two'",
        ),
        (LINE.replace("min_iou", "min_fun"), "iou has no parameter 'min_fun'"),
        (LINE.replace("0.5", "high"), "min_iou must be a number in [0, 1], got 'high'"),
        (LINE.replace("0.5", "nan"), "min_iou must be a number in [0, 1], got nan"),
        (LINE.replace("first", "second"), "matching must be one of"),
        (LINE.replace("iou|", "uoi|"), "there is no protocol 'uoi'"),
        (LINE.replace("iou|", "iou:arr|"), "iou has no variant 'arr'"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(line, said):
    with pytest.raises(ProtocolError, match=re.escape(said)):
        read_signature(line)


@pytest.fixture
def files(tmp_path):
    found = zip_file(tmp_path / "half.zip", FOUND)
    return "--truth", zip_file(tmp_path / "gt.zip", TRUTH), "--results", found


def scored(tmp_path, *arguments):
    out = tmp_path / "scores.csv"
    done = run_here(main, "score", *arguments, "--out", out)
    assert not done.returncode, done.stderr
    return list(csv.DictReader(out.read_text().splitlines()))


@pytest.mark.parametrize(
    "asked",
    [
        ("--protocol", "iou:art", "--parameters", '{"min_iou": 0.7, "use_confidences": true}'),
        ("--protocol", "cleval"),
        ("--protocol", "deteval", "--format", "ltrb", "--results-reading", "scaled:2"),
    ],
)
def test_the_signature_of_scores_scores_again_to_the_same_numbers(asked, files, tmp_path):
    rows = scored(tmp_path, *asked, "--drop-broken-ignored", *files)
    assert {row["signature"] for row in rows} == {rows[0]["signature"]}
    assert "|truth:ltrb+without-broken-ignored|results:ltrb" in rows[0]["signature"]
    assert scored(tmp_path, "--signature", rows[0]["signature"], *files) == rows


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("images:2", "images:3", "the signature is of 3 images, and the ground truth has 2"),
        ("v:1", "v:9", "the signature is of scores of version 9, which differ"),
        (
            "truth:ltrb",
            "truth:data",
            "has truth:data+without-broken-ignored, and 'data' is no format",
        ),
        ("results:ltrb", "results:quad,csv", "'quad,csv' is no format of files"),
        ("results:ltrb", "results:ltrb+sideways", "'sideways' is not a known reading"),
        ("results:ltrb", "results:ltrb+a+b", "several readings of results: ['a', 'b']"),
        ("ignored|", "ignored+photographs|", "with photographs; name them with --images"),
    ],
)
def test_what_is_not_of_this_run_is_refused_with_a_sentence(old, new, said, files, tmp_path):
    line = scored(tmp_path, "--protocol", "iou", "--drop-broken-ignored", *files)[0]["signature"]
    done = run_here(main, "score", "--signature", line.replace(old, new), *files)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--format", "quad"), "--format is decided by --signature"),
        (("--parameters", '{"min_iou": 0.7}'), "--parameters is decided by --signature"),
        (("--protocol", "iou"), "not allowed with argument"),
    ],
)
def test_options_that_the_signature_decides_are_refused(option, said, files):
    done = run_here(main, "score", "--signature", LINE, *option, *files)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_lines_of_before_scores_had_a_version_score_again(files, tmp_path):
    """The numbers are those of version 1."""
    line = LINE.replace("v:1|program:0.1.0", "v:0.1.0").replace(
        "ltrb|", "ltrb+without-broken-ignored|", 1
    )
    assert str(read_signature(line)) == line
    [row, *_] = scored(tmp_path, "--signature", line, *files)
    assert row["signature"].endswith("|v:1|program:0.1.0")


def test_a_version_refuses_lines_of_protocols_that_changed_since_alone(monkeypatch):
    change = score_versions.Change(("iou",), "a tie goes to the first region")
    monkeypatch.setattr(score_versions, "CHANGES", (change,))
    monkeypatch.setattr(score_versions, "VERSION", "2")
    with pytest.raises(
        ProtocolError, match=r"version 1.*version 2 \(version 2: a tie goes.*program 0"
    ):
        read_signature(LINE).require(2)
    read_signature(LINE.replace("v:1", "v:2")).require(2)
    read_signature("popeval|truth:ltrb|results:ltrb|images:2|v:1|program:0.1.0").require(2)


def test_errors_and_graphs_tell_the_signature(files):
    asked = ("--protocol", "iou", "--drop-broken-ignored", *files)
    line = LINE.replace("ltrb|", "ltrb+without-broken-ignored|", 1)
    assert f"\n  {line}\n" in run_here(main, "errors", *asked).stdout
    [method] = json.loads(run_here(main, "errors", "--json", *asked).stdout)["methods"]
    assert method["signature"] == line
    assert json.loads(run_here(main, "graphs", *asked).stdout)["signature"] == line

"""End-to-end reading: compared with plain loops and regular expressions, and each rule of texts by hand."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region
from protocols.end_to_end import similarity, with_vocabulary, word_to_spot
from tests.support.cases import cases
from tests.support.plain_iou import plain_iou, plain_share
from tests.support.scenes import figures, scored

SIGNS = re.escape("!?.:,*\"()·[]/'")
WORD, NEXT = (
    Region.from_box(0, 0, 100, 10, text="Hello"),
    Region.from_box(0, 20, 100, 30, text="(World)"),
)


def score(truth, found, slug="end-to-end", **parameters):
    return scored(slug, truth, found, **parameters)


def read(region, text, **fields):
    return replace(region, text=text, **fields)


# Few places and few texts, so that boxes and texts agree often.
texts = st.sampled_from(["", "a", "ab", "AB", "ab!", "(ab)", "!", "abc", "abc's", "a-bc", "ab cd"])
regions = st.builds(
    lambda left, width, text: Region.from_box(left, 0, left + width, 10, text=text),
    st.integers(0, 6),
    st.integers(6, 12),
    texts,
)
truths = st.lists(
    st.builds(
        lambda region, ignored, out: replace(region, ignored=ignored, label=out),
        regions,
        st.booleans(),
        st.sampled_from([None, "oov"]),
    ),
    max_size=4,
)


def agrees(expected, found, rule):
    if rule == "exact":
        return expected == found
    if rule == "special":
        # The first and the last sign may be missing, whatever is between them.
        ends = re.fullmatch(f"([{SIGNS}]?)(.*?)([{SIGNS}]?)", expected, re.DOTALL)
        first, middle, last = map(re.escape, ends.groups())
        pattern = f"({first})?{middle}({last})?"
        return re.fullmatch(pattern, found, re.IGNORECASE | re.DOTALL) is not None
    return expected.lower() == found.lower()


def plain_word(text):
    """A word to spot, by one expression; None if it is none."""
    core = re.sub("'[sS]$", "", text)
    core = re.sub(f"[{SIGNS}]", " ", re.sub("^-+|-+$", "", core)).strip()
    is_word = re.fullmatch("[a-zA-ZÀ-ÖØ-öø-ƿǄ-ɿΆ-Ͽ-]{3,}", core)
    return core if is_word else None


def plain(truth, found, rule, spotting, vocabulary):
    truth = list(truth)
    for at, region in enumerate(truth):
        wanted = {"all": True, "in": region.label is None, "out": region.label == "oov"}[vocabulary]
        word = plain_word(region.text) if spotting else region.text
        if not region.ignored:
            truth[at] = replace(region, ignored=not wanted or word is None, text=word)
    left = [d for d in found if not any(t.ignored and plain_share(d, t) > 0.5 for t in truth)]
    counted, n_found = [region for region in truth if not region.ignored], len(left)
    correct = located = 0
    for region in counted:
        for at, detection in enumerate(left):
            if plain_iou(region, detection) > 0.5:
                located += 1
                correct += agrees(region.text, detection.text, "caseless" if spotting else rule)
                del left[at]
                break
    if not counted:
        return 1.0, 0.0 if n_found else 1.0
    return correct / len(counted), correct / n_found if n_found else 0.0


@pytest.mark.parametrize(
    ("rule", "spotting", "vocabulary"),
    [
        ("special", False, "all"),
        ("special", True, "all"),
        ("exact", False, "out"),
        ("caseless", False, "in"),
    ],
)
@given(truth=truths, found=st.lists(regions, max_size=4))
def test_it_scores_as_plain_loops(rule, spotting, vocabulary, truth, found):
    scored = score(truth, found, text=rule, word_spotting=spotting, vocabulary=vocabulary)
    expected = plain(truth, found, rule, spotting, vocabulary)
    assert (scored.recall, scored.precision) == pytest.approx(expected)


@cases(
    ("expected", "found", "agree"),
    [
        ("Hello", "HELLO", True),
        ("Hello!", "hello", True),
        ("(Hello)", "hello", True),
        ("(Hello)", "(hello", True),
        ("((Hello", "hello", False),
        ("Hello", "Hello!", False),
        ("it's", "its", False),
        ("!", "", True),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_special_signs_may_be_missing_at_the_ends_of_the_truth_alone(expected, found, agree):
    assert score([read(WORD, expected)], [read(WORD, found)]).recall == agree


def test_all_special_signs_at_the_ends_of_both_may_be_dropped():
    pair = [read(WORD, "((Hello!?")], [read(WORD, "..hello")]
    assert score(*pair).recall == 0
    assert score(*pair, only_first_and_last=False).recall == 1


@cases(
    ("text", "word"),
    [
        ("Joe's", "Joe"),
        ("-off-", "off"),
        ("(Café)", "Café"),
        ("co-op", "co-op"),
        ("to", None),
        ("a.b", None),
        ("two words", None),
        ("R2D2", None),
        ("×÷×", None),
        ("Ωmega", "Ωmega"),
        ("", None),
    ],
)
def test_a_word_to_spot_is_one_of_a_dictionary(text, word):
    assert word_to_spot(text, 3) == word == plain_word(text)


def test_what_is_no_word_to_spot_is_ignored_with_what_lies_on_it():
    number = read(NEXT, "42")
    scored = score([WORD, number], [read(WORD, "hello"), number], slug="end-to-end:spotting")
    assert figures(scored) == (1, 1, 1)
    assert "no word to spot" in scored.unmatched[0].reason


def test_a_wrong_reading_uses_up_both_regions():
    """The first detection is good enough and misread; the second, which is right, comes too late."""
    scored = score([WORD], [read(WORD, "Hallo"), read(WORD, "Hello")])
    assert figures(scored)[:2] == (0, 0)
    reasons = {(one.side, one.index): one.reason for one in scored.unmatched}
    assert (
        reasons["truth", 0] == reasons["detection", 0] == "read 'Hallo' where the text is 'Hello'"
    )
    assert scored.indicators["n_located"] == 1


def test_the_normalised_edit_distance_counts_pairs_and_whatever_is_left():
    """Hello / Hallo: 1 - 1/5 = 0.8; a missed word and a false positive add two regions: 0.8 / 3."""
    far = Region.from_box(500, 0, 600, 10, text="x")
    scored = score([WORD, NEXT], [read(WORD, "hallo"), far], slug="end-to-end:art")
    assert scored.indicators["one_minus_ned"] == pytest.approx(0.8 / 3)
    assert figures(scored) == pytest.approx((0.4, 0.4, 0.4))
    protocol = registry.get("end-to-end:art")
    # A second image with nothing but its word missed: 0.8 of four regions.
    scores = protocol.score([Scene((WORD, NEXT), (read(WORD, "hallo"), far)), Scene((WORD,), ())])
    assert protocol.overall(scores).indicators["one_minus_ned"] == pytest.approx(0.8 / 4)


@cases(
    ("a", "b", "expected"),
    [
        ("kitten", "sitting", 1 - 3 / 7),
        ("", "", 1),
        ("", "abc", 0),
        ("abc", "abc", 1),
        ("ab", "ba", 0),
    ],
)
def test_similarity_is_the_share_of_letters_that_need_no_edit(a, b, expected):
    assert similarity(a, b) == similarity(b, a) == pytest.approx(expected)


def test_average_precision_asks_for_the_text_too():
    """Wrong at 0.9, right at 0.5: the one hit comes at rank 2, of two truths: 0.5 / 2."""
    found = [read(WORD, "Hallo", confidence=0.9), read(NEXT, "world", confidence=0.5)]
    scored = score([WORD, NEXT], found, use_confidences=True)
    assert scored.indicators["average_precision"] == pytest.approx(0.25)
    protocol = registry.get("end-to-end", {"use_confidences": True})
    scores = protocol.score([Scene((WORD, NEXT), tuple(found)), Scene((), ())])
    assert protocol.overall(scores).indicators["average_precision"] == pytest.approx(0.25)
    assert "average_precision" not in score([WORD], [WORD]).indicators


def test_words_in_and_out_of_a_vocabulary_are_scored_apart():
    """Hello is in it, (World) is not; only Hello is read. The detection on the other is ignored."""
    truth = with_vocabulary([WORD, NEXT], {"Hello"})
    assert [region.label for region in truth] == [None, "oov"]
    found = [WORD, read(NEXT, "word")]
    assert figures(score(truth, found, slug="end-to-end:iv")) == (1, 1, 1)
    scored = score(truth, found, slug="end-to-end:oov")
    assert figures(scored) == (0, 0, 0)
    assert scored.unmatched[0].reason == "its vocabulary is not the requested one"


def test_what_has_no_text_is_an_empty_text():
    bare = Region.from_box(0, 0, 100, 10)
    assert score([WORD], [bare]).recall == 0
    assert score([bare], [bare]).recall == 1
    assert score([WORD], [bare], text="similarity").recall == 0


def test_a_script_that_is_not_the_truths_counts_for_neither_side():
    """MLT 2019, task 3: both are located, one has another script."""
    truth = [replace(WORD, label="Latin"), replace(NEXT, label="Hindi")]
    found = [replace(WORD, label="Latin"), replace(NEXT, label="Bangla")]
    scored = score(truth, found, slug="iou:mlt2019")
    assert figures(scored) == (0.5, 0.5, 0.5)
    assert (
        scored.unmatched[0].reason == "where they overlap, the truth is Hindi, the detection Bangla"
    )
    unlabelled = score(truth, [WORD, NEXT], slug="iou:mlt2019")
    assert unlabelled.recall == 0

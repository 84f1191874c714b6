"""Images that methods share, and what follows for their figures."""

from tests.support.cases import cases
from text_rankings.base.image_sets import image_sets, may_have_interval


def test_a_method_lacks_what_any_other_has():
    sets = image_sets({"full": ["i1", "i2", "i3"], "part": ["i3", "i1"]})
    assert (sets.images, sets.shared) == (("i1", "i2", "i3"), ("i1", "i3"))
    assert (dict(sets.n_of), dict(sets.lacking)) == ({"full": 3, "part": 2}, {"part": ("i2",)})
    assert (sets.differ, sets.is_whole("full"), sets.is_whole("part")) == (True, True, False)


def test_an_image_that_no_method_has_is_in_no_set():
    sets = image_sets({"a": ["i2", "i1"], "b": ["i1", "i2"]}, ["i1", "i2", "i3"])
    assert sets.images == sets.shared == ("i1", "i2")
    assert not sets.differ


@cases("evaluated", [{}, {"a": []}, {"a": [], "b": []}])
def test_without_methods_or_images_there_is_nothing_to_share(evaluated):
    sets = image_sets(evaluated, ["i1"])
    assert (sets.images, sets.shared, sets.differ) == ((), (), False)


def test_methods_of_different_images_share_none():
    sets = image_sets({"a": ["i1"], "b": ["i2"]})
    assert sets.shared == ()
    assert {*sets.lacking} == {"a", "b"}


def test_ten_images_have_an_interval():
    assert [may_have_interval(n) for n in (0, 9, 10)] == [False, False, True]

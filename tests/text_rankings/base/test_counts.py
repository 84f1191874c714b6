import pytest

from text_rankings.base.counts import counted


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ((0, "image"), "0 images"),
        ((1, "image"), "1 image"),
        ((2, "image"), "2 images"),
        ((2, "word or line", "words or lines"), "2 words or lines"),
    ],
)
def test_a_number_has_the_noun_of_its_number(given, shown):
    assert counted(*given) == shown

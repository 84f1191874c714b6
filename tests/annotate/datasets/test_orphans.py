"""Photographs stay while anything may come to show them, and go when nothing has for a day."""

import os
import time
from contextlib import suppress
from hashlib import sha256

import pytest

from annotate.datasets import orphans, photographs
from annotate.datasets.models import stored_path
from annotate.datasets.photographs import Photograph, giving_back, store
from tests.support.factories import make_dataset, make_image

pytestmark = pytest.mark.django_db

CONTENT = b"a photograph"
PHOTOGRAPH = Photograph(sha256(CONTENT).hexdigest(), "image/png", 10, 10)
TWO_DAYS = 2 * 24 * 3600


def grown_old(photograph=PHOTOGRAPH):
    path = stored_path(photograph.sha256)
    then = time.time() - TWO_DAYS
    os.utime(path, (then, then))
    return path


def show(photograph=PHOTOGRAPH):
    image = make_image(make_dataset())
    image.sha256, image.content_type = photograph.sha256, photograph.content_type
    image.width, image.height = photograph.width, photograph.height
    image.save()


@pytest.fixture
def stored():
    store(PHOTOGRAPH.sha256, CONTENT)
    return stored_path(PHOTOGRAPH.sha256)


class TestSweep:
    def test_what_no_image_has_shown_for_a_day_goes(self, stored):
        grown_old()
        assert orphans.sweep() == 1
        assert not stored.exists()

    def test_what_an_image_shows_stays_however_old(self, stored):
        show()
        grown_old()
        assert orphans.sweep() == 0
        assert stored.read_bytes() == CONTENT

    def test_what_was_stored_just_now_stays(self, stored):
        assert orphans.sweep() == 0
        assert stored.exists()

    def test_a_load_that_finds_a_photograph_makes_it_new_again(self, stored):
        grown_old()
        store(PHOTOGRAPH.sha256, CONTENT)
        assert orphans.sweep() == 0
        assert stored.exists()

    def test_what_a_killed_load_left_in_the_middle_of_a_file_goes(self, stored):
        part = stored.with_name("0123.part")
        part.write_bytes(CONTENT[:4])
        os.utime(part, (0, 0))
        assert orphans.sweep() == 1
        assert not part.exists()

    def test_a_file_that_another_process_writes_stays_for_minutes_only(self, stored):
        part = stored.with_name("0123.part")
        part.write_bytes(CONTENT[:4])
        assert orphans.sweep() == 0
        then = time.time() - 660
        os.utime(part, (then, then))
        assert orphans.sweep() == 1

    def test_what_a_killed_sweep_moved_aside_comes_back(self, stored):
        show()
        stored.rename(f"{stored}.aside")
        assert orphans.sweep() == 0
        assert stored.read_bytes() == CONTENT


class TestBetweenTheStepsOfASweep:
    """A load stores the photograph at the worst moments, and commits later."""

    @pytest.mark.parametrize(
        "moment", ["before it is moved", "after it was moved", "after it went"]
    )
    def test_a_photograph_that_a_load_is_about_to_show_is_there_afterwards(
        self, stored, monkeypatch, moment
    ):
        grown_old()
        remove, rename = orphans._remove, type(stored).rename

        def before(path, limit):
            store(PHOTOGRAPH.sha256, CONTENT)
            return remove(path, limit)

        def moved(path, target):
            monkeypatch.setattr(type(stored), "rename", rename)
            rename(path, target)
            store(PHOTOGRAPH.sha256, CONTENT)

        def after(path, limit):
            was_removed = remove(path, limit)
            store(PHOTOGRAPH.sha256, CONTENT)
            return was_removed

        if moment == "after it was moved":
            monkeypatch.setattr(type(stored), "rename", moved)
        else:
            monkeypatch.setattr(orphans, "_remove", before if "before" in moment else after)
        orphans.sweep()
        show()
        assert stored.read_bytes() == CONTENT
        assert list(orphans.missing()) == []
        orphans.sweep()
        assert stored.read_bytes() == CONTENT


class TestKeeping:
    def test_a_photograph_is_stored_whole_or_not_at_all(self, monkeypatch):
        def full(fd):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(photographs.os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            store(PHOTOGRAPH.sha256, CONTENT)
        path = stored_path(PHOTOGRAPH.sha256)
        assert not path.exists()
        assert list(path.parent.iterdir()) == []


def test_an_image_whose_photograph_is_gone_is_named(stored):
    show()
    stored.unlink()
    assert list(orphans.missing()) == [PHOTOGRAPH.sha256]


class TestGivingBack:
    def fail(self, *, meanwhile=lambda: None):
        with suppress(OSError), giving_back():
            store(PHOTOGRAPH.sha256, CONTENT)
            meanwhile()
            raise OSError("full")
        return stored_path(PHOTOGRAPH.sha256)

    def test_what_a_failed_load_stored_goes_at_once(self):
        assert not self.fail().exists()
        assert not list(stored_path(PHOTOGRAPH.sha256).parent.iterdir())

    def test_what_was_there_before_stays(self, stored):
        assert self.fail().read_bytes() == CONTENT

    def test_what_another_load_has_used_meanwhile_stays(self):
        path = self.fail(meanwhile=lambda: store(PHOTOGRAPH.sha256, CONTENT))
        assert path.read_bytes() == CONTENT

    def test_what_an_image_shows_stays(self):
        assert self.fail(meanwhile=show).read_bytes() == CONTENT

    def test_what_a_load_stored_stays_when_it_succeeds(self):
        with giving_back():
            store(PHOTOGRAPH.sha256, CONTENT)
        assert stored_path(PHOTOGRAPH.sha256).read_bytes() == CONTENT

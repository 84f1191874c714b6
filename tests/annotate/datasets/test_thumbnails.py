"""Thumbnails: made once, for users who may see the photograph, deleted with it."""

import io
from hashlib import sha256

import pytest
from django.urls import reverse
from PIL import Image as Picture

from annotate.datasets import thumbnails
from annotate.datasets.models import stored_path
from annotate.datasets.photographs import store
from tests.support.factories import make_admin, make_image, make_person, make_study

pytestmark = pytest.mark.django_db


def stored(mode="RGB", size=(900, 300), kind="PNG"):
    out = io.BytesIO()
    Picture.new(mode, size).save(out, kind)
    digest = sha256(out.getvalue()).hexdigest()
    store(digest, out.getvalue())
    return digest


@pytest.mark.parametrize(
    ("mode", "kind"),
    [("RGB", "JPEG"), ("CMYK", "JPEG"), ("L", "PNG"), ("RGBA", "WEBP"), ("P", "PNG")],
)
def test_every_kind_of_photograph_becomes_a_small_jpeg_of_its_shape(mode, kind):
    small = Picture.open(io.BytesIO(thumbnails.thumbnail(stored(mode, kind=kind))))
    assert (small.format, small.mode) == ("JPEG", "RGB")
    assert small.size == (400, 133)


def test_a_small_photograph_stays_as_small_as_it_is():
    assert Picture.open(io.BytesIO(thumbnails.thumbnail(stored(size=(30, 20))))).size == (30, 20)


def test_what_is_transparent_is_white():
    small = Picture.open(io.BytesIO(thumbnails.thumbnail(stored("RGBA", (9, 9)))))
    assert small.getpixel((4, 4)) == (255, 255, 255)


def test_it_is_made_once_and_goes_when_the_photograph_is_gone():
    digest = stored()
    first = thumbnails.thumbnail(digest)
    assert thumbnails.sweep() == 0
    stored_path(digest).unlink()
    assert thumbnails.thumbnail(digest) == first
    assert thumbnails.sweep() == 1
    with pytest.raises(FileNotFoundError):
        thumbnails.thumbnail(digest)


def test_whoever_sees_the_photograph_sees_it_in_small_and_nobody_else(client):
    digest = stored()
    image = make_image(make_study(["a", "b"]).dataset)
    image.sha256, image.content_type, image.width, image.height = digest, "image/png", 900, 300
    image.save()
    url = reverse("datasets:small_image", args=[digest])
    client.force_login(make_person())
    assert client.get(url).status_code == 404
    client.force_login(make_admin())
    response = client.get(url)
    assert response["Content-Type"] == "image/jpeg"
    assert "private" in response["Cache-Control"]
    stored_path(digest).unlink()
    thumbnails.sweep()
    assert client.get(url).status_code == 404


def test_grey_of_16_bits_is_as_grey_as_the_photograph():
    out = io.BytesIO()
    Picture.new("I;16", (9, 9), 0x4545).save(out, "PNG")
    digest = sha256(out.getvalue()).hexdigest()
    store(digest, out.getvalue())
    pixel = Picture.open(io.BytesIO(thumbnails.thumbnail(digest))).getpixel((4, 4))
    assert all(abs(value - 0x45) <= 1 for value in pixel)

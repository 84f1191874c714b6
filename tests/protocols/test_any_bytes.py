"""Whatever the bytes, no reader raises: generated ones, and valid files that were damaged."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.formats.guessing import guess
from protocols.formats.reading import FORMATS, read
from tests.support.archives import zip_bytes

# Anything at all


@given(
    st.binary(max_size=400),
    st.sampled_from([None, *FORMATS]),
    st.sampled_from(["truth", "results"]),
)
def test_no_bytes_make_a_reader_raise(content, slug, kind):
    found = read(io.BytesIO(content), kind=kind, format=slug, name="x")
    assert found.errors or slug in ("csv", "coco-json", "evaltex-text", None)
    assert guess(io.BytesIO(content), "x").reason


VALID = {
    "ltrb": zip_bytes({"gt_a.txt": '0,0,9,9,"word"\n1,1,5,5,###\n'}),
    "quad": zip_bytes({"gt_a.txt": "0,0,9,0,9,9,0,9,word\n"}),
    "polygon": zip_bytes({"a.txt": "x: [[1 2 9]], y: [[1 9 2]], ornt: [u'c'], transcriptions: [u'w']\n"}),
    "evaltex-text": b'img_1\n100,200\n1,0,"a ""b""",f,1,2,30,4\n2,7,x,t,0,0,9,0,9,9\n',
    "evaltex-xml": b'<evaltex><image name="a" width="9" height="9">'
    b'<object points="0,0 9,0 9,9"/></image></evaltex>',
    "ctdar-xml": b'<document><table><cell start-row="0" start-col="1"><Coords points="0,0 0,5 5,5"/></cell>'
    b'<Coords points="0,0 0,9 9,9"/></table></document>',
    "coco-json": b'{"images":[{"id":1,"file_name":"a","width":9,"height":9}],"annotations":[{"image_id":1,'
    b'"bbox":[0,0,5,5],"segmentation":{"size":[3,4],"counts":[4,2,1,2,3]},"score":0.5,"cell":[0,0,1,1]}]}',
    "csv": b'image,method,points,text,ignored,confidence\na,m,"0 0 9 0 9 9",w,1,0.5\n',
}  # fmt: skip


@pytest.mark.parametrize("slug", FORMATS)
def test_every_format_has_a_valid_file_to_damage(slug):
    assert slug in VALID, f"VALID in {__name__} has no small valid file of the format {slug}"


@pytest.mark.parametrize("slug", VALID)
@given(data=st.data())
def test_no_change_of_a_valid_file_makes_its_reader_raise(slug, data):
    content = bytearray(VALID[slug])
    assert not read(io.BytesIO(bytes(content)), kind="truth", format=slug, name="a").errors
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        how = data.draw(st.sampled_from(["change", "cut", "double", "insert"]))
        if how == "change":
            content[at] = data.draw(st.integers(0, 255))
        elif how == "cut":
            del content[at : at + data.draw(st.integers(1, 20))]
            content = content or bytearray(b"x")
        elif how == "double":
            content[at:at] = content[at : at + 30]
        else:
            content[at:at] = data.draw(
                st.sampled_from([b"1e999", b"9" * 400, b"\0", b"\xff", b",,", b'"'])
            )
    for kind in ("truth", "results"):
        for format in (slug, None):
            found = read(io.BytesIO(bytes(content)), kind=kind, format=format, name="a")
            for images in found.by_method.values():
                for regions in images.values():
                    assert all(abs(value) <= 1e9 for of in regions for value in of.points)

"""Malformed files, generated on demand, each with its name and the expected problem code."""

import io
import json
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tests.support.archives import damaged_zip, encrypted_zip, link_zip, zip_bytes

BOX = "0,0,9,9,word\n"
CENTRAL = b"PK\x01\x02"
LOCAL = b"PK\x03\x04"
END = b"PK\x05\x06"


@dataclass(frozen=True)
class Case:
    """A file, the way to read it, and the problem that must be reported."""

    name: str
    make: Callable[[], bytes]
    code: str
    severity: str = "error"
    kind: str = "truth"
    format: str | None = "ltrb"
    file_name: str = "set.zip"


def zipped(entries, **more) -> Callable[[], bytes]:
    return lambda: zip_bytes(entries)


def _entry_zip(change: Callable[[zipfile.ZipInfo], None], content: bytes = b"") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        info = zipfile.ZipInfo("gt_a.txt")
        change(info)
        archive.writestr(info, content)
    return stream.getvalue()


def special_zip(mode: int) -> bytes:
    def change(info):
        info.external_attr = (mode | 0o644) << 16

    return _entry_zip(change)


def renamed_zip(old: bytes, new: bytes) -> bytes:
    """Return a zip in whose headers a name is replaced by another of the same length."""
    assert len(old) == len(new)
    content = zip_bytes({old.decode(): BOX})
    assert content.count(old) == 2
    return content.replace(old, new)


def patched(content: bytes, signature: bytes, offset: int, value: bytes) -> bytes:
    at = content.rindex(signature) + offset
    return content[:at] + value + content[at + len(value) :]


def rewritten(signature: bytes, offset: int, value: bytes, text: str = BOX) -> Callable[[], bytes]:
    """Return a maker of zips of one entry, in whose last record with a signature some bytes are others."""
    return lambda: patched(zip_bytes({"gt_a.txt": text}), signature, offset, value)


def duplicate_zip() -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return zip_bytes([("gt_a.txt", BOX), ("gt_a.txt", BOX)])


def overlapping_zip() -> bytes:
    """Return a zip with two entries that share their bytes: the trick of the smallest bombs."""
    content = zip_bytes({"gt_a.txt": BOX, "gt_b.txt": BOX})
    first, second = content.index(LOCAL), content.rindex(LOCAL)
    assert first == 0 < second
    return patched(content, CENTRAL, 42, struct.pack("<I", 0))


def bomb() -> bytes:
    return zip_bytes({"gt_a.txt": b"0" * 12_000_000})


def nested(depth: int) -> bytes:
    content = zip_bytes({"gt_a.txt": BOX})
    for _ in range(depth):
        content = zip_bytes({"inner.zip": content})
    return content


def hidden_zip() -> bytes:
    return zip_bytes({"gt_a.txt": zip_bytes({"gt_b.txt": BOX})})


@cache
def many_entries() -> bytes:
    """Return a zip whose directory lists its only entry 200,001 times."""
    content = zip_bytes({"gt_a.txt": b""})
    start, end = content.index(CENTRAL), content.index(END)
    directory = content[start:end] * 200_001
    # The size of the directory is 12 bytes behind the start of the last record.
    last = content[end : end + 12] + struct.pack("<L", len(directory)) + content[end + 16 :]
    return content[:start] + directory + last


def folder_with_content() -> bytes:
    content = zip_bytes({"gt_a.txt": BOX, "gt_bb.txtx": BOX})
    return content.replace(b"gt_bb.txtx", b"gt_bb.txt/")


def text_zip(text: str | bytes, prefix: str = "gt") -> Callable[[], bytes]:
    return zipped({f"{prefix}_a.txt": text})


def stored(text: str) -> Callable[[], bytes]:
    """Return a maker of zips without compression, so that no ratio limit stops a long line."""

    def make() -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("gt_a.txt", text)
        return stream.getvalue()

    return make


def raw(content: bytes | str) -> Callable[[], bytes]:
    return lambda: content.encode() if isinstance(content, str) else content


def coco(**fields) -> Callable[[], bytes]:
    data = {"images": [{"id": 1, "file_name": "a.jpg", "width": 90, "height": 90}]}
    data["annotations"] = [{"id": 1, "image_id": 1, **fields}]
    return lambda: json.dumps(data).encode()


def coco_case(name: str, code: str, severity: str = "error", **fields) -> Case:
    return Case(name, coco(**fields), code, severity, "truth", "coco-json", "set.json")


def json_case(name: str, content: str | bytes, code: str, **more) -> Case:
    return Case(name, raw(content), code, format="coco-json", file_name="set.json", **more)


def xml_case(name: str, content: str | bytes, code: str, format="ctdar-xml", **more) -> Case:
    return Case(name, raw(content), code, format=format, file_name="a.xml", **more)


def evaltex_case(name: str, text: str, code: str, severity: str = "error") -> Case:
    return Case(
        f"EvaLTex: {name}", raw(text), code, severity, format="evaltex-text", file_name="a.txt"
    )


def line_case(name: str, line: str, code: str, format="ltrb", **more) -> Case:
    return Case(name, text_zip(line), code, format=format, **more)


BILLION = (
    '<?xml version="1.0"?><!DOCTYPE z [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "&a;"}">' for n in range(10))
    + "]><document>&a9;</document>"
)
EXTERNAL = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><document>&x;</document>'
EVALTEX = "img_1\n100,200\n"
HEADER = "image,left,top,right,bottom,text\n"


def maptext_image(name="a", **fields) -> dict:
    word = {"vertices": [[0, 0], [9, 0], [9, 9]], "text": "w", "illegible": False}
    return {"image": name, "groups": [[{**word, "truncated": False, **fields}]]}


CASES = [
    # Files that are not zips, or broken ones.
    Case("nothing at all", raw(b""), "A1"),
    Case("text instead of a zip", raw("0,0,9,9,word"), "A1"),
    Case("only the signature", raw(LOCAL), "A1"),
    Case("an end without entries and with a wrong count", raw(END + b"\xff" * 18), "A1"),
    Case("cut off at the end", lambda: zip_bytes({"gt_a.txt": BOX})[:-30], "A1"),
    Case("cut off in the middle", lambda: zip_bytes({"gt_a.txt": BOX * 99})[:60], "A1"),
    Case("an entry with a wrong checksum", damaged_zip, "A1"),
    Case(
        "an unknown compression",
        lambda: patched(
            patched(zip_bytes({"gt_a.txt": BOX}), CENTRAL, 10, b"\x63\x00"), LOCAL, 8, b"\x63\x00"
        ),
        "A1",
    ),
    Case(
        "a directory that names another file than the entry",
        rewritten(CENTRAL, 46, b"gt_b.txt"),
        "A1",
    ),
    Case("a directory that is too short", rewritten(END, 12, b"\x01\0\0\0"), "A1"),
    Case(
        "a size in the directory that is a lie",
        rewritten(CENTRAL, 24, b"\x05\0\0\0", BOX * 99),
        "A1",
    ),
    Case("an offset behind the end", rewritten(CENTRAL, 42, b"\xff\xff\xff\x7f"), "A2"),
    Case("bytes before the archive", lambda: b"#!/bin/sh\n" + zip_bytes({"gt_a.txt": BOX}), "A2"),
    Case(
        "another file behind the archive",
        lambda: zip_bytes({"gt_a.txt": BOX}) + b"<script>alert(1)</script>",
        "A2",
    ),
    Case(
        "a file name that is not the UTF-8 it claims",
        lambda: renamed_zip("gt_éa.txt".encode(), b"gt_\xff\xffa.txt"),
        "A1",
    ),
    Case(
        "zeros behind the archive",
        lambda: zip_bytes({"gt_a.txt": BOX}) + b"\0" * 512,
        "A1",
        "warning",
    ),
    # Entries that must not be unpacked.
    Case("a path upwards", zipped({"../gt_a.txt": BOX}), "A2"),
    Case("a path upwards in the middle", zipped({"a/../../gt_a.txt": BOX}), "A2"),
    Case("an absolute path", zipped({"/etc/gt_a.txt": BOX}), "A2"),
    Case("a drive letter", zipped({"C:/gt_a.txt": BOX}), "A2"),
    Case("backslashes", zipped({"a\\gt_a.txt": BOX}), "A2"),
    Case("a link", link_zip, "A2"),
    Case("a pipe", lambda: special_zip(stat.S_IFIFO), "A2"),
    Case("a device", lambda: special_zip(stat.S_IFCHR), "A2"),
    Case("a socket", lambda: special_zip(stat.S_IFSOCK), "A2"),
    Case("an encrypted entry", encrypted_zip, "A2"),
    Case("entries that overlap", overlapping_zip, "A2"),
    Case("a folder with content", folder_with_content, "A2"),
    Case("a null character in a name", lambda: renamed_zip(b"gt_ab.txt", b"gt_a\0.txt"), "A2"),
    Case("a line feed in a name", zipped({"gt_a\n.txt": BOX}), "A2"),
    Case("a bell in a name", zipped({"gt_a\a.txt": BOX}), "A2"),
    Case("a name that is written backwards", zipped({"gt_\u202etxt.exe.txt": BOX}), "A2"),
    Case("a name of two thousand letters", zipped({f"gt_{'a' * 2000}.txt": BOX}), "A2"),
    Case("a zip in the zip", lambda: nested(1), "A2"),
    Case("a zip in a zip in a zip", lambda: nested(3), "A2"),
    Case("a zip under another name", hidden_zip, "A2"),
    Case("a tape archive in the zip", zipped({"gt.tar.gz": b"\x1f\x8b"}), "A2"),
    # Above limits.
    Case("a bomb", bomb, "A3"),
    Case("an entry above the limit", zipped({"gt_a.txt": bytes(range(256)) * 70_000}), "A3"),
    Case("more entries than allowed", many_entries, "A3"),
    # Names.
    Case("results that are named as ground truth", text_zip("0,0,9,9"), "N1", kind="results"),
    Case("a name of three hundred letters", zipped({f"gt_{'a' * 300}.txt": BOX}), "N1"),
    Case("two entries of one name", duplicate_zip, "N3"),
    Case("one name in two folders", zipped({"a/gt_a.txt": BOX, "b/gt_a.txt": BOX}), "N3"),
    Case(
        "a name in an unknown encoding",
        lambda: zip_bytes({"gt_ab.txt": BOX}).replace(b"gt_ab", b"gt_\x81\xfe"),
        "L9",
        "warning",
    ),
    # Lines.
    line_case("words only", "abc\n", "L1"),
    line_case("Arabic digits", "0,0,٩,9,word\n", "L2"),
    line_case("not a number by name", "0,0,nan,9,word\n", "L3"),
    line_case("four hundred digits", f"0,0,{'9' * 400},9,word\n", "L3"),
    line_case("a hundred thousand digits", f"0,0,{'9' * 100_000},9,word\n", "L3"),
    line_case("beyond every image", "0,0,1e12,9,word\n", "L3"),
    line_case("no area", "0,0,5,5,9,9,2,2,word\n", "L4", "quad", severity="warning"),
    line_case(
        "all corners in one point", "5,5,5,5,5,5,5,5,word\n", "L4", "quad", severity="warning"
    ),
    line_case("a bow tie", "0,0,9,9,9,0,0,9,word\n", "L5", "quad", severity="warning"),
    line_case("counter-clockwise", "0,0,0,9,9,9,9,0,w\n", "L7", "quad", severity="warning"),
    line_case("the same box again", BOX * 2, "L8", severity="warning"),
    line_case("blanks for commas", "0 0 9 9 word\n", "L9", severity="warning"),
    line_case("a null character in a text", "0,0,9,9,w\0rd\n", "L9", severity="warning"),
    Case("UTF-16", text_zip(BOX.encode("utf-16")), "L9", "warning"),
    Case("half a character", text_zip(b"0,0,9,9,\xed\xa0\x80\n"), "F7", "question"),
    Case("Latin-1", text_zip("0,0,9,9,é\n".encode("latin-1")), "F7", "warning"),
    Case("one line of fifteen million digits", stored("1" * 15_000_000), "L1", format="ltrb"),
    Case("one line of a million fields", stored("1," * 1_000_000), "L1", format="polygon"),
    Case("one line of blanks and a letter", stored(" " * 1_000_000 + "x"), "L1", format="ltrb"),
    line_case("as many x as y", "x: [[1 2 3]], y: [[1 2]], ornt: [u'c']\n", "L1", "polygon"),
    line_case("no number in a list", "x: [[1 2 q]], y: [[1 2 3]]\n", "L2", "polygon"),
    line_case("an infinite one in a list", "x: [[1 2 1e999]], y: [[1 2 3]]\n", "L3", "polygon"),
    line_case("a list without end", "x: [[1 2 3, y: [[1 2 3]]\n", "L1", "polygon"),
    # XML.
    xml_case("no XML", "0,0,9,9", "A1"),
    xml_case("XML cut off", "<document><table>", "A1"),
    xml_case("another root", "<svg/>", "A1"),
    xml_case("a billion laughs", BILLION, "A2"),
    xml_case("an external entity", EXTERNAL, "A2"),
    xml_case("a document type", "<!DOCTYPE html><document/>", "A2"),
    xml_case("elements nested too deeply", f"<document>{'<a>' * 500}", "A3"),
    xml_case("an encoding nobody knows", '<?xml version="1.0" encoding="klingon"?><a/>', "A1"),
    xml_case("a table without outline", "<document><table/></document>", "L1"),
    xml_case("half a point", '<document><table><Coords points="1,2 3"/></table></document>', "L1"),
    xml_case("no coordinate", '<document><table><Coords points="1,b"/></table></document>', "L2"),
    xml_case(
        "a coordinate beyond every page",
        '<document><table><Coords points="0,0 9,0 9,99999999"/></table></document>',
        "L3",
    ),
    xml_case(
        "EvaLTex: a document of detections", '<evaltex kind="detections"/>', "A1", "evaltex-xml"
    ),
    xml_case(
        "EvaLTex: an object without width",
        '<evaltex><image name="a"><object x="1" y="1" height="2"/></image></evaltex>',
        "L1",
        "evaltex-xml",
    ),
    xml_case(
        "EvaLTex: an image twice",
        '<evaltex><image name="a"/><image name="a"/></evaltex>',
        "N3",
        "evaltex-xml",
    ),
    # EvaLTex as text.
    evaltex_case("no size", "img_1\n\n", "L1"),
    evaltex_case("too few fields", EVALTEX + "1,0,a,f,1,2\n", "L1"),
    evaltex_case("a quote without end", EVALTEX + '1,0,"a,f,1,2,3,4\n', "L1"),
    evaltex_case("no width", EVALTEX + "1,0,a,f,1,2,0,4\n", "L4", "warning"),
    evaltex_case("outside the image", EVALTEX + "1,0,a,f,1,2,300,4\n", "L6", "warning"),
    # COCO.
    json_case("JSON cut off", '{"images": [', "A1"),
    json_case("JSON of something else", '"text"', "A1"),
    json_case("lists nested a hundred thousand deep", "[" * 100_000, "A3"),
    json_case("a number of ten thousand digits", f"[{'9' * 10_000}]", "L3"),
    json_case("an annotation that is a number", "[1]", "L1"),
    json_case("an annotation without image", "[{}]", "S3"),
    coco_case("no outline", "L1"),
    coco_case("half a point in COCO", "L1", segmentation=[[0, 0, 9, 0, 9]]),
    coco_case("two outlines", "L1", segmentation=[[0, 0, 9, 0, 9, 9], [0, 0, 5, 0, 5, 5]]),
    coco_case("a text as a coordinate", "L2", bbox=[0, 0, "9", 9]),
    coco_case("a truth value as a coordinate", "L2", bbox=[0, 0, True, 9]),
    coco_case("a coordinate of four hundred digits", "L3", bbox=[0, 0, 10**400, 9]),
    coco_case("a coordinate that is no number", "L3", bbox=[0, 0, float("nan"), 9]),
    coco_case("a box of negative width", "L4", bbox=[0, 0, -9, 9]),
    coco_case("a bow tie in COCO", "L5", "warning", segmentation=[[0, 0, 9, 9, 9, 0, 0, 9]]),
    coco_case("outside the image in COCO", "L6", "warning", bbox=[80, 0, 20, 9]),
    coco_case("half a character in COCO", "L9", "warning", bbox=[0, 0, 9, 9], text="\ud800"),
    coco_case("a null character in COCO", "L9", "warning", bbox=[0, 0, 9, 9], text="a\0"),
    coco_case("a text that is a number", "L2", bbox=[0, 0, 9, 9], text=5),
    coco_case("a mask as large as a country", "A3", segmentation={"size": [10**6, 10**6]}),
    coco_case("run lengths that do not add up", "L1", segmentation={"size": [2, 2], "counts": [3]}),
    coco_case("run lengths of odd letters", "L2", segmentation={"size": [2, 2], "counts": "\0"}),
    coco_case("an image nobody named", "N2", image_id=7, bbox=[0, 0, 9, 9]),
    json_case(
        "one image name twice",
        '{"images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b/a.png"}], '
        '"annotations": []}',
        "N3",
    ),
    # MapText.
    *(
        Case(f"MapText: {name}", raw(text), code, severity, format="maptext", file_name="a.json")
        for name, text, code, severity in (
            ("an object", '{"image": "a"}', "A1", "error"),
            ("no groups", '[{"image": "a"}]', "L1", "error"),
            ("a third key", '[{"image": "a", "groups": [], "size": 1}]', "L1", "error"),
            ("a group that is none", '[{"image": "a", "groups": [{}]}]', "L1", "error"),
            ("a group without words", '[{"image": "a", "groups": [[]]}]', "U1", "warning"),
            ("an image again", json.dumps([maptext_image(), maptext_image()]), "U1", "warning"),
            (
                "two folders",
                json.dumps([maptext_image("b/a"), maptext_image("c/a")]),
                "N3",
                "error",
            ),
            *(
                (name, json.dumps([maptext_image(**fields)]), code, severity)
                for name, fields, code, severity in (
                    ("two corners", {"vertices": [[0, 0], [9, 9]]}, "L1", "error"),
                    ("a flat list", {"vertices": [0, 0, 9, 0, 9, 9]}, "L1", "error"),
                    ("a third dimension", {"vertices": [[0, 0, 0]] * 3}, "L1", "error"),
                    ("a text as a number", {"vertices": [["0", 0]] * 3}, "L2", "error"),
                    ("no text", {"text": None}, "L2", "error"),
                    ("1 for true", {"illegible": 1}, "L2", "error"),
                    ("no flag", {"truncated": None}, "L2", "error"),
                    ("no area", {"vertices": [[0, 0], [9, 9], [5, 5]]}, "L4", "warning"),
                )
            ),
        )
    ),
    # CSV.
    *(
        Case(f"CSV: {name}", raw(text), code, severity, format="csv", file_name="a.csv")
        for name, text, code, severity in (
            ("no header", "", "A1", "error"),
            ("a header without outline", "image,text\n", "L1", "error"),
            ("a column twice", "image,image,points\n", "L1", "error"),
            ("too few cells", HEADER + "a,1,2\n", "L1", "error"),
            ("a letter", HEADER + "a,1,2,x,4,\n", "L2", "error"),
            ("infinite", HEADER + "a,1,2,1e999,4,\n", "L3", "error"),
            ("right of its right side", HEADER + "a,9,2,3,4,\n", "L4", "error"),
            ("no image", HEADER + ",1,2,3,4,\n", "S3", "error"),
            ("a null character", HEADER + "a,1,2,3,4,a\0b\n", "L9", "warning"),
            ("a field of a megabyte", HEADER + f"a,1,2,3,4,{'x' * 2**20}\n", "L1", "error"),
            ("a quote without end", HEADER + f'a,1,2,3,4,"{"x," * 2**18}', "L1", "error"),
        )
    ),
]

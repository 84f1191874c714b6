"""Both words in formats of lines and tables, as their tools write them.

The numbers in them are worked out by hand from the words of ``inputs`` on an image of 800 x 400 px.
"""

# Files as they are, in few lines.
# ruff: noqa: E501

import json
from dataclasses import dataclass, field

from .inputs import BOTH, CARE, STOP, Words, without_texts

NAMELESS = without_texts(BOTH)


@dataclass(frozen=True)
class File:
    """A file of both words; texts, if it has them, are in ``words``."""

    name: str
    content: object
    words: Words = field(default_factory=lambda: BOTH)
    # Whether the sizes of photographs are needed.
    in_shares: bool = False
    # Whether the format has to be named, because the file has no sign of it.
    is_named: bool = False
    sides: tuple[str, ...] = ("truth", "results")
    # Whether it has labels, which the other side does not.
    labels: bool = False
    # Of notes, which the site alone shows.
    codes: frozenset[str] = frozenset()

    @property
    def entry(self) -> tuple[str, str]:
        """The name and the text of the file, or of the only entry of a zip."""
        name, content = self.name, self.content
        if name.endswith(".zip"):
            [(name, content)] = content.items()
        return name, content if isinstance(content, str) else json.dumps(
            content, ensure_ascii=False
        )


def lines(*rows, entry="img_1.txt"):
    return {entry: "".join(f"{row}\r\n" for row in rows)}


COLUMNS = "level page_num block_num par_num line_num word_num left top width height conf text"


def tsv(words):
    """Return Tesseract's table of words, left, top, right and bottom with a text, each in a line of its own."""
    rows = [COLUMNS.split(), [1, 1, 0, 0, 0, 0, 0, 0, 800, 400, -1, ""]]
    for at, ((left, top, right, bottom), text) in enumerate(words, 1):
        box = (left, top, right - left, bottom - top)
        rows += [[4, 1, at, 1, 1, 0, *box, -1, ""], [5, 1, at, 1, 1, 1, *box, 96.5, text]]
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


Q_CARE, Q_STOP = "40,40,120,40,120,60,40,60", "200,100,300,100,300,140,200,140"

OF_LINES = {
    "ltrb": File("a.zip", lines('40,40,120,60,"CARE"', '200,100,300,140,"STOP"')),
    "ltwh": File("a.zip", lines("40,40,80,20,CARE", "200,100,100,40,STOP"), is_named=True),
    "quad": File("a.zip", lines(f"{Q_CARE},CARE", f"{Q_STOP},STOP")),
    "quad-columns": File(
        "a.zip",
        lines("40,120,120,40,40,40,60,60,CARE", "200,300,300,200,100,100,140,140,STOP"),
        is_named=True,
    ),
    "polygon": File(
        "a.zip", lines(f"{Q_CARE},CARE", "200,100,250,100,300,100,300,140,200,140,STOP"),
        {"img_1": [(CARE, "CARE", False),
                   ((200, 100, 250, 100, 300, 100, 300, 140, 200, 140), "STOP", False)]},
    ),
    "Total-Text": File(
        "a.zip",
        lines(
            "x: [[ 40 120 120  40]], y: [[40 40 60 60]], ornt: [u'h'], transcriptions: [u'CARE']",
            "x: [[200 300 300 200]], y: [[100 100 140 140]], ornt: [u'h'], transcriptions: [u'STOP']",
            entry="poly_gt_img_1.txt",
        ),
        sides=("truth",),
        codes=frozenset({"L9"}),  # Another style of lines.
    ),
    "quad-script": File(
        "a.zip", lines(f"{Q_CARE},Latin,CARE", f"{Q_STOP},Latin,STOP"), is_named=True, labels=True
    ),
    "quad-difficult": File("a.zip", lines(f'{Q_CARE},0,"CARE"', f'{Q_STOP},0,"STOP"'), is_named=True),
    "quad-class-difficult": File(
        "a.zip",
        lines(f"{Q_CARE} text 0".replace(",", " "), f"{Q_STOP} text 0".replace(",", " ")),
        NAMELESS,
        is_named=True,
        labels=True,
        codes=frozenset({"L9"}),  # Blanks in place of commas.
    ),
    "ltrb-confidence": File(
        "a.zip", lines("40,40,120,60,0.93,CARE", "200,100,300,140,0.5,STOP"), is_named=True, sides=("results",)
    ),
    "quad-confidence": File(
        "a.zip", lines(f"{Q_CARE},0.93,CARE", f"{Q_STOP},0.5,STOP"), is_named=True, sides=("results",)
    ),
    "polygon-confidence": File(
        "a.zip", lines(f"{Q_CARE},0.93,CARE", "200,100,250,100,300,100,300,140,200,140,0.5,STOP"),
        {"img_1": [(CARE, "CARE", False),
                   ((200, 100, 250, 100, 300, 100, 300, 140, 200, 140), "STOP", False)]},
        is_named=True, sides=("results",),
    ),
    "ltrb-confidence-first": File(
        "a.zip", lines("0.93,40,40,120,60", "0.5,200,100,300,140"), NAMELESS, is_named=True, sides=("results",)
    ),
    "quad-confidence-first": File(
        "a.zip", lines(f"0.93,{Q_CARE}", f"0.5,{Q_STOP}"), NAMELESS, is_named=True, sides=("results",)
    ),
    "evaltex-text": File(
        "a.txt", "img_1\n400,800\n1,0,\"CARE\",f,40,40,80,20\n2,0,\"STOP\",f,200,100,100,40\n",
        sides=("truth",),
    ),
    "EvaLTex, detections": File(
        "a.txt", "img_1\n400,800\n1,40,40,80,20\n2,200,100,100,40\n", NAMELESS, sides=("results",)
    ),
    "msra-td500": File("a.zip", lines("0 0 40 40 80 20 0", "1 0 200 100 100 40 0.0", entry="img_1.gt"), NAMELESS),
    "yolo": File(
        "a.zip", lines("0 0.1 0.125 0.1 0.05", "0 0.3125 0.3 0.125 0.1"), NAMELESS, in_shares=True, labels=True
    ),
    "yolo-confidence-last": File(
        "a.zip", lines("0 0.1 0.125 0.1 0.05 0.9", "0 0.3125 0.3 0.125 0.1 0.8"), NAMELESS,
        in_shares=True, is_named=True, sides=("results",), labels=True,
    ),
    "yolo-confidence-second": File(
        "a.zip", lines("0 0.9 0.1 0.125 0.1 0.05", "0 0.8 0.3125 0.3 0.125 0.1"), NAMELESS,
        in_shares=True, is_named=True, sides=("results",), labels=True,
    ),
    "YOLO, oriented boxes": File(
        "a.zip",
        lines("0 0.05 0.1 0.15 0.1 0.15 0.15 0.05 0.15 0.9", "0 0.25 0.25 0.375 0.25 0.375 0.35 0.25 0.35 0.8"),
        NAMELESS, in_shares=True, sides=("results",), labels=True,
    ),
    "tesseract-box": File(
        # Of 400 rows, 40 to 60 from above are 340 to 360 from below; 100 to 140 are 260 to 300.
        "a.zip",
        {"img_1.box": "WordStr 40 340 120 360 0 #CARE \n\t 120 340 121 360 0\n"
                      "WordStr 200 260 300 300 0 #STOP \n\t 300 260 301 300 0\n"},
        in_shares=True,
    ),
    "open-images": File(
        "a.csv",
        "ImageID,LabelName,Confidence,XMin,XMax,YMin,YMax\nimg_1,text,1,0.05,0.15,0.1,0.15\n"
        "img_1,text,1,0.25,0.375,0.25,0.35\n",
        NAMELESS, in_shares=True, labels=True,
    ),
    "csv": File("a.csv", "image,x,y,width,height,text\nimg_1.jpg,40,40,80,20,CARE\nimg_1.jpg,200,100,100,40,STOP\n"),
    "tesseract-tsv": File("img_1.tsv", tsv(((CARE, "CARE"), (STOP, "STOP")))),
}  # fmt: skip
OF_LINES["tesseract-tsv-lines"] = File(
    "img_1.tsv", OF_LINES["tesseract-tsv"].content, is_named=True
)

"""Inputs on which doors differed, or were silent: names, frames, readings, sets of images.

The files are those of ``cases/turn4`` of the shared documents, retyped where they are short, and their
right values are those of its README, which says why.
"""

from PIL import Image as Picture

from tests.support.archives import with_orientation, zip_of_windows
from tests.support.shared import shared_file

from .inputs import HEADER, Input, Words

LINE = "10,10,110,10,110,40,10,40"
FIVE = [f"img_{at}" for at in range(1, 6)]


def each(names, line, entry="res_{}.txt"):
    return {entry.format(name): line for name in names}


def of_each(names, *words) -> Words:
    return {name: [(outline, text, False) for outline, text in words] for name in names}


NAMES = {
    "truth": ("gt.zip", each(FIVE, f"{LINE},CARE\n", "gt_{}.txt")),
    "expected_truth": of_each(FIVE, ((10, 10, 110, 40), "CARE")),
    "expected_results": of_each(FIVE, ((10, 10, 110, 40), None)),
    "figures": (1.0, 1.0),
}
RENAMED = {
    **NAMES,
    "said": ("each read as the one image that it fits",),
    "codes": frozenset({"N2"}),
}
TWO = FIVE[:2]
WINDOWS = {
    **NAMES,
    "truth": ("gt.zip", each(TWO, f"{LINE},CARE\n", "gt_{}.txt")),
    "expected_truth": of_each(TWO, ((10, 10, 110, 40), "CARE")),
    "expected_results": of_each(TWO, ((10, 10, 110, 40), None)),
}
OF_NAMES = {
    "suffix of the photograph": Input(
        results=("east.zip", each(FIVE, f"{LINE}\n", "res_{}.jpg.txt")), **RENAMED
    ),
    "prefix of another tool": Input(
        results=("east.zip", each(FIVE, f"{LINE}\n", "det_{}.txt")), **RENAMED
    ),
    "folder and prefix": Input(
        results=("east.zip", each(FIVE, f"{LINE}\n", "pred/ts_{}.txt")), **RENAMED
    ),
    "numbers alone": Input(
        results=("east.zip", {f"res_{at}.txt": f"{LINE}\n" for at in range(1, 6)}), **RENAMED
    ),
    "names in capitals": Input(
        results=("east.zip", {f"RES_{name.upper()}.txt": f"{LINE}\n" for name in FIVE}), **RENAMED
    ),
    "a name that no image has": Input(
        truth=NAMES["truth"],
        results=("east.zip", each([*FIVE[:4], "imgs_7"], f"{LINE}\n")),
        expected_truth=NAMES["expected_truth"],
        codes=frozenset({"N2"}),
        refused=("res_imgs_7.txt", "found regions for imgs_7", "img_5"),
    ),
    "a method of a usual name": Input(
        results=("res_east det.zip", each(FIVE, f"{LINE}\n")), **NAMES
    ),
    "a method with a version": Input(
        results=("v1.2_results.zip", each(FIVE, f"{LINE}\n")), method="v1.2", **NAMES
    ),
    "two scripts": Input(
        truth=("gt.zip", {"gt_тест.txt": f"{LINE},CARE\n", "gt_画像.txt": f"{LINE},CARE\n"}),
        results=("город_結果.zip", {"res_тест.txt": f"{LINE}\n", "res_画像.txt": f"{LINE}\n"}),
        method="город_結果",
        expected_truth=of_each(("тест", "画像"), ((10, 10, 110, 40), "CARE")),
        expected_results=of_each(("тест", "画像"), ((10, 10, 110, 40), None)),
        figures=(1.0, 1.0),
    ),
    "backslashes": Input(
        results=("east.zip", zip_of_windows(each(TWO, f"{LINE}\n", "out\\res_{}.txt"))), **WINDOWS
    ),
    "backslashes with the entry of a folder": Input(
        results=(
            "east.zip", zip_of_windows({"out\\": "", **each(TWO, f"{LINE}\n", "out\\res_{}.txt")})
        ),
        **WINDOWS,
    ),
    "backslashes that leave the archive": Input(
        truth=WINDOWS["truth"],
        results=("east.zip", zip_of_windows(each(TWO, f"{LINE}\n", "..\\res_{}.txt"))),
        expected_truth=WINDOWS["expected_truth"],
        codes=frozenset({"A2"}),
        refused=("a path that leaves the archive",),
    ),
    "one name in two folders": Input(
        truth=("gt.zip", {"left/gt_1.txt": f"{LINE},A\n", "right/gt_1.txt": f"{LINE},B\n"}),
        results=("east.zip", {"res_1.txt": f"{LINE}\n"}),
        expected_truth=of_each(["1"], ((10, 10, 110, 40), "A")),
        codes=frozenset({"N3"}),
        refused=("left/gt_1.txt", "right/gt_1.txt", "folders are not part of names"),
    ),
    "one name in two folders of COCO": Input(
        truth=("gt.json", shared_file("cases", "turn4", "same-names.json")),
        results=("east.json", shared_file("cases", "turn4", "same-names-results.json")),
        codes=frozenset({"N2", "N3"}),
        refused=("left/1.jpg", "right/1.jpg", "folders are not part of names"),
    ),
}  # fmt: skip

JOINED = of_each(FIVE[:3], ((30, 40, 150, 80), "BAR"), ((210, 100, 330, 140), "BAR"))
ONE_OF_TWO = of_each(FIVE[:3], ((30, 40, 150, 80), None))
BOTH_OF_TWO = of_each(FIVE[:3], ((30, 40, 150, 80), None), ((210, 100, 330, 140), None))
OF_JOIN = {
    "the method beta": Input(
        truth=("truth.zip", shared_file("cases", "turn4", "join", "truth.zip")),
        results=("beta_det.zip", shared_file("cases", "turn4", "join", "beta_det.zip")),
        method="beta",
        expected_truth=JOINED,
        expected_results=ONE_OF_TWO,
    ),
    "the method alpha": Input(
        truth=("truth.zip", shared_file("cases", "turn4", "join", "truth.zip")),
        results=("alpha.zip", shared_file("cases", "turn4", "join", "alpha.zip")),
        method="alpha",
        expected_truth=JOINED,
        expected_results=BOTH_OF_TWO,
        figures=(1.0, 1.0),
    ),
}

# Stored as 400 x 200 with the orientation 6, shown as 200 x 400: x, y of the stored pixels are 200 - y, x.
PHOTOGRAPHS = ("photographs.zip", shared_file("cases", "turn4", "orientation", "photographs.zip"))


def turned(left, top, right, bottom):
    return 200 - top, left, 200 - top, right, 200 - bottom, right, 200 - bottom, left


UPRIGHT = ((120, 30, 160, 150), (60, 210, 100, 330))
STORED_TRUTH = of_each(
    FIVE[:3], (turned(30, 40, 150, 80), "BAR"), (turned(210, 100, 330, 140), "BAR")
)
UPRIGHT_TRUTH = of_each(FIVE[:3], (UPRIGHT[0], "BAR"), (UPRIGHT[1], "BAR"))


def orientation(truth, results, expected_truth, expected_results, figures, **more):
    folder = ("cases", "turn4", "orientation")
    return Input(
        truth=("gt.zip", shared_file(*folder, f"truth-{truth}.zip")),
        results=("east.zip", shared_file(*folder, f"{results}.zip")),
        photographs=PHOTOGRAPHS,
        expected_truth=expected_truth,
        expected_results=expected_results,
        figures=figures,
        codes=frozenset({"F8", "P2", *more.pop("codes", ())}),
        said=("EXIF orientation",),
        **more,
    )


TURNED_BOTH = of_each(FIVE[:3], (turned(30, 40, 150, 80), None), (turned(210, 100, 330, 140), None))
TURNED_ONE = of_each(FIVE[:3], (turned(30, 40, 150, 80), None))
UPRIGHT_BOTH = of_each(FIVE[:3], (UPRIGHT[0], None), (UPRIGHT[1], None))
UPRIGHT_ONE = of_each(FIVE[:3], (UPRIGHT[0], None))
OF_FRAMES = {
    "truth and results as stored": orientation(
        "stored", "both-stored", STORED_TRUTH, TURNED_BOTH, (1.0, 1.0)
    ),
    "truth as stored, results upright": orientation(
        "stored", "both-upright", STORED_TRUTH, UPRIGHT_BOTH, (1.0, 1.0)
    ),
    "truth upright, results as stored": orientation(
        "upright", "both-stored", UPRIGHT_TRUTH, TURNED_BOTH, (1.0, 1.0)
    ),
    "truth and results upright": orientation(
        "upright", "one-upright", UPRIGHT_TRUTH, UPRIGHT_ONE, (0.5, 1.0)
    ),
    "truth and one result as stored, named": orientation(
        *("stored", "one-stored", STORED_TRUTH, TURNED_ONE, (0.5, 1.0)),
        readings={"results": "stored"},
        codes={"F2"},
    ),
    "shares of a turned photograph": Input(
        # 0.25 +- 0.05 of the upright sides, 200 x 400.
        truth=("gt.zip", {"img_1.txt": "0 0.25 0.25 0.1 0.1\n", "classes.txt": "text\n"}),
        results=("east.csv", f"{HEADER.replace(',text', '')}img_1,40,80,60,120\n"),
        expected_truth=of_each(["img_1"], ((40, 80, 60, 120), None)),
        expected_results=of_each(["img_1"], ((40, 80, 60, 120), None)),
        figures=(1.0, 1.0),
        photographs=(
            "photographs.zip",
            {"img_1.jpg": with_orientation(Picture.new("L", (200, 400)), 6)},
        ),
        said=("no labels, which the ground truth has",),
        codes=frozenset({"F2", "F8", "F10"}),
        readings={"truth": "upright"},
    ),
}

ZERO = of_each(FIVE, ((100, 100, 200, 140), "CARE"), ((20, 30, 120, 60), "TAXI"))
ZERO_TRUTH = ("gt.zip", each(FIVE, "100,100,200,140,CARE\n20,30,120,60,TAXI\n", "gt_{}.txt"))
EXCHANGED = ("east.zip", each(FIVE, "100,100,140,200\n30,20,60,120\n"))
CROSSING = ("east.zip", each(FIVE, "10,10,110,10,10,50,110,50\n"))
QUADS = ("gt.zip", each(FIVE, "10,10,110,10,110,50,10,50,CARE\n", "gt_{}.txt"))
OF_READINGS = {
    "x and y exchanged": Input(
        truth=ZERO_TRUTH,
        results=EXCHANGED,
        expected_truth=ZERO,
        codes=frozenset({"F2"}),
        refused=("with x and y exchanged: recall 1.00, precision 1.00",),
    ),
    "x and y exchanged, named": Input(
        truth=ZERO_TRUTH,
        results=EXCHANGED,
        expected_truth=ZERO,
        expected_results=of_each(FIVE, ((100, 100, 200, 140), None), ((20, 30, 120, 60), None)),
        codes=frozenset({"F2"}),
        figures=(1.0, 1.0),
        readings={"results": "exchanged"},
    ),
    "corners in rows": Input(
        truth=QUADS,
        results=CROSSING,
        expected_truth=of_each(FIVE, ((10, 10, 110, 50), "CARE")),
        codes=frozenset({"F2"}),
        refused=(
            "5 of 5 regions that cross themselves",
            "with the last two corners exchanged: recall 1.00, precision 1.00",
        ),
    ),
    "corners in rows, named": Input(
        truth=QUADS,
        results=CROSSING,
        expected_truth=of_each(FIVE, ((10, 10, 110, 50), "CARE")),
        expected_results=of_each(FIVE, ((10, 10, 110, 50), None)),
        codes=frozenset({"F2"}),
        figures=(1.0, 1.0),
        readings={"results": "rows"},
    ),
}

TWELVE = [f"i{at}" for at in range(12)]
A_AND_B = of_each(TWELVE, ((0, 0, 100, 40), "A"), ((0, 100, 100, 140), "B"))
OF_SETS = {
    "one of two words on twelve images": Input(
        truth=("gt.zip", shared_file("cases", "turn4", "part", "truth.zip")),
        results=("full.zip", shared_file("cases", "turn4", "part", "full.zip")),
        method="full",
        expected_truth=A_AND_B,
        expected_results=of_each(TWELVE, ((0, 0, 100, 40), None)),
    ),
    "both words on two of twelve images, and nothing on ten": Input(
        truth=("gt.zip", shared_file("cases", "turn4", "part", "truth.zip")),
        results=("part.zip", shared_file("cases", "turn4", "part", "part.zip")),
        method="part",
        expected_truth=A_AND_B,
        expected_results=of_each(TWELVE[:2], ((0, 0, 100, 40), None), ((0, 100, 100, 140), None)),
        # 4 of 24.
        figures=(1 / 6, 1.0),
        said=(
            "no entry for 10 images",
            "no boxes on 10 of 12 images whose ground truth has text (83 %)",
        ),
        codes=frozenset({"F5", "N4"}),
        missing="empty",
    ),
}

# A strip of four corners; Bezier curves and polylines of the truth lie within half a pixel of it.
STRIP = (10, 10, 210, 150, 210, 170, 10, 30)
OF_SPOTTERS = {
    **{
        name: Input(
            truth=("gt.json", shared_file("cases", "turn4", "spotters", file)),
            results=("east.zip", {"res_1.txt": "10,10,210,150,210,170,10,30\n"}),
            expected_truth={"1": [(None, None, False)]},
            said=("rec of 1 region", "no labels, which the ground truth has"),
            codes=frozenset({"F10", "U1"}),
            expected_results={"1": [(STRIP, None, False)]},
            figures=(1.0, 1.0),
        )
        for name, file in (
            ("curves of Bezier", "truth-bezier.json"),
            ("polylines that may be curves", "truth-polys.json"),
        )
    },
    "polys alone": Input(
        truth=("gt.zip", {"gt_1.txt": "10,10,210,150,210,170,10,30,CA\n"}),
        results=("east.json", shared_file("cases", "turn4", "spotters", "results-polys.json")),
        expected_truth={"1": [(STRIP, "CA", False)]},
        expected_results={"1": [(STRIP, "CA", False)]},
        figures=(1.0, 1.0),
    ),
    "polys beside the box": Input(
        truth=("gt.zip", {"gt_1.txt": "10,10,210,150,210,170,10,30,CA\n"}),
        results=("east.json", shared_file("cases", "turn4", "spotters", "results-polys-and-bbox.json")),
        expected_truth={"1": [(STRIP, "CA", False)]},
        expected_results={"1": [(STRIP, "CA", False)]},
        figures=(1.0, 1.0),
    ),
}  # fmt: skip
INPUTS = {**OF_NAMES, **OF_JOIN, **OF_FRAMES, **OF_READINGS, **OF_SETS, **OF_SPOTTERS}

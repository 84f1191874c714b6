"""Both words in every format, as results and as ground truth."""

from collections.abc import Iterator

from tests.support.archives import picture_bytes

from .files_of_documents import OF_JSON, OF_XML
from .files_of_lines import OF_LINES, File
from .inputs import FIRST, RESULTS, SIZE, Input, without_texts

PHOTOGRAPHS = ("photographs.zip", {"img_1.png": picture_bytes(*SIZE)})
NAMELESS_RESULTS = ("east.csv", "image,left,top,right,bottom\nimg_1,40,40,120,60\n")
ALL = {**OF_LINES, **OF_JSON, **OF_XML}


def _inputs(slug: str, file: File) -> Iterator[tuple[str, Input]]:
    """Yield a file as results of a truth of both words, and as the truth of results of the first."""
    suffix = file.name.partition(".")[2]
    photographs = PHOTOGRAPHS if file.in_shares else None
    [image] = file.words
    has_texts = file.words[image][0][1] is not None
    if "results" in file.sides:
        is_of_image = file.name.startswith("img_1")
        labels = ("labels that the ground truth does not have",) if file.labels else ()
        yield (
            f"{slug}, results",
            Input(
                results=(file.name if is_of_image else f"east.{suffix}", file.content),
                expected_results=file.words,
                figures=(1.0, 1.0),
                method=METHODS.get(slug, "img_1" if is_of_image else "east"),
                said=labels,
                codes=file.codes | ({"F10"} if labels else set()),
                formats={"results": slug} if file.is_named else {},
                photographs=photographs,
            ),
        )
    if "truth" in file.sides:
        labels = ("no labels, which the ground truth has",) if file.labels else ()
        name, content = RESULTS if has_texts else NAMELESS_RESULTS
        yield (
            f"{slug}, truth",
            Input(
                truth=(file.name.replace("a.", "gt."), file.content),
                results=(name, content.replace("img_1", image)),
                expected_truth=file.words,
                expected_results={image: (FIRST if has_texts else without_texts(FIRST))["img_1"]},
                said=labels,
                codes=file.codes | ({"F10"} if labels else set()),
                formats={"truth": slug} if file.is_named else {},
                photographs=photographs,
            ),
        )


# Where the file of results has a name of its own.
METHODS = {"paddle-json": "img_1", "paddle-json-words": "img_1", "supervisely": "img_1.jpg"}
INPUTS = dict(of for slug, file in ALL.items() for of in _inputs(slug, file))

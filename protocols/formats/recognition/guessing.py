"""Guesses of the kind and format of a file, from its name and part of its contents."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from text_rankings.base.counts import counted

from ..containers.archives import Limits, Member, OpenArchive, open_archive
from ..containers.contents import Kind, LineFormat, Tail
from ..containers.documents import PICTURES
from ..containers.files import Source, first_bytes, source_name
from ..containers.folders import unfolded
from ..names import method_name
from ..problems import Problems, quoted
from ..readers.curved import style_of
from ..readers.layouts import Survey, decide
from ..readers.rrc_lines import looks_like_confidence
from ..readers.separated import delimiter_of
from ..readers.tesseract import PAGE_ROW
from ..readers.yolo import lists_photographs, may_be_labels
from .signs import Sign, look_of_bytes, look_of_suffix, sign_of_json, sign_of_markup

GuessedKind = Literal["images", "truth", "results", "scores"]
_PICTURE_BEGINS: Final = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"RIFF", b"GIF8", b"II*\0", b"MM\0*")
_ZIP_BEGINS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_N_LOOKED_AT: Final = 20
_N_LINES: Final = 50
_LOOKED_AT: Final = 64 * 1024
_MAX_LINE: Final = 2_000
# Formats of both kinds whose files are taken for ground truth if they have no confidences.
_OPEN: Final = frozenset(
    (
        *("alto-xml", "bdd", "coco-json", "label-studio", "labelme", "page-xml", "paddle"),
        *("tesseract-box", "via", "yolo", "voc-xml", "cvat-xml", "supervisely", "darwin"),
    )
)
_TRUTH_NAME: Final = re.compile(
    r"(?:\A|[\s_.-])(?:gt|ground[\s_-]?truth|truth|annotations?)(?:[\s_.-]|\Z)", re.IGNORECASE
)
# Lists of subsets and classes in a folder of Pascal VOC.
_BESIDE_VOC: Final = re.compile(r"(?:\A|/)(?:ImageSets/.*|labelmap\.txt)\Z")
_SUFFIXES_READ: Final = (
    *(".txt", ".xml", ".json", ".csv", ".jsonl", ".hocr", ".html", ".tsv", ".box", ".gt"),
)
_PADDLE: Final = re.compile(r"\ufeff?[^\t\n]{1,500}\t\s*+\[\s*+[{\[\]]")
# A photograph with a text, as labels and results of PaddleOCR's recognition.
_TEXT_OF_IMAGE: Final = re.compile(
    r"[^\t]{1,500}\.(?:jpe?g|png|bmp|tiff?)\t[^\t]+(?:\t[\d.e-]+)?\Z", re.IGNORECASE
)
# A character, a blank or a line of Tesseract with its box and page, or the tabulator that ends a line.
_BOX_LINE: Final = re.compile(r"(?:\S{1,24}|[ \t])(?: \d{1,6}){5}(?: #.*)?\Z")
# Index, difficult, left, top, width, height and an angle.
_TURNED_BOX: Final = re.compile(
    r"\d{1,6} [01](?: -?\d{1,6}){4} -?\d(?:\.\d{1,20})?(?:e-\d{1,2})?\s*+\Z"
)
# EasyOCR's tuples as Python prints them, and the beginnings of lists: points, then a text.
_PAIR: Final = r"-?\d[\d.e+-]*+\s*+,\s*+-?\d[\d.e+-]*+\s*+\]"
_OCR_LIST: Final = re.compile(
    rf"""(?:\{{\s*+"[^"]*+"\s*+:)?[\[(\s]++{_PAIR}(?:\s*+,\s*+\[\s*+{_PAIR}){{2,99}}"""
    r"""\s*+\]\s*+,\s*+[\[(]?\s*+["']"""
)
# A text, a confidence and a box of four, as ocrmac returns them.
_APPLE: Final = re.compile(
    r"""(?:\{\s*+"[^"]*+"\s*+:\s*+)?\[\s*+\[\s*+"(?:[^"\\]|\\.)*+"\s*+,\s*+[\d.e-]++\s*+,\s*+\[\s*+-?\d"""
)
# Lines of words, each a text, a confidence and points, as RapidOCR 3 has them.
_OCR_WORDS: Final = re.compile(
    r"""\[[\[\s]*+"(?:[^"\\]|\\.)*+"\s*+,\s*+[\d.e-]++\s*+,\s*+\[\s*+\[\s*+-?\d"""
)
# The outermost element, behind declarations and comments.
_ROOT: Final = re.compile(
    r"(?:[^<]*+<(?:\?[^>]*+>|!--(?:[^-]|-(?!->))*+-->))*+[^<]*+<(?:\w++:)?+(\w++)"
)
# Beginnings of texts: pattern, format, name of the sign.
_BEGINNINGS: Final = (
    (_OCR_LIST, "easyocr", "lists of points, text and confidence, as of EasyOCR"),
    (_APPLE, "apple-vision", "lists of text, confidence and box, as of Apple Vision"),
    (_OCR_WORDS, "rapidocr-words", "lines of words with confidence and points, as of RapidOCR"),
)
# Patterns of all lines.
_LINES_OF: Final = (
    (_TEXT_OF_IMAGE, None, "PaddleOCR's texts without boxes"),
    (_TURNED_BOX, "msra-td500", "turned boxes, as MSRA-TD500"),
    (_BOX_LINE, "tesseract-box", "boxes as Tesseract's"),
)
_SIZE_LINE: Final = re.compile(r"\s*+\d{1,6}\s*+,\s*+\d{1,6}\s*+\Z", re.ASCII)
# JSON by image, as of ArT and LSVT.
_BY_IMAGE: Final = re.compile(r'\s*+\{\s*+"(?:gt|res)_[^"]{1,50}"\s*+:\s*+\[')
_KEY: Final = re.compile(r'"([A-Za-z_]\w{0,29})"\s*+:', re.ASCII)
_COCO_KEYS: Final = frozenset(("images", "annotations", "imgs", "anns", "image_id", "categories"))
_RESULT_COLUMNS: Final = frozenset(("method", "confidence", "score"))
# Documents of an image without regions, as several engines write them.
_EMPTY: Final = ("null", "[]", "[[]]", "[null]")
NO_REGIONS: Final = "a file without regions"
_VIA_3: Final = "# Exported using VGG Image Annotator"
_TRUTH_COLUMNS: Final = frozenset(("text", "transcription", "ignored", "ignore", "dont_care"))


@dataclass(frozen=True, slots=True)
class Guess:
    """The probable kind, format and method of a file, and in one sentence why.

    ``format`` is a key of ``reading.FORMATS``, or "csv" or "json" for scores; ``method`` is from
    the file name, None if it is not a result set; ``looks_like`` is the format that it resembles,
    if that is known but not supported. ``is_open``: only transcriptions, or missing confidences,
    suggest ground truth; results may look the same.
    """

    kind: GuessedKind | None
    format: str | None
    method: str | None
    reason: str
    looks_like: str | None = None
    is_open: bool = False


def guess(source: Source, name: str | None = None) -> Guess:
    """Guess kind, format and method of a file; never raises, whatever the bytes."""
    name, source = source_name(source, name), unfolded(source)
    begin = first_bytes(source, _LOOKED_AT)
    if not begin:
        return _nothing(f"{quoted(name)} is empty or cannot be read.")
    if begin.startswith(_ZIP_BEGINS):
        return _guess_zip(source, name)
    if begin.startswith(_PICTURE_BEGINS):
        return Guess("images", None, None, f"{quoted(name)} begins as a photograph does.")
    if (look := look_of_bytes(begin)) is not None:
        return _not_read(look, name)
    return _guess_document(begin, name)


def _not_read(look: str, name: str) -> Guess:
    return Guess(None, None, None, f"{quoted(name)} looks like {look}.", look)


def _nothing(reason: str) -> Guess:
    return Guess(None, None, None, reason)


def _scores(reason: str, format: str) -> Guess:
    return Guess("scores", format, None, reason)


def _signed(sign: Sign, name: str) -> Guess:
    """Return the guess of a sign; results that are named as ground truth are that."""
    if sign.format is None:
        return _not_read(sign.says, name)
    is_truth = sign.is_truth or bool(_TRUTH_NAME.search(name))
    return _annotated(is_truth, sign.format, name, f"{quoted(name)} has {sign.says}.")


def _annotated(is_truth: bool, format: str, name: str, reason: str) -> Guess:
    if is_truth:
        is_open = format in _OPEN and not _TRUTH_NAME.search(name)
        return Guess("truth", format, None, reason, is_open=is_open)
    return Guess("results", format, method_name(name), reason)


def _guess_zip(source: Source, name: str) -> Guess:
    problems = Problems(name)
    with open_archive(source, problems, Limits()) as archive:
        members = archive.members
        if not members:
            reason = problems.found[0].found if problems.found else "no file in it"
            return _nothing(f"{quoted(name)} cannot be used: {reason}.")
        told = [member for member in members if not _BESIDE_VOC.search(member.path)]
        suffixes = Counter(_suffix(member) for member in told or members)
        n_pictures = sum(suffixes[suffix] for suffix in PICTURES)
        # Photographs may be in the same folder as their labels.
        if is_yolo := _guess_yolo(archive, members, name):
            return is_yolo
        if 2 * n_pictures > len(members):
            files = counted(len(members), "file")
            reason = f"{n_pictures} of {files} are pictures by name."
            return Guess("images", None, None, reason)
        suffix = max(_SUFFIXES_READ, key=lambda of: suffixes[of])
        fitting = [member for member in told if _suffix(member) == suffix]
        if not fitting:
            if (look := look_of_suffix(suffixes.most_common(1)[0][0])) is not None:
                return _not_read(look, name)
            return _nothing(f"{quoted(name)} holds no file of a known format.")
        if suffix == ".txt" and not _PADDLE.match(_begin_of(archive, fitting[0])):
            return _guess_texts(archive, fitting, name)
        guesses = (_guess_member(archive, member, name) for member in fitting[:_N_LOOKED_AT])
        # A page on which nothing was found says nothing of its format.
        first = next(guesses)
        return first if first.format else next((of for of in guesses if of.format), first)


def _guess_member(archive: OpenArchive, member: Member, name: str) -> Guess:
    content = archive.content(member, Limits().document_bytes)
    return _guess_document((content or b"")[:_LOOKED_AT], name)


def _begin_of(archive: OpenArchive, member: Member) -> str:
    return (archive.content(member) or b"")[:_MAX_LINE].decode(errors="replace")


def _guess_yolo(archive: OpenArchive, members: Sequence[Member], name: str) -> Guess | None:
    """Return the guess for a zip of YOLO lines, perhaps with photographs, or None."""
    texts = [of for of in members if may_be_labels(of.name)]
    lines = _some_lines(archive, texts)
    # A zip may list its photographs.
    lines = [line for line in lines if not lists_photographs(line.encode())]
    if not lines or not all(map(_may_be_yolo, lines)):
        return None
    # Whole numbers alone are shares only if photographs are in the same folder.
    has_pictures = any(_suffix(of) in PICTURES for of in members)
    if not has_pictures and not any("." in of for line in lines for of in line.split()[1:]):
        return None
    # Of a line that was cut, the last number may be missing.
    counts = {len(line.split()) for line in lines if len(line) < _MAX_LINE}
    is_truth = all(n % 2 for n in counts)
    files, more = counted(len(texts), "text file"), "" if is_truth else ", and confidences"
    reason = f"{files} with a class and shares of the image, as in YOLO{more}."
    return _annotated(is_truth, "yolo", name, reason)


def _may_be_yolo(line: str) -> bool:
    """Return whether a line has a class and shares: a box or points, perhaps a confidence, a track."""
    class_, *fields = line.split()
    if len(fields) < 4 or not class_.isdecimal() or len(class_) > 5:
        return False
    if len(fields) > 4 and fields[-1].isdecimal():
        # The number of a track, or a confidence of 1.
        fields.pop()
    return all(re.fullmatch(r"-?[01]?(?:\.\d{0,20})?(?:e-?\d{0,2})?", of) for of in fields)


def _suffix(member: Member) -> str:
    return member.name[member.name.rfind(".") :].lower()


def _guess_texts(archive: OpenArchive, members: Sequence[Member], name: str) -> Guess:
    starts = Counter(member.name.lower().split("_")[0] for member in members)
    n_truth, n_results = starts["gt"] + starts["poly"], starts["res"]
    lines = _some_lines(archive, members)
    is_open = False
    if not n_truth and not n_results and _is_evaltex(lines):
        return _guess_evaltex(lines, name)
    style = style_of(lines)
    files = counted(len(members), "text file")
    if n_truth or n_results:
        is_truth = n_truth >= n_results
        named, n = ("gt_", n_truth) if is_truth else ("res_", n_results)
        reason = f"{n} of {files} named {named}NAME.txt"
    else:
        is_named = bool(_TRUTH_NAME.search(name))
        is_truth = is_named or style is not None or _have_texts(lines)
        is_open = is_truth and not is_named
        with_or_not = "with" if is_truth else "without"
        reason = f"{files} {with_or_not} transcriptions, judging by a sample"
    if style is not None:
        guessed = _annotated(is_truth, "polygon", name, f"{reason}; written as in {style.value}.")
        return replace(guessed, is_open=is_open)
    survey = Survey()
    kind: Kind = "truth" if is_truth else "results"
    survey.add(enumerate(lines, 1), kind)
    layout = decide(survey, kind).layout
    reason = f"{reason}; {_SAID[layout.line_format]}{_SAID_OF_TAIL[layout.tail]}."
    guessed = _annotated(is_truth, layout.slug, name, reason)
    return replace(guessed, is_open=is_open)


_SAID: Final = {
    LineFormat.LTRB: "most lines have four coordinates",
    LineFormat.QUAD: "most lines have eight coordinates",
    LineFormat.POLYGON: "lines have varying or many coordinates",
}
_SAID_OF_TAIL: Final = {
    Tail.TEXT: "",
    Tail.SCRIPT: ", then a script and a text",
    Tail.DIFFICULT: ", then 0 or 1 and a text in quotes",
    Tail.CLASS: ", then a class and 0 or 1",
    Tail.CONFIDENCE: ", then a confidence and a text",
    Tail.FIRST: ", after a confidence",
}


def _some_lines(archive: OpenArchive, members: Sequence[Member]) -> list[str]:
    lines: list[str] = []
    for member in members[:_N_LOOKED_AT]:
        content = archive.content(member)
        if content is not None:
            lines += _lines(content[:_LOOKED_AT])[:_N_LINES]
    return lines


def _lines(begin: bytes) -> list[str]:
    """Return the first lines that are not empty, shortened; the last may be cut."""
    if begin.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = begin.decode("utf-16", errors="replace")
    else:
        text = begin.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    found = text.replace("\r", "\n").split("\n")
    return [line[:_MAX_LINE] for line in found if line.strip()]


def _have_texts(lines: Sequence[str]) -> bool:
    """Return whether most lines end in a field that is not a number."""
    ends = [line.rpartition(",")[2].strip() for line in lines]
    n_texts = sum(not looks_like_confidence(end) and not end.isdecimal() for end in ends)
    n_numbers = sum(end.lstrip("-").replace(".", "", 1).isdecimal() for end in ends)
    return n_texts > n_numbers


def _guess_document(begin: bytes, name: str) -> Guess:
    lines = _lines(begin)
    if len(lines) == 1 and "".join(lines[0].split()) in _EMPTY:
        return _not_read(NO_REGIONS, name)
    if not lines or ("\0" in lines[0]):
        return _nothing(f"{quoted(name)} is in no known format.")
    start = lines[0].lstrip()
    text = "\n".join(lines)
    for pattern, format, says in _BEGINNINGS:
        if pattern.match(text):
            return _signed(Sign(format, says), name)
    if start.startswith(("{", "[")):
        return _guess_json(text, name)
    if _PADDLE.match(lines[0]):
        says = "a path and JSON in each line, as in PaddleOCR"
        return _signed(Sign("paddle", says, '"score"' not in text), name)
    if start.startswith("<"):
        return _guess_xml(text, name)
    for pattern, of_lines, says in _LINES_OF:
        if all(map(pattern.match, lines[:_N_LINES])):
            return _signed(Sign(of_lines, says, is_truth=True), name)
    if _is_evaltex(lines):
        return _guess_evaltex(lines, name)
    return _guess_csv(lines, name)


def _guess_json(text: str, name: str) -> Guess:
    keys = set(_KEY.findall(text))
    if {"recall", "precision"} & keys:
        return _scores(f"{quoted(name)} has recall or precision in JSON.", "json")
    if _BY_IMAGE.match(text):
        is_truth = text.lstrip("{ \t\r\n").startswith('"gt_')
        reason = f"{quoted(name)} has regions by image, as in ArT and LSVT."
        return _annotated(is_truth, "art-json", name, reason)
    if (sign := sign_of_json(keys)) is not None:
        return _signed(sign, name)
    if not keys & _COCO_KEYS:
        if re.match(r"\[\s*+\"", text):
            return _not_read("a list of texts without boxes", name)
        return _nothing(f"{quoted(name)} is JSON, but neither COCO nor scores.")
    said = re.search(r'"kind"\s*+:\s*+"(truth|results)"', text)
    if said:
        is_truth = said[1] == "truth"
        reason = f"{quoted(name)} is COCO and is marked as {said[1]}."
        return replace(_annotated(is_truth, "coco-json", name, reason), is_open=False)
    is_truth = "score" not in keys and not text.lstrip().startswith("[")
    what = "without scores" if is_truth else "with scores or as a plain list"
    return _annotated(is_truth, "coco-json", name, f"{quoted(name)} is COCO {what}.")


def _guess_xml(text: str, name: str) -> Guess:
    # HTML may have no root element.
    root = _ROOT.match(text)
    if root is not None and root[1] == "evaltex":
        is_truth = "detections" not in text[root.start(1) :].partition(">")[0]
        value = "ground truth" if is_truth else "detections"
        reason = f"{quoted(name)} has an element <evaltex> of {value}."
        return _annotated(is_truth, "evaltex-xml", name, reason)
    if (sign := sign_of_markup(text, root and root[1])) is not None:
        return _signed(sign, name)
    if root is not None and root[1] == "document":
        return _signed(Sign("ctdar-xml", "cTDaR tables; truth or results by its name"), name)
    return _nothing(f"{quoted(name)} is XML in no known format.")


def _is_evaltex(lines: Sequence[str]) -> bool:
    return len(lines) > 1 and "," not in lines[0] and bool(_SIZE_LINE.match(lines[1]))


def _guess_evaltex(lines: Sequence[str], name: str) -> Guess:
    is_truth = any('"' in line or re.search(r",\s*[tf]\s*,", line) for line in lines)
    reason = f"{quoted(name)} has names of images, each with height,width below it"
    return _annotated(is_truth, "evaltex-text", name, f"{reason}, as EvaLTex.")


def _guess_csv(lines: Sequence[str], name: str) -> Guess:
    delimiter = delimiter_of(lines[0])
    columns = {column.strip().strip('"').lower() for column in lines[0].split(delimiter)}
    if {"recall", "precision"} <= columns:
        return _scores(f"{quoted(name)} has columns recall and precision.", "csv")
    if "region_shape_attributes" in columns or lines[0].startswith(_VIA_3):
        return _annotated(True, "via", name, f"{quoted(name)} is CSV of the VGG Image Annotator.")
    if {"imageid", "xmin", "ymax"} <= columns:
        sign = Sign("open-images", "the columns of Open Images", "isgroupof" in columns)
        return _signed(sign, name)
    if {"level", "page_num", "word_num", "conf"} <= columns or PAGE_ROW.match(lines[0]):
        return _signed(Sign("tesseract-tsv", "the columns of Tesseract"), name)
    if len(columns) > 1 and columns & {"image", "image_name", "file_name", "filename", "file"}:
        is_truth = not columns & _RESULT_COLUMNS and bool(
            columns & _TRUTH_COLUMNS or _TRUTH_NAME.search(name)
        )
        said = "ground truth" if is_truth else "results"
        return _annotated(is_truth, "csv", name, f"{quoted(name)} has the columns of {said}.")
    if name.lower().endswith(".txt"):
        return _nothing(
            f"{quoted(name)} is a single text file; put the files of all images in a zip."
        )
    return _nothing(f"{quoted(name)} is in no known format.")

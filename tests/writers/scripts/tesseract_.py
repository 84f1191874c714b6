"""Tesseract: a page in its own formats by the program, pytesseract and tesserocr."""

import subprocess
from pathlib import Path

import pytesseract
import tesserocr
from PIL import Image

PAGE = Image.open("page.png")
FORMATS = {
    "tsv": "tsv",
    "hocr": "hocr",
    "alto": "xml",
    "makebox": "box",
    "lstmbox": "box",
    "wordstrbox": "box",
}
PAGE.save("pages.tif", save_all=True, append_images=[PAGE])


def run(picture, folder, *options):
    Path(folder).mkdir(exist_ok=True)
    stem = Path(picture).stem
    subprocess.run(
        ["tesseract", picture, f"{folder}/{stem}", *options], check=True, capture_output=True
    )


for name in FORMATS:
    run("page.png", name, name)
for name in ("tsv", "hocr", "alto"):
    run("pages.tif", f"{name}-pages", name)
run("page.png", "hocr-characters", "-c", "hocr_char_boxes=1", "hocr")
for name, text in {
    "pytesseract-hocr": pytesseract.image_to_pdf_or_hocr(PAGE, extension="hocr").decode(),
    "pytesseract-alto": pytesseract.image_to_alto_xml(PAGE).decode(),
    "pytesseract-tsv": pytesseract.image_to_data(PAGE),
    "pytesseract-box": pytesseract.image_to_boxes(PAGE),
}.items():
    Path(name).mkdir()
    suffix = name.rpartition("-")[2]
    Path(name, f"page.{'xml' if suffix == 'alto' else suffix}").write_text(text)
listed = subprocess.run(
    ["tesseract", "--list-langs"], check=True, capture_output=True, text=True
).stdout
data = listed.split('"')[1]
with tesserocr.PyTessBaseAPI(path=data) as engine:
    engine.SetImage(PAGE)
    engine.Recognize()
    for name, text in {"tesserocr-hocr": engine.GetHOCRText(0), "tesserocr-tsv": engine.GetTSVText(0),
                       "tesserocr-box": engine.GetBoxText(0)}.items():  # fmt: skip
        Path(name).mkdir()
        Path(name, f"page.{name.rpartition('-')[2]}").write_text(text)

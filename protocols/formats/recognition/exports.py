"""The formats of OCR engines, and of further annotation tools and data sets."""

from typing import Final

from .declared import BOTH, Format, lazily


def _words_or_lines(
    slug: str, name: str, description: str, module: str, *, kept: str
) -> tuple[Format, Format]:
    """Return the two readings of an engine's file: of its words, which is that of a guess, and its lines."""
    return (
        Format(slug, name, description, BOTH, lazily(module, "read_words"), kept),
        Format(
            f"{slug}-lines",
            f"{name}, lines",
            f"The lines of the same file, as in {description.partition(', as in ')[2]}",
            BOTH,
            lazily(module, "read_lines"),
            kept,
        ),
    )


ENGINES: Final = (
    *_words_or_lines(
        "tesseract-tsv",
        "Tesseract TSV",
        "NAME.tsv of each image, a table of words with the header level, page_num …, conf, text, "
        "as in 5 1 1 1 1 1 38 43 88 17 93 CARE with tabulators",
        "tesseract",
        kept="text, confidence, id, the line as parent, sizes",
    ),
    Format(
        "tesseract-box",
        "Tesseract boxes",
        "NAME.box with a line for each character, or WordStr for each line, y from the lower edge "
        "of an image whose photograph is there, as in C 38 40 126 57 0",
        BOTH,
        lazily("tesseract", "read_box"),
        kept="text",
    ),
    Format(
        "easyocr",
        "EasyOCR, RapidOCR, PaddleOCR 2",
        "The list that they return for an image, as NAME.json, or an object of such lists by image, "
        'as in [[[38, 43], [126, 43], [126, 60], [38, 60]], "CARE", 0.93]',
        BOTH,
        lazily("ocr_lists", "read_list"),
        kept="text, confidence",
    ),
    Format(
        "paddle-json",
        "PaddleOCR 3",
        "NAME_res.json of each image, with lines, or outlines alone, as in "
        '{"rec_polys": [[[38, 43], [126, 43], [126, 60], [38, 60]]], "rec_texts": ["CARE"]}',
        BOTH,
        lazily("paddle", "read_results"),
        kept="text, confidence",
    ),
    *_words_or_lines(
        "google-vision",
        "Google Cloud Vision",
        "JSON of answers to TEXT_DETECTION or DOCUMENT_TEXT_DETECTION, as in "
        '{"responses": [{"fullTextAnnotation": {"pages": […]}}]}',
        "google_vision",
        kept="text, confidence, sizes",
    ),
    *_words_or_lines(
        "textract",
        "Amazon Textract",
        "JSON of an answer or a list of answers, shares of an image whose photograph is there, as in "
        '{"Blocks": [{"BlockType": "WORD", "Text": "CARE", "Geometry": {"Polygon": […]}}]}',
        "textract",
        kept="text, confidence, id, the line as parent",
    ),
    *_words_or_lines(
        "azure-read",
        "Azure Read and Document Intelligence",
        "JSON of an answer, as in "
        '{"analyzeResult": {"pages": [{"words": [{"content": "CARE", "polygon": […]}]}]}}',
        "azure",
        kept="text, confidence of words, sizes",
    ),
    *_words_or_lines(
        "doctr",
        "docTR",
        "The export of a document as JSON, or the labels of a data set, as in "
        '{"pages": [{"dimensions": [100, 200], "blocks": […]}]}',
        "doctr",
        kept="text, confidence, sizes",
    ),
    Format(
        "surya",
        "Surya",
        "results.json of its recognition or detection, with lines, as in "
        '{"img_1": [{"text_lines": [{"polygon": […], "text": "CARE"}]}]}',
        BOTH,
        lazily("surya", "read_lines"),
        kept="text, confidence, sizes",
    ),
    Format(
        "surya-words",
        "Surya, words",
        "The words of the same file, as in "
        '{"img_1": [{"text_lines": [{"words": [{"polygon": […], "text": "CARE"}]}]}]}',
        BOTH,
        lazily("surya", "read_words"),
        kept="text, confidence, sizes",
    ),
)

TOOLS: Final = (
    Format(
        "label-studio",
        "Label Studio",
        "JSON of tasks, whole or short (JSON-MIN), with per cent of the sides of images, as in "
        '[{"image": "img_1.jpg", "label": [{"x": 19, "y": 43, "width": 44, "height": 17, '
        '"original_width": 200, "original_height": 100}], "transcription": ["CARE"]}]',
        BOTH,
        lazily("label_studio", "read_tasks"),
        kept="text, label, ignored (`###`), score, sizes",
    ),
    Format(
        "bdd",
        "BDD100K, Scalabel",
        'JSON of frames, as in [{"name": "img_1.jpg", "labels": [{"category": "text", "box2d": '
        '{"x1": 38, "y1": 43, "x2": 126, "y2": 60}}]}]',
        BOTH,
        lazily("bdd", "read_frames"),
        kept="category as label, id, ignored or crowd as ignored, score",
    ),
    Format(
        "funsd",
        "FUNSD, XFUND",
        "JSON of the words of a form, as in "
        '{"form": [{"id": 0, "words": [{"box": [38, 43, 126, 60], "text": "CARE"}]}]}',
        BOTH,
        lazily("funsd", "read_words"),
        kept="text, the entity as parent, sizes",
    ),
    Format(
        "funsd-entities",
        "FUNSD, XFUND, entities",
        "The entities of the same file, as in "
        '{"form": [{"id": 0, "box": [38, 43, 126, 60], "text": "CARE", "label": "header"}]}',
        BOTH,
        lazily("funsd", "read_entities"),
        kept="text, label, id, sizes",
    ),
    Format(
        "msra-td500",
        "MSRA-TD500, HUST-TR400",
        "A zip of NAME.gt with an index, 1 where it is difficult, a box by its sides and its angle in "
        "radians, as in 0 0 38 43 88 17 -0.05",
        BOTH,
        lazily("msra", "read_lines"),
        kept="index as id, difficult as ignored",
    ),
    Format(
        "open-images",
        "Open Images",
        "CSV with shares of images whose photographs are there, as in "
        "ImageID,LabelName,Confidence,XMin,XMax,YMin,YMax and img_1,text,1,0.19,0.63,0.43,0.6",
        BOTH,
        lazily("open_images", "read_boxes"),
        kept="label, group as ignored, confidence of results",
    ),
)

"""Signs of the formats that are read, in JSON by its keys and in markup by its elements."""

from collections.abc import Callable
from typing import Final

from text_rankings.base.i18n import Message

_Asked = Callable[[set[str]], bool]
# JSON by its keys: format, message, whether it is so, and whether that is ground truth.
JSON: Final[tuple[tuple[str, str, _Asked, _Asked], ...]] = (
    ("mmocr", Message("a data_list or det_polygons, as in MMOCR"),
     lambda keys: {"data_list", "instances"} <= keys or "det_polygons" in keys,
     lambda keys: "data_list" in keys),
    ("paddle-json", Message("rec_polys or dt_polys, as of PaddleOCR 3"),
     lambda keys: bool({"rec_polys", "dt_polys"} & keys), lambda keys: False),
    ("easyocr", Message("boxes with texts, as of RapidOCR or EasyOCR"),
     lambda keys: {"box", "txt"} <= keys or {"boxes", "confident"} <= keys, lambda keys: False),
    ("google-vision", Message("responses or annotations, as of Google Cloud Vision"),
     lambda keys: bool({"responses", "fullTextAnnotation", "textAnnotations", "full_text_annotation",
                        "text_annotations"} & keys), lambda keys: False),
    ("textract", Message("Blocks, as of Amazon Textract"),
     lambda keys: "Blocks" in keys, lambda keys: False),
    ("azure-read", Message("analyzeResult or readResult, as of Azure"),
     lambda keys: bool({"analyzeResult", "readResult"} & keys) or {"model_id", "content"} <= keys
     or {"modelId", "content"} <= keys, lambda keys: False),
    ("doctr", Message("pages with dimensions, or img_dimensions, as of docTR"),
     lambda keys: {"page_idx", "blocks"} <= keys or {"page_idx", "dimensions"} <= keys
     or {"img_dimensions", "polygons"} <= keys,
     lambda keys: "img_dimensions" in keys),
    ("surya", Message("text_lines or bboxes, as of Surya"),
     lambda keys: "text_lines" in keys or {"bboxes", "polygon"} <= keys, lambda keys: False),
    ("label-studio", Message("tasks with regions, as of Label Studio"),
     lambda keys: {"from_name", "to_name"} <= keys or "original_width" in keys
     or {"x", "y", "width", "height", "rotation"} <= keys,
     lambda keys: "score" not in keys),
    ("funsd", Message("forms with boxes, as of FUNSD"),
     lambda keys: "box" in keys and bool({"form", "documents"} & keys), lambda keys: True),
    ("bdd", Message("box2d or poly2d, as of BDD100K"),
     lambda keys: bool({"box2d", "poly2d"} & keys), lambda keys: "score" not in keys),
    ("labelme", Message("shapes with points, as in LabelMe"),
     lambda keys: {"shapes", "points"} <= keys or {"shapes", "imagePath"} <= keys,
     lambda keys: "score" not in keys),
    ("via", Message("shape_attributes, as in the VGG Image Annotator"),
     lambda keys: "shape_attributes" in keys or "_via_img_metadata" in keys
     or {"pid", "data_format_version"} <= keys,
     lambda keys: "score" not in keys),
    ("rects-json", Message("characters and lines, as in ReCTS"),
     lambda keys: {"chars", "lines"} <= keys, lambda keys: True),
    ("hiertext", Message("paragraphs of lines, as in HierText"),
     lambda keys: {"paragraphs", "image_id"} <= keys, lambda keys: "legible" in keys),
)  # fmt: skip
# XML and HTML by an element: format, content, message, and the sign of results.
MARKUP: Final = (
    ("page-xml", "PcGts", Message("an element PcGts, as in PAGE"), " conf="),
    ("alto-xml", "<alto", Message("an element alto"), " WC="),
    ("hocr", "ocr_page", Message("an ocr_page, as in hOCR"), "ocr_page"),
)

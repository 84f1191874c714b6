"""RapidOCR 1.4: lines of a page, by the models of its wheel."""

import json
from pathlib import Path

from rapidocr_onnxruntime import RapidOCR

result, _ = RapidOCR()("page.png")
Path("lines").mkdir()
Path("lines/page.json").write_text(json.dumps(result))

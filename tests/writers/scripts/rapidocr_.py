"""RapidOCR 3: lines and words of a page, by the models of its wheel."""

import json
from pathlib import Path

from rapidocr import RapidOCR

result = RapidOCR()("page.png", return_word_box=True)
for name, data in {"lines": result.to_json(), "words": result.word_results}.items():
    Path(name).mkdir()
    Path(name, "page.json").write_text(json.dumps(data, default=lambda of: of.tolist()))

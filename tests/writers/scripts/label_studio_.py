"""Label Studio's SDK: tasks made of a COCO file, and the formats that its converter makes of tasks."""

import json
from pathlib import Path

from label_studio_sdk.converter import Converter
from label_studio_sdk.converter.imports.coco import convert_coco_to_ls

WORDS = {"EXIT": (10, 20, 110, 60), "STOP": (200, 20, 260, 50)}
annotations = [
    {
        "id": at,
        "image_id": 1,
        "category_id": at,
        "bbox": [left, top, right - left, bottom - top],
        "iscrowd": 0,
    }
    for at, (left, top, right, bottom) in enumerate(WORDS.values(), 1)
]
image = {"id": 1, "file_name": "street.png", "width": 400, "height": 200}
categories = [{"id": at, "name": name} for at, name in enumerate(WORDS, 1)]
Path("coco.json").write_text(
    json.dumps({"images": [image], "categories": categories, "annotations": annotations})
)
Path("tasks").mkdir()
convert_coco_to_ls(
    "coco.json", "tasks/tasks.json", out_type="annotations", image_root_url="/data/upload"
)
tasks = [
    {"id": at, **of} for at, of in enumerate(json.loads(Path("tasks/tasks.json").read_text()), 1)
]
Path("tasks.json").write_text(json.dumps(tasks))
labels = "".join(f'<Label value="{name}"/>' for name in WORDS)
image = '<Image name="image" value="$image"/>'
labels = f'<RectangleLabels name="label_rectangles" toName="image">{labels}</RectangleLabels>'
converter = Converter(f"<View>{image}{labels}</View>", ".", download_resources=False)
for name, convert in (
    ("coco", "convert_to_coco"),
    ("voc", "convert_to_voc"),
    ("yolo", "convert_to_yolo"),
):
    getattr(converter, convert)("tasks.json", name, output_image_dir=f"{name}/images", is_dir=False)

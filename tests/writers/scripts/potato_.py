"""Potato: its exporters, on a box and a polygon as its page stores them, in shares of the sides."""

from potato.export.base import ExportContext
from potato.export.registry import export_registry

SHAPES = [
    {
        "type": "bbox",
        "label": "text",
        "coordinates": {"x": 0.025, "y": 0.1, "width": 0.25, "height": 0.2},
        "attributes": {"text": "EXIT"},
    },
    {
        "type": "polygon",
        "label": "text",
        "coordinates": [
            {"x": x, "y": y} for x, y in ((0.5, 0.1), (0.65, 0.1), (0.65, 0.25), (0.5, 0.25))
        ],
        "attributes": {"text": "STOP"},
    },
]
context = ExportContext(
    config={},
    annotations=[
        {"instance_id": "1", "user_id": "a", "labels": {}, "image_annotations": {"words": SHAPES}}
    ],
    items={"1": {"id": "1", "image": "street.png", "image_width": 400, "image_height": 200}},
    schemas=[{"name": "words", "annotation_type": "image_annotation", "labels": ["text"]}],
    output_dir=".",
)
for name in ("coco", "labelme", "pascal_voc", "yolo", "cvat", "darwin"):
    assert export_registry.export(name, context, name, {}).success, name

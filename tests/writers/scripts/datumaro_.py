"""datumaro: boxes, and a polygon, with texts as attributes, in the formats that keep boxes."""

import numpy as np
from datumaro.components.annotation import Bbox, Polygon
from datumaro.components.dataset import Dataset
from datumaro.components.dataset_base import DatasetItem
from datumaro.components.media import Image

FORMATS = {
    "coco": "coco_instances",
    "cvat": "cvat",
    "voc": "voc_detection",
    "yolo": "yolo",
    "icdar": "icdar_text_localization",
}
annotations = [
    Bbox(
        10,
        20,
        100,
        40,
        label=0,
        id=1,
        group=1,
        attributes={"text": "EXIT", "transcription": "EXIT"},
    ),
    Polygon(
        [200, 20, 260, 20, 260, 50, 200, 50],
        label=0,
        id=2,
        group=2,
        attributes={"text": "STOP", "transcription": "STOP"},
    ),
]
picture = Image.from_numpy(np.zeros((200, 400, 3), np.uint8))
item = DatasetItem("street", media=picture, subset="train", annotations=annotations)
dataset = Dataset.from_iterable([item], categories=["text"])
for folder, name in FORMATS.items():
    try:
        dataset.export(folder, name, save_media=True)
    except Exception as e:
        print(folder, repr(e)[:200])

"""globox: boxes in all formats that it writes."""

from pathlib import Path

from globox import Annotation, AnnotationSet, BoundingBox

WORDS = {"EXIT": (10, 20, 110, 60), "STOP": (200, 20, 260, 50)}
boxes = [
    BoundingBox(label=label, xmin=left, ymin=top, xmax=right, ymax=bottom)
    for label, (left, top, right, bottom) in WORDS.items()
]
truth = AnnotationSet([Annotation(image_id="street.jpg", image_size=(400, 200), boxes=boxes)])
for name in ("coco", "labelme", "via", "yolo", "open-images", "cvat", "voc"):
    Path(name).mkdir()
truth.save_coco("coco/gt.json", auto_ids=True)
truth.save_labelme("labelme")
truth.save_via_json("via/gt.json", image_folder=".")
truth.save_yolo_v5("yolo", label_to_id={"EXIT": 0, "STOP": 1})
truth.save_openimage("open-images/gt.csv")
truth.save_cvat("cvat/gt.xml")
truth.save_pascal_voc("voc")

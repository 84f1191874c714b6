"""Libraries of others, as they are published, write files, which the readers recognise and read.

`make writers` runs it. Each library has an environment of its own below var/writers, which takes a
minute to make.
"""

import io
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import read
from tests.support.archives import picture_bytes

ROOT = Path(__file__).resolve().parents[2]
WORDS = {"EXIT": (10, 20, 110, 60), "STOP": (200, 20, 260, 50)}
# The size of the photograph, for formats of shares.
SIZE = (400, 200)
GLOBOX = f"""
from globox import Annotation, AnnotationSet, BoundingBox
boxes = [
    BoundingBox(label=label, xmin=box[0], ymin=box[1], xmax=box[2], ymax=box[3])
    for label, box in {WORDS}.items()
]
truth = AnnotationSet([Annotation(image_id="street.jpg", image_size={SIZE}, boxes=boxes)])
truth.save_coco("coco-json/gt.json", auto_ids=True)
truth.save_labelme("labelme")
truth.save_via_json("via/gt.json", image_folder="photographs")
truth.save_yolo_v5("yolo", label_to_id={{"EXIT": 0, "STOP": 1}})
truth.save_openimage("open-images/gt.csv")
truth.save_cvat("cvat-xml/gt.xml")
truth.save_pascal_voc("voc-xml-0")
"""
# By library: its script, and the formats that it writes, each into a folder.
LIBRARIES = {
    "globox==2.6.0": (
        GLOBOX,
        ["coco-json", "labelme", "via", "yolo", "open-images", "cvat-xml", "voc-xml-0"],
    )
}
# Formats that are recognised as another one, which counts pixels otherwise.
RECOGNISED = {"voc-xml-0": "voc-xml"}


def python_with(library: str) -> Path:
    """Return the Python of an environment with a library, which is made once."""
    folder = ROOT / "var" / "writers" / library
    if not (folder / "made").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = folder / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", library], check=True)
        (folder / "made").touch()
    return folder / "bin" / "python"


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_a_library_writes_is_recognised_and_read(library, tmp_path):
    script, formats = LIBRARIES[library]
    for name in ("photographs", *formats):
        (tmp_path / name).mkdir()
    photograph = picture_bytes(*SIZE)
    (tmp_path / "photographs" / "street.jpg").write_bytes(photograph)
    subprocess.run([python_with(library), "-c", script], cwd=tmp_path, check=True)
    found = {}
    for name in formats:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for path in sorted((tmp_path / name).iterdir()):
                archive.write(path, path.name)
            if name in ("yolo", "open-images"):
                archive.writestr("street.png", photograph)
        guessed = guess(io.BytesIO(packed.getvalue()), "gt.zip")
        read_back = read(io.BytesIO(packed.getvalue()), kind="truth", format=name, name="gt.zip")
        boxes = [tuple(map(round, region.box)) for region in read_back.regions.get("street", ())]
        found[name] = (guessed.format, [one.code for one in read_back.errors], boxes)
    assert found == {
        name: (RECOGNISED.get(name, name), [], list(WORDS.values())) for name in formats
    }

"""Programs and libraries of others, as they are published, write files, which the readers recognise and read.

`make writers` runs it. Each writer has an environment of its own below var/writers, which takes a
minute or more to make.
"""

import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import read
from tests.support.archives import picture_bytes
from tests.support.environments import python_of

from .table import PRINTED, WRITERS, Folder

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = Path(__file__).with_name("scripts")
SIZE = (400, 200)
# Where the letters of the page begin; the ink is a little inside.
STARTS = {"EXIT": (40, 40), "NOW": (160, 40), "10,000": (40, 120)}


def draw_page(path: Path) -> None:
    page = Image.new("RGB", SIZE, "white")
    for text, start in STARTS.items():
        ImageDraw.Draw(page).text(start, text, fill="black", font=ImageFont.load_default(32))
    page.save(path)


def packed(folder: Path, of: Folder) -> bytes:
    """Return a zip of a folder, or of a file, with the photograph where sizes are needed."""
    stream = io.BytesIO()
    files = (
        [folder]
        if folder.is_file()
        else sorted(path for path in folder.rglob("*") if path.is_file())
    )
    with zipfile.ZipFile(stream, "w") as archive:
        for path in files:
            archive.write(path, path.name if path == folder else path.relative_to(folder))
        if of.photograph:
            archive.writestr(f"{of.images[0]}.png", picture_bytes(*SIZE))
    return stream.getvalue()


def off_by(found: list[tuple[str | None, tuple[float, ...]]], of: Folder) -> float:
    """Return how far the boxes are from those that were put in; infinite if the names differ."""
    names = [name for name, _ in found]
    if names != [name if of.names else None for name, _ in of.boxes]:
        return float("inf")
    pairs = zip((box for _, box in of.boxes), (box for _, box in found), strict=True)
    return max(abs(a - b) for one, other in pairs for a, b in zip(one, other, strict=True))


def test_the_printed_page_has_its_ink_where_the_table_says(tmp_path):
    draw_page(tmp_path / "page.png")
    page = Image.open(tmp_path / "page.png").convert("L")
    for left, top, right, bottom in PRINTED.values():
        around = page.crop((left - 6, top - 6, right + 6, bottom + 6))
        ink = around.point(lambda value: 255 * (value < 128)).getbbox()
        expected = (6, 6, right - left + 6, bottom - top + 6)
        assert max(abs(a - b) for a, b in zip(ink, expected, strict=True)) <= 1


@pytest.mark.parametrize("name", WRITERS)
def test_files_that_a_writer_wrote_are_recognised_and_read(name, tmp_path):
    writer = WRITERS[name]
    if writer.program and not shutil.which(writer.program):
        pytest.skip(f"{writer.program} is not installed")
    draw_page(tmp_path / "page.png")
    (tmp_path / "street.jpg").write_bytes(picture_bytes(*SIZE))
    script = SCRIPTS / f"{name}_.py"
    python = python_of(ROOT / "var" / "writers" / name, writer.packages, alone=writer.alone)
    subprocess.run([python, script], cwd=tmp_path, check=True)
    wrong = {}
    for folder, of in writer.folders.items():
        content = packed(tmp_path / folder, of)
        guessed = guess(io.BytesIO(content), "set.zip").format
        archive = read(io.BytesIO(content), kind="truth", name="set.zip", format=of.named)
        told = tuple(
            problem.found.partition(" (first in")[0]
            for problem in archive.problems
            if problem.code in ("U1", "U2")
        )
        others = [str(of) for of in (*archive.errors, *archive.questions)]
        offs = [
            off_by(
                [
                    (getattr(region, of.names) if of.names else None, region.box)
                    for region in regions
                ],
                of,
            )
            for regions in archive.regions.values()
        ]
        if (guessed, told, others, tuple(archive.regions)) != (
            of.format,
            of.told,
            [],
            of.images,
        ) or (max(offs) > of.within):
            wrong[folder] = (guessed, told, others, offs, archive.regions)
    assert wrong == {}

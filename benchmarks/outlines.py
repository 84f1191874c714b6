"""Measure the contrast of outlines on real photographs, as the comparison page draws them.

    python -m benchmarks.outlines [--data ../shared/data/icdar2015] [--images 12] [--widths 1024 1440 390]

Each result set is drawn over photographs spread over the set, at fit, by the page's own script and
styles, then by its styles alone. A screenshot is read: a box is visible if along its whole outline a
light and a dark pixel of a contrast of 3:1 are next to each other. Where the outline of another box
is near, the two are one figure, and nothing is read. Boxes that are not visible are counted; the
target is 0.
"""

import argparse
import base64
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import shapely
from numpy.typing import NDArray
from PIL import Image

from . import pages
from .own_site import ROOT, chromium, print_line

_LEAST_CONTRAST = 3.0
_STEP_PX, _REACH_PX = 1.0, 5.0
# The pane at each width of the window, at fit, in CSS pixels.
_PANES = {1440: (1149, 894), 1024: (799, 562), 390: (384, 246)}
_PAGE = """<!doctype html><style>{css} body {{ margin: 0 }} svg {{ position: fixed; inset: 3px;
  inline-size: {width}px; block-size: {height}px; overflow: visible }}</style>
<div class="panes"><svg viewBox="0 0 {w} {h}" preserveAspectRatio="xMidYMid meet">
<image href="data:image/jpeg;base64,{photograph}" width="{w}" height="{h}"/>
<g class="boxes"></g></svg></div>"""
_DRAW = """async ([polygons, scale, dots, hasScripts]) => {
  const { drawable } = await import("/drawing.js");
  const drawn = drawable({ id: "a", polygons }, {});
  document.querySelector(".boxes").replaceChildren(...drawn.nodes);
  if (hasScripts) drawn.thin({ scale }, dots);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "icdar2015")
    parser.add_argument("--images", type=int, default=12, help="photographs, spread over the set")
    parser.add_argument("--widths", type=int, nargs="+", default=[1024, 1440, 390])
    options = parser.parse_args(arguments)
    photographs = sorted((options.data / "images").glob("*.jpg"))
    every = max(len(photographs) // options.images, 1)
    sample = photographs[::every][: options.images]
    sets = [path for path in sorted(options.data.glob("*.zip")) if path.stem != "gt"]
    print(f"{len(sets)} result sets on {len(sample)} of {len(photographs)} photographs")
    with chromium() as browser:
        for width in options.widths:
            for ratio in (1, 2):
                n: Counter[tuple[bool, bool]] = Counter()
                for photograph in sample:
                    n.update(_boxes(browser, photograph, sets, _PANES[width], ratio))
                for has_scripts in (True, False):
                    hidden, visible = n[has_scripts, False], n[has_scripts, True]
                    how = "with scripts" if has_scripts else "without"
                    found = f"{hidden} of {hidden + visible} boxes hidden"
                    print_line(f"{width} px wide, ratio {ratio}, {how}", found, "0")


def _boxes(
    browser: Any, photograph: Path, sets: Sequence[Path], size: tuple[int, int], ratio: int
) -> Iterator[tuple[bool, bool]]:
    """Draw result sets on a photograph; yield for each box whether scripts drew it and it is visible."""
    width, height = size
    window = {"width": width + 6, "height": height + 6}
    page = browser.new_context(viewport=window, device_scale_factor=ratio).new_page()
    css = "".join((ROOT / "static" / "css" / name).read_text() for name in _STYLES)
    with Image.open(photograph) as opened:
        w, h = opened.size
    text = base64.b64encode(photograph.read_bytes()).decode()
    html = _PAGE.format(css=css, width=width, height=height, w=w, h=h, photograph=text)
    page.route(
        "http://page.test/", lambda route: route.fulfill(body=html, content_type="text/html")
    )
    page.route("**/*.js", lambda route: route.fulfill(path=_script(route.request.url)))
    page.goto("http://page.test/")
    page.evaluate("document.querySelector('image').decode?.()")
    scale = min(width / w, height / h)
    left, top = 3 + (width - w * scale) / 2, 3 + (height - h * scale) / 2
    for archive in sets:
        polygons = list(_polygons(archive, photograph.stem))
        if not polygons:
            continue
        texts = [" ".join(f"{x},{y}" for x, y in corners) for corners in polygons]
        rings = [
            shapely.LinearRing(
                [((left + x * scale) * ratio, (top + y * scale) * ratio) for x, y in corners]
            )
            for corners in polygons
        ]
        for has_scripts in (True, False):
            page.evaluate(_DRAW, [texts, scale, ratio, has_scripts])
            shot = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
            light = _luminance(shot)
            for at, ring in enumerate(rings):
                others = shapely.union_all([*rings[:at], *rings[at + 1 :]])
                yield has_scripts, _is_visible(light, list(ring.coords)[:-1], others, ratio)
    page.context.close()


_STYLES = ("tokens.css", "components/panes.css")


def _script(url: str) -> Path:
    name = url.rpartition("/")[2]
    folder = "elements" if (ROOT / "static/js/elements" / name).exists() else "judging"
    return ROOT / "static" / "js" / folder / name


def _polygons(archive: Path, image: str) -> Iterator[list[tuple[float, float]]]:
    with ZipFile(archive) as opened:
        names = [name for name in opened.namelist() if name.endswith(f"res_{image}.txt")]
        for line in opened.read(names[0]).decode("utf-8-sig").splitlines() if names else ():
            numbers = [float(value) for value in re.split(r",\s*", line.strip())[:8] if value]
            if len(numbers) == 8:
                yield list(zip(numbers[::2], numbers[1::2], strict=True))


def _luminance(shot: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the relative luminance of each pixel (WCAG 2.2)."""
    part = np.arange(256) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear[shot] @ np.array([0.2126, 0.7152, 0.0722]))


def _is_visible(
    light: NDArray[np.float64],
    corners: Sequence[tuple[float, ...]],
    others: shapely.Geometry,
    ratio: int,
) -> bool:
    """Return whether a light and a dark pixel of enough contrast lie across the whole outline.

    ``others``: the outlines of the other boxes, near which nothing is read.
    """
    reach = np.arange(-_REACH_PX * ratio, _REACH_PX * ratio + 0.01, 0.25)
    high, wide = light.shape
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        length = float(np.hypot(bx - ax, by - ay))
        steps = np.arange(0.5, length, _STEP_PX)
        if not len(steps):
            continue
        x, y = ax + steps * (bx - ax) / length, ay + steps * (by - ay) / length
        across_x = np.floor(x[:, None] + reach * (by - ay) / length).astype(int)
        across_y = np.floor(y[:, None] - reach * (bx - ax) / length).astype(int)
        is_alone = ~shapely.dwithin(shapely.points(x, y), others, 2 * _REACH_PX * ratio)
        is_inside = is_alone & (x >= 0) & (x < wide) & (y >= 0) & (y < high)
        found = light[across_y.clip(0, high - 1), across_x.clip(0, wide - 1)]
        contrast = (found.max(axis=1) + 0.05) / (found.min(axis=1) + 0.05)
        # A slanted line goes from row to row by the corners of pixels, between which a section passes.
        is_low = (contrast < _LEAST_CONTRAST) & is_inside
        if (is_low[1:] & is_low[:-1]).any():
            return False
    return True


if __name__ == "__main__":
    pages.run(main)

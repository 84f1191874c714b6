"""Measure the contrast of outlines on real photographs, as the comparison page draws them.

    python -m benchmarks.outlines [--data ../shared/data] [--images 40] [--widths 1024 1440 390]

Every result set of each dataset with photographs is drawn over all of them, or over some spread over
the set, at fit, by the page's own script and styles, then by its styles alone. A screenshot is read: a
box is visible if along its whole outline a light and a dark pixel of a contrast of 3:1 are next to
each other. Nothing is read where the outline of another box is near, because the two are one figure,
nor outside of the picture, where the pane cuts outlines. Boxes that are not visible are counted; the
target is 0.

A screenshot is a sheet of cut-outs, one around each box, at whole pixels of the window, so that it
has the pixels of the window.
"""

import argparse
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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
_MARGIN_PX = 8
# Of the pane around its picture.
_EDGE_PX = 3
# The pane at each width of the window, at fit, in CSS pixels.
_PANES = {1440: (1149, 894), 1024: (799, 562), 390: (384, 246)}
_SHEET = (1600, 1000)
_STYLES = ("tokens.css", "components/panes.css")
_PAGE = """<!doctype html><style>{css} body {{ margin: 0 }} .panes {{ display: block }}
  .panes div {{ position: absolute; overflow: hidden }}
  svg {{ position: absolute; overflow: visible }}</style><div class="panes"></div>"""
_DRAW = """async ([cuts, ratio, edge]) => {
  const { drawable } = await import("/drawing.js");
  const sheet = document.querySelector(".panes");
  sheet.replaceChildren();
  for (const { photograph, size, pane: [wide, high], at, shown, polygons, hasScripts } of cuts) {
    const [w, h, x, y] = size;
    const [left, top, width, height] = shown;
    const cut = document.createElement("div");
    cut.style = `left: ${at[0]}px; top: ${at[1]}px; width: ${width}px; height: ${height}px`;
    cut.innerHTML = `<svg viewBox="${-x} ${-y} ${w + 2 * x} ${h + 2 * y}" preserveAspectRatio="xMidYMid meet"
      style="left: ${edge - left}px; top: ${edge - top}px; width: ${wide}px; height: ${high}px">
      <image href="/photographs/${photograph}" width="${w}" height="${h}"/><g class="boxes"></g></svg>`;
    const drawn = drawable({ id: "a", polygons }, {});
    cut.querySelector(".boxes").append(...drawn.nodes);
    if (hasScripts) drawn.thin({ scale: Math.min(wide / (w + 2 * x), high / (h + 2 * y)) }, ratio);
    sheet.append(cut);
  }
  await Promise.all([...sheet.querySelectorAll("image")].map((image) => image.decode()));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""


@dataclass(frozen=True)
class Cut:
    """A box of a result, and the part of the window around it, in CSS pixels."""

    photograph: str
    # Width, height, and the room at its left and above it.
    size: tuple[int, int, int, int]
    pane: tuple[int, int]
    polygons: list[str]
    # Of all boxes of the result, in CSS pixels of the window.
    outlines: list[shapely.LinearRing]
    box: int
    has_scripts: bool

    @property
    def shown(self) -> tuple[int, int, int, int]:
        """Left, top, width and height: the box and the pixels that are read around it."""
        bounds = np.array(self.outlines[self.box].bounds).reshape(2, 2)
        window = np.array(self.pane) + 2 * _EDGE_PX
        start = np.clip(np.floor(bounds[0]) - _MARGIN_PX, 0, window - 1).astype(int)
        end = np.clip(np.ceil(bounds[1]) + _MARGIN_PX, start + 1, window).astype(int)
        left, top, wide, high = *start.tolist(), *(end - start).tolist()
        return left, top, wide, high

    def is_visible(self, light: NDArray[np.float64], ratio: int) -> bool:
        """Return whether the outline is visible; ``light`` holds the pixels of ``shown``."""
        left, top, *_ = self.shown
        here = shapely.transform(
            shapely.MultiLineString(self.outlines), lambda points: (points - (left, top)) * ratio
        )
        rings = list(here.geoms)
        others = shapely.union_all([*rings[: self.box], *rings[self.box + 1 :]])
        start = _EDGE_PX - np.array([left, top])
        picture = ratio * start, ratio * (start + self.pane)
        return _is_visible(light, shapely.get_coordinates(rings[self.box]), others, picture, ratio)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--images", type=int, help="photographs of each set, spread; default: all")
    parser.add_argument("--widths", type=int, nargs="+", default=[1024, 1440, 390])
    options = parser.parse_args(arguments)
    with chromium() as browser:
        for folder in sorted({path.parents[1] for path in options.data.glob("*/images/*.jpg")}):
            photographs = sorted((folder / "images").glob("*.jpg"))
            n = options.images or len(photographs)
            sample = photographs[:: max(len(photographs) // n, 1)][:n]
            sets = [path for path in sorted(folder.glob("*.zip")) if path.stem != "gt"]
            print(
                f"{folder.name}: {len(sets)} result sets on {len(sample)} of {len(photographs)} photographs"
            )
            for width in options.widths:
                cuts = list(_cuts(sample, sets, _PANES[width]))
                for ratio in (1, 2):
                    found = Counter(_read(browser, folder, cuts, ratio))
                    for has_scripts in (True, False):
                        hidden, visible = found[has_scripts, False], found[has_scripts, True]
                        how = "with scripts" if has_scripts else "without"
                        told = f"{hidden} of {hidden + visible} boxes hidden"
                        print_line(f"{width} px wide, ratio {ratio}, {how}", told, "0")


def _cuts(
    photographs: Sequence[Path], sets: Sequence[Path], pane: tuple[int, int]
) -> Iterator[Cut]:
    results = [_polygons(archive) for archive in sets]
    for photograph in photographs:
        with Image.open(photograph) as opened:
            w, h = opened.size
        everything = np.concatenate(
            [np.reshape(of.get(photograph.stem, []), (-1, 2)) for of in results]
        )
        outside = np.maximum(-everything, everything - (w, h)).max(axis=0, initial=0)
        # As on the page, room for boxes beyond the edges of the photograph.
        x, y = np.ceil(outside.clip(max=0.05 * np.array([w, h]))).astype(int).tolist()
        scale = min(pane[0] / (w + 2 * x), pane[1] / (h + 2 * y))
        start = [_EDGE_PX + (side - of * scale) / 2 for side, of in zip(pane, (w, h), strict=True)]
        for result in results:
            boxes = result.get(photograph.stem, [])
            texts = [" ".join(f"{x},{y}" for x, y in corners) for corners in boxes]
            rings = [shapely.LinearRing(np.array(corners) * scale + start) for corners in boxes]
            for at in range(len(boxes)):
                for has_scripts in (True, False):
                    yield Cut(photograph.name, (w, h, x, y), pane, texts, rings, at, has_scripts)


def _read(
    browser: Any, folder: Path, cuts: Iterable[Cut], ratio: int
) -> Iterator[tuple[bool, bool]]:
    """Draw cut-outs; yield for each whether scripts drew the box and whether it is visible."""
    window = dict(zip(("width", "height"), _SHEET, strict=True))
    page = browser.new_context(viewport=window, device_scale_factor=ratio).new_page()
    css = "".join((ROOT / "static" / "css" / name).read_text() for name in _STYLES)
    page.route(
        "http://page.test/",
        lambda route: route.fulfill(body=_PAGE.format(css=css), content_type="text/html"),
    )
    page.route("**/*.js", lambda route: route.fulfill(path=_script(route.request.url)))
    page.route(
        "**/photographs/*",
        lambda route: route.fulfill(path=folder / "images" / route.request.url.rpartition("/")[2]),
    )
    page.goto("http://page.test/")
    for sheet in _sheets(cuts):
        page.evaluate(_DRAW, [[_drawing(cut, at) for cut, at in sheet], ratio, _EDGE_PX])
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        light = _luminance(np.asarray(shot))
        for cut, (x, y) in sheet:
            wide, high = cut.shown[2:]
            part = light[y * ratio : (y + high) * ratio, x * ratio : (x + wide) * ratio]
            yield cut.has_scripts, cut.is_visible(part, ratio)
    page.context.close()


def _sheets(cuts: Iterable[Cut]) -> Iterator[list[tuple[Cut, tuple[int, int]]]]:
    """Yield cut-outs with their places, in rows from left to right, as many as a sheet has room for."""
    sheet: list[tuple[Cut, tuple[int, int]]] = []
    x = y = row = 0
    for cut in cuts:
        wide, high = cut.shown[2:]
        if x + wide > _SHEET[0]:
            x, y, row = 0, y + row, 0
        if y + high > _SHEET[1]:
            yield sheet
            sheet, x, y, row = [], 0, 0, 0
        sheet.append((cut, (x, y)))
        x, row = x + wide, max(row, high)
    if sheet:
        yield sheet


def _drawing(cut: Cut, at: tuple[int, int]) -> dict[str, Any]:
    return {
        "photograph": cut.photograph,
        "size": cut.size,
        "pane": cut.pane,
        "at": at,
        "shown": cut.shown,
        "polygons": cut.polygons,
        "hasScripts": cut.has_scripts,
    }


def _script(url: str) -> Path:
    name = url.rpartition("/")[2]
    folder = "elements" if (ROOT / "static/js/elements" / name).exists() else "judging"
    return ROOT / "static" / "js" / folder / name


def _polygons(archive: Path) -> dict[str, list[list[tuple[float, float]]]]:
    """Return the quadrilaterals of each image of a result set."""
    found: dict[str, list[list[tuple[float, float]]]] = {}
    with ZipFile(archive) as opened:
        for name in opened.namelist():
            image = re.search(r"res_(.+)\.txt$", name)
            if image is None:
                continue
            for line in opened.read(name).decode("utf-8-sig").splitlines():
                numbers = [float(value) for value in re.split(r",\s*", line.strip())[:8] if value]
                if len(numbers) == 8:
                    corners = list(zip(numbers[::2], numbers[1::2], strict=True))
                    found.setdefault(image[1], []).append(corners)
    return found


def _luminance(shot: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the relative luminance of each pixel (WCAG 2.2)."""
    part = np.arange(256) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    weighted = np.array([0.2126, 0.7152, 0.0722])[:, None] * linear
    return sum(weighted[channel][shot[..., channel]] for channel in range(3))


def _is_visible(
    light: NDArray[np.float64],
    ring: NDArray[np.float64],
    others: shapely.Geometry,
    picture: tuple[NDArray[np.int_], NDArray[np.int_]],
    ratio: int,
) -> bool:
    """Return whether a light and a dark pixel of enough contrast lie across the whole outline.

    ``others``: the outlines of the other boxes, near which nothing is read; ``picture``: the first
    and the last corner of the picture, outside of which nothing is read.
    """
    edges = np.diff(ring, axis=0)
    lengths = np.hypot(*edges.T)
    steps = [np.arange(0.5, length, _STEP_PX) for length in lengths]
    # The edge of each step, and how far along it the step is.
    edge = np.repeat(np.arange(len(edges)), list(map(len, steps)))
    along = (edges[edge].T / lengths[edge]).T
    at = ring[edge] + along * np.concatenate(steps)[:, None]
    reach = np.arange(-_REACH_PX * ratio, _REACH_PX * ratio + 0.01, 0.25)
    across_x = np.floor(at[:, :1] + reach * along[:, 1:]).astype(int)
    across_y = np.floor(at[:, 1:] - reach * along[:, :1]).astype(int)
    high, wide = light.shape
    is_inside = ((at >= picture[0]) & (at <= picture[1])).all(axis=1)
    found = light[across_y.clip(0, high - 1), across_x.clip(0, wide - 1)]
    contrast = (found.max(axis=1) + 0.05) / (found.min(axis=1) + 0.05)
    is_low = (contrast < _LEAST_CONTRAST) & is_inside
    is_low[is_low] = ~shapely.dwithin(shapely.points(at[is_low]), others, 2 * _REACH_PX * ratio)
    # A slanted line goes from row to row by the corners of pixels, between which a section passes.
    return not (is_low[1:] & is_low[:-1] & (edge[1:] == edge[:-1])).any()


if __name__ == "__main__":
    pages.run(main)

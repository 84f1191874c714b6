"""Twenty-four scenes with text, drawn with Pillow, and the ground truth of their words."""

import io
import random
from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image

from protocols.core.regions import Region

from . import shops, things, travel, walls
from .stage import Stage

SEED = 2018


@dataclass(frozen=True, slots=True)
class DrawnScene:
    """A picture, its words clockwise from the top-left corner of the text, and which words form a line."""

    name: str
    image: Image.Image
    words: tuple[Region, ...]
    lines: tuple[tuple[int, ...], ...]

    @property
    def number(self) -> int:
        return int(self.name.rpartition("_")[2])


def draw_scenes(n: int = 24, seed: int = SEED) -> list[DrawnScene]:
    """Draw the first ``n`` scenes."""
    return [draw_scene(number, seed) for number in range(1, n + 1)]


def draw_scene(number: int, seed: int = SEED, lettering: bool = True) -> DrawnScene:
    """Draw scene ``number``, counted from 1.

    The seed moves angles, colours and textures; words and layout stay. Without ``lettering`` the picture
    is the same but for the ink of its words, which shows where the ink is.

    Raises ValueError if there is no such scene.
    """
    if not 1 <= number <= len(_SCENES):
        raise ValueError(f"scenes are numbered 1 to {len(_SCENES)}, got {number}")
    stage = Stage(random.Random(f"{seed}/scene/{number}"), lettering)
    _SCENES[number - 1](stage)
    return DrawnScene(
        name=f"scene_{number:02}",
        image=stage.image,
        words=tuple(stage.words),
        lines=tuple(tuple(line) for line in stage.lines),
    )


def jpeg_bytes(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.convert("RGB").save(stream, "JPEG", quality=85, optimize=True, progressive=True)
    return stream.getvalue()


_SCENES: tuple[Callable[[Stage], None], ...] = (
    shops.bakery,
    travel.road_sign,
    travel.number_plate,
    shops.chalk_menu,
    travel.departures,
    walls.street_name,
    things.book_spines,
    things.jam_jars,
    walls.concert_poster,
    walls.door_notice,
    things.ticket,
    walls.building_site,
    shops.neon,
    travel.parking_sign,
    walls.carved_stone,
    shops.market,
    travel.platform,
    travel.bus,
    travel.containers,
    things.tea_tin,
    walls.cork_board,
    travel.motorway_fog,
    travel.ticket_machine,
    shops.cafe_window,
)

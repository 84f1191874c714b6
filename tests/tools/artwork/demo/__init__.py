"""The demo's scenes, drawn once for all tests of a process."""

from functools import cache

from tools.artwork.demo.scenes import DrawnScene, draw_scenes


@cache
def drawn() -> tuple[DrawnScene, ...]:
    return tuple(draw_scenes())

"""The demo's scenes, each drawn once for all tests of a process."""

from functools import cache

from tools.artwork.demo.scenes import DrawnScene, draw_scene


@cache
def drawn_scene(number: int) -> DrawnScene:
    return draw_scene(number)


def drawn(n: int = 24) -> tuple[DrawnScene, ...]:
    return tuple(drawn_scene(number) for number in range(1, n + 1))

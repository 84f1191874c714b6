"""Parts of the drawings as SVG: boxes and lines, walls, signs, windows, a pavement."""

from typing import Final

WIDTH: Final = 640
HEIGHT: Final = 360


def rect(
    x: float, y: float, width: float, height: float, fill: str, *, r: float = 0, **more: object
) -> str:
    rest = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    corner = f' rx="{r:g}"' if r else ""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"{corner} fill="{fill}"{rest}/>'


def path(d: str, fill: str = "none", **more: object) -> str:
    rest = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    return f'<path d="{d}" fill="{fill}"{rest}/>'


def circle(x: float, y: float, r: float, fill: str, **more: object) -> str:
    rest = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{fill}"{rest}/>'


def fade(name: str, top: str, bottom: str) -> str:
    return (
        f'<linearGradient id="{name}" x2="0" y2="1"><stop stop-color="{top}"/>'
        f'<stop offset="1" stop-color="{bottom}"/></linearGradient>'
    )


def bricks(y: float, height: float, face: str, joint: str, shade: str) -> str:
    return (
        '<pattern id="bricks" width="56" height="32" patternUnits="userSpaceOnUse">'
        + rect(0, 0, 56, 32, joint)
        + rect(1, 1, 53, 14, face, r=1)
        + rect(-27, 17, 53, 14, shade, r=1)
        + rect(29, 17, 53, 14, face, r=1)
        + "</pattern>"
        + rect(0, y, WIDTH, height, "url(#bricks)")
    )


def planks(y: float, height: float, face: str, joint: str) -> str:
    return (
        '<pattern id="planks" width="80" height="400" patternUnits="userSpaceOnUse">'
        + rect(0, 0, 80, 400, face)
        + rect(0, 0, 2, 400, joint)
        + path(
            "M26 0C22 120 32 220 24 400M58 0C62 140 52 260 60 400",
            stroke=joint,
            stroke_opacity=".35",
        )
        + "</pattern>"
        + rect(0, y, WIDTH, height, "url(#planks)")
    )


def board(
    x: float, y: float, width: float, height: float, fill: str, *, edge: str = "", r: float = 4
) -> str:
    """Draw a sign with its shadow on the wall."""
    shadow = rect(x + 5, y + 7, width, height, "#000", r=r, opacity=".3")
    face = rect(x, y, width, height, fill, r=r)
    gloss = rect(x, y, width, height / 2.4, "#fff", r=r, opacity=".08")
    line = (
        rect(x + 6, y + 6, width - 12, height - 12, "none", r=r, stroke=edge, stroke_width=2.5)
        if edge
        else ""
    )
    return shadow + face + gloss + line


def window(x: float, y: float, width: float, height: float, frame: str, *, panes: int = 2) -> str:
    glass = f"{frame[1:]}{x:g}".replace(".", "")
    step = width / panes
    bars = "".join(rect(x + step * n - 2.5, y, 5, height, frame) for n in range(1, panes))
    return (
        fade(f"g{glass}", "#9db6c4", "#3d5260")
        + rect(x - 8, y - 8, width + 16, height + 16, frame, r=2)
        + rect(x, y, width, height, f"url(#g{glass})")
        + path(
            f"M{x + width * 0.12:g} {y + height:g}L{x + width * 0.42:g} {y:g}h{width * 0.16:g}"
            f"L{x + width * 0.28:g} {y + height:g}Z",
            "#fff",
            opacity=".14",
        )
        + bars
        + rect(x - 12, y + height + 8, width + 24, 7, "#000", opacity=".25")
    )


def pavement(y: float, near: str, far: str) -> str:
    joints = "".join(
        f"M{x} {HEIGHT}L{320 + (x - 320) * 0.62:g} {y:g}" for x in range(-160, 880, 110)
    )
    return (
        fade("pavement", far, near)
        + rect(0, y, WIDTH, HEIGHT - y, "url(#pavement)")
        + path(joints, stroke="#000", stroke_opacity=".14")
        + rect(0, y, WIDTH, 6, "#000", opacity=".22")
    )


def awning(x: float, y: float, width: float, height: float, colour: str) -> str:
    n = 12
    step = width / n
    stripes = "".join(
        path(
            f"M{x + step * at:g} {y:g}h{step:g}v{height:g}a{step / 2:g} {step / 2:g} 0 0 1 {-step:g} 0Z",
            colour if at % 2 else "#f3eee2",
        )
        for at in range(n)
    )
    return rect(x, y + height, width, 16, "#000", opacity=".25") + stripes


def pole(x: float) -> str:
    return rect(x - 5, 0, 10, HEIGHT, "#767c80") + rect(x - 5, 0, 3, HEIGHT, "#a9afb3")


def leaves(x: float, y: float, size: float, colour: str) -> str:
    spots = [(0, 0, 1), (-0.8, 0.3, 0.75), (0.8, 0.25, 0.8), (-0.3, -0.7, 0.7), (0.5, -0.6, 0.65)]
    return "".join(circle(x + size * dx, y + size * dy, size * r, colour) for dx, dy, r in spots)

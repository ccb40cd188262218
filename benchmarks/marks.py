"""Measures how a screen is prepared for an agent: marks, drawing, lists, encoding, icons, OCR."""

from __future__ import annotations

import statistics
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent import Screen
from pytest_mobileagent.perception.grounding import find_icons
from pytest_mobileagent.perception.listing import autodroid_html, m3a_lines, t3a_lines
from pytest_mobileagent.perception.marks import appagent_grid, appagent_marks, m3a_marks, som_marks
from pytest_mobileagent.perception.picture import (
    draw_appagent,
    draw_grid,
    draw_m3a,
    draw_som,
    encode,
    fit,
    scaled,
)
from pytest_mobileagent.screen.ocr import read_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from PIL.Image import Image

SIZE = (1080, 2400)
ROWS = 40  # each with three elements


def milliseconds(function: Callable[[], object], repeats: int = 15) -> list[float]:
    """Return the durations of several calls, without the first, which loads libraries."""
    function()
    values = []
    for _ in range(repeats):
        before = time.perf_counter()
        function()
        values.append(1000 * (time.perf_counter() - before))
    return values


def show(what: str, values: list[float]) -> None:
    """Print the median and the extremes."""
    middle = statistics.median(values)
    sys.stdout.write(f"{what:45} {middle:8.1f} ms  ({min(values):.1f} to {max(values):.1f})\n")


def busy_screen() -> Screen:
    """Return a list of rows with icons, a quarter of which is over a noisy picture."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", SIZE, "white")
    image.paste(Image.effect_noise((270, 150), 12).resize((SIZE[0], SIZE[1] // 4)))
    draw = ImageDraw.Draw(image)
    nodes = []
    for row in range(ROWS):
        top = row * SIZE[1] // ROWS
        words = f"Row number {row} of this list"
        draw.text((150, top + 8), words, "black", ImageFont.load_default(36))
        draw.ellipse((40, top + 6, 88, top + 54), outline="blue", width=6)
        nodes.append(
            f'<node class="a.Row" clickable="true" bounds="[0,{top}][1080,{top + 60}]">'
            f'<node class="a.Icon" focusable="true" bounds="[40,{top}][88,{top + 54}]"/>'
            f'<node class="a.Text" text="{words}" bounds="[150,{top}][700,{top + 50}]"/></node>'
        )
    return Screen(f"<hierarchy>{''.join(nodes)}</hierarchy>", encode(image))


def main() -> None:
    """Measure one busy screen of 1080x2400 pixels."""
    screen = busy_screen()

    def decoded() -> Image:
        return Screen(screen.xml, screen.png).image

    show("screenshot decoded (once a screen)", milliseconds(decoded))
    image = screen.image
    show("hierarchy parsed (once a screen)", milliseconds(lambda: Screen(screen.xml, b"").elements))
    ways: list[tuple[str, Callable[[], Image]]] = [
        ("AppAgent", lambda: draw_appagent(image, appagent_marks(screen))),
        ("AppAgent's grid", lambda: draw_grid(image, appagent_grid(SIZE))),
        ("M3A", lambda: draw_m3a(image, m3a_marks(screen))),
        ("set-of-marks", lambda: draw_som(image, som_marks(screen))),
    ]
    for name, draw in ways:
        show(f"{name}: marks and drawing", milliseconds(draw))
        drawn = draw()
        show(f"{name}: encoded as PNG", milliseconds(partial(encode, drawn)))
        show(f"{name}: encoded as JPEG", milliseconds(partial(encode, drawn, "jpeg")))
    show("scaled to a half", milliseconds(lambda: scaled(image, 0.5)))
    show("fitted into 1120 pixels", milliseconds(lambda: fit(image, 1120)))
    show("M3A's list", milliseconds(lambda: m3a_lines(m3a_marks(screen))))
    show("T3A's list", milliseconds(lambda: t3a_lines(m3a_marks(screen))))
    show("AutoDroid's HTML", milliseconds(lambda: autodroid_html([screen])))
    show("icons", milliseconds(lambda: find_icons(image)))
    show(
        f"text: {len(read_text(image))} lines by rapidocr",
        milliseconds(lambda: read_text(image), 3),
    )


if __name__ == "__main__":
    main()

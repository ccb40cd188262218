"""Draws the pictures of docs/apps.md, each from the line of code that stands beside it.

`python docs/apps/draw.py` writes them anew, from what a phone shows of each example.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import PIL
from PIL import Image

from pytest_mobileagent.virtual import sdk
from pytest_mobileagent.virtual.boot import boot

PAGE = Path(__file__).parent.with_suffix(".md")
ROW = re.compile(r"^\| `(.+)` \| !\[(\w+)\]\(apps/\w+\.png\) \|$", re.MULTILINE)
DPI = 1.5
WIDTH = 320  # dp
HEIGHT = 640  # dp
BAR = 40  # dp of the status bar, which is cut off


def examples() -> dict[str, str]:
    """Give the examples of the page: code by the name of its picture."""
    return {name: code for code, name in ROW.findall(PAGE.read_text("utf-8"))}


class Main(sdk.Activity):
    """Shows one example, which the extra `code` names."""

    name = ".Main"
    fullscreen = True

    def content(self) -> sdk.View:
        """Lay the example out as in an app: at the top, with some room around it."""
        made = self._made(self.extras.get("code", "Space()"))
        if isinstance(made, sdk.Dialog):
            return sdk.Frame([made], id="example", height=256, margin=(0, BAR, 0, 0))
        inner = sdk.Column([made], padding=8, id="example", background="surface")
        return sdk.Column([inner], padding=(0, BAR, 0, 0), height=sdk.MATCH, background="surface")

    def _made(self, code: str) -> Any:
        names = {name: getattr(sdk, name) for name in sdk.__all__}
        return eval(code, {**names, "PIL": PIL, "self": self, "print": lambda *_: None})  # noqa: S307 - our own page


class Examples(sdk.App):
    """The app that shows the examples."""

    package = "com.example.examples"
    label = "Examples"
    activities = (Main,)


def draw(codes: dict[str, str]) -> dict[str, Image.Image]:
    """Draw each example on a phone, cut to what it fills."""
    size = int(WIDTH * DPI), int(HEIGHT * DPI)
    phone = boot([Examples], size=size, density=int(160 * DPI), frozen=True)
    pictures = {}
    for name, code in codes.items():
        intent = sdk.Intent(component="com.example.examples/.Main", extras={"code": code})
        phone.activities.force_stop("com.example.examples")
        phone.activities.start(intent)
        found = re.search(r'id/example".*?bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]', phone.dump())
        assert found, f"{name} of {PAGE.name} is not on the screen"
        screen = Image.open(io.BytesIO(phone.screenshot())).convert("RGB")
        pictures[name] = screen.crop(tuple(map(int, found.groups())))  # type: ignore[arg-type]
    return pictures


if __name__ == "__main__":
    for name, picture in draw(examples()).items():
        picture.save(PAGE.parent / f"apps/{name}.png", optimize=True)

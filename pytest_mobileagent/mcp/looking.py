"""The tools that only observe the phone; their calls are not steps."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.mcp.control import (
    LONGEST_SIDE,
    Parameter,
    ToolError,
    ToolResult,
    picture_of,
    tool,
)
from pytest_mobileagent.perception.apps import name_of
from pytest_mobileagent.perception.picture import encode

if TYPE_CHECKING:
    from pytest_mobileagent.dialect.dialect import Frame
    from pytest_mobileagent.mcp.control import Control, Tool
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Bounds, Element


_RULE = (
    "The coordinates of all tools are in pixels of this picture, with (0, 0) at the top left. It "
    f"is the screen, scaled down if a side has more than {LONGEST_SIDE} pixels."
)
LOOKING: dict[str, Tool] = {}
_KINDS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg"}


@tool(LOOKING, looks=True, about=f"Return a picture of the phone's current screen. {_RULE}")
async def mobile_take_screenshot(control: Control) -> ToolResult:
    """Return a picture of the screen, scaled down for models."""
    screen = await control.look()
    picture = await asyncio.to_thread(picture_of, screen)
    size = _dimensions(await control.frame())
    note = f" Note: {screen.notice}." if screen.notice else ""
    if control.phone.sees == "hierarchy":
        note += " Pictures are black here: use mobile_list_elements_on_screen."
    text = f"The screen as a picture of {size} pixels, for all coordinates.{note}"
    return ToolResult(text, picture)


@tool(LOOKING, looks=True)
async def mobile_list_elements_on_screen(control: Control) -> ToolResult:
    """List the elements on the current screen, with texts, labels and rectangles.

    Their coordinates are in the picture that mobile_take_screenshot returns, as for the tools that
    touch the screen: touch the middle of a rectangle.
    """
    screen = await control.look()
    text = list_elements(screen, await control.frame())
    if control.phone.sees == "screenshot":
        text += " (elements are not listed here: use mobile_take_screenshot)"
    return ToolResult(text)


@tool(LOOKING, looks=True)
async def mobile_get_screen_size(control: Control) -> ToolResult:
    """Return the size of mobile_take_screenshot's picture, in whose pixels all coordinates are."""
    await control.look()
    return ToolResult(f"Screen size is {_dimensions(await control.frame())} pixels")


@tool(LOOKING, looks=True)
async def mobile_get_orientation(control: Control) -> ToolResult:
    """Return whether the screen is upright (portrait) or not (landscape)."""
    width, height = (await control.look()).size
    orientation = "portrait" if height >= width else "landscape"
    return ToolResult(f"Current device orientation is {orientation}")


@tool(LOOKING, looks=True)
async def mobile_list_apps(control: Control) -> ToolResult:
    """List the apps that can be launched, with their packages for mobile_launch_app."""
    packages = sorted(await control.packages())
    apps = ", ".join(f"{name_of(package)} ({package})" for package in packages)
    return ToolResult(f"Found these apps on device: {apps}")


@tool(LOOKING, device=False, looks=True)
async def mobile_list_available_devices(control: Control) -> ToolResult:
    """Return the only phone, which all tools use."""
    info = control.phone.info
    device = {
        "id": info.serial,
        "name": info.model,
        "platform": "android",
        "type": "emulator" if info.serial.startswith("emulator-") else "real",
        "version": info.android,
        "state": "online",
    }
    return ToolResult(json.dumps({"devices": [device]}))


@tool(
    LOOKING, Parameter("saveTo", "string", "a .png or .jpg file in the folder for temporary files")
)
async def mobile_save_screenshot(control: Control, saveTo: str) -> ToolResult:  # noqa: N803 - mobile-mcp's
    """Save the screen in full size to a new file.

    It is in the folder for temporary files of the machine that serves the phone. Coordinates are in
    the picture of mobile_take_screenshot, not of this file.
    """
    path = _new_file(saveTo)
    screen = await control.look()
    kind = _KINDS[path.suffix.lower()]
    data = screen.png if kind == "png" else await asyncio.to_thread(encode, screen.image, "jpeg")
    try:
        with path.open("xb") as file:
            file.write(data)
    except OSError as error:
        msg = f"{path} cannot be written: {error.strerror}; name a new file in {path.parent}"
        raise ToolError(msg) from error
    return ToolResult(f"Screenshot saved to: {path}")


def _new_file(text: str) -> Path:
    """Return the path of a new file.

    The text comes from a model, so it may only name a file in the folder for temporary files.

    Raises:
        ToolError: if the path is elsewhere, or has an unknown suffix.
    """
    folder = Path(tempfile.gettempdir()).resolve()
    if "\0" in text or Path(text).suffix.lower() not in _KINDS:
        raise ToolError(f"saveTo must end with {' or '.join(_KINDS)}")
    path = (folder / text).resolve()
    if not path.is_relative_to(folder):
        msg = f"saveTo must be in {folder}; mobile_take_screenshot shows the screen without a file"
        raise ToolError(msg)
    return path


def _dimensions(frame: Frame) -> str:
    wide, high = frame.shown or frame.size
    return f"{wide}x{high}"


_MOST_CHARACTERS = 60_000  # clients refuse text above 25,000 tokens


def list_elements(screen: Screen, frame: Frame) -> str:
    """Return the screen's elements as a JSON list, with coordinates in the picture.

    Raises:
        ScreenError: if the view hierarchy cannot be read.
    """
    found = [each for each in screen.elements if _is_listed(each)]
    lines: list[str] = []
    length = 0
    for element in found:
        line = json.dumps(_entry(element, frame), ensure_ascii=False)
        length += len(line) + 2
        if length > _MOST_CHARACTERS:
            break
        lines.append(line)
    text = f"Found these elements on screen: [{', '.join(lines)}]"
    left_out = len(found) - len(lines)
    return text + (f" ({left_out} more elements are omitted)" if left_out else "")


def _is_listed(element: Element) -> bool:
    named = element.text or element.content_desc or element.resource_id or element.checkable
    return bool(named and element.bounds.width and element.bounds.height)


def _entry(element: Element, frame: Frame) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "type": element.class_name or "text",
        "text": element.text,
        "label": element.content_desc,
    }
    if element.resource_id:
        entry["identifier"] = element.resource_id
    entry["coordinates"] = _coordinates(element.bounds, frame)
    if element.checkable:
        entry["checked"] = element.checked
    # Default values are omitted.
    flags = {"focused": element.focused, "selected": element.selected, "password": element.password}
    entry.update({name: True for name, flag in flags.items() if flag})
    if not element.enabled:
        entry["enabled"] = False
    return entry


def _coordinates(bounds: Bounds, frame: Frame) -> dict[str, int]:
    wide, high = frame.shown or frame.size
    left, right = (round(x * wide / frame.size[0]) for x in (bounds.left, bounds.right))
    top, bottom = (round(y * high / frame.size[1]) for y in (bounds.top, bounds.bottom))
    left, top = min(left, wide - 1), min(top, high - 1)  # the last row's middle is inside, too
    return {"x": left, "y": top, "width": max(1, right - left), "height": max(1, bottom - top)}

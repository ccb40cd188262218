"""The tools that act on the phone or end the task, and the table of all tools.

Each call is a step. Names and arguments are mobile-mcp's, except finish, impossible and ask_user.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, get_args

from pytest_mobileagent.action import Ask, Finish, Impossible, Key, KeyName, Open, Type
from pytest_mobileagent.action.gestures import Direction, DoubleTap, LongPress, Swipe, Tap
from pytest_mobileagent.device.drivers.adb.gestures import open_app
from pytest_mobileagent.mcp.control import Parameter, ToolError, ToolResult, tool
from pytest_mobileagent.mcp.looking import LOOKING

if TYPE_CHECKING:
    from pytest_mobileagent.mcp.control import Control


TOOLS = dict(LOOKING)
_PIXELS = "in pixels of the picture that mobile_take_screenshot returns"
_X = Parameter("x", "number", f"from the left edge, {_PIXELS}")
_Y = Parameter("y", "number", f"from the top edge, {_PIXELS}")

_KEYS = {name.upper(): name for name in get_args(KeyName)}
# Android's codes for the keys of a remote control, which no action covers.
_DPAD = {"DPAD_UP": 19, "DPAD_DOWN": 20, "DPAD_LEFT": 21, "DPAD_RIGHT": 22, "DPAD_CENTER": 23}
_ORIENTATIONS = {"portrait": 0, "landscape": 1}
_SWIPE_SECONDS = 1.0  # as in mobile-mcp: slow enough that nothing keeps scrolling


@tool(TOOLS, _X, _Y)
async def mobile_click_on_screen_at_coordinates(control: Control, x: float, y: float) -> ToolResult:
    """Tap a point of the screen."""
    pixel = await control.pixel(x, y)
    return await control.act(Tap(*pixel), f"Clicked on screen at coordinates: {x:g}, {y:g}")


@tool(TOOLS, _X, _Y)
async def mobile_double_tap_on_screen(control: Control, x: float, y: float) -> ToolResult:
    """Tap a point of the screen twice, quickly."""
    pixel = await control.pixel(x, y)
    done = f"Double-tapped on screen at coordinates: {x:g}, {y:g}"
    return await control.act(DoubleTap(*pixel), done)


@tool(
    TOOLS,
    _X,
    _Y,
    Parameter(
        "duration",
        "number",
        "how long, in milliseconds; by default 500",
        required=False,
        least=1,
        most=10_000,
    ),
)
async def mobile_long_press_on_screen_at_coordinates(
    control: Control, x: float, y: float, duration: float = 500
) -> ToolResult:
    """Touch a point of the screen and hold it."""
    pixel = await control.pixel(x, y)
    done = f"Long pressed on screen at coordinates: {x:g}, {y:g} for {duration:g}ms"
    return await control.act(LongPress(*pixel, seconds=duration / 1000), done)


@tool(
    TOOLS,
    Parameter("direction", "string", "where the finger moves", choices=get_args(Direction)),
    Parameter("x", "number", f"where it starts, {_PIXELS}; with y", required=False),
    Parameter("y", "number", f"where it starts, {_PIXELS}; with x", required=False),
    Parameter(
        "distance",
        "number",
        f"how far it moves, {_PIXELS}; by default 30 % of the screen from x and y, or "
        "without them the middle 60 %",
        required=False,
        least=1,
    ),
)
async def mobile_swipe_on_screen(
    control: Control,
    direction: Direction,
    x: float | None = None,
    y: float | None = None,
    distance: float | None = None,
) -> ToolResult:
    """Move a finger over the screen.

    The direction is that of the finger: swiping up reveals content further down.
    """
    frame = await control.frame()
    size = frame.shown or frame.size
    axis = 0 if direction in {"left", "right"} else 1
    sign = -1 if direction in {"left", "up"} else 1
    if x is None or y is None:
        reach = 0.6 * size[axis] if distance is None else distance
        start = [side / 2 for side in size]
        start[axis] -= sign * reach / 2
        where = ""
    else:
        reach = 0.3 * size[axis] if distance is None else distance
        start = [x, y]
        await control.pixel(x, y)
        where = f" from coordinates: {x:g}, {y:g}"
    end = list(start)
    end[axis] += sign * reach
    inside = [
        [min(max(0, value), side - 1) for value, side in zip(point, size, strict=True)]
        for point in (start, end)
    ]
    ends = [await control.pixel(*point) for point in inside]
    far = "" if distance is None else f" {distance:g} pixels"
    done = f"Swiped {direction}{far}{where or ' on screen'}"
    return await control.act(Swipe(*ends[0], *ends[1], seconds=_SWIPE_SECONDS), done)


@tool(
    TOOLS,
    Parameter("text", "string", "the text"),
    Parameter("submit", "boolean", "press the enter key afterwards", required=False),
)
async def mobile_type_keys(control: Control, text: str, *, submit: bool = False) -> ToolResult:
    """Type text into the field that has the focus: tap a field first."""
    return await control.act(Type(text, enter=submit), f"Typed text: {text}")


@tool(TOOLS, Parameter("button", "string", f"one of {', '.join([*_KEYS, *_DPAD])}"))
async def mobile_press_button(control: Control, button: str) -> ToolResult:
    """Press a button of the phone."""
    name = button.upper()
    done = f"Pressed the button: {button}"
    if name in _KEYS:
        return await control.act(Key(_KEYS[name]), done)
    if name in _DPAD:
        script = f"input keyevent {_DPAD[name]}"
        return await control.run(f"mobile_press_button {name}", script, done)
    msg = f"There is no button {button!r:.100}. The buttons are: {', '.join([*_KEYS, *_DPAD])}."
    raise ToolError(msg)


@tool(
    TOOLS,
    Parameter("packageName", "string", "its package; mobile_list_apps lists them"),
    Parameter("locale", "string", "languages for the app, as in fr-FR,en-GB", required=False),
)
async def mobile_launch_app(
    control: Control,
    packageName: str,  # noqa: N803
    locale: str | None = None,
) -> ToolResult:
    """Start an app."""
    package = _package(packageName)
    done = f"Launched app {package}"
    if locale is None:
        return await control.act(Open(package), done)
    if not re.fullmatch(r"[A-Za-z0-9-]+(, ?[A-Za-z0-9-]+)*", locale):
        raise ToolError(f"locale must be language tags, as in fr-FR,en-GB, not {locale!r:.100}")
    quoted, tags = shlex.quote(package), shlex.quote(locale.replace(" ", ""))
    # Apps have had their own languages since Android 13; before, apps use the phone's language.
    script = (
        f"cmd locale set-app-locales {quoted} --locales {tags} >/dev/null 2>&1; {open_app(package)}"
    )
    return await control.run(f"mobile_launch_app {package} {tags}", script, done)


@tool(TOOLS, Parameter("packageName", "string", "its package"))
async def mobile_terminate_app(control: Control, packageName: str) -> ToolResult:  # noqa: N803
    """Stop an app."""
    package = _package(packageName)
    script = f"am force-stop {shlex.quote(package)}"
    done = f"Terminated app {package}"
    return await control.run(f"mobile_terminate_app {package}", script, done)


@tool(TOOLS, Parameter("path", "string", "the file on the phone, as in /data/local/tmp/a.apk"))
async def mobile_install_app(control: Control, path: str) -> ToolResult:
    """Install an app from an .apk file on the phone."""
    script = f"pm install -r {shlex.quote(_scriptable(path))}"
    return await control.run(f"mobile_install_app {path}", script, f"Installed app from {path}")


@tool(TOOLS, Parameter("bundle_id", "string", "its package"), destroys=True)
async def mobile_uninstall_app(control: Control, bundle_id: str) -> ToolResult:
    """Remove an app and its data from the phone."""
    package = _package(bundle_id)
    script = f"pm uninstall {shlex.quote(package)}"
    done = f"Uninstalled app {package}"
    return await control.run(f"mobile_uninstall_app {package}", script, done)


@tool(TOOLS, Parameter("url", "string", "http:// or https://"))
async def mobile_open_url(control: Control, url: str) -> ToolResult:
    """Open a page in the phone's browser."""
    if not re.match(r"https?://", url, re.IGNORECASE):
        msg = "Only http:// and https:// URLs can be opened; open apps with mobile_launch_app."
        raise ToolError(msg)
    script = f"am start -a android.intent.action.VIEW -d {shlex.quote(_scriptable(url))}"
    return await control.run(f"mobile_open_url {url}", script, f"Opened URL: {url}")


@tool(
    TOOLS, Parameter("orientation", "string", "the new orientation", choices=tuple(_ORIENTATIONS))
)
async def mobile_set_orientation(control: Control, orientation: str) -> ToolResult:
    """Rotate the screen. Coordinates then refer to the rotated picture."""
    script = (
        "settings put system accelerometer_rotation 0 && "
        f"settings put system user_rotation {_ORIENTATIONS[orientation]}"
    )
    done = f"Changed device orientation to {orientation}."
    return await control.run(f"mobile_set_orientation {orientation}", script, done)


def _package(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.]*", text):
        raise ToolError(f"{text!r:.100} is not a package; mobile_list_apps lists the packages")
    return text


def _scriptable(text: str) -> str:
    """Return the text if it can be quoted in a script, and is not taken for an option there.

    Raises:
        ToolError: if it cannot be quoted, or would be an option.
    """
    if re.search(r"[\x00-\x1f\x7f\ud800-\udfff]", text) or text.startswith("-"):
        raise ToolError(f"{text!r:.100} contains characters that are not allowed here")
    return text


@tool(
    TOOLS,
    Parameter("answer", "string", "what the task asks for, if it does", required=False),
    device=False,
)
async def finish(control: Control, answer: str = "") -> ToolResult:
    """Report that the task is done, and stop. If the task is a question, give its answer."""
    with_answer = f", with the answer: {answer}" if answer else ""
    return await control.report(Finish(answer), f"Reported that the task is done{with_answer}")


@tool(TOOLS, Parameter("reason", "string", "why it cannot be done", required=False), device=False)
async def impossible(control: Control, reason: str = "") -> ToolResult:
    """Report that the task cannot be done, and stop."""
    because = f": {reason}" if reason else ""
    done = f"Reported that the task cannot be done{because}"
    return await control.report(Impossible(reason), done)


@tool(TOOLS, Parameter("question", "string", "the question"), device=False)
async def ask_user(control: Control, question: str) -> ToolResult:
    """Ask the phone's user about something that the task leaves open, and return the reply."""
    return await control.ask(Ask(question))

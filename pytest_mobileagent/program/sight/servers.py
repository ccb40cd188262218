"""Answers requests to servers on the phone in their place if they would show a hidden part.

As in scripts, only requests that are known not to show it are passed on. The others are answered
with a black picture, an empty hierarchy, or an error in the server's own format.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.program.sight.shell import portal_permits
from pytest_mobileagent.screen.sight import NO_HIERARCHY

if TYPE_CHECKING:
    from pytest_mobileagent.program.commands import Request
    from pytest_mobileagent.screen.sight import Part


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in a server's place.

    - `value`: what the server would return; None for a black picture, in base64.
    - `call`: the id of a JSON-RPC call, in a tuple; None for WebDriver's answers.
    - `status`: the HTTP status. `error`: why nothing is shown; empty if there is a value.
    """

    value: Any = None
    call: tuple[Any] | None = None
    status: int = 200
    error: str = ""

    def encoded(self, picture: bytes) -> bytes:
        """Return the HTTP response; `picture` (PNG) is the black picture."""
        value = b64encode(picture).decode() if self.value is None else self.value
        if self.call is not None:
            told = {"error": {"code": -32001, "message": self.error}}
            content = {"jsonrpc": "2.0", "id": self.call[0]}
            content |= told if self.error else {"result": value}
        else:
            kind = _KINDS.get(self.status, "")
            failed = {"error": kind, "message": self.error, "stacktrace": ""}
            content = {"sessionId": None, "value": failed if self.error else value}
            content |= {"status": "error", "error": self.error} if self.status == _FORBIDDEN else {}
        body = json.dumps(content).encode()
        head = f"HTTP/1.1 {self.status} {'OK' if self.status == 200 else 'Hidden'}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body


_FORBIDDEN = 403
_KINDS = {404: "no such element", 500: "unsupported operation", _FORBIDDEN: "hidden"}


def answered(request: Request, hidden: Part, why: str) -> Answer | None:
    """Return the answer to a request that may show the `hidden` part; None to pass it on.

    `why` is the text of an error: why something is not shown.
    """
    path = request.path.rstrip("/")
    if request.upgrades:
        return Answer(status=_FORBIDDEN, error=why)
    if match := _SESSION.fullmatch(path):
        return _of_session(request.method, match[1] or "", hidden, why)
    if request.method == "POST" and _CALLS.fullmatch(path):
        return _called(request.values, hidden, why)
    if path in _OPEN or (request.method == "POST" and _PORTAL_ACTS.fullmatch(path)):
        return None
    if request.method == "GET" and _PORTAL.fullmatch(path) and portal_permits(path, hidden):
        return None
    return Answer(status=_FORBIDDEN, error=why)


_OPEN = {
    "/ping", "/version", "/info", "/status", "/wd/hub/status", "/session", "/wd/hub/session",
    "/sessions", "/wd/hub/sessions",
}  # fmt: skip
_PORTAL = re.compile(r"/(ping|version|packages|screenshot|a11y_tree\w*|state\w*|phone_state)")
_PORTAL_ACTS = re.compile(
    r"/(?:action/)?(tap|swipe|global|app|app/stop|keyboard/\w+|input|clear|key|clipboard/set)"
)
_CALLS = re.compile(r"(/jsonrpc(/\d+)?|/rpc)?")

# uiautomator2's methods, and those of mobilecli, that show nothing of the screen.
_PLAIN_CALLS = {
    "ping", "deviceInfo", "isScreenOn", "wakeUp", "sleep", "pressKey", "pressKeyCode",
    "openNotification", "openQuickSettings", "freezeRotation", "setOrientation",
    "setOrientationLeft", "setOrientationRight", "setOrientationNatural", "injectInputEvent",
    "setClipboard", "getClipboard", "pasteClipboard", "clearInputText", "waitForIdle",
    "waitForWindowUpdate", "setConfigurator", "getConfigurator", "clearTraversedText",
    "clearLastToast", "setToastListener",
}  # fmt: skip
# These act at pixels, or on elements, which only a hierarchy shows.
_AT_PIXELS = {"click", "longClick", "swipe", "swipePoints", "drag", "gesture"}
_PICTURES = {"takeScreenshot", "device.screenshot", "device.screencapture"}
_DUMPS = {
    "dumpWindowHierarchy", "dumpWindowHierarchyWithTimeout", "device.dump.ui", "device.source",
}  # fmt: skip
_OF_ELEMENTS = {
    "exist", "count", "objInfo", "objInfoOfAllInstances", "getText", "setText", "clearTextField",
    "waitForExists", "waitUntilGone", "childByText", "childByDescription", "childByInstance",
    "getChild", "getFromParent", "dragTo", "pinchIn", "pinchOut", "scrollTo", "scrollForward",
    "scrollBackward", "scrollToBeginning", "scrollToEnd", "flingForward", "flingBackward",
    "flingToBeginning", "flingToEnd", "clickAndWaitForNewWindow", "performActionOnCurrentObject",
    "getLastToast", "currentPackageName", "currentActivityName",
}  # fmt: skip
_DEVICE = re.compile(r"device\.(io\.\w+|apps\.\w+|info|url|clipboard\.\w+|orientation\.\w+)")


def _called(values: Any, hidden: Part, why: str) -> Answer | None:
    """Return the answer to JSON-RPC calls."""
    calls = values if isinstance(values, list) else [values]
    if len(calls) != 1:  # a batch has no single answer; programs do not send them
        if all(_called(call, hidden, why) is None for call in calls):
            return None
        return Answer(call=(None,), error=why)
    call = calls[0] if isinstance(calls[0], dict) else {}
    method, params, number = str(call.get("method")), call.get("params"), (call.get("id"),)
    at_pixels = isinstance(params, list) and bool(params) and not isinstance(params[0], dict)
    if method in _PLAIN_CALLS or _DEVICE.fullmatch(method) or (method in _AT_PIXELS and at_pixels):
        return None
    if method in _PICTURES and hidden == "screenshot":
        return Answer(call=number)
    if method in _DUMPS and hidden == "hierarchy":
        return Answer(NO_HIERARCHY, number)
    shown = _PICTURES if hidden == "hierarchy" else {*_DUMPS, *_OF_ELEMENTS, *_AT_PIXELS}
    return None if method in shown else Answer(call=number, error=why)


_SESSION = re.compile(r"(?:/wd/hub)?/session/[^/]+(?:/(.*))?")
_PLAIN_ROUTES = re.compile(
    r"|actions|back|keys|orientation|rotation|timeouts|url|touch/perform|window/[^/]+/size|"
    r"network_connection|appium/(settings|reset_ax_cache|list_displays)|appium/device/\w+|"
    r"appium/gestures/\w+"
)
_ELEMENT_ROUTES = re.compile(r"elements?|element/.*|source|alert/\w+|appium/element/.*")


def _of_session(method: str, below: str, hidden: Part, why: str) -> Answer | None:
    """Return the answer to a request to the UiAutomator2 server, which Appium installs."""
    if "screenshot" in below or "list_windows" in below:
        if hidden == "hierarchy" and below.startswith("screenshot"):
            return None
        is_picture = method == "GET" and below.endswith("screenshot") and hidden == "screenshot"
        return Answer() if is_picture else Answer(status=500, error=why)
    if _PLAIN_ROUTES.fullmatch(below):
        return None  # those that take an element need its id, which finding it would have shown
    if not _ELEMENT_ROUTES.fullmatch(below):
        return Answer(status=500, error=why)
    if hidden == "screenshot":
        return None
    return _WITHOUT_ELEMENTS.get(below, Answer(status=404, error=why))


_WITHOUT_ELEMENTS = {"source": Answer(NO_HIERARCHY), "elements": Answer([])}

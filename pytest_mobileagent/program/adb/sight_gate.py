"""The gate between a program and its phone, through which no hidden part of the screen passes.

Everything that a program sends over adb passes here before the phone gets it: services, requests to
sockets, and the reading of files. What cannot be controlled, such as a binary stream, is refused,
and ends the episode with the reason. Requests to servers on the phone that would show the part are
answered in their place: with a black picture, an empty hierarchy, or an error in their format.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
import struct
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import DeviceError, ScreenError
from pytest_mobileagent.program.adb.conversation import SOCKETS, StreamSplitter, splitter_of
from pytest_mobileagent.program.adb.services import open_service
from pytest_mobileagent.program.adb.sight_scripts import (
    HiddenError,
    may_read,
    portal_permits,
    sighted,
)
from pytest_mobileagent.program.commands import Command, FileRead, Request
from pytest_mobileagent.program.commands.sockets import SocketReader
from pytest_mobileagent.program.commands.steps import BINARY
from pytest_mobileagent.screen.picture import HEADER, size_of
from pytest_mobileagent.screen.sight import NO_HIERARCHY, black

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.device.device import Address
    from pytest_mobileagent.program.adb.conversation import Piece
    from pytest_mobileagent.program.adb.sight_scripts import SightedScript
    from pytest_mobileagent.screen.sight import Part


_SCRIPT = re.compile(r"((?:shell(?:,[^:]*)?|exec):)(.+)", re.DOTALL)
_INSTALL = re.compile(r"exec:cmd package '?install")
_ALLOWED = ("sync:", "root:", "unroot:", "reverse:list-forward", "reverse:killforward")


class Gate:
    """Hides a part of the screen from one program, on one phone, for one episode.

    A program may read only those files of the phone that it has written with permitted commands.
    """

    def __init__(self, address: Address, hidden: Part) -> None:
        self._address, self._hidden = address, hidden
        self._readable: set[str] = set()
        sees = "screenshot" if hidden == "hierarchy" else "hierarchy"
        self._why = f"--mobile-sees={sees}: the program must not see the {hidden}, so it cannot use"

    def opening(self, service: str, command: Command) -> Command:
        """Return the command of opening a service, refused if the service may show the part."""
        shows_picture = service.startswith("framebuffer:")
        is_open = service.startswith((*SOCKETS, *_ALLOWED)) or bool(_INSTALL.match(service))
        if command.refused or is_open or (shows_picture and self._hidden == "hierarchy"):
            return command
        if match := _SCRIPT.fullmatch(service):
            try:
                self._readable |= self._script(match[2]).files
            except HiddenError as error:
                return self._refused(command, str(error))
            return command
        if service.startswith("shell"):
            return self._refused(command, "a shell without a command: give it the command")
        return self._refused(command, service[:100], ends=not shows_picture)

    async def to_open(self, service: str) -> str:
        """Return the service to open in place of a permitted one.

        Raises:
            DeviceError: if a picture is to be replaced, but the phone shows none.
        """
        match = _SCRIPT.fullmatch(service)
        if match is None or _INSTALL.match(service):
            return service
        script = self._script(match[2])
        picture = await self._black() if script.shows_picture else b""
        try:
            return match[1] + script.text(picture)
        except HiddenError as error:
            raise DeviceError(f"{self._why} {error}") from error

    def splitter_of(self, service: str) -> StreamSplitter:
        """Return the splitter for a service, which holds requests until they are complete."""
        if service.startswith(SOCKETS):
            return WholeRequests(service)
        return FileRequests() if service.startswith("sync:") else splitter_of(service)

    async def on_stream(self, command: Command) -> Command:
        """Return a command that was sent on an open stream, with an answer if it must not pass."""
        request = command.request
        if isinstance(request, FileRead):
            if may_read(request.path, self._readable):
                return command
            refused = self._refused(command, f"the file {request.path[:100]}")
            text = refused.refused.encode("utf-8", "replace")
            answer = b"FAIL" + struct.pack("<I", len(text)) + text
            return dataclasses.replace(refused, answer=answer)
        if not isinstance(request, Request):
            return self._refused(command, command.text, ends=True)
        why = f"{self._why} {request.method} {request.path[:100]}"
        hides = answered(request, self._hidden, why)
        if hides is None or command.refused:
            return command
        try:
            picture = b"" if hides.error or hides.value is not None else await self._black()
        except DeviceError as error:
            return self._refused(command, str(error))
        return dataclasses.replace(command, refused=hides.error, answer=hides.encoded(picture))

    def _script(self, script: str) -> SightedScript:
        return sighted(script, self._hidden, self._readable)

    def _refused(self, command: Command, what: str, *, ends: bool = False) -> Command:
        return dataclasses.replace(command, refused=f"{self._why} {what}", ends=ends)

    async def _black(self) -> bytes:
        """Return a black picture of the phone's current size.

        Raises:
            DeviceError: if the phone takes no picture.
        """
        data = b""
        opened = await open_service(self._address, "exec:screencap -p")
        with contextlib.closing(opened):
            while len(data) < HEADER and (more := await opened.read()):
                data += more
        try:
            return black(size_of(data))
        except ScreenError as error:
            raise DeviceError(f"device {self._address} takes no screenshot: {error}") from error


class WholeRequests(StreamSplitter):
    """Splits the data for a socket into whole requests; anything else is one command of its own."""

    waits = True

    def __init__(self, name: str) -> None:
        self._name = name
        self._reader = SocketReader(name)
        self._held = b""

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Return the requests that are complete now."""
        pieces: list[Piece] = []
        for piece, command in self._reader.feed(data):
            self._held += piece
            unread = None if self._reader.is_read else Command(f"{self._name}{BINARY}")
            if (whole := command or unread) is not None:
                pieces.append((self._held, (whole,)))
                self._held = b""
        return pieces


_MOST_PATH = 4096  # bytes
_WITH_PATH = {b"STAT", b"LSTA", b"LST2", b"STA2", b"LIST", b"LIS2", b"SEND", b"RECV"}
_ALONE = {b"DONE", b"QUIT"}  # what looks like their length is something else


class FileRequests(StreamSplitter):
    """Splits the data for `sync:` into requests; each file that is read is a command.

    Source: AOSP, packages/modules/adb: SYNC.TXT (an id of 4 bytes and a length, little endian).
    """

    def __init__(self) -> None:
        self._held = b""
        self._left = 0  # bytes of a file that follow

    def feed(self, data: bytes) -> Iterable[Piece]:
        """Return the requests that are complete now."""
        pieces: list[Piece] = []
        self._held += data
        while self._held:
            if self._left:
                size, commands = min(self._left, len(self._held)), tuple[Command, ...]()
                self._left -= size
            else:
                size, commands = self._next()
            if not size:
                break
            pieces.append((self._held[:size], commands))
            self._held = self._held[size:]
        return pieces

    def _next(self) -> tuple[int, tuple[Command, ...]]:
        """Return the size of the next request and its command; 0 if it is not complete."""
        kind, length = self._held[:4], int.from_bytes(self._held[4:8], "little")
        if len(self._held) < 8:  # an id and a length
            return 0, ()
        if kind in _ALONE:
            return 8, ()
        if kind == b"DATA":
            self._left = length
            return 8, ()
        if kind not in _WITH_PATH or length > _MOST_PATH:
            return len(self._held), (Command(f"sync:{kind!r}{BINARY}"),)
        if len(self._held) < 8 + length:
            return 0, ()
        path = self._held[8 : 8 + length].decode("utf-8", "replace")
        reads = (Command(f"sync:RECV {path}", request=FileRead(path)),) if kind == b"RECV" else ()
        return 8 + length, reads


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

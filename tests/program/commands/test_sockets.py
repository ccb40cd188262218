"""Data sent to sockets on the phone, split into requests."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_mobileagent.action import Key, Open, Raw, Type
from pytest_mobileagent.action.gestures import LongPress, Swipe, Tap
from pytest_mobileagent.program.commands import PASTE, SELECT_ALL, Act, Clear, Command, Pointer
from pytest_mobileagent.program.commands.script import call_text
from pytest_mobileagent.program.commands.sockets import ShellSession, SocketReader
from tests.program.commands.asking import commands, done, request

if TYPE_CHECKING:
    from pytest_mobileagent.program.commands import Act

Pieces = list[tuple[bytes, Command | None]]


def chunked(path: str, *parts: bytes) -> bytes:
    body = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (*parts, b""))
    return (
        b"POST %b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" % path.encode() + body
    )


def call(method: str, *params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}


def raw(method: str, path: str, body: Any) -> tuple[Act, ...]:
    return (Raw(f"{method} {path} {json.dumps(body)}"),)


SELECTOR = {"mask": 1, "text": "OK"}


@pytest.mark.parametrize(
    ("calls", "acts"),
    [
        (call("click", 10, 20), (Tap(10, 20),)),
        (call("click", 10, 20, 800), (LongPress(10, 20, 0.8),)),
        (call("swipe", 1, 900, 1, 100, 55), (Swipe(1, 900, 1, 100, 0.275),)),
        (call("drag", 1, 900, 1, 100, 200), None),
        (call("swipePoints", [1, 1, 300, 300], 20), (Swipe(1, 1, 300, 300, 0.1),)),
        (call("swipePoints", [1, 1, 300, 1, 300, 300], 20), None),
        (call("pressKey", "back"), (Key("back"),)),
        (call("pressKey", "recent"), (Key("overview"),)),
        (call("pressKey", "camera"), None),
        (call("pressKeyCode", 66), (Key("enter"),)),
        (call("pressKeyCode", 29, 1), (Type("A"),)),
        (call("pressKeyCode", 29, 4096), (SELECT_ALL,)),
        (call("setText", SELECTOR, "hi"), (Clear(), Type("hi"))),
        (call("clearTextField", SELECTOR), (Clear(),)),
        (call("clearInputText"), (Clear(),)),
        (call("injectInputEvent", 0, 5, 6, 0), (Pointer("down", 5, 6),)),
        (call("setClipboard", None, "x"), (Raw("clipboard: x"),)),
        (call("pasteClipboard"), (PASTE,)),
        (call("click", SELECTOR), None),
        (call("scrollForward", SELECTOR, True, 20), None),
        (call("click", "x"), None),
        (call("swipe", 1), None),
        (call("deviceInfo"), ()),
        (call("objInfo", SELECTOR), ()),
        (
            [call("click", 1, 2), call("deviceInfo"), call("pressKey", "home")],
            (Tap(1, 2), Key("home")),
        ),
        ([], ()),
        ("nonsense", ()),
    ],
)
def test_uiautomator2_calls_are_parsed(calls, acts):
    words = None if acts is not None else call_text(calls["method"], calls["params"])
    assert done("POST", "/jsonrpc/0", calls) == (acts if words is None else (Raw(words),))


@pytest.mark.parametrize(
    ("path", "body", "acts"),
    [
        ("/action/tap", {"x": 5, "y": 6}, (Tap(5, 6),)),
        (
            "/action/swipe",
            {"startX": 5, "startY": 600, "endX": 5, "endY": 6, "duration": 400},
            (Swipe(5, 600, 5, 6, 0.4),),
        ),
        ("/action/global", {"action": 2}, (Key("home"),)),
        ("/action/app", {"package": "com.x"}, (Open("com.x"),)),
        ("/keyboard/input", {"base64_text": "aGk="}, (Clear(), Type("hi"))),
        ("/keyboard/input", {"base64_text": "aGk=", "clear": False}, (Type("hi"),)),
        ("/keyboard/clear", {}, (Clear(),)),
        ("/keyboard/key", {"key_code": 66}, (Key("enter"),)),
        ("/keyboard/input", {}, None),
        ("/overlay_offset", {"offset": 3}, ()),
        ("/", call("device.version"), ()),
        (
            "/",
            {"method": "device.webview.goto", "params": {"url": "http://x"}},
            (Raw('device.webview.goto {"url":"http://x"}'),),
        ),
        ("/", call("device.webview.list"), ()),
        ("/", {"method": "device.io.tap", "params": {"x": 5, "y": 6}}, (Tap(5, 6),)),
        (
            "/",
            {"method": "device.io.swipe", "params": {"x1": 1, "y1": 2, "x2": 3, "y2": 400}},
            (Swipe(1, 2, 3, 400, 0.3),),
        ),
        (
            "/",
            {"method": "device.io.longpress", "params": {"x": 1, "y": 2, "duration": 0.7}},
            (LongPress(1, 2, 0.7),),
        ),
        ("/", {"method": "device.io.text", "params": {"text": "hi"}}, (Type("hi"),)),
        ("/", {"method": "device.io.button", "params": {"button": "BACK"}}, (Key("back"),)),
        (
            "/",
            {"method": "device.io.gesture", "params": {"actions": [
                {"type": "press", "x": 1, "y": 2, "duration": 0.1, "button": 0},
                {"type": "move", "x": 1, "y": 500, "duration": 0.4, "button": 0},
                {"type": "release", "x": 1, "y": 500, "duration": 0, "button": 0},
            ]}},
            (Swipe(1, 2, 1, 500, 0.5),),
        ),
        (
            "/",
            {"method": "device.io.shake", "params": {}},
            (Raw("device.io.shake"),),
        ),
    ],
)  # fmt: skip
def test_requests_of_portal_and_mobilecli_are_parsed(path, body, acts):
    assert done("POST", path, body) == (raw("POST", path, body) if acts is None else acts)


@pytest.mark.parametrize(
    "data",
    [
        request("POST", "/jsonrpc/0", call("takeScreenshot", 1, 80)),
        request("POST", "/jsonrpc/0", call("dumpWindowHierarchy", False, 50)),
        request("GET", "/session/1/screenshot"),
        request("GET", "/wd/hub/session/1/source"),
        request("GET", "/state_full?filter=false"),
        request("GET", "/screenshot/0"),
        request("GET", "/dump/hierarchy"),
        request("POST", "/", {"jsonrpc": "2.0", "method": "device.dump.ui", "params": {}}),
    ],
)
def test_looks_are_recognised(data):
    (command,) = commands(data)
    assert command.looks
    assert not command.acts


@pytest.mark.parametrize(
    "data",
    [
        request("POST", "/jsonrpc/0", call("sleep")),
        request("POST", "/jsonrpc/0", call("pressKey", "power")),
        request("POST", "/jsonrpc/0", call("pressKeyCode", 26)),
        request("POST", "/session/1/appium/device/press_keycode", {"keycode": 26}),
    ],
)
def test_turning_the_screen_off_is_refused(data):
    (command,) = commands(data)
    assert "the screen" in command.refused


def test_shell_over_http_is_parsed_as_a_shell():
    assert done("POST", "/shell?command=input%20tap%201%202") == (Tap(1, 2),)
    data = b"command=reboot"
    head = b"POST /shell HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(data)
    assert commands(head + data)[0].refused


def test_only_the_end_of_a_request_waits_for_permission():
    reader = SocketReader("tcp:9008")
    data = request("POST", "/jsonrpc/0", call("click", 1, 2))
    assert reader.feed(data[:-1]) == [(data[:-1], None)]
    ((piece, command),) = reader.feed(data[-1:])
    assert piece == data[-1:]
    assert command is not None
    assert command.acts == (Tap(1, 2),)


@pytest.mark.parametrize("name", ["localabstract:scrcpy_1a", "localabstract:minitouch"])
def test_binary_control_streams_are_raw_acts(name):
    reader = SocketReader(name)
    for burst in (b"\x02\x00\x01", b"d 0 1 1 50\nc\n"):
        ((piece, command),) = reader.feed(burst)
        assert piece == burst
        assert command is not None
        assert command.acts == (Raw(f"{name}: binary control"),)


def test_other_data_is_passed_on():
    assert SocketReader("localabstract:chrome_devtools_remote").feed(b"\0\1") == [(b"\0\1", None)]
    assert SocketReader("tcp:27183").feed(b"") == []


@pytest.mark.parametrize(
    "broken",
    [
        b"GET / HTTP/1.1\r\nno header at all\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
        request("GET", "/ok") + b"\xff\xff\xff",
        b"GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    ],
)
def test_data_after_broken_or_upgraded_http_is_a_raw_act(broken):
    reader = SocketReader("tcp:1")
    reader.feed(broken)
    ((_, command),) = reader.feed(b"\x81\x85abcd")
    assert command is not None
    assert command.acts == (Raw("tcp:1: binary control"),)


STREAM = (
    request("GET", "/ping")
    + request("POST", "/jsonrpc/0", call("click", 1, 2))
    + chunked("/jsonrpc/0", *(bytes([byte]) for byte in json.dumps(call("click", 3, 4)).encode()))
    + request("POST", "/jsonrpc/0", [call("click", 5, 6), call("pressKey", "home")])
    + b"POST /jsonrpc/0 HTTP/1.1\nHost: x\nContent-Length: 2\n\n[]"
)


def split(data: bytes, places: list[int]) -> list[bytes]:
    return [data[start:end] for start, end in pairwise([0, *sorted(places), len(data)])]


@given(st.lists(st.integers(0, len(STREAM))))
@example(list(range(len(STREAM))))
def test_requests_are_parsed_wherever_they_are_split(places):
    reader = SocketReader("tcp:9008")
    pieces = [piece for part in split(STREAM, places) for piece in reader.feed(part)]
    assert b"".join(data for data, _ in pieces) == STREAM
    acts = [command.acts for _, command in pieces if command]
    assert acts == [(), (Tap(1, 2),), (Tap(3, 4),), (Tap(5, 6), Key("home")), ()]


PARTS = st.one_of(
    st.binary(max_size=30),
    st.sampled_from([
        STREAM, b"GET ", b"/ HTTP/1.1\r\n", b"Content-Length: 5\r\n", b"\r\n", b"Host: x\r\n",
        b"Transfer-Encoding: chunked\r\n", b"5\r\nabcde\r\n", b"0\r\n\r\n", b"Upgrade: x\r\n",
    ]),
)  # fmt: skip


@given(st.sampled_from(["tcp:1", "localabstract:scrcpy"]), st.lists(PARTS))
def test_bytes_pass_unchanged(name, parts):
    reader = SocketReader(name)
    for part in parts:
        assert b"".join(data for data, _ in reader.feed(part)) == part


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["actions", "type", "x", "y", "origin", "value", "duration", "params",
                         "text", "offset", "keycode", "method", "base64_text"]), inner, max_size=5),
    max_leaves=12,
)  # fmt: skip
METHODS = st.sampled_from(
    ["click", "swipe", "swipePoints", "pressKey", "pressKeyCode", "setText", "injectInputEvent",
     "longClick", "drag", "setClipboard", "device.io.tap", "device.io.gesture", "x"]
)  # fmt: skip
PATHS = st.sampled_from(
    ["/session/1/actions", "/session/1/element/1/value", "/session/1/appium/gestures/click",
     "/session/1/appium/device/press_keycode", "/session/1/touch/perform", "/keyboard/input",
     "/action/tap", "/action/swipe", "/keyboard/key", "/shell", "/"]
)  # fmt: skip


@given(METHODS, JSON)
def test_any_call_can_be_parsed(method, params):
    assert len(commands(request("POST", "/jsonrpc/0", {"method": method, "params": params}))) == 1


@given(PATHS, JSON)
def test_any_body_can_be_parsed(path, body):
    assert len(commands(request("POST", path, body))) == 1


def test_deeply_nested_body_can_be_parsed():
    for depth in (300, 500, 900, 100_000):
        body = b'{"method":"scrollTo","params":' + b"[" * depth + b"]" * depth + b"}"
        head = b"POST /jsonrpc/0 HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
        assert len(commands(head + body)) == 1


def typed(*data: bytes) -> list[tuple[Act, ...]]:
    session = ShellSession()
    return [command.acts for each in data for command in session.feed(each)]


@pytest.mark.parametrize(
    ("data", "acts"),
    [
        ((b"input tap 1 2\n",), [(Tap(1, 2),)]),
        ((b"input tap 1 2\r",), [(Tap(1, 2),)]),  # as sent by a terminal
        ((b"ls\ninput tap 1 2\n",), [(), (Tap(1, 2),)]),
        ((b"input t", b"ap 1", b" 2\nexit\n"), [(Tap(1, 2),), ()]),
        ((b"input tap 1 2",), []),  # the line is incomplete
        ((b"input tap \\\n1 2\n",), [(), (Tap(1, 2),)]),
        ((b"sh -c 'input tap 1 2\n'\n",), [(), (Tap(1, 2),)]),
        ((b"cat <<E\ninput tap 1 2\nE\n",), [(), (Tap(1, 2),), ()]),
        ((b"echo it's\ninput tap 1 2\n'\n",), [(), (), ()]),
        ((b"\xff\n",), [()]),
    ],
)
def test_each_line_is_a_command(data, acts):
    assert typed(*data) == acts


def test_unclosed_quote_does_not_hide_later_commands():
    lines = typed(b"echo '\n" + b"input tap 1 2\n" * 200)
    assert any(isinstance(act, Raw | Tap) for acts in lines for act in acts)


def test_endless_line_is_parsed_eventually():
    session = ShellSession()
    assert session.feed(b"input tap 1 2;" + b" " * (1 << 20))[0].acts == (Tap(1, 2),)


@given(st.lists(st.binary(max_size=12)))
def test_each_line_ending_yields_a_command(parts):
    session = ShellSession()
    commands = [command for part in parts for command in session.feed(part)]
    whole = b"".join(parts)
    assert whole.count(b"\n") <= len(commands) <= whole.count(b"\n") + whole.count(b"\r")

"""Requests to automation servers by programs that may see one part of the screen."""

from __future__ import annotations

import base64
import io
import json
from typing import TYPE_CHECKING, Any

import h11
import pytest
from PIL import Image

from pytest_mobileagent.program.adb.sight_gate import answered
from pytest_mobileagent.program.commands import Request
from pytest_mobileagent.screen.sight import NO_HIERARCHY, black

if TYPE_CHECKING:
    from pytest_mobileagent.screen.sight import Part

PICTURE = black((3, 4))
S = "/session/5f/"


def call(method: str, *params: Any) -> Request:
    body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": list(params)})
    return Request("POST", "/jsonrpc/0", body.encode())


SELECTOR = {"mask": 1, "text": "Eggs"}
ELEMENTS = ("exist", "count", "objInfo", "click", "getText", "waitForExists", "scrollTo")
PASSED = [
    *(call("click", 1, 2), call("pressKey", "home"), call("swipe", 1, 2, 3, 4, 5)),
    *(call("deviceInfo"), call("setClipboard", None, "x"), call("injectInputEvent", 0, 1, 2, 0)),
    *(Request("GET", "/ping"), Request("GET", "/status"), Request("POST", "/session", b"{}")),
    Request("DELETE", "/session/5f"),
    *(Request("POST", S + path, b"{}") for path in ("actions", "back", "appium/gestures/click")),
    *(Request("POST", S + path, b"{}") for path in ("keys", "appium/device/press_keycode")),
    *(Request("GET", S + path) for path in ("window/current/size", "orientation")),
    *(Request("POST", path, b"{}") for path in ("/tap", "/action/swipe", "/keyboard/input")),
]
REFUSED = [
    *(call("unknown"), call("setTree"), Request("GET", "/dump/hierarchy"), Request("GET", "/")),
    *(Request("GET", "/screenshot/0"), Request("GET", "/minicap"), Request("POST", "/shell")),
    Request("GET", "/ping", upgrades=True),
    Request("GET", S + "appium/list_windows"),
    Request("GET", S + "mobile/source"),
    Request("GET", "http://127.0.0.1/session/5f/source"),
    Request("POST", "/jsonrpc/0", b"not JSON"),
    Request("POST", "/jsonrpc/0", b'[{"method": "click", "params": [1, 2]}, {"method": "x"}]'),
    *(call("takeScreenshotOfWindow"), call("dumpOtherHierarchy")),
]
# The request, the part that it shows, and whether a replacement is the answer rather than an error.
SHOWN = [
    (call("takeScreenshot", 1, 80), "screenshot", True),
    (call("device.screenshot"), "screenshot", True),
    (call("dumpWindowHierarchy", False, 50), "hierarchy", True),
    (call("dumpWindowHierarchyWithTimeout", False, 50, 5), "hierarchy", True),
    (call("device.dump.ui"), "hierarchy", True),
    *((call(name, SELECTOR), "hierarchy", False) for name in ELEMENTS),
    (call("getLastToast"), "hierarchy", False),
    (Request("GET", S + "screenshot"), "screenshot", True),
    (Request("GET", S + "element/9/screenshot"), "screenshot", True),
    (Request("GET", S + "source"), "hierarchy", True),
    (Request("GET", S + "source", b'{"jsonrpc": "2.0", "method": "ping"}'), "hierarchy", True),
    (Request("POST", S + "elements", b'{"strategy": "id"}'), "hierarchy", True),
    (Request("POST", S + "element", b'{"strategy": "id"}'), "hierarchy", False),
    (Request("GET", S + "element/active"), "hierarchy", False),
    (Request("GET", S + "element/9/text"), "hierarchy", False),
    (Request("GET", S + "alert/text"), "hierarchy", False),
    (Request("GET", "/wd/hub" + S + "source"), "hierarchy", True),
    (Request("GET", "/screenshot"), "screenshot", False),
    (Request("GET", "/state_full"), "hierarchy", False),
    (Request("GET", "/a11y_tree"), "hierarchy", False),
    (Request("GET", "/phone_state"), "hierarchy", False),
]  # fmt: skip


@pytest.mark.parametrize("hidden", ["hierarchy", "screenshot"])
@pytest.mark.parametrize("request_", PASSED, ids=str)
def test_requests_that_show_nothing_are_passed_on(request_, hidden):
    assert answered(request_, hidden, "hidden") is None


@pytest.mark.parametrize("hidden", ["hierarchy", "screenshot"])
@pytest.mark.parametrize("request_", REFUSED, ids=str)
def test_requests_of_unknown_effect_are_refused(request_, hidden):
    answer = answered(request_, hidden, "hidden")
    assert answer is not None
    assert answer.error == "hidden"


@pytest.mark.parametrize(("request_", "part", "replaced"), SHOWN, ids=str)
def test_a_hidden_part_is_replaced_or_an_error_in_the_servers_format(request_, part, replaced):
    answer = answered(request_, part, "it is hidden")
    assert answer is not None
    other: Part = "screenshot" if part == "hierarchy" else "hierarchy"
    if "element/9/screenshot" not in request_.target:  # it needs both
        assert answered(request_, other, "hidden") is None
    response, content = received(answer.encoded(PICTURE))
    value: Any = content["result"] if "result" in content else content.get("value")
    if not replaced:
        assert "it is hidden" in json.dumps(content)
        assert (response.status_code == 200) == ("jsonrpc" in content)
    elif part == "screenshot":
        picture = Image.open(io.BytesIO(base64.b64decode(value)))
        assert (picture.size, picture.convert("RGB").getextrema()) == ((3, 4), ((0, 0),) * 3)
    else:
        assert value in (NO_HIERARCHY, [])
    assert content.get("id") == (7 if "jsonrpc" in content else None)


def received(data: bytes) -> tuple[h11.Response, dict[str, Any]]:
    """Return the response and its JSON as an HTTP client reads them."""
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method="GET", target="/", headers=[("Host", "x")]))
    client.send(h11.EndOfMessage())
    client.receive_data(data)
    response, body = client.next_event(), client.next_event()
    assert isinstance(response, h11.Response)
    assert isinstance(body, h11.Data)
    return response, json.loads(bytes(body.data))

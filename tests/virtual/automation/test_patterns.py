"""Every place in the test servers that accepts a pattern, with patterns that could hang a phone."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.virtual.automation.appium import server as appium
from pytest_mobileagent.virtual.automation.http import Request
from pytest_mobileagent.virtual.automation.jsonrpc import server as jsonrpc
from pytest_mobileagent.virtual.automation.jsonrpc.service import MASK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone

PATTERNS = [
    "(a+)+$", "(.|a)*$", "(.|..)+[$]", "(.*.){20}[$]", "([a-zA-Z. ]+)*[$]", "(.*)*[$]",
    r"([\\w\\s,.'-]+)+\\x01", r"(.|..)+\\1[$]", "(?=(.+)+[$])x", "(?i)(.?){30}.{30}[$]",
]  # fmt: skip
JAVA = [name for name in MASK if name.endswith("Matches")]


@pytest.fixture(autouse=True)
def _an_end() -> Iterator[None]:
    """Abort a test whose event loop is blocked."""
    signal.alarm(60)
    yield
    signal.alarm(0)


@pytest.mark.parametrize("name", JAVA)
def test_a_selector_of_uiautomator2_is_answered(demo: Phone, name: str) -> None:
    server = jsonrpc.Server(demo, 9008)
    server.start()
    try:
        for pattern in PATTERNS:
            selector = {"mask": 1 << MASK.index(name), name: pattern.replace("\\\\", "\\")}
            for method in ("exist", "count", "objInfo"):
                body = {"jsonrpc": "2.0", "id": 5, "method": method, "params": [selector]}
                asked = Request("POST", "/jsonrpc/0", json.dumps(body).encode())
                answer = json.loads(asyncio.run(server._answer(asked)).body)
                assert answer["id"] == 5, (pattern, answer)
                assert "result" in answer or answer["error"]["code"] == -32001, answer
    finally:
        server.stop()


@pytest.mark.parametrize("locator", ["uiautomator", "xpath", "scroll"])
def test_a_locator_of_appium_is_answered(demo: Phone, locator: str) -> None:
    server = appium.Server(demo)

    def ask(path: str, body: Any) -> tuple[int, Any]:
        request = Request("POST", path, json.dumps(body).encode())
        response = asyncio.run(server.answer(request))
        return response.status, json.loads(response.body)["value"]

    _, started = ask("/session", {"capabilities": {"alwaysMatch": {}}})
    path = f"/session/{started['sessionId']}/elements"
    for pattern in PATTERNS:
        if locator == "xpath":
            plain = pattern.replace("\\\\", "\\").replace("'", ".")
            asked = {"strategy": "xpath", "selector": f"//*[matches(@text, '^{plain}')]"}
        else:
            text = f'new UiSelector().textMatches("{pattern}")'
            if locator == "scroll":
                scrollable = "new UiScrollable(new UiSelector().scrollable(true))"
                text = f'{scrollable}.getChildByText({text}, "x")'
            asked = {"strategy": "-android uiautomator", "selector": text}
        status, value = ask(path, asked)
        assert status == 200 or "too" in value["message"] or "Could not" in value["message"], value
    assert ask(path, {"strategy": "class name", "selector": "android.widget.Button"})[0] == 200

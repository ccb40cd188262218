"""The uiautomator2 package's server: calls that the package itself would never send."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.virtual.automation.http import Request
from pytest_mobileagent.virtual.automation.jsonrpc.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.phone import Phone

MILK = {"mask": 1, "text": "Milk", "childOrSibling": [], "childOrSiblingSelector": []}
NOTHING = {**MILK, "text": "Nothing"}


@pytest.fixture
def server(demo: Phone) -> Iterator[Server]:
    server = Server(demo, 9008)
    server.start()
    yield server
    server.stop()


def ask(server: Server, body: bytes, path: str = "/jsonrpc/0", method: str = "POST") -> Any:
    response = asyncio.run(server._answer(Request(method, path, body)))
    return json.loads(response.body) if response.status == 200 else response.status


def call(server: Server, name: str, *parameters: Any) -> Any:
    body = {"jsonrpc": "2.0", "id": 5, "method": name, "params": parameters}
    answer = ask(server, json.dumps(body).encode())
    assert answer["id"] == 5
    return answer.get("result", answer.get("error", {}).get("code"))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        *(
            (body, -32700)
            for body in (b"", b"{", b"\xff", b"[" * 10**5, b"[" * 10**5 + b"]" * 10**5)
        ),
        (b'{"method": "click", "params": ' + b"[" * 100_000, -32700),
        *((body, -32600) for body in (b"[]", b"1", b"null", b'{"method": 1}')),
        *(
            (b'{"id": %s, "method": "deviceInfo"}' % number, -32600)
            for number in (b"1e309", b"NaN", b"[]", b"{}")
        ),
        *(
            (b'{"id": null, "method": "click", "params": [%s, 1]}' % number, -32602)
            for number in (b"1e309", b"-1e309", b"NaN", b"Infinity", b"1" + b"0" * 400)
        ),
    ],
)
def test_an_invalid_call_is_refused(server: Server, body: bytes, code: int) -> None:
    answer = ask(server, body)
    assert (answer["id"], answer["error"]["code"]) == (None, code)


def test_other_paths(server: Server) -> None:
    assert ask(server, b"{}", "/nope") == 404
    assert ask(server, b"", method="GET") == 404
    response = asyncio.run(server._answer(Request("GET", "/ping", b"")))
    assert response.body == b"pong"


@pytest.mark.parametrize(
    ("name", "parameters", "code"),
    [
        ("nope", [], -32601),
        ("click", [], -32602),
        ("click", ["a", 1], -32602),
        ("click", [True, False], -32602),
        ("click", [float("nan"), 1], -32602),
        ("click", [1e300, 1], -32602),
        ("objInfo", [{"mask": 1, "text": 7}], -32602),
        ("objInfo", [{"mask": 4, "textMatches": "("}], -32602),
        ("objInfo", [{"mask": 1, "text": "a", "childOrSibling": ["child"]}], -32602),
        ("objInfo", ["no-such-id"], -32001),
        ("objInfo", [NOTHING], -32001),
        ("gesture", [MILK, {"x": 1}, {}, {}, {}, 5], -32602),
        ("pinchIn", [MILK, 1e9, 5], [True]),
        ("swipePoints", [[1, 2], 5], -32001),
        ("swipePoints", ["12", 5], -32602),
        ("childByText", [MILK, MILK, None], -32001),
        ("injectInputEvent", [9, 1, 1, 0], [False]),
        ("pressKeyCode", [10**9], [True]),
        ("pressKey", [None], [False]),
        ("setOrientation", ["sideways"], [None]),
        ("takeScreenshot", [1e-9, -5], ...),
        ("click", [-1, 5], [False]),
    ],
)
def test_odd_calls(server: Server, name: str, parameters: list[Any], code: Any) -> None:
    body = json.dumps({"id": 1, "method": name, "params": parameters}).encode()
    answer = ask(server, body)
    if code is ...:
        assert answer["result"]
    elif isinstance(code, list):
        assert [answer["result"]] == code
    else:
        assert answer["error"]["code"] == code


def test_selectors_nested_without_end_are_refused(server: Server) -> None:
    deep: dict[str, Any] = MILK
    for _ in range(60):
        deep = {**MILK, "childOrSibling": ["child"], "childOrSiblingSelector": [deep]}
    assert call(server, "exist", deep) == -32602


def test_a_port_is_taken_once_and_free_again_afterwards(server: Server, demo: Phone) -> None:
    other = Server(demo, 9008)
    with pytest.raises(OSError, match="in use"):
        other.start()
    server.stop()
    other.start()
    other.stop()
    assert "tcp:9008" not in demo.sockets


def test_waiting_for_what_comes_and_for_what_goes(server: Server) -> None:
    assert call(server, "waitForExists", MILK, 0) is True
    assert call(server, "waitForExists", NOTHING, 30) is False
    assert call(server, "waitUntilGone", NOTHING, 0) is True
    assert call(server, "waitUntilGone", MILK, 30) is False


def test_a_call_that_fails_in_an_unknown_way_is_an_error(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server._service, "find", lambda _: 1 / 0)
    assert call(server, "exist", NOTHING) == -32001

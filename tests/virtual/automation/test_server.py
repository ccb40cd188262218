"""Appium's server on the phone, without a computer: HTTP, routes, errors, and `am instrument`."""

# ruff: noqa: E501 - tables are read across

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.virtual.automation import http
from pytest_mobileagent.virtual.automation.appium import session
from pytest_mobileagent.virtual.automation.appium.server import PACKAGE, Server
from pytest_mobileagent.virtual.automation.http import Request, Response
from pytest_mobileagent.virtual.system.accessibility.services import AlreadyRegistered

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

Ask = Callable[..., tuple[int, Any]]


def asker(phone: Phone) -> tuple[Server, Ask]:
    server = Server(phone)

    def ask(method: str, path: str, body: Any = None) -> tuple[int, Any]:
        data = b"" if body is None else json.dumps(body).encode()
        response = asyncio.run(server.answer(Request(method, path, data)))
        return response.status, json.loads(response.body)["value"]

    return server, ask


@pytest.fixture
def ask(demo: Phone) -> Ask:
    """Call a server that has a session; paths are below it."""
    _, ask = asker(demo)
    _, started = ask("POST", "/session", {"capabilities": {"firstMatch": [{"a": 1}]}})
    base = f"/session/{started['sessionId']}"
    ask("POST", f"{base}/appium/settings", {"settings": {"waitForIdleTimeout": 0}})
    return lambda method, path="", body=None: ask(method, f"{base}{path}", body)


def test_a_server_without_a_session_has_a_status_and_nothing_else(phone: Phone) -> None:
    _, ask = asker(phone)
    assert ask("GET", "/status")[1]["ready"] is True
    assert ask("GET", "/wd/hub/status")[0] == 200
    assert ask("GET", "/sessions") == (200, [])
    assert ask("GET", "/session/x/source")[1]["error"] == "invalid session id"
    assert ask("GET", "/nothing")[1]["error"] == "unknown command"
    assert ask("POST", "/session", {})[1]["error"] == "invalid argument"
    assert ask("POST", "/session", [1])[0] == 400


def test_a_session_ends_with_the_server(phone: Phone) -> None:
    server, ask = asker(phone)
    _, started = ask("POST", "/session", {"capabilities": {"alwaysMatch": {"b": 2}}})
    path = f"/session/{started['sessionId']}"
    assert ask("GET", path) == (200, {"b": 2})
    assert ask("GET", "/sessions")[1] == [{"id": started["sessionId"], "capabilities": {"b": 2}}]
    assert not server.stopped.is_set()
    assert ask("DELETE", path) == (200, None)
    assert server.stopped.is_set()
    assert ask("GET", path)[0] == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "answer"),
    [
        ("POST", "/element", {"strategy": "id", "selector": "x"}, (404, "no such element", "could not be located on the page")),
        ("POST", "/element", {"strategy": "css", "selector": "x"}, (400, "invalid argument", "strategy 'css' is not supported")),
        ("POST", "/element", {"strategy": "id"}, (400, "invalid argument", "must be strings")),
        ("POST", "/element", {"strategy": "xpath", "selector": "//["}, (400, "invalid selector", "//[")),
        ("POST", "/element", {"strategy": "-android uiautomator", "selector": "foo"}, (400, "invalid selector", "Could not parse selector expression `foo`: ")),
        ("GET", "/element/x/text", None, (404, "no such element", "is not present in the cache or has expired")),
        ("GET", "/alert/text", None, (404, "no such alert", "modal dialog when one was not open")),
        ("POST", "/appium/settings", {"settings": {"foo": 1}}, (400, "invalid argument", "'foo' is not supported")),
        ("POST", "/appium/settings", {"settings": {"enableMultiWindows": 1}}, (400, "invalid argument", "Expected bool")),
        ("POST", "/orientation", {"orientation": "UP"}, (400, "invalid argument", "'UP' is no orientation")),
        ("POST", "/appium/device/set_clipboard", {"content": "/w=="}, (400, "invalid argument", "base64")),
        ("POST", "/appium/gestures/swipe", {"direction": "up", "percent": 1}, (400, "invalid argument", "area must be set")),
        ("GET", "/foo", None, (404, "unknown command", "could not be found")),
        ("DELETE", "/source", None, (404, "unknown command", "could not be found")),
    ],
)  # fmt: skip
def test_errors_have_their_status_and_words(
    ask: Ask, method: str, path: str, body: Any, answer: tuple[int, str, str]
) -> None:
    status, error, message = answer
    answered, value = ask(method, path, body)
    assert (answered, value["error"]) == (status, error)
    assert message in value["message"]
    assert ".py" not in value["stacktrace"]


def test_no_source_while_the_screen_is_off(ask: Ask, demo: Phone) -> None:
    demo.key("POWER")
    status, value = ask("GET", "/source")
    assert (status, value["error"]) == (500, "unknown error")
    assert value["message"].startswith("Timed out after 10000ms waiting for the root")


def test_rotation_clipboard_and_bars(ask: Ask, demo: Phone) -> None:
    assert ask("POST", "/orientation", {"orientation": "LANDSCAPE"})[1] == "LANDSCAPE"
    assert ask("GET", "/orientation")[1] == "LANDSCAPE"
    assert ask("POST", "/orientation", {"orientation": "portrait"})[1] == "PORTRAIT"
    ask("POST", "/appium/device/set_clipboard", {"content": "aGk=", "contentType": "plaintext"})
    assert demo.clipboard.text == "hi"
    assert ask("POST", "/appium/device/get_clipboard", {"contentType": "PLAINTEXT"})[1] == "aGk="
    assert ask("GET", "/appium/device/system_bars")[1] == {"statusBar": 63}
    assert ask("GET", "/appium/device/pixel_ratio")[1] == 2.625
    assert ask("GET", "/window/current/size")[1] == {"width": 1080, "height": 2400}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/appium/device/press_keycode", {"keycode": "3", "metastate": "0"}, 200),
        ("/appium/device/press_keycode", {"keycode": "3.5"}, 400),
        ("/appium/device/press_keycode", {"keycode": "HOME"}, 400),
        ("/appium/gestures/click", {"offset": {"x": "100", "y": "200.7"}}, 200),
        ("/appium/gestures/click", {"offset": {"x": "left", "y": 1}}, 400),
        ("/appium/gestures/long_click", {"offset": {"x": 1, "y": 900}, "duration": "600"}, 200),
        ("/appium/gestures/swipe", {"area": dict.fromkeys(("left", "top", "width", "height"), "500"), "direction": "up", "percent": "0.5"}, 200),
        ("/appium/settings", {"settings": {"waitForIdleTimeout": 1.5}}, 200),
        ("/appium/settings", {"settings": {"waitForIdleTimeout": "1"}}, 400),
    ],
)  # fmt: skip
def test_numbers_in_strings_are_read_as_gson_reads_them(
    ask: Ask, path: str, body: dict[str, Any], status: int
) -> None:
    assert ask("POST", path, body)[0] == status


@pytest.mark.parametrize(
    ("milliseconds", "found"),
    [(None, 200), (100, 404), (0, 404)],
)
def test_a_search_waits_until_the_phone_is_idle(
    phone: Phone, milliseconds: int | None, found: int
) -> None:
    async def search() -> int:
        server = Server(phone)

        async def ask(path: str, body: Any) -> Any:
            return await server.answer(Request("POST", path, json.dumps(body).encode()))

        started = json.loads((await ask("/session", {"capabilities": {}})).body)
        base = f"/session/{started['value']['sessionId']}"
        if milliseconds is not None:
            settings = {"waitForIdleTimeout": milliseconds}
            await ask(f"{base}/appium/settings", {"settings": settings})
        phone.changed()  # as after a click, to which the app responds a moment later
        asyncio.get_running_loop().call_later(0.2, phone.activities.launch, "org.demo")
        by = {"strategy": "xpath", "selector": "//*[@text='Milk']"}
        return int((await ask(f"{base}/element", by)).status)

    assert asyncio.run(search()) == found


def test_the_cache_of_elements_forgets_the_oldest(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MOST", 20)

    def find(by: str) -> str:
        found = ask("POST", "/element", {"strategy": "xpath", "selector": by})[1]
        return str(found["ELEMENT"])

    first = find("//*[@text='Milk']")
    assert find("//*[@text='Milk']") == first
    for number in range(20):
        find(f"//*[@text='Milk' and {number} = {number}]")
    assert ask("GET", f"/element/{first}/text")[1]["error"] == "no such element"


def test_only_one_tool_is_connected_at_a_time(phone: Phone) -> None:
    with phone.ui_automation.connect("one"):
        with pytest.raises(AlreadyRegistered), phone.ui_automation.connect("other"):
            pass
        assert phone.ui_automation.owner == "one"
    assert phone.ui_automation.owner is None


def test_instrumentations_that_do_not_exist_are_refused(shell: Callable[..., Any]) -> None:
    ran = shell(f"am instrument -w {PACKAGE}.test/androidx.test.runner.AndroidJUnitRunner")
    assert ran.status == 1
    assert ran.out.startswith("INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info")
    assert "INSTRUMENTATION_FAILED" in ran.err
    assert shell("am instrument -w nothing").err == "Error: Bad component name: nothing\n"
    assert shell("am instrument").status == 255


PATHS = st.sampled_from(
    [
        *("/element", "/elements", "/actions", "/keys", "/orientation", "/back"),
        *("/element/active", "/element/x/click", "/element/x/value", "/appium/settings"),
        *("/appium/gestures/click", "/appium/gestures/drag", "/appium/gestures/scroll"),
        *("/appium/gestures/pinch_open", "/gestures/scroll_to", "/appium/list_windows"),
        *("/appium/device/press_keycode", "/appium/device/set_clipboard", "/alert/accept"),
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("strategy", "selector", "actions", "text", "origin", "offset", "x", "y", "z"),
                    *("percent", "direction", "area", "params", "settings", "keycode", "content"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(st.sampled_from(["GET", "POST"]), PATHS, JSON)
def test_whatever_is_asked_the_server_answers(
    booted: Phone, method: str, path: str, body: Any
) -> None:
    _, ask = asker(booted)
    _, started = ask("POST", "/session", {"capabilities": {"alwaysMatch": {}}})
    status, value = ask(method, f"/session/{started['sessionId']}{path}", body)
    assert status in (200, 400, 404, 500)
    if status == 500:
        assert "Error:" not in value["message"], value


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"actions": ' + b"[" * 100_000,
        b'{"offset": {"x": 1e309, "y": 1}}',
        b'{"offset": {"x": NaN, "y": 1}}',
        b'{"offset": {"x": 1, "y": -Infinity}}',
        b'{"offset": {"x": 1, "y": ' + b"9" * 400 + b"}}",
        b'{"offset": {"x": 1, "y": ' + b"9" * 5000 + b"}}",
    ],
)
def test_invalid_numbers_and_deep_nesting_are_invalid_arguments(demo: Phone, body: bytes) -> None:
    server, ask = asker(demo)
    _, started = ask("POST", "/session", {"capabilities": {"alwaysMatch": {}}})
    path = f"/session/{started['sessionId']}/appium/gestures/click"
    response = asyncio.run(server.answer(Request("POST", path, body)))
    assert response.status == 400
    assert json.loads(response.body)["value"]["error"] == "invalid argument"
    assert ask("GET", "/status")[0] == 200


class Wire:
    """Provides bytes in pieces, and collects the response."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)
        self.answered = b""

    async def read(self, n: int = -1) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""

    async def write(self, data: bytes) -> None:
        self.answered += data


def talk(*pieces: bytes) -> tuple[list[Request], bytes]:
    seen: list[Request] = []

    async def handle(request: Request) -> Response:
        seen.append(request)
        return Response(200, request.body.upper(), "text/plain")

    wire = Wire(*pieces)
    asyncio.run(http.Server(handle).serve(wire))  # type: ignore[arg-type]
    return seen, wire.answered


POST = b"POST /x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"


def test_a_request_is_answered() -> None:
    (request,), answer = talk(POST)
    assert (request.method, request.path, request.body) == ("POST", "/x?y", b"abc")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"content-length: 3" in head
    assert b"connection: keep-alive" in head
    assert body == b"ABC"


@given(st.lists(st.integers(1, 40), max_size=12))
def test_requests_may_arrive_in_any_pieces(cuts: list[int]) -> None:
    data, pieces = POST * 3, []
    for size in cuts:
        pieces.append(data[:size])
        data = data[size:]
    requests, answer = talk(*[piece for piece in [*pieces, data] if piece])
    assert [request.body for request in requests] == [b"abc"] * 3
    assert answer.count(b"HTTP/1.1 200 OK") == 3


def test_bodies_may_come_in_chunks() -> None:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    (request,), _ = talk(head + b"2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n")
    assert request.body == b"abc"


def test_the_connection_ends_when_the_client_wants_that() -> None:
    close = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    requests, answer = talk(close, close)
    assert len(requests) == 1
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n",
        b"GET / FTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -3\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20000,
    ],
)
def test_invalid_requests_are_refused(data: bytes) -> None:
    requests, answer = talk(data)
    assert requests == []
    assert answer.startswith(b"HTTP/1.1 400 Bad Request")


def test_a_body_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_BODY", 10)
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n"
    assert talk(head, b"abcdef", b"ghijkl")[1].startswith(b"HTTP/1.1 400 Bad Request")


def test_half_a_request_is_not_answered() -> None:
    assert talk(POST[:-1]) == ([], b"")

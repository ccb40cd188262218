"""Requests in the form in which real clients send them."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from typing import Any

import uiautomator2
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.interaction import POINTER_TOUCH
from selenium.webdriver.common.actions.pointer_input import PointerInput
from uiautomator2 import core

from pytest_mobileagent.action import Key, Raw, Type
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Swipe, Tap
from pytest_mobileagent.program.commands import Clear, Command, Pointer
from pytest_mobileagent.program.commands.sockets import SocketReader
from pytest_mobileagent.program.commands.steps import merged


class Phone:
    """A phone whose sockets answer every request with true; records the commands."""

    def __init__(self) -> None:
        self.commands: list[Command] = []

    def create_connection(self, network: object, port: int) -> socket.socket:
        near, far = socket.socketpair()
        threading.Thread(target=self._answer, args=[far, SocketReader(f"tcp:{port}")]).start()
        return near

    def _answer(self, stream: socket.socket, reader: SocketReader) -> None:
        body = b'{"jsonrpc": "2.0", "id": 1, "result": true}'
        with stream:
            while data := stream.recv(50):  # shorter than a request
                pieces = reader.feed(data)
                assert b"".join(piece for piece, _ in pieces) == data
                found = [command for _, command in pieces if command]
                self.commands += found
                for _ in found:
                    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
                    stream.sendall(head + body)


class Device(uiautomator2.Device):
    """A uiautomator2 device whose server is already running."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self.settings = uiautomator2.Settings(self)

    def jsonrpc_call(self, method: str, params: Any = None, timeout: float = 10) -> Any:
        return core._jsonrpc_call(self._phone, 9008, method, params, timeout, False)


def test_uiautomator2_requests_are_parsed():
    phone = Phone()
    device = Device(phone)
    device.click(10, 20)
    device.long_click(10, 20, 0.7)
    device.swipe(10, 900, 10, 100, duration=0.4)
    device.press("home")
    device.press(66)
    device.touch.down(5, 6)
    device.touch.up(5, 6)
    device(text="Name").set_text("Ann")
    device.open_notification()
    assert [act for command in phone.commands for act in command.acts] == [
        Tap(10, 20),
        LongPress(10, 20, 0.7),
        Swipe(10, 900, 10, 100, 0.4),
        Key("home"),
        Key("enter"),
        Pointer("down", 5, 6),
        Pointer("up", 5, 6),
        Clear(),
        Type("Ann"),
        Raw("openNotification"),
    ]


def test_double_click_of_uiautomator2_is_one_action():
    phone = Phone()
    Device(phone).double_click(10, 20)
    acts = [(act, 1.0) for command in phone.commands for act in command.acts]
    assert merged(acts) == (DoubleTap(10, 20),)


def test_kept_connection_is_read_to_its_end():
    phone = Phone()
    client = http.client.HTTPConnection("phone")
    client.sock = phone.create_connection(None, 8080)
    body = json.dumps({"base64_text": "aGk=", "clear": False}).encode()
    for encoded in (body, iter([body[:5], body[5:]])):  # the second one is sent in chunks
        client.request("POST", "/keyboard/input", encoded, encode_chunked=encoded is not body)
        client.getresponse().read()
    client.request("GET", "/state_full")
    client.getresponse().read()
    client.close()
    assert [(command.acts, command.looks) for command in phone.commands] == [
        ((Type("hi"),), False),
        ((Type("hi"),), False),
        ((), True),
    ]


class Driver:
    """Sends selenium's actions as Appium forwards them to the phone."""

    def __init__(self) -> None:
        self.commands: list[Command] = []

    def execute(self, name: str, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        head = "POST /session/1/actions HTTP/1.1\r\nHost: x\r\nContent-Length: "
        pieces = SocketReader("tcp:6790").feed(f"{head}{len(data)}\r\n\r\n".encode() + data)
        self.commands += [command for _, command in pieces if command]


def test_selenium_actions_are_parsed():
    driver = Driver()
    for x, y, seconds in ((300, 400, 0.0), (300, 400, 1.2), (300, 900, 0.6)):
        actions = ActionBuilder(driver, mouse=PointerInput(POINTER_TOUCH, "finger"))
        actions.pointer_action.move_to_location(300, 400).pointer_down().pause(seconds)
        actions.pointer_action.move_to_location(x, y).pointer_up()
        actions.perform()
    tap, hold, swipe = (command.acts for command in driver.commands)
    assert tap == (Tap(300, 400),)  # selenium's move takes a quarter of a second
    assert hold == (LongPress(300, 400, 1.45),)
    assert swipe == (Swipe(300, 400, 300, 900, 0.85),)


def test_selenium_keys_are_parsed():
    driver = Driver()
    actions = ActionBuilder(driver)
    actions.key_action.send_keys("hi\ue007")
    actions.perform()
    (command,) = driver.commands
    assert merged([(act, 0.0) for act in command.acts]) == (Type("hi"), Key("enter"))

"""Tests of devices driven through Appium: the number of requests, and how a screen settles."""

from __future__ import annotations

import base64
import re
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

import pytest
from selenium.common.exceptions import NoSuchElementException

from pytest_mobileagent import Tap, Type, setting
from pytest_mobileagent.device.device import DeviceState, Settle
from pytest_mobileagent.device.drivers.appium import appium_device
from pytest_mobileagent.device.drivers.appium.appium_device import AppiumDevice, perform
from pytest_mobileagent.device.drivers.appium.remote_system import RemoteSystem
from pytest_mobileagent.device.screen import Shot
from pytest_mobileagent.errors import DeviceError, NoShellError
from pytest_mobileagent.testing.phones import png

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.device.drivers.appium.server import AppiumSession

NOW = datetime(2026, 3, 4, 5, 6, 7)
WHITE, DARK = png(9, 16, 255), png(9, 16, 60)

EMPTY, OTHER = (f"<hierarchy rotation='0'><node text='{n}'/></hierarchy>" for n in ("", "b"))


class Server:
    """Stands in for the client's session with a server, and records the requests.

    Pictures and sources are returned in turn, and the last one is repeated; `shell` is the output
    of a shell command, or the error that it raises.
    """

    def __init__(
        self,
        pictures: Sequence[bytes] = (WHITE,),
        sources: Sequence[str] = (EMPTY,),
        shell: str | Exception = "",
    ) -> None:
        self.asked: list[str] = []
        self.redacted = "http://hub"
        self.capabilities = {"deviceUDID": "R5", "deviceScreenSize": "9x16"}
        self.current_package, self.current_activity = "com.a", ".Main"
        self._pictures, self._sources, self._shell = list(pictures), list(sources), shell

    @contextmanager
    def speaking(self, what: str) -> Iterator[Server]:
        yield self

    def alive(self) -> bool:
        return True

    def renew(self, what: str) -> None:
        self.asked.append("session")

    def get_window_size(self) -> dict[str, int]:
        return {"width": 9, "height": 16}

    @property
    def page_source(self) -> str:
        self.asked.append("source")
        return self._next(self._sources)

    def get_screenshot_as_base64(self) -> str:
        self.asked.append("screenshot")
        return base64.b64encode(self._next(self._pictures)).decode()

    def get_device_time(self, layout: str) -> str:
        self.asked.append("time")
        return "2026-03-04T05:06:07+00:00"

    def execute_script(self, name: str, request: Any = None) -> Any:
        self.asked.append(name.removeprefix("mobile: "))
        if name == "mobile: deviceInfo":
            return {}
        if name != "mobile: shell":
            return None
        if request["command"] == "su":
            raise DeviceError("no su")
        if isinstance(self._shell, Exception):
            raise self._shell
        (script,) = request["args"][1:]
        marker = re.search("echo ([0-9a-f]{32})", script)
        return self._shell.replace("|", f"{marker[1]}\n").strip() if marker else ""

    @staticmethod
    def _next(each: list[Any]) -> Any:
        return each.pop(0) if len(each) > 1 else each[0]


class Backend:
    """Stands in for a phone reachable by adb, whose screenshots need no request to the server."""

    def __init__(self, pictures: Sequence[bytes]) -> None:
        self.info, self.panels = RemoteSystem(cast("AppiumSession", Server())).info, None
        self._pictures = list(pictures)

    def picture(self) -> Shot:
        return Shot.of(self._pictures.pop(0))

    def seen(self, probes: Any) -> tuple[Shot, DeviceState]:
        return self.picture(), DeviceState("com.a", "com.a.Main", NOW, {})

    def size(self) -> tuple[int, int]:
        return self.info.size

    def reset(self, snapshot: str, apps: Sequence[str]) -> None:
        self.changed(False)

    def changed(self, anew: bool) -> None:
        raise NotImplementedError  # the device replaces it


def device_of(server: Server, pictures: Sequence[bytes]) -> AppiumDevice:
    return AppiumDevice(cast("AppiumSession", server), cast("Any", Backend(pictures)), Settle(60))


@pytest.mark.parametrize(
    ("pictures", "sources", "resets", "looks"),
    [
        ([WHITE] * 2, [EMPTY], False, 1),  # the action and the page source are all that is needed
        ([WHITE, DARK, DARK], [EMPTY, OTHER], False, 2),  # the screen moves
        ([WHITE] * 3, [EMPTY], True, 2),  # no screenshot before a reset is used again
    ],
)
def test_a_page_is_read_until_its_screen_has_settled(pictures, sources, resets, looks):
    device = device_of(server := Server(sources=sources), pictures)
    device.perform(Tap(1, 2))
    if resets:
        device.system.reset("default_boot", ())
    screen = device.observe().screen
    assert (screen.png, screen.xml) == (pictures[-1], sources[-1])
    assert server.asked == ["clickGesture", *["source"] * looks]


SAID = "mCurrentFocus=Window{1 u0 com.a/com.a.Main}|\n2026-03-04T05:06:07+0000\n|2|"


def at_hub(server: Server) -> AppiumDevice:
    session = cast("AppiumSession", server)
    device = AppiumDevice(session, RemoteSystem(session), Settle(60))
    server.asked.clear()
    return device


def test_at_a_hub_one_command_reads_the_state_behind_the_screen():
    device = at_hub(server := Server(shell=SAID))
    device.system.shell("true")  # This command finds out how to become root.
    server.asked.clear()
    device.perform(Tap(1, 2))
    capture = device.observe({"dark": setting("secure", "ui_night_mode")})
    assert server.asked == ["clickGesture", "screenshot", "source", "screenshot", "shell"]
    assert (capture.screen.activity, capture.screen.time) == ("com.a.Main", NOW)
    assert capture.probes == {"dark": "2"}


def test_hub_without_shell_is_asked_only_once():
    device = at_hub(server := Server(shell=DeviceError("needs the feature adb_shell")))
    for _ in range(2):
        device.perform(Tap(1, 2))
        screen = device.observe().screen
    assert (screen.activity, screen.time) == ("com.a.Main", NOW)
    assert server.asked.count("time") == 2
    assert server.asked.count("shell") == 2  # The first script, and the question which user it is.
    with pytest.raises(NoShellError, match="--allow-insecure"):
        device.observe({"dark": setting("secure", "ui_night_mode")})


def test_shell_that_stops_midway_is_an_error():
    device = at_hub(Server(shell="mCurrentFocus=null|"))
    with pytest.raises(DeviceError, match="http://hub returned only 1 of 2 outputs"):
        device.observe()


class Field:
    """Stands in for the client of a session in which a field gets the focus late, or never."""

    def __init__(self, misses: int) -> None:
        self.misses, self.text, self.switch_to = misses, "", self

    def execute_script(self, name: str, where: Any) -> None:
        """Tap."""

    @property
    def active_element(self) -> Field:
        self.misses -= 1
        if self.misses >= 0:
            raise NoSuchElementException
        return self

    def send_keys(self, text: str) -> None:
        self.text += text


@pytest.mark.parametrize(
    ("action", "misses", "text"),
    [(Type("a", at=(1, 1)), 2, "a"), (Type("a"), 2, ""), (Type("a", at=(1, 1)), 1000, "")],
)
def test_a_tapped_field_may_get_the_focus_late(action, misses, text, monkeypatch):
    monkeypatch.setattr(appium_device, "_FOCUS_SECONDS", 0.3)
    field = Field(misses)
    perform(cast("Any", field), action, (9, 16))
    assert field.text == text

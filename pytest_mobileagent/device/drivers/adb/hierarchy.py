"""View hierarchies by adb: from `uiautomator dump`, or from an automation server on the device.

Android's UiAutomation serves one program at a time: while a server of uiautomator2 or Appium holds
it, `uiautomator dump` is killed, and the server has to be asked instead.
"""

from __future__ import annotations

import http.client
import json
import re
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.drivers.adb.shell import open_service
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Address


_UIAUTOMATOR2_PORT, _APPIUM_PORT = 9008, 6790
_SECONDS = 15.0
_DEPTH = 50  # of the hierarchy, as its own client asks for it


def hierarchy_of_servers(address: Address) -> str | None:
    """Return the view hierarchy that an automation server of the device gives; None without one."""
    for ask in (_uiautomator2, _appium):
        try:
            if xml := ask(address):
                return xml
        except (DeviceError, OSError, http.client.HTTPException, ValueError, LookupError):
            continue
    return None


def _uiautomator2(address: Address) -> str | None:
    params = [False, _DEPTH]
    call = {"jsonrpc": "2.0", "id": 1, "method": "dumpWindowHierarchy", "params": params}
    reply = _ask(address, _UIAUTOMATOR2_PORT, "POST", "/jsonrpc/0", call)
    return _tree(reply.get("result"))


def _appium(address: Address) -> str | None:
    sessions = _ask(address, _APPIUM_PORT, "GET", "/sessions")["value"]
    if not sessions:
        return None
    source = f"/session/{sessions[-1]['id']}/source"
    return _tree(_ask(address, _APPIUM_PORT, "GET", source)["value"])


def _tree(xml: Any) -> str | None:
    return xml if isinstance(xml, str) and "<hierarchy" in xml else None


def _ask(
    address: Address, port: int, method: str, path: str, content: Any = None
) -> dict[str, Any]:
    stream = open_service(address, f"tcp:{port}").conn
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    stream.settimeout(_SECONDS)
    connection.sock = stream
    body = None if content is None else json.dumps(content)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        return dict(json.loads(connection.getresponse().read()))
    finally:
        connection.close()


_TAKEN = r"already registered|Killed"
_REASONS = (
    (r"could not get idle state", "the screen never comes to rest: a video, or an animation"),
    (r"null root node", "no window is active: the screen is off, or an app is just starting"),
    (
        _TAKEN,
        (
            "another automation server, of Appium or uiautomator2, runs on the device: stop it, or "
            "choose --mobile-driver=appium"
        ),
    ),
    (r"No space left", "the storage is full"),
    (r"No such file", "it wrote no file"),
)


def dump_script(file: str) -> str:
    """Return a shell script that prints the view hierarchy, by way of a file on the device."""
    # The file of an earlier dump must not pass for this one's when a dump fails.
    return f"uiautomator dump {file}; cat {file}; rm -f {file}"


def hierarchy(output: str) -> str | None:
    """Return the XML in what uiautomator wrote, which may stand before or after its message."""
    start, end = output.find("<?xml"), output.rfind("</hierarchy>")
    return output[start : end + len("</hierarchy>")] if 0 <= start < end else None


def is_taken(output: str) -> bool:
    """Whether uiautomator wrote nothing because another automation server is connected."""
    return hierarchy(output) is None and re.search(_TAKEN, output) is not None


def reason(output: str) -> str:
    """Say in words why there is no hierarchy in what uiautomator wrote."""
    said = " ".join(output.split())[:300] or "nothing"
    known = [why for pattern, why in _REASONS if re.search(pattern, output)]
    return f"uiautomator says {said!r}" + (f" ({known[0]})" if known else "")

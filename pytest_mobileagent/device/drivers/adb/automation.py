"""View hierarchies from automation servers that run on a device.

Android's UiAutomation serves one program at a time: while a server of uiautomator2 or Appium holds
it, `uiautomator dump` is killed, and the server has to be asked instead.
"""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.drivers.adb.shell import open_service
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from pytest_mobileagent.device.address import Address

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

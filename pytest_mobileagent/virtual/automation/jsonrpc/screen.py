"""Methods about what the screen shows: hierarchies, pictures, rotation, the shade, toasts."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Final

from pytest_mobileagent.virtual.automation.jsonrpc.hierarchy import hierarchy
from pytest_mobileagent.virtual.automation.jsonrpc.parameters import flag, integer, number, text
from pytest_mobileagent.virtual.automation.jsonrpc.registry import method

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.jsonrpc.service import Service

ALL = 50  # the depth of a dump, unless it is said
ROTATIONS: Final = {"natural": 0, "left": 1, "upsidedown": 2, "right": 3}


@method("dumpWindowHierarchy", flag)
def dump(service: Service, compressed: bool) -> str:
    """Give the hierarchy of all windows."""
    return dump_to_depth(service, compressed, ALL)


@method("dumpWindowHierarchy", flag, integer)
def dump_to_depth(service: Service, compressed: bool, depth: int) -> str:
    """Give the hierarchy of all windows, down to some depth."""
    return dump_windows(service, compressed, depth, False)


@method("dumpWindowHierarchy", flag, integer, flag)
def dump_windows(service: Service, compressed: bool, depth: int, active_only: bool) -> str:
    """Give the hierarchy of all windows, or of that which has the focus."""
    return hierarchy(service.phone, compressed=compressed, depth=depth, active_only=active_only)


@method("takeScreenshot", number, integer)
def screenshot(service: Service, scale: float, quality: int) -> str:
    """Give the screen as JPEG in base64, smaller by some factor."""
    picture = service.phone.sight.picture()
    if 0 < scale < 1:
        picture = picture.resize(
            (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
        )
    data = io.BytesIO()
    picture.save(data, "JPEG", quality=min(max(quality, 1), 100))
    return base64.b64encode(data.getvalue()).decode()


@method("isScreenOn")
def is_screen_on(service: Service) -> bool:
    """Tell whether the screen is on."""
    return service.phone.power.awake


@method("wakeUp")
def wake_up(service: Service) -> None:
    """Turn the screen on."""
    service.phone.power.wake()


@method("sleep")
def sleep(service: Service) -> None:
    """Turn the screen off."""
    service.phone.power.sleep()


@method("setOrientation", text)
def set_orientation(service: Service, name: str | None) -> None:
    """Turn the screen and keep it so; an unknown way changes nothing."""
    ways = {way: turns for way, turns in ROTATIONS.items() if way.startswith(name or "?")}
    for turns in ways.values():
        service.phone.settings.put("system", "accelerometer_rotation", "0")
        service.phone.settings.put("system", "user_rotation", str(turns))


@method("freezeRotation", flag)
def freeze_rotation(service: Service, frozen: bool) -> None:
    """Keep the screen as it is turned, or let it turn again."""
    service.phone.settings.put("system", "accelerometer_rotation", "0" if frozen else "1")


@method("openNotification")
def open_notification(service: Service) -> bool:
    """Pull the shade down."""
    if not service.phone.shade.open:
        service.phone.shade.pull()
    return True


@method("openQuickSettings")
def open_quick_settings(service: Service) -> bool:
    """Pull the shade down with all of quick settings."""
    service.phone.shade.pull(full=True)
    return True


@method("getLastToast")
def last_toast(service: Service) -> str | None:
    """Tell the last toast since they were cleared."""
    return service.toast


@method("clearLastToast")
def clear_toast(service: Service) -> None:
    """Forget the last toast."""
    service.toast = None


@method("getLastTraversedText")
def last_traversed_text(_: Service) -> str | None:
    """Tell what a reader of the screen has last gone over: there is none here."""
    return None


@method("clearLastTraversedText")
def clear_traversed_text(_: Service) -> None:
    """Forget it."""


@method("launchApp", text)
def launch_app(service: Service, package: str | None) -> bool:
    """Start an app as its icon does; false if it has none."""
    try:
        service.phone.activities.launch(package or "")
    except LookupError:
        return False
    return True


@method("waitForIdle", integer)
def wait_for_idle(_: Service, _milliseconds: int) -> None:
    """Wait until nothing happens any more: between two calls nothing does."""


@method("waitForWindowUpdate", text, integer)
async def wait_for_update(service: Service, package: str | None, milliseconds: int) -> bool:
    """Wait until the screen changes; false if it does not, or another app is in front."""
    window = service.phone.accessibility.active
    if package and window and window.package != package:
        return False
    before = service.phone.version
    return await service.until(lambda: service.phone.version != before, milliseconds)

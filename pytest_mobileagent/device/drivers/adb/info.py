"""What a device says that it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.device_info import DeviceInfo
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from pytest_mobileagent.device.drivers.adb.shell import Shell


def read_info(shell: Shell) -> DeviceInfo:
    """Ask a device what it is.

    Raises:
        DeviceError: it does not answer, or with what makes no sense.
    """
    properties = ("ro.product.model", "ro.build.version.release", "ro.build.version.sdk")
    scripts = [f"getprop {name}" for name in (*properties, "persist.sys.locale")]
    outputs = shell.run_all([*scripts, "wm size", "wm density"])
    model, android, sdk, locale, size, density = (output.text.strip() for output in outputs)
    pixels = re.findall(r"(\d+)x(\d+)", size)
    dots = re.findall(r"\d+", density)
    if not (sdk.isdigit() and pixels and dots):
        msg = f"device {shell.address} does not say what it is: {sdk!r}, {size!r}, {density!r}"
        raise DeviceError(msg)
    return DeviceInfo(
        serial=shell.address.serial,
        model=model,
        android=android,
        sdk=int(sdk),
        size=(int(pixels[-1][0]), int(pixels[-1][1])),  # the override stands last
        density=int(dots[-1]),
        locale=locale or "en-US",
    )

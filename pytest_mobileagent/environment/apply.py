"""How an environment is applied to a device: by plain commands of its shell.

They need a shell that is root's, as on emulators and on phones that are rooted: Android lets
nobody else write its language, its wallpaper and its launcher's database.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.environment.environment import DEFAULT_WALLPAPER
from pytest_mobileagent.environment.home import apply_layout
from pytest_mobileagent.environment.transfer import RootError, put_file
from pytest_mobileagent.environment.wallpapers import paint
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.environment.environment import Environment

# Where Android keeps the wallpaper that was chosen. It notices a file that is moved there.
WALLPAPER = "/data/system/users/0/wallpaper_orig"
SECONDS = 180.0  # that Android may take to restart in another language


def apply(environment: Environment, device: Device) -> None:
    """Apply an environment to a device; it shows its home screen then.

    Raises:
        DeviceError: the device refuses, or is not itself again in time.
    """
    system = system_of(device)
    if system.shell("id -u").strip() != "0":
        msg = (
            f"device {device.info.serial} cannot be given environment {environment.id}: that takes"
            " a shell that is root's, as `adb root` gives on emulators without the Play Store"
        )
        raise DeviceError(msg)
    _check(device, environment, _settings(environment))
    try:
        if environment.wallpaper != DEFAULT_WALLPAPER:
            picture = paint(environment.wallpaper, environment.size)
            put_file(system, WALLPAPER, picture, owner="system:system", mode="600")
        if environment.layout is not None:
            apply_layout(system, environment.layout)
    except RootError as error:
        msg = f"device {device.info.serial} cannot be given environment {environment.id}: {error}"
        raise DeviceError(msg) from None
    if system.shell("getprop persist.sys.locale").strip() != environment.locale:
        _speak(device, environment)
    system.shell("input keyevent HOME")
    system.refresh()


def _settings(environment: Environment) -> str:
    width, height = environment.size
    return (
        f"wm size {width}x{height} && wm density {environment.density}"
        f" && settings put system font_scale {environment.font_scale}"
        f" && cmd uimode night {'yes' if environment.dark else 'no'} >/dev/null"
    )


def _check(device: Device, environment: Environment, script: str) -> None:
    said = system_of(device).shell(f"{script} && echo done").strip()
    if not said.endswith("done"):
        msg = f"device {device.info.serial} refuses environment {environment.id}: {said[:300]}"
        raise DeviceError(msg)


def _speak(device: Device, environment: Environment) -> None:
    """Set the language, which Android reads when it starts, and wait until it has."""
    tag = environment.locale
    system = system_of(device)
    system.shell(
        f"settings put system system_locales {tag}; setprop persist.sys.locale {tag};"
        " setprop ctl.restart zygote"
    )
    wanted = _qualifier(tag)
    deadline = time.monotonic() + SECONDS
    while True:
        said = system.shell(
            "getprop init.svc.bootanim; am get-config 2>&1 | head -n 1;"
            " dumpsys window displays 2>&1 | grep mCurrentFocus"
        )
        animation, _, rest = said.partition("\n")
        config, _, focus = rest.partition("\n")
        ready = f"-{wanted}-" in config and "/" in focus and animation.strip() in ("stopped", "")
        if ready:
            return
        if time.monotonic() > deadline:
            msg = (
                f"device {device.info.serial} does not speak {tag} (environment {environment.id})"
                f" after {SECONDS:g} s; it says: {said.strip()[:300]}"
            )
            raise DeviceError(msg)
        time.sleep(0.05)


def _qualifier(tag: str) -> str:
    """Write a language tag as `am get-config` does."""
    language, *others = tag.split("-")
    if len(others) > 1:
        return "b+" + "+".join([language, *others])
    return f"{language}-r{others[0]}" if others else language

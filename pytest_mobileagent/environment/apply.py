"""Applies an environment to a device, and sets its clock, with shell commands.

An environment needs a root shell, as on emulators and rooted phones: only root may write the
language, the wallpaper, and the launcher's database, whose rows are the home screen's icons (in
Launcher3 and its derivatives). Files are also written through the shell, in pieces of base64.

With a set clock, a run gives the same results on any day. Emulators take the host's time when they
start and when they load a snapshot, so it is set before each episode; it then continues to run.
"""

from __future__ import annotations

import base64
import binascii
import random
import re
import shlex
import sqlite3
import time
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.device.screen import FOCUS
from pytest_mobileagent.environment import DEFAULT_WALLPAPER
from pytest_mobileagent.environment.wallpapers import paint
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.device.device import Device, System
    from pytest_mobileagent.environment import Environment

_PIECE = 60_000  # characters; Linux allows 128 KiB
_STAGE = "/data/local/tmp/mobileagent-file"


class RootError(Exception):
    """A system file cannot be read or written; the message says why."""


def get_file(system: System, path: str) -> bytes:
    """Return the content of a file.

    Raises:
        RootError: if the file cannot be read.
    """
    output = system.shell(f"base64 {shlex.quote(path)}")
    try:
        return base64.b64decode("".join(output.split()), validate=True)
    except binascii.Error:
        raise RootError(f"{path} cannot be read: {output.strip()[:200]}") from None


def put_file(system: System, path: str, data: bytes, *, owner: str, mode: str) -> None:
    """Write a file atomically, with its owner, mode and security label.

    Raises:
        RootError: if the file cannot be written.
    """
    text = base64.b64encode(data).decode()
    system.shell(f"rm -f {_STAGE}*")
    for start in range(0, len(text), _PIECE):
        system.shell(f"printf %s '{text[start : start + _PIECE]}' >>{_STAGE}.txt")
    target, near = shlex.quote(path), shlex.quote(f"{path}.new")
    output = system.shell(
        f"base64 -d {_STAGE}.txt >{_STAGE} && cp {_STAGE} {near} && chown {owner} {near}"
        f" && chmod {mode} {near} && mv -f {near} {target}"
        f" && {{ restorecon {target} 2>/dev/null; rm -f {_STAGE}*; echo done; }}"
    ).strip()
    if not output.endswith("done"):
        raise RootError(f"{path} cannot be written: {output[:200]}")


# The file of the chosen wallpaper. Android notices when a file is moved to this path.
WALLPAPER = "/data/system/users/0/wallpaper_orig"
SECONDS = 180.0  # for Android to restart in another language


def apply(environment: Environment, device: Device) -> None:
    """Apply an environment to a device, and leave the device on its home screen.

    Raises:
        DeviceError: if the device refuses, or is not ready in time.
    """
    system = system_of(device)
    if system.shell("id -u").strip() != "0":
        raise DeviceError(
            f"device {device.info.serial} cannot be given environment {environment.id}: this needs"
            " a root shell, which `adb root` provides on emulators without the Play Store"
        )
    _set_looks(device, environment)
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


def _set_looks(device: Device, environment: Environment) -> None:
    width, height = environment.size
    script = (
        f"wm size {width}x{height} && wm density {environment.density}"
        f" && settings put system font_scale {environment.font_scale}"
        # Before Android 10, which has no dark theme, the command fails with status 0.
        f" && ! cmd uimode night {'yes' if environment.dark else 'no'} | grep 'No shell command'"
    )
    output = system_of(device).shell(f"{script} && echo done").strip()
    if not output.endswith("done"):
        msg = f"device {device.info.serial} refuses environment {environment.id}: {output[:300]}"
        raise DeviceError(msg)


def _speak(device: Device, environment: Environment) -> None:
    """Set the language, restart Android, which reads it on startup, and wait until it is up."""
    tag = environment.locale
    system = system_of(device)
    system.shell(
        f"settings put system system_locales {tag}; setprop persist.sys.locale {tag};"
        " setprop ctl.restart zygote"
    )
    wanted = _qualifier(tag)
    deadline = time.monotonic() + SECONDS
    while True:
        output = system.shell(
            f"getprop init.svc.bootanim; am get-config 2>&1 | head -n 1; {FOCUS} 2>&1"
        )
        animation, _, rest = output.partition("\n")
        config, _, windows = rest.partition("\n")
        shown = re.search(r"mCurrentFocus=Window\{.*/", windows)
        if f"-{wanted}-" in config and shown and animation.strip() in ("stopped", ""):
            return
        if time.monotonic() > deadline:
            raise DeviceError(
                f"device {device.info.serial} is not in {tag} (environment {environment.id})"
                f" after {SECONDS:g} s; it says: {output.strip()[:300]}"
            )
        time.sleep(0.05)


def _qualifier(tag: str) -> str:
    """Return a language tag in the format of `am get-config`."""
    language, *others = tag.split("-")
    if len(others) > 1:
        return "b+" + "+".join([language, *others])
    return f"{language}-r{others[0]}" if others else language


DESKTOP, HOTSEAT = -100, -101  # the launcher's container ids
COLUMNS, ROWS, PAGES = 5, 5, 3
_APPS = "cmd package query-activities --components -a android.intent.action.MAIN"
_HOME = "cmd package resolve-activity --components -a android.intent.action.MAIN"
_INTENT = (
    "#Intent;action=android.intent.action.MAIN;category=android.intent.category.LAUNCHER;"
    "launchFlags=0x10200000;component={};end"
)


class IconPlace(NamedTuple):
    """The place of an icon."""

    container: int
    screen: int
    x: int
    y: int


def apply_layout(system: System, seed: int) -> None:
    """Distribute the icons of all apps over the home screen, and restart the launcher.

    Raises:
        RootError: if the launcher has no such database.
    """
    launcher = _components(system.shell(f"{_HOME} -c android.intent.category.HOME"))[0]
    package = launcher.partition("/")[0]
    apps = sorted(_components(system.shell(f"{_APPS} -c android.intent.category.LAUNCHER")))
    path = f"/data/data/{package}/databases/launcher.db"
    icons = dict(zip(apps, places(len(apps), seed), strict=True))
    data = _with_icons(get_file(system, path), icons)
    name = shlex.quote(path)
    owner = system.shell(f"stat -c %u:%g {name}").strip()
    put_file(system, path, data, owner=owner, mode="660")
    system.shell(f"rm -f {name}-wal {name}-shm {name}-journal; am force-stop {package}")


def places(count: int, seed: int) -> list[IconPlace]:
    """Return places for a number of icons: in order for seed 0, otherwise at random.

    The first row of the first page is reserved for the launcher.
    """
    seats = [IconPlace(HOTSEAT, x, x, 0) for x in range(COLUMNS)]
    pages = max(PAGES, -(-count // (COLUMNS * (ROWS - 1))))
    cells = [
        IconPlace(DESKTOP, page, x, y)
        for page in range(pages)
        for y in range(ROWS)
        for x in range(COLUMNS)
        if page or y
    ]
    if seed == 0:
        return [*seats, *cells][:count]
    return random.Random(seed).sample([*seats, *cells], count)


def _components(output: str) -> Sequence[str]:
    lines = [line.strip() for line in output.splitlines()]
    found = [line for line in lines if "/" in line and " " not in line]
    if not found:
        raise RootError(f"no app is listed: {output.strip()[:200]}")
    return found


def _with_icons(data: bytes, icons: dict[str, IconPlace]) -> bytes:
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(data)
        connection.execute("DELETE FROM favorites")
        for number, (component, place) in enumerate(icons.items(), 1):
            connection.execute(
                "INSERT INTO favorites (_id, title, intent, container, screen, cellX, cellY,"
                " spanX, spanY, itemType) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1, 0)",
                (number, component, _INTENT.format(component), *place),
            )
        connection.commit()
        return connection.serialize()
    except sqlite3.Error as error:
        raise RootError(f"the launcher's database cannot be changed: {error}") from None
    finally:
        connection.close()


_TOLERANCE = 60.0  # seconds by which the device's clock may differ after it was set


def set_clock(device: Device, moment: datetime) -> None:
    """Set a device's clock, and its zone if the moment has a `ZoneInfo`; apps are notified of it.

    The alarm manager sets it (`cmd alarm set-time`), or else `date`, which needs a root shell.

    Raises:
        DeviceError: if the device does not allow it.
    """
    system = system_of(device)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=_zone(system.shell("getprop persist.sys.timezone").strip()))
    elif isinstance(moment.tzinfo, ZoneInfo):
        _set_zone(system, moment.tzinfo.key)
    seconds = int(moment.timestamp())
    output = system.shell(
        f"settings put global auto_time 0; cmd alarm set-time {seconds * 1000} 2>&1; date +%s"
    )
    if _is_set(output, seconds):
        return
    as_root = system.shell(
        f"date -u @{seconds} 2>&1"
        " && am broadcast -a android.intent.action.TIME_SET >/dev/null 2>&1; date +%s"
    )
    if not _is_set(as_root, seconds):
        raise DeviceError(
            f"device {device.info.serial} does not permit setting its clock to "
            f"{moment.isoformat()}: {output.strip()[:200]}; as root: {as_root.strip()[:200]}. "
            "This needs `adb root`, which emulators without the Play Store permit; otherwise omit "
            "--mobile-device-time"
        )


def _set_zone(system: System, name: str) -> None:
    output = system.shell(
        f"settings put global auto_time_zone 0; cmd alarm set-timezone {name} 2>&1;"
        " getprop persist.sys.timezone"
    )
    if output.strip().rpartition("\n")[2] != name:
        raise DeviceError(f"the device's time zone cannot be {name}: {output.strip()[:200]}")


def _is_set(output: str, seconds: int) -> bool:
    last = output.strip().rpartition("\n")[2]
    return last.isdecimal() and abs(int(last) - seconds) < _TOLERANCE


def _zone(name: str) -> tzinfo:
    """Return a time zone by its name; UTC for an unknown one, as in Android."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC

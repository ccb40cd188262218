"""Tests of applying environments to a device."""

from __future__ import annotations

import contextlib
import io
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.environment import DEFAULT_WALLPAPER, WALLPAPERS, Environment, load
from pytest_mobileagent.environment.apply import (
    COLUMNS,
    DESKTOP,
    HOTSEAT,
    ROWS,
    WALLPAPER,
    RootError,
    apply,
    get_file,
    places,
    put_file,
)
from pytest_mobileagent.environment.wallpapers import paint
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.device.device import Address


KNOWN = load([Path(__file__).parents[2] / "fixtures" / "environments"])
DATABASE = "/data/data/com.google.android.apps.nexuslauncher/databases/launcher.db"


@pytest.fixture(scope="module")
def connected(phone: Address) -> Iterator[AdbDevice]:
    with contextlib.closing(AdbDevice(phone)) as device:
        yield device
        device.system.reset("default_boot", ())


@pytest.fixture
def device(connected: AdbDevice) -> AdbDevice:
    connected.system.reset("default_boot", ())
    connected.system.refresh()
    return connected


def icons(device):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(get_file(device.system, DATABASE))
        return connection.execute(
            "SELECT intent, container, screen, cellX, cellY FROM favorites"
        ).fetchall()


def test_a_device_takes_on_all_of_it(device):
    apply(KNOWN["105"], device)
    assert (device.info.size, device.info.density) == ((1080, 2160), 550)
    assert device.info.locale == "ko-KR"
    assert device.system.shell("settings get system font_scale").strip() == "0.85"
    assert "yes" in device.system.shell("cmd uimode night")
    assert "-ko-rKR-" in device.system.shell("am get-config")
    assert get_file(device.system, WALLPAPER).startswith(b"\xff\xd8\xff")
    assert device.system.shell(f"stat -c '%U %a' {WALLPAPER}").strip() == "system 600"
    screen = device.observe().screen
    assert screen.package == "com.google.android.apps.nexuslauncher"
    assert screen.size == (1080, 2160)


def test_the_next_reset_takes_it_off_again(device):
    before = device.info
    apply(KNOWN["109"], device)
    assert device.observe().screen.size == (1280, 800)
    device.system.reset("default_boot", ())
    device.system.refresh()
    assert device.info == before
    with pytest.raises(RootError, match="cannot be read"):
        get_file(device.system, WALLPAPER)


def test_icons_are_where_the_layout_has_them(device):
    before = icons(device)
    apply(Environment("x", "Pixel 3", (1080, 2160), 440), device)
    assert icons(device) == before
    with pytest.raises(RootError):
        get_file(device.system, WALLPAPER)
    apply(KNOWN["100"], device)
    (icon,) = icons(device)
    assert icon[1:] == (-101, 0, 0, 0)
    assert "component=com.example.counter/" in icon[0]
    assert device.observe().screen.find(content_desc="Counter")
    apply(KNOWN["101"], device)
    (other,) = icons(device)
    assert other[0] == icon[0]
    assert other[1:] != icon[1:]
    device.system.shell(f"rm {DATABASE}")
    with pytest.raises(DeviceError, match=r"environment 100: .*launcher\.db cannot be read"):
        apply(KNOWN["100"], device)


def test_a_device_without_root_says_so(device, monkeypatch):
    shell = device.system.shell
    monkeypatch.setattr(device.system, "shell", lambda s: "2000\n" if s == "id -u" else shell(s))
    with pytest.raises(DeviceError, match=r"environment 100: this needs a root shell"):
        apply(KNOWN["100"], device)


def test_large_files_go_in_pieces(device):
    data = bytes(range(256)) * 800
    put_file(device.system, "/data/local/tmp/there", data, owner="shell:shell", mode="640")
    assert get_file(device.system, "/data/local/tmp/there") == data
    assert device.system.shell("ls /data/local/tmp | grep mobileagent-file").strip() == ""
    with pytest.raises(RootError, match="cannot be written"):
        put_file(device.system, "/none/there", b"x", owner="shell:shell", mode="640")


@pytest.mark.parametrize("seed", [0, 105])
@pytest.mark.parametrize("count", [0, 12, 90])
def test_every_icon_has_a_place_of_its_own_on_the_grid(count, seed):
    found = places(count, seed)
    assert len(found) == len(set(found)) == count
    for container, screen, x, y in found:
        if container == HOTSEAT:
            assert (screen, y) == (x, 0)
        else:
            assert container == DESKTOP
            assert 0 <= x < COLUMNS
            assert (1 if screen == 0 else 0) <= y < ROWS


def test_a_seed_is_a_layout():
    assert places(12, 105) == places(12, 105)
    assert places(12, 105) != places(12, 106)
    assert [place.container for place in places(6, 0)] == [HOTSEAT] * 5 + [DESKTOP]


def test_wallpapers_have_the_shape_of_the_screen_are_small_and_differ():
    names = [name for name in WALLPAPERS if name != DEFAULT_WALLPAPER]
    for size in ((1080, 2160), (1280, 800)):
        made = {name: paint(name, size) for name in names}
        assert len({*made.values()}) == len(names) == 12
        for data in made.values():
            picture = Image.open(io.BytesIO(data))
            assert picture.width / picture.height == pytest.approx(size[0] / size[1], rel=0.01)
            assert len(data) < 40_000
    assert paint.__wrapped__("07_food", size) == made["07_food"]

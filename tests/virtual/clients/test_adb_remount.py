"""`adb remount`, `disable-verity` and `jdwp`, and pulling an APK of the image."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.phones import Adb, Running


def test_only_root_makes_the_system_writable(own_phone: Running, tmp_path: Path) -> None:
    adb = own_phone.adb
    said = adb.run("remount")
    assert b'Try "adb root" first' in said.stdout + said.stderr
    file = tmp_path / "file"
    file.write_bytes(b"new")
    adb.run("root")
    adb.run("wait-for-device")
    assert adb.run("push", str(file), "/system/file").returncode
    assert "Remount succeeded" in adb.text("remount")
    adb.text("push", str(file), "/system/file")
    assert adb.text("shell", "cat /system/file") == "new"
    assert "Successfully disabled verity" in adb.text("disable-verity")


def test_debuggers_see_the_processes_of_apps(adb: Adb) -> None:
    assert adb.text("shell", "pidof com.android.systemui") in adb.text("jdwp").split()


def test_an_app_of_the_image_can_be_pulled(adb: Adb, tmp_path: Path) -> None:
    path = adb.text("shell", "pm path com.android.systemui").removeprefix("package:")
    adb.text("pull", path, str(tmp_path / "base.apk"))
    assert (tmp_path / "base.apk").read_bytes().startswith(b"PK")

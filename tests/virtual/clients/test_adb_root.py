"""`adb root` and `adb unroot`: the user of commands, and how clients survive the restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.virtual.phones import BOTH_ADBS

if TYPE_CHECKING:
    from tests.virtual.phones import Running

pytestmark = BOTH_ADBS


def test_commands_run_as_the_shell_until_adbd_is_root(own_phone: Running) -> None:
    adb = own_phone.adb
    assert adb.text("shell", "id -u") == "2000"
    assert adb.text("root") == "restarting adbd as root"
    assert adb.text_after_restart("shell", "id -u") == "0"
    assert adb.text("root") == "adbd is already running as root"
    assert adb.text("unroot") == "restarting adbd as non root"
    assert adb.text_after_restart("shell", "id -u") == "2000"
    assert adb.text("unroot") == "adbd not running as root"


def test_a_snapshot_takes_adbd_back_to_the_user_that_it_had(own_phone: Running) -> None:
    adb = own_phone.adb
    own_phone.server.adbd.become(root=True)
    adb.run("emu", "avd", "snapshot", "load", "default_boot")
    assert adb.text("shell", "id -u") == "2000"


def test_adbutils_becomes_root_too(own_phone: Running) -> None:
    device = own_phone.device
    assert device.root().strip() == "restarting adbd as root"
    own_phone.adb.run("wait-for-device")
    assert device.shell("id -u") == "0"

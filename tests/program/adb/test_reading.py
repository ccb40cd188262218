"""What programs do, as it is read where nothing else is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent import Key, Tap, Type

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent.device.device import Address
    from tests.program.adb.conftest import Recording


def test_what_a_program_does_is_read_as_android_does_it(
    start: Callable[..., Recording], phone: Address, tmp_path: Path
) -> None:
    recording = start(phone, tmp_path, reading=None)
    try:
        recording.out("shell", "input tap 3 4 && input text 'a%sb'")
        recording.out("exec-out", "screencap -p | wc -c")
        recording.out("shell", input=b"input keyevent KEYCODE_HOME\necho x")
        assert recording.adb("reboot").returncode == 1
        assert b"restart" in recording.adb("shell", "reboot").stderr
        assert recording.out("get-state") == "device\n"
        acts, looks, _, key, said, rebooted, rebooted_again = recording.watching.asked
    finally:
        recording.call(recording.recorded.close())
    assert acts.command.acts == (Tap(3, 4), Type("a b"))
    assert looks.command.looks
    assert key.command.acts == (Key("home"),)
    assert said.command.acts == ()
    for each in (rebooted, rebooted_again):
        assert each.command.destructive
        assert each.command.refused
        assert not each.ended.is_set()

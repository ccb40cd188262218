"""Tests of contracts: each notices when a command that it relies on is broken."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.certify import CONTRACTS, about
from pytest_mobileagent.device.certify.bench import PACKAGE, Bench
from pytest_mobileagent.device.doctor.checks import examine
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.device.drivers.adb.shell import Shell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.device.device import Address

REST = r"[^;&|\n)>']*"  # of a command, to its end

# A command, what is run in its place, and a contract that must not hold then.
BROKEN = [
    ("input tap", "true", "tap"),
    (r"input tap (\d+) (\d+); input tap \d+ \d+", r"input tap \1 \2", "double tap"),
    (r"input tap (\d+) (\d+)", r"input tap 10\1 \2", "tap"),
    (r"(input swipe (\d+) (\d+) \2 \3) \d+", r"\1 50", "long press"),
    (r"input tap (\d+) (\d+)", r"input tap $((\1 + 9)) \2", "tap"),
    (r"input tap (\d+) (\d+)", r"input tap \1 $((\2 - 9))", "tap"),
    ("input swipe", "true", "swipe"),
    ("input swipe", "true", "drag"),
    ("input swipe", "true", "notification shade"),
    (r"input swipe (\d+) (\d+) (\d+) (\d+)", r"input swipe \1 \2 \1 \4", "scroll left, right"),
    (r"input swipe (\d+) (\d+) (\d+) (\d+)", r"input swipe \3 \4 \1 \2", "scroll up, down"),
    (r"input swipe (\d+) (\d+) (\d+) (\d+)", r"input swipe \3 \4 \1 \2", "scroll left, right"),
    ("input keyevent 3", "true", "key home"),
    ("input keyevent 4", "true", "key back"),
    ("input keyevent 187", "true", "key overview"),
    ("input keyevent 66", "true", "key enter"),
    ("input keyevent 66", "input keyevent 62", "type a new line"),
    ("input keyevent 61", "true", "keys delete, tab"),
    ("input keyevent 24", "true", "keys volume"),
    ("input keyevent SLEEP", "true", "lock and wake"),
    ("wm dismiss-keyguard", "true", "lock and wake"),
    ("input keycombination", "true", "type, clear"),
    ("input text", "true", "type ASCII"),
    (r"input text 'Wi-", "input text 'Wi", "type ASCII"),
    ("am broadcast", "true", "type Greek"),
    ("ime list", "echo", "type Hebrew"),
    (r"ime set com\.google", "true", "keyboard afterwards"),
    ("dumpsys input_method", "true", "keyboard afterwards"),
    ("am start", "true", "focus"),
    (r"am start -a", "settings put system accelerometer_rotation 1; am start -a", "open"),
    ("screencap", "true", "secure page"),
    ("uiautomator dump", "true", "picture and hierarchy"),
    (r"date \+", "date -d @1 +", "clock"),
    ("dumpsys window displays", "true", "focus"),
    ("dumpsys window displays", "true", "key home"),
    ("settings put", "true", "probe setting"),
    ("settings get", "true", "probe setting"),
    ("settings delete", "true", "probe setting"),
    ("content query", "true", "probe provider"),
    ("settings put", "true", "turned left"),
    ("setprop", "true", "probe prop"),
    ("getprop", "true", "probe prop"),
    ("base64", "true", "probes sqlite, preferences"),
    ("base64", "echo Zm9v", "probes sqlite, preferences"),
    ("find", "true", "probes file, files"),
    (r"pm list packages -[3s]", "pm list packages", "probe packages"),
    (r"media volume --stream 3 --get", "echo volume is 3 in range [0..15]", "keys volume"),
    ("dumpsys activity", "true", "focus"),
    ("logcat", "true", "probe log"),
    ("log -p", "true", "probe log"),
    ("dumpsys dropbox", "true", "crash"),
    ("pm revoke", "true", "permission dialog"),
    ("dumpsys package", "true", "permission dialog"),
    ("df", "true", "storage"),
    ("dumpsys power", "true", "lock and wake"),
    (r"\bid -u", "echo 2000", "root"),
    ("printf", "true", "commands"),
    ("pm uninstall", "echo Success", "uninstall"),
    ("cmd package", "true", "install"),
    ("cmd package", "echo No activity found", "install"),
    ("pm install", "echo Success", "install"),
]


@pytest.fixture(scope="module")
def device(whole_phone: Address) -> Iterator[AdbDevice]:
    with contextlib.closing(AdbDevice(whole_phone)) as device:
        yield device


@pytest.fixture
def bench(device: AdbDevice) -> Iterator[Bench]:
    bench = Bench(device, has_app=True)
    if PACKAGE not in device.system.shell("pm list packages"):
        CONTRACTS["install"](bench)
    yield bench
    bench.restore()
    device.system.shell("input keyevent WAKEUP; wm dismiss-keyguard; input keyevent HOME")


@pytest.fixture
def breaks(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Return a function that replaces a command in all scripts that are sent to a device."""
    run_all = Shell.run_all

    def replace(command: str, other: str) -> None:
        plain = re.fullmatch(r"[\w ]+", command)
        whole = rf"{command}(?![\w-]){REST if plain and ' +' not in other else ''}"
        pattern = re.compile(rf"(?<![\w./-]){whole if plain else command}")

        def broken(self, scripts, timeout=60.0):
            return run_all(self, [pattern.sub(other, each) for each in scripts], timeout)

        monkeypatch.setattr(Shell, "run_all", broken)

    return replace


def rows() -> Iterator[object]:
    """Yield the rows of BROKEN; beyond the first of a contract, they are slow tests."""
    seen = set[str]()
    for row in BROKEN:
        yield pytest.param(*row, marks=[pytest.mark.slow] if row[-1] in seen else [])
        seen.add(row[-1])


@pytest.mark.parametrize(("command", "other", "contract"), list(rows()))
def test_broken_command_is_noticed(bench, breaks, command, other, contract):
    breaks(command, other)
    finding = examine(contract, CONTRACTS[contract], bench)
    assert finding.level == "problem", finding


def test_page_whose_picture_is_refused_is_told_in_the_phones_words(bench, breaks):
    breaks(r"screencap -p /data[^;]*2>&1", "echo Status: -1; false")
    finding = examine("secure page", CONTRACTS["secure page"], bench)
    said = 'screencap prints "Status: -1" and no picture: agents see black there'
    assert (finding.level, finding.seen) == ("problem", said)


def test_every_contract_says_what_is_done_and_must_hold():
    for name, contract in CONTRACTS.items():
        assert re.fullmatch(r".{20,100}\.", about(contract)), name

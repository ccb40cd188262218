"""Tests of certificates: a sound phone gets one, is as it was before, and faults are told."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.__main__ import main
from pytest_mobileagent.device.certify import CONTRACTS, certify
from pytest_mobileagent.device.certify.bench import PACKAGE, Bench
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.device.drivers.adb.system import AdbSystem
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.device.device import Address

STATE = """
for space in system secure global; do settings list $space; done
pm list packages; ls /sdcard /data/local/tmp; ime list -s; getprop debug.mobileagent
wm size; dumpsys power | grep mWakefulness=; dumpsys window displays | grep mCurrentFocus
"""


@pytest.fixture
def device(whole_phone: Address) -> Iterator[AdbDevice]:
    with contextlib.closing(AdbDevice(whole_phone)) as device:
        device.system.reset("default_boot", ())  # whatever other tests have left on the phone
    with contextlib.closing(AdbDevice(whole_phone)) as device:
        device.system.shell("input keyevent HOME")
        yield device


def state(device: AdbDevice) -> list[str]:
    lines = [*device.system.snapshots(), *device.system.shell(STATE).splitlines()]
    return [line for line in lines if line and "appium" not in line]  # whose helpers stay


LACKING = {
    "adb": {"split screen"},
    "appium": {"split screen", "hierarchy alone"},
    "hub": {"split screen", "hierarchy alone", "events"},  # a session, and nothing else
}


@pytest.mark.slow
@pytest.mark.parametrize("driver", LACKING)
def test_virtual_phone_keeps_its_contracts_and_is_as_before(  # noqa: PLR0917 - fixtures
    device, driver, whole_phone, monkeypatch, tmp_path, capsys, request
):
    monkeypatch.setenv("HOME", whole_phone.home)
    before = state(device)
    where = f"{whole_phone.adb_host}:{whole_phone.adb_port}/{whole_phone.serial}"
    words = [f"--device={where}", f"--driver={driver}"]
    if driver == "appium":
        words += [f"--appium-home={request.getfixturevalue('appium_home')}"]
    if driver == "hub":
        udid = {"appium:udid": whole_phone.serial, "appium:adbPort": whole_phone.adb_port}
        (tmp_path / "hub.json").write_text(json.dumps(udid))
        words = [f"--device=appium:{request.getfixturevalue('appium_url')}"]
        words += [f"--capabilities={tmp_path / 'hub.json'}"]
    status = main(["doctor", "--certify", *words, "-o", str(tmp_path / "out")])
    shown = capsys.readouterr().out
    assert status == 0, shown
    written = json.loads((tmp_path / "out" / "certificate.json").read_text())
    outcomes = {each["name"]: each["outcome"] for each in written["results"]}
    assert {name for name, each in outcomes.items() if each != "holds"} == LACKING[driver]
    count = len(CONTRACTS)
    assert shown.startswith(f"{count} contracts: {count - len(LACKING[driver])} hold, none do not")
    assert state(device) == before


def with_contracts(monkeypatch, **contracts):
    monkeypatch.setattr("pytest_mobileagent.device.certify.CONTRACTS", contracts)


def doubtful(bench: Bench) -> str:
    """Do something: something must hold."""
    raise DeviceError("screencap prints <script>alert(1)</script>\x1b[1m")


def test_page_and_lines_show_what_the_phone_printed_and_run_none_of_it(
    device, monkeypatch, tmp_path
):
    def printing(bench):
        bench.shell("echo '<b>loud</b>'")
        return doubtful(bench)

    with_contracts(monkeypatch, printed=printing, fine=lambda bench: "all is well")
    done = certify(device)
    assert done.summary == "2 contracts: 1 hold, 1 does not"
    _, page = done.write(tmp_path)
    text = page.read_text()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "&lt;b&gt;loud" in text
    assert "all is well" in text
    assert "\x1b" not in text
    assert [*done.failures()] == ["failed  printed: " + done.results[0].seen]


def test_interrupted_certificate_leaves_the_phone_as_it_was(device, monkeypatch):
    def interrupted(bench):
        bench.put("system", "accelerometer_rotation", 1)
        bench.shell("settings put secure default_input_method none/.None")
        raise KeyboardInterrupt

    with_contracts(monkeypatch, install=CONTRACTS["install"], interrupted=interrupted)
    before = state(device)
    with pytest.raises(KeyboardInterrupt):
        certify(device)
    assert state(device) == before
    assert PACKAGE not in device.system.shell("pm list packages")


def test_contracts_after_the_phone_fell_silent_are_not_tried(device, monkeypatch):
    monkeypatch.setattr("pytest_mobileagent.device.certify._BACK_SECONDS", 0.1)

    def silent(*_):
        raise DeviceError("no answer")

    def lost(_):
        monkeypatch.setattr(AdbSystem, "shell", silent)
        silent()

    with_contracts(monkeypatch, one=lambda _: "fine", two=lost, three=lost, four=lost)
    done = certify(device)
    assert [each.outcome for each in done.results] == ["holds", "fails", "cannot be", "cannot be"]
    assert "no longer answers" in done.summary


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--certify", "--look-only"], "leave out"),
        (["-o", "x"], "add --certify"),
        (["--certify", "-o", "/dev/null/x"], "-o /dev/null/x: Not a directory"),
        (["--certify", "--device=graph:{graph}"], "recorded pages"),
        (["--install-listener", "--device=graph:{graph}"], "recorded pages"),
        (["--install-listener", "--certify"], "leave out"),
    ],
)
def test_impossible_certificates_are_refused_at_once(words, why, capsys):
    graph = Path(__file__).parents[3] / "fixtures" / "graphs" / "coursera"
    words = [word.format(graph=graph) for word in words]
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--device=virtual", *words])
    assert ended.value.code == 2
    assert why in capsys.readouterr().err.splitlines()[-1]

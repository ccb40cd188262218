"""Tests of how the system of a phone becomes ready: root, and the versions that are supported."""

from __future__ import annotations

import contextlib
import time

import pytest

from pytest_mobileagent.__main__ import main
from pytest_mobileagent.device.drivers.adb import system
from pytest_mobileagent.device.drivers.adb.system import AdbSystem
from tests.device.drivers.adb.stub_phone import stub_phone

RESTARTS = b"OKAYrestarting adbd as root\n"


@pytest.mark.parametrize(
    "answer",
    [b"OKAYadbd cannot run as root in production builds\n", b"OKAY", b"FAIL0006closed", b""],
)
def test_a_phone_that_refuses_root_is_used_without_it_at_once(answer, tmp_path):
    with stub_phone(tmp_path, {}) as (phone, address):
        phone.root = lambda: answer
        started = time.monotonic()
        with contextlib.closing(AdbSystem(address)) as one:
            assert one.info.sdk == 34
        assert phone.asked.count("root:") == 1
        assert time.monotonic() - started < 10


@pytest.mark.parametrize("adbd", [40, 41])
def test_a_restart_that_changes_nothing_means_no_root(adbd, tmp_path, monkeypatch):
    if adbd == 40:  # the same process: adbd has not restarted
        monkeypatch.setattr(system, "_ROOT_SECONDS", 0.1)
    with stub_phone(tmp_path, {}) as (phone, address):

        def restart() -> bytes:
            phone.adbd = adbd
            return RESTARTS

        phone.root = restart
        started = time.monotonic()
        with contextlib.closing(AdbSystem(address)) as one:
            assert one.run("id -u")[0].text == "2000\n"
        assert phone.asked.count("root:") == 1
        assert time.monotonic() - started < 10


def test_a_phone_that_restarts_as_root_is_waited_for(tmp_path):
    with stub_phone(tmp_path, {}) as (phone, address):
        polls = tmp_path / "polls"
        phone.replace("id", f"echo >>{polls}; [ $(wc -l <{polls}) -gt 4 ] && echo 0 || echo 2000")
        phone.root = lambda: RESTARTS
        with contextlib.closing(AdbSystem(address)) as one:
            assert one.run("id -u")[0].text == "0\n"
        assert phone.asked.count("root:") == 1


def test_an_android_that_is_too_old_is_refused_in_one_line(tmp_path, capsys):
    old = 'case "$1" in *.sdk) echo 25;; *.release) echo 7.1;; sys.boot_completed) echo 1;; esac'
    with stub_phone(tmp_path, {"getprop": old}) as (_, address):
        device = f"{address.adb_host}:{address.adb_port}/{address.serial}"
        assert main(["doctor", "--device", device]) == 1
    assert capsys.readouterr().err == (
        f"PROBLEM  serial:{device}: device R5CT runs Android 7.1 (API level 25): Android 8 (API "
        "level 26) or later is needed\n"
    )

"""Which commands are refused."""

from __future__ import annotations

import pytest

from pytest_mobileagent.program.commands.sockets import read_service


@pytest.mark.parametrize(
    "script",
    [
        "rm /sdcard/x.png",
        "settings put system x 1",
        "setprop debug.x 1",
        "stop logd",
        "kill 1234",
        "pkill screenrecord",
        "svc power stayon true",
        "pm install /data/local/tmp/x.apk",
        "pm uninstall com.x",
        "cmd package uninstall -k --user 0 com.x",
        "settings put global adb_enabled 1",
        "wm size 720x1280",
    ],
)
def test_other_commands_are_passed_on(script):
    assert read_service(f"shell:{script}").refused == ""


@pytest.mark.parametrize(
    "service",
    [
        "reboot:",
        "root:",
        "unroot:",
        "remount:",
        "tcpip:5555",
        "usb:",
        "shell:reboot",
        "shell:svc power shutdown",
        "shell:su 0 setprop sys.powerctl reboot",
        "shell:setprop ctl.restart adbd",
        "shell:stop",
        "shell:stop adbd",
        "shell:killall adbd",
        "shell:pkill -9 system_server",
        "shell:kill -9 $(pidof zygote64)",
        "shell:kill `pgrep adbd`",
        "shell:am broadcast -a android.intent.action.MASTER_CLEAR",
        "shell:am start -a android.intent.action.ACTION_REQUEST_SHUTDOWN",
        "shell:am restart",
        "shell:settings put global adb_enabled 0",
        "shell:pm uninstall org.mobileagent.listener",
        "shell:pm disable org.mobileagent.listener/.ListenerService",
        "shell:am force-stop org.mobileagent.listener",
        "shell:if true; then reboot; fi",
        "shell:sh -c 'sleep 1; reboot' &",
        "shell:cat <<EOF | sh\nreboot\nEOF",
        "shell:app_process / com.android.commands.svc.Svc power reboot",
        "shell:input keyevent 26",
        "shell:input keyevent --longpress 26",
        "shell:input tap 1 2; input keyevent SLEEP",
    ],
)
def test_commands_that_would_take_the_phone_away_are_refused(service):
    refused = read_service(service).refused
    assert refused
    assert "\n" not in refused

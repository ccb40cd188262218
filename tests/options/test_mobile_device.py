"""--mobile-device: the virtual phone, or devices that are attached."""

import pytest

from pytest_mobileagent.device.fleet.lease import lease
from pytest_mobileagent.device.sources.attached import AttachedProvision
from pytest_mobileagent.device.sources.spec import Place
from pytest_mobileagent.errors import InfrastructureError


def test_an_attached_device_that_is_not_there_is_an_error_and_no_failure(project):
    result = project.run_virtual(
        "tasks", "--agent=noop", "-k", "code", "--mobile-device=serial:nowhere"
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*infrastructure: device nowhere at * cannot be reached*"])


def test_without_an_adb_server_none_is_started(project, monkeypatch, unused_port):
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(unused_port))
    result = project.run_virtual("tasks", "--agent=noop", "-k", "code", "--mobile-device=serial:x")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*no adb server at 127.0.0.1:{unused_port}*"])


def test_a_run_has_virtual_phones_of_its_own(project):
    project.run_virtual("tasks", "--agent=oracle", "-k", "code").assert_outcomes(passed=1)


def test_more_workers_than_devices_are_a_usage_error(project):
    result = project.run_virtual("tasks", "--agent=noop", "-n2", "--mobile-device=serial:a")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*-n 2 needs as many devices, but --mobile-device names 1*"])


def test_a_device_that_another_run_uses_is_waited_for(project):
    provision = AttachedProvision([Place(project.phone.serial)])
    held = lease(provision)
    with pytest.raises(InfrastructureError, match="all 1 devices are in use"):
        lease(provision, seconds=0.1)
    held.release()
    lease(provision, seconds=0.1).release()


def test_a_port_of_adb_that_is_none_is_a_usage_error(project, monkeypatch):
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "tcp:5037")
    result = project.run_virtual("tasks", "--agent=noop", "--mobile-device=serial:x")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*environment variable ANDROID_ADB_SERVER_PORT=tcp:5037 has to*"])


def test_a_user_without_a_name_can_lease_devices(monkeypatch):
    def nameless(_):
        raise KeyError

    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", nameless)  # as in a container that runs as --user 1234
    monkeypatch.setenv("HOME", "/")
    assert len(AttachedProvision([Place("a"), Place("b")]).slots) == 2

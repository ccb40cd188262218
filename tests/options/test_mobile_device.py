"""--mobile-device: virtual phones and attached devices."""

import pytest

from pytest_mobileagent.device.fleet.leases import lease
from pytest_mobileagent.device.sources.attached import AttachedDevice, AttachedSlots
from pytest_mobileagent.errors import InfrastructureError


def test_a_missing_attached_device_is_a_usage_error(project):
    result = project.pytester.runpytest_inprocess(
        "tasks", "--agent=noop", "-k", "code", "--mobile-device=serial:nowhere"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    where = f"127.0.0.1:{project.phone.adb_port}"
    wrong = f"the adb server at {where} does not list it (it lists: {project.phone.serial})"
    result.stderr.fnmatch_lines([f"ERROR: --mobile-device=serial:nowhere: {wrong}"])


def test_without_an_adb_server_none_is_started(project, monkeypatch, unused_port):
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(unused_port))
    result = project.pytester.runpytest_inprocess(
        "tasks", "--agent=noop", "-k", "code", "--mobile-device=serial:x"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    missing = f"no adb server at 127.0.0.1:{unused_port}: *; start it with `adb start-server`*"
    result.stderr.fnmatch_lines([f"ERROR: --mobile-device=serial:x: {missing}"])


def test_a_run_has_virtual_phones_of_its_own(project):
    project.run_virtual("tasks", "--agent=oracle", "-k", "code").assert_outcomes(passed=1)


def test_a_device_that_another_run_uses_is_waited_for(project):
    slots = AttachedSlots([AttachedDevice(project.phone.serial).address()])
    held = lease(slots)
    with pytest.raises(InfrastructureError, match="all 1 devices are in use"):
        lease(slots, seconds=0.1)
    held.release()
    lease(slots, seconds=0.1).release()


@pytest.mark.parametrize(
    ("workers", "port", "said"),
    [
        ("2", "5037", "ERROR: -n 2 needs 2 devices, --mobile-device=serial:… names 1"),
        ("0", "tcp:5037", "*the environment variable ANDROID_ADB_SERVER_PORT=tcp:5037 must be*"),
    ],
)
def test_too_many_workers_and_an_invalid_port_are_usage_errors(
    project, monkeypatch, workers, port, said
):
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", port)
    result = project.pytester.runpytest_inprocess(
        "tasks", "--agent=noop", "--mobile-device=serial:x", "-n", workers
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


def test_a_user_without_a_name_can_lease_devices(monkeypatch):
    def nameless(_):
        raise KeyError

    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", nameless)  # as in a container started with --user 1234
    monkeypatch.setenv("HOME", "/")
    assert (
        len(AttachedSlots([AttachedDevice("a").address(), AttachedDevice("b").address()]).locks)
        == 2
    )


@pytest.mark.parametrize(("given", "lists"), [("pixel", True), ("serial:pixel", False)])
def test_a_word_that_may_not_be_a_serial_is_answered_with_the_forms(project, given, lists):
    result = project.pytester.runpytest_inprocess(
        "tasks", "--agent=noop", f"--mobile-device={given}"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line, *more) = filter(None, result.stderr.lines)
    assert "pixel" in line
    assert [each.startswith("If this is not a serial, it can be `virtual`, ") for each in more] == (
        [True] if lists else []
    )

"""--mobile-driver, mobile_appium_home, mobile_capabilities: devices driven through Appium."""

from __future__ import annotations

import json

import pytest


def report(project):
    (path,) = (project.pytester.path / "runs").glob("*/report.json")
    return path.read_text("utf-8")


@pytest.mark.slow
def test_a_run_starts_an_appium_server_of_its_own(project, appium_home):
    result = project.run_virtual(
        *("tasks", "--agent=oracle", "-k", "code", "--mobile-driver=appium"),
        f"-omobile_appium_home={appium_home}",
    )
    result.assert_outcomes(passed=1)


@pytest.mark.slow
def test_the_devices_of_a_server_that_is_there_are_used(project, appium_url):
    where = {"appium:udid": project.phone.serial, "appium:adbPort": project.phone.adb_port}
    capabilities = project.pytester.path / "capabilities.json"
    capabilities.write_text(json.dumps(where))
    url = appium_url.replace("://", "://user:secret-key@")
    result = project.run_virtual(
        *("tasks", "--agent=oracle", "-k", "code", f"--mobile-device=appium:{url}"),
        *(f"-omobile_capabilities={capabilities}", "-v"),
    )
    result.assert_outcomes(passed=1)
    assert "secret-key" not in result.stdout.str() + result.stderr.str() + report(project)


def test_without_appium_the_error_says_how_to_get_it(project, tmp_path):
    arguments = ["tasks", "--agent=noop", "-k", "code", "--mobile-driver=appium"]
    result = project.pytester.runpytest_inprocess(*arguments, f"-omobile_appium_home={tmp_path}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR  # instead of one failed task after another
    result.stderr.fnmatch_lines([f"*there is no Appium in {tmp_path}: install it with `npm *"])


def test_a_missing_server_is_an_error_not_a_failure(project, unused_port):
    url = f"http://user:secret-key@127.0.0.1:{unused_port}/wd/hub?token=secret-key"
    result = project.pytester.runpytest_inprocess(
        "tasks", "--agent=noop", "-k", "code", f"--mobile-device=appium:{url}"
    )
    result.assert_outcomes(errors=1)
    shown = result.stdout.str() + result.stderr.str()
    assert f"Appium at http://127.0.0.1:{unused_port}/wd/hub?token=… does not answer" in shown
    assert "secret-key" not in shown + report(project)
    (about,) = (project.pytester.path / "runs").glob("*/run.json")
    assert "secret-key" not in about.read_text("utf-8")


def test_adb_cannot_drive_the_devices_of_a_server(project):
    result = project.pytester.runpytest_inprocess(
        *("tasks", "--agent=noop", "--mobile-device=appium:http://hub:4444", "--mobile-driver=adb")
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    both = "--mobile-driver=adb with --mobile-device=appium:http://hub:4444"
    result.stderr.fnmatch_lines([f"ERROR: {both}: cannot drive these devices: omit the option*"])


@pytest.mark.parametrize("content", ["", "[1]", "{", None])
def test_capabilities_must_be_a_json_object(project, tmp_path, content):
    file = tmp_path / "capabilities.json"
    if content is not None:
        file.write_text(content)
    result = project.pytester.runpytest_inprocess(
        "tasks", "--agent=noop", f"-omobile_capabilities={file}"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*mobile_capabilities=*JSON*"])


def test_capabilities_of_the_ini_file_are_found_from_any_folder(project):
    (project.pytester.path / "tox.ini").write_text("[pytest]\nmobile_capabilities = hub.json")
    (project.pytester.path / "hub.json").write_text("{}")
    folder = project.pytester.mkdir("elsewhere")
    arguments = ("../tasks", "--agent=noop", "--collect-only", "-p", "no:cacheprovider")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert project.pytester.runpytest_inprocess(*arguments).ret == 0
    (project.pytester.path / "hub.json").unlink()
    result = project.pytester.runpytest_inprocess(*arguments[1:])
    result.stderr.fnmatch_lines(["*mobile_capabilities=hub.json (ini key*cannot be read*"])

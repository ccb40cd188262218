"""Where the values of options come from, and the errors for invalid values."""

import pytest

from pytest_mobileagent.plugin.options import GROUPS, INI_ONLY

WRONG = [
    (
        "--mobile-epochs=0",
        "*--mobile-epochs=0 (from --mobile-epochs) must be a whole number from 1*",
    ),
    ("-omobile_step_factor=nan", "*mobile_step_factor=nan*must be a number above 0*"),
    ("--mobile-device=phones:x", "*--mobile-device=phones:x names no kind of device*`avd:NAME`*"),
    ("--mobile-device=serial:", "*--mobile-device=serial: names no device: write `serial:*"),
    ("--mobile-runs=", "*--mobile-runs (from --mobile-runs) is empty*"),
    (
        "--mobile-runs=~no.such.user/runs",
        "*--mobile-runs=~no.such.user/runs (--mobile-runs) names the home folder of a user that*",
    ),
]


@pytest.mark.parametrize(("argument", "message"), WRONG)
def test_a_wrong_value_is_a_usage_error(pytester, argument, message):
    result = pytester.runpytest_inprocess(
        argument, "--agent=pytest_mobileagent.agent.agent:Scripted"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def header_of(project, *arguments):
    return project.run("tasks", "--collect-only", *arguments).stdout.str()


def test_the_command_line_wins_over_the_environment_and_that_over_the_ini_file(
    project, monkeypatch
):
    project.pytester.makeini("[pytest]\nmobile_seed = 1\nmobile_agent = noop")
    assert "--agent=noop (ini key mobile_agent)" in header_of(project)
    assert "--mobile-seed=1 (ini key mobile_seed)" in header_of(project)
    monkeypatch.setenv("MOBILE_SEED", "2")
    assert "--mobile-seed=2 (environment variable MOBILE_SEED)" in header_of(project)
    assert "--mobile-seed=3 (--mobile-seed)" in header_of(project, "--mobile-seed=3")
    assert "--mobile-seed=4 (-o mobile_seed)" in header_of(project, "-o", "mobile_seed=4")
    assert "mobile_log=all (-o mobile_log)" in header_of(project, "-omobile_log=all")
    assert "--mobile-epochs" not in header_of(project), "only what is no default is shown"


def test_a_wrong_value_names_its_source(pytester, monkeypatch):
    monkeypatch.setenv("MOBILE_EPOCHS", "none")
    result = pytester.runpytest_inprocess()
    result.stderr.fnmatch_lines(["*(from environment variable MOBILE_EPOCHS)*"])


def test_help_lists_every_option_on_two_screens_whatever_is_set(pytester, monkeypatch):
    monkeypatch.setenv("MOBILE_EPOCHS", "none")
    monkeypatch.setenv("MOBILE_AGENT", "nobody")
    monkeypatch.setenv("COLUMNS", "100")
    result = pytester.runpytest_inprocess("--help")
    assert result.ret == 0
    for title, options in GROUPS.items():
        flags = [f"*{option.flag}*" for option in options]
        result.stdout.fnmatch_lines([f"mobile agents: {title}:", *flags])
    for option in INI_ONLY:
        result.stdout.fnmatch_lines([f"*{option.name} (string):*"])
        result.stdout.no_fnmatch_line(f"*{option.flag}*")
    lines = result.stdout.lines
    first = next(i for i, line in enumerate(lines) if line.startswith("mobile agents:"))
    last = next(i for i, line in enumerate(lines) if "--mobile-redact" in line)
    assert last - first < 2 * 50


@pytest.mark.parametrize("option", INI_ONLY[::6], ids=lambda option: option.name)
def test_the_flag_of_an_ini_key_is_a_usage_error_that_names_the_key(pytester, option):
    result = pytester.runpytest_inprocess(f"{option.flag}={option.default or 'x'}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{option.flag} is an ini key: write -o {option.name}=*"])

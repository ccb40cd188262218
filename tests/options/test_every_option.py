"""All options: each has a test file, and can be set in the environment and in the ini file."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plugin.options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.project import Project

HERE = Path(__file__).parent
# Options that can be given together, with values that differ from their defaults.
VALUES = {
    "--mobile-agent-option": "pace=slow",
    "--mobile-agent-process": "off",
    "--mobile-model": "openai:gpt-4o",
    "--mobile-prices": "prices.toml",
    "--mobile-unpriced": "allow",
    "--mobile-max-cost": "0.4,task=0.1",
    "--mobile-max-tokens": "100000,task=5000",
    "--mobile-cache": "off",
    "--llm-judge": "cross",
    "--mobile-judges": "openai:gpt-4o,anthropic:claude-sonnet-4-5",
    "--mobile-judge-all": "true",
    "--mobile-judge-runs": "3",
    "--mobile-official": "decides",
    "--mobile-ocr": "easyocr",
    "--mobile-engine": "ray:auto,pool=lab",
    "--mobile-device": "serial:emulator-5554",
    "--mobile-device-has": "web,account:My Shop",
    "--mobile-driver": "appium",
    "--mobile-appium-home": "appium",
    "--mobile-capabilities": "hub.json",
    "--mobile-max-steps": "9",
    "--mobile-step-factor": "3.5",
    "--mobile-time-limit": "60",
    "--mobile-screenshots": "needed",
    "--mobile-settle": "0.5",
    "--mobile-log": "all",
    "--mobile-noise": "0.2,popup",
    "--mobile-sees": "screenshot",
    "--mobile-side-effects": "report",
    "--mobile-device-time": "now",
    "--mobile-pace": "3",
    "--mobile-user": "told",
    "--mobile-seed": "7",
    "--mobile-epochs": "2",
    "--mobile-env": "all",
    "--mobile-retries": "3",
    "--mobile-suspects": "fail",
    "--mobile-max-infra": "5",
    "--mobile-recycle": "7",
    "--mobile-gpu": "host",
    "--mobile-emulator-flags": "-accel off",
    "--mobile-boot-limit": "600",
    "--mobile-exit": "run",
    "--mobile-runs": "elsewhere",
    "--mobile-label": "pr-118",
    "--mobile-shard": "1/2",
    "--mobile-sample": "3",
    "--mobile-baseline": "base",
    "--mobile-gate": "success_rate >= 0.5",
    "--mobile-watch": "true",
    "--mobile-redact": "redact.toml",
    "--mobile-pack-screens": "false",
    "--mobile-copy-pages": "true",
}

# A run takes results from at most one earlier run, and a single path fixes the phone's state, so
# each of these options is given alone.
GIVEN_AT_ONCE = [
    VALUES,
    {"--mobile-path": "single"},
    {"--mobile-resume": "runs"},
    {"--mobile-reuse": "runs"},
    {"--mobile-rescore": "runs"},
    {"--mobile-replies": "runs"},
]
# The files that the values refer to.
FILES = {
    "hub.json": "{}",
    "prices.toml": "",
    "redact.toml": "",
    "environments/mine.toml": """
[[environment]]
id = "korean"
device = "Pixel 3"
size = [1080, 2160]
density = 440
locale = "ko-KR"
""",
}
HOOK = """
def pytest_mobileagent_environments(config):
    return config.rootpath / "environments"
"""


@pytest.fixture
def header(project: Project) -> Callable[[], str]:
    """Returns the header of a run in a project that has every file that VALUES refers to."""
    folder = project.pytester.path
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    with (folder / "conftest.py").open("a") as conftest:
        conftest.write(HOOK)

    def read() -> str:
        result = project.pytester.runpytest_inprocess("tasks", "--collect-only")
        assert result.ret == 0, result.stderr.str()
        return result.stdout.str()

    return read


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.flag)
def test_an_option_has_its_tests(option):
    name = option.flag.removeprefix("--").replace("-", "_")
    assert (HERE / f"test_{name}.py").is_file()


NUMBERS = {
    "a number above 0": (
        ("time_limit", "pace", "boot_limit", "step_factor"),
        ("0", "-1", "nan", "inf", "10 minutes"),
    ),
    "a whole number from 0": (("retries", "seed"), ("-1", "1.5", "always", "²")),
    "a whole number from 1": (
        ("max_steps", "sample", "recycle", "max_infra", "judge_runs"),
        ("0", "-1", "1.5", "some"),
    ),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_another_kind_are_refused(kind: str) -> None:
    names, texts = NUMBERS[kind]
    by_name = {option.name.removeprefix("mobile_"): option for option in OPTIONS}
    for name, text in product(names, texts):
        with pytest.raises(ValueError, match=f"^must be {kind}$"):
            by_name[name].parse(text)


WORDS = {
    "agent_process": "on, off",
    "cache": "judges, all, replay, recorded, off",
    "driver": "adb, appium",
    "exit": "tasks, run",
    "gpu": "software, host",
    "llm_judge": "off, single, cross",
    "log": "off, warnings, all",
    "ocr": "rapidocr, easyocr",
    "official": "beside, decides, off",
    "path": "single, multi",
    "screenshots": "all, needed",
    "sees": "screenshot, hierarchy, both",
    "side_effects": "off, report, fail",
    "suspects": "error, fail",
    "unpriced": "stop, allow",
    "user": "asked, told, silent",
}


@pytest.mark.parametrize("name", WORDS)
def test_another_word_is_refused_with_those_that_there_are(name: str) -> None:
    (option,) = (each for each in OPTIONS if each.name == f"mobile_{name}")
    words = WORDS[name].split(", ")
    assert [option.parse(word) for word in words] == words
    for text in ("maybe", words[0].upper(), ", ".join(words)):
        with pytest.raises(ValueError, match=rf"^must be one of {WORDS[name]}$"):
            option.parse(text)


@pytest.mark.parametrize("name", ["copy_pages", "judge_all", "pack_screens", "watch"])
def test_a_flag_is_true_or_false(name: str) -> None:
    (option,) = (each for each in OPTIONS if each.name == f"mobile_{name}")
    assert (option.parse("true"), option.parse("False")) == (True, False)
    with pytest.raises(ValueError, match=r"^must be true or false$"):
        option.parse("perhaps")


def test_every_option_is_given_once():
    given = [flag for values in GIVEN_AT_ONCE for flag in values]
    assert sorted(["--agent", *given]) == sorted(option.flag for option in OPTIONS)


@pytest.mark.parametrize("values", GIVEN_AT_ONCE, ids=lambda values: next(iter(values)))
def test_options_may_come_from_the_environment_or_the_ini_file(
    project, header, monkeypatch, values: Mapping[str, str]
):
    if "runs" in values.values():  # the earlier run
        project.run("tasks", "--agent=noop", "-k", "code")
    given = {"--agent": "noop", **values}
    chosen = [option for option in OPTIONS if option.flag in given]
    with monkeypatch.context() as environment:
        for option in chosen:
            environment.setenv(option.variable, given[option.flag])
        shown = header()
    for option in chosen:
        source = f"environment variable {option.variable}"
        assert f"{option.shown}={given[option.flag]} ({source})" in shown
    lines = [f"{option.name} = {given[option.flag]}" for option in chosen]
    project.pytester.makeini("\n".join(["[pytest]", "addopts = -p no:cacheprovider", *lines]))
    shown = header()
    for option in chosen:
        assert f"{option.shown}={given[option.flag]} (ini key {option.name})" in shown

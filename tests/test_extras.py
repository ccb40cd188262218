"""Tests of the optional extras: a missing package's error names the command that installs it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.extras import MODULES, check_extra
from pytest_mobileagent.screen import ocr
from tests.plugin.projects import PHONE

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
IN_ALL = [
    extra for extra in MODULES if extra not in ("easyocr", "grpc", "ray")
]  # These are large and rarely needed.


HUB, BY = "--mobile-device=appium:http://127.0.0.1:9", "--mobile-driver=appium"
LOOKS = """
from pytest_mobileagent import Agent

class Looks(Agent):
    extras = ("vision",)

    def step(self, observation): ...
"""


installed = cache(packages_distributions)  # the distributions of each module


def plain(name: str) -> str:
    return name.lower().replace("_", "-")


@pytest.mark.parametrize("extra", MODULES)
def test_the_modules_are_those_of_the_extra(extra):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {word.partition(">")[0] for word in project["optional-dependencies"][extra]}
    homes = installed()
    if extra not in IN_ALL and not homes.keys() >= set(MODULES[extra]):
        pytest.skip(f"{extra} is not installed")
    # The package `google` belongs to several distributions.
    names = {each.replace(".", "-") if "." in each else homes[each][0] for each in MODULES[extra]}
    assert set(map(plain, names)) == wanted
    check_extra(extra, "a test")


def test_all_excludes_rarely_needed_extras():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["optional-dependencies"]["all"] == [f"pytest-mobileagent[{','.join(IN_ALL)}]"]


def test_a_missing_package_is_reported_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "isal", None)
    told = r'^the phone needs packages .* \(isal\): pip install "\.\[virtual\]" in a checkout of '
    with pytest.raises(HostError, match=told):
        check_extra("virtual", "the phone")


@pytest.mark.parametrize(
    ("extra", "module", "options", "source"),
    [
        ("virtual", "isal", [], "--mobile-device=virtual (default): the virtual device"),
        ("appium", "appium", [HUB], f"{HUB}: driving devices by Appium"),
        ("appium", "appium", ["--mobile-device=serial:1", BY], f"{BY}: driving devices by Appium"),
        ("vision", "rapidocr", ["--agent=looks.py"], "--agent=looks.py"),
    ],
    ids=["virtual", "hub", "driver", "agent"],
)
def test_a_run_that_needs_it_ends_before_anything_starts(  # noqa: PLR0917 - fixtures and a row
    pytester, monkeypatch, extra, module, options, source
):
    pytester.makepyfile("def test_something(): pass", looks=LOOKS)
    monkeypatch.setitem(sys.modules, module, None)
    result = pytester.runpytest_inprocess("--agent=noop", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = f"ERROR: {source} needs packages that are not installed ({module}): "
    told += f'pip install ".[{extra}]" in a checkout of pytest-mobileagent'
    assert result.stderr.lines == [told, ""]
    assert not list(pytester.path.glob("runs"))


ASKS = """
from pytest_mobileagent import Agent, Finish

class Asks(Agent):
    roles = ("actor",)

    def start(self, briefing):
        self.model = briefing.model()

    def step(self, observation):
        return Finish(self.model.complete("What now?").text)
"""
ASKED = """
from pytest_mobileagent import task

@task("Say it.")
def test_it(episode):
    assert episode.answers("4711")
"""


# Hides both the modules and the metadata of the packages.
WITHOUT = """
import importlib.metadata as metadata
import sys

modules, found = {modules}, metadata.distribution
for module in modules:
    sys.modules[module] = None

def distribution(name):
    if name.replace("-", "_") in modules:
        raise metadata.PackageNotFoundError(name)
    return found(name)

metadata.distribution = distribution
"""


@pytest.mark.parametrize("process", ["on", "off"])
def test_a_script_in_the_place_of_a_model_needs_none(pytester, process):
    modules = sorted(set(MODULES["models"]) - {"h11"})  # The virtual phone needs h11, too.
    pytester.makepyfile(asks=ASKS, test_it=ASKED, sitecustomize=WITHOUT.format(modules=modules))
    pytester.makeconftest(PHONE)
    (pytester.path / "replies.jsonl").write_text('{"reply": "4711"}\n')
    result = pytester.runpytest_subprocess(
        "--agent=asks.py",
        "--mobile-model=scripted:replies.jsonl",
        f"--mobile-agent-process={process}",
        *("-p", "no:cacheprovider", "--mobile-cache=off"),
    )
    result.assert_outcomes(passed=1)


def test_a_model_that_is_asked_is_missed_before_a_run(pytester, monkeypatch):
    pytester.makepyfile(asks=ASKS, test_it=ASKED)
    monkeypatch.setitem(sys.modules, "openai", None)
    refused = pytester.runpytest_inprocess("--agent=asks.py", "--mobile-model=openai:gpt-4o")
    told = "ERROR: --mobile-model=openai:gpt-4o: asking models needs *"
    refused.stderr.fnmatch_lines([told])


def test_collecting_needs_no_extra_and_the_fixture_device_reports_it_too(pytester, monkeypatch):
    pytester.makepyfile("def test_something(device): pass")
    monkeypatch.setitem(sys.modules, "isal", None)
    assert pytester.runpytest_inprocess("--agent=noop", "--collect-only").ret == 0
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    told = '*pip install ".[[]virtual[]]" in a checkout of pytest-mobileagent'
    result.stdout.fnmatch_lines([told])


def test_the_command_device_reports_it_too(tmp_path):
    # Python imports sitecustomize at start-up, and the None makes `import isal` fail.
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['isal'] = None")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "pytest_mobileagent", "device", "--apps", "."]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert 'pip install ".[virtual]" in a checkout of pytest-mobileagent' in done.stderr
    assert "Traceback" not in done.stderr


VISION_MODULES = ("cv2", "onnxruntime", "rapidocr")
NO_VISION = f"import sys\nfor m in {VISION_MODULES}: sys.modules[m] = None"
LOOKS_INTO_PICTURES = """
from pytest_mobileagent import task, tap

@task("Tap it.", solution=[tap(text="0", ocr=True)])
def test_it(episode): ...
"""
JUDGED = """
from pytest_mobileagent import task

@task("Say it.")
def test_judged(episode, judge):
    assert judge(episode, key_components=["0"])
"""
CHECKED = """
from pytest_mobileagent import task

@task("Say it.")
def test_checked(episode):
    assert episode.screen.find(text="nowhere", ocr=True)
"""
VISION = 'needs packages that are not installed (*): pip install ".[[]vision[]]" in a checkout *'


@pytest.fixture
def blind(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., pytest.RunResult]:
    """Return a function that runs pytest without [vision]; agents play solutions or do nothing."""
    pytester.makepyfile(sitecustomize=NO_VISION)
    pytester.makeconftest(PHONE)
    for module in VISION_MODULES:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(ocr, "_engines", {})  # another test may have loaded one

    def run(tests: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=tests)
        runs = pytester.runpytest_subprocess if "-n1" in options else pytester.runpytest_inprocess
        return runs("-p", "no:cacheprovider", *options)

    return run


@pytest.mark.parametrize("distributed", [[], ["-n1"]])
def test_a_solution_that_reads_pictures_is_checked_for_its_extra_first(blind, distributed):
    result = blind(LOOKS_INTO_PICTURES, "--agent=oracle", *distributed)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "*--agent=oracle plays the solution of test_it.py::test_it: looking into pictures "
    (result.stdout if distributed else result.stderr).fnmatch_lines([told + VISION])
    if not distributed:
        blind(LOOKS_INTO_PICTURES, "--agent=noop").assert_outcomes(passed=1)


def test_a_judge_that_is_given_key_components_is_missed_before_an_episode(blind, pytester):
    (pytester.path / "judge.jsonl").write_text('"no"\n')
    judge = ["--llm-judge=single", "--mobile-judges=scripted:judge.jsonl"]
    result = blind(JUDGED, "--agent=noop", *judge)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "*judge(…, key_components=…) in test_it.py::test_judged: looking into pictures "
    result.stderr.fnmatch_lines([told + VISION])
    other = blind(JUDGED + CHECKED, "--agent=noop", *judge, "-k", "checked", "--mobile-retries=0")
    assert other.ret == pytest.ExitCode.TESTS_FAILED, "it is known at the check"
    other.stdout.fnmatch_lines(["*" + VISION])


def test_an_option_for_it_is_checked_beside_a_program_too(blind):
    result = blind(CHECKED, "--agent=cmd:true", "-omobile_ocr=rapidocr")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: mobile_ocr=rapidocr: reading pictures " + VISION])

"""Task data in the reports of other plugins, and limits on the output of agents."""

from __future__ import annotations

import importlib.util
import json
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from tests.plugin.projects import PHONE, newest_report

if TYPE_CHECKING:
    from collections.abc import Callable

AGENT = """
from pytest_mobileagent import Agent, Finish, Tap

class Taps(Agent):
    def start(self, briefing):
        self.left = 2
    def step(self, observation):
        self.left -= 1
        return Tap(5, 5) if self.left >= 0 else Finish("12")
"""
TASKS = """
from pytest_mobileagent import task

@task("Count.", app="a", golden_steps=2)
def test_count(episode): assert episode.answers("13")
"""


def needs(name):
    missing = importlib.util.find_spec(name) is None
    return pytest.mark.skipif(missing, reason=f"{name} is not installed")


@pytest.fixture
def run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[str, bytes]]:
    """Runs a task that fails after two steps; returns the link to its page and its screenshot."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")  # the others are needed here

    def run(*arguments):
        pytester.makeconftest(PHONE)
        pytester.makepyfile(test_it=TASKS, taps=AGENT)
        given = ["-p", "no:cacheprovider", "--agent=taps.py:Taps", "--mobile-agent-process=off"]
        result = pytester.runpytest_subprocess(*given, *arguments)
        result.assert_outcomes(failed=1)
        assert "got no result" not in result.stdout.str()
        (episode,) = pytester.path.glob("runs/*/episodes/*")
        page = f"{episode.parents[1].relative_to(pytester.path)}/report.html#e={episode.name}&s=2"
        return page, (episode / "screens" / "002-tap.png").read_bytes()

    return run


@pytest.mark.slow
@needs("allure_pytest")
@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "distributed"])
def test_allure_gets_link_screenshot_verdict_and_properties(run, pytester, workers):
    page, screenshot = run("--alluredir=out", *workers)
    (file,) = pytester.path.glob("out/*-result.json")
    told = json.loads(file.read_text())
    assert [(link["name"], link["url"]) for link in told["links"]] == [("page", f"../{page}")]
    attached = {
        each["name"]: pytester.path / "out" / each["source"] for each in told["attachments"]
    }
    assert attached["screen"].read_bytes() == screenshot
    assert json.loads(attached["verdict"].read_text())["passed"] is False
    parameters = {each["name"]: each["value"] for each in told["parameters"]}
    assert parameters["mobile_steps"] == "2"


@pytest.mark.slow
@needs("pytest_html")
@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "distributed"])
def test_pytest_html_gets_link_screenshot_verdict_and_properties(run, pytester, workers):
    page, screenshot = run("--html=out/it.html", *workers)
    text = (pytester.path / "out" / "it.html").read_text()
    assert f"../{page.replace('&', '&amp;')}" in text.replace("&amp;amp;", "&amp;")
    data = "".join(path.read_text() for path in pytester.path.glob("out/assets/*.json"))
    assert "mobile_steps" in data
    assert '"scorer": "check"' in data
    assert [path.read_bytes() for path in pytester.path.glob("out/assets/*.png")] == [screenshot]


@pytest.mark.slow
@needs("pytest_reportlog")
def test_reportlog_gets_link_screenshot_and_properties(run, pytester):
    page, _ = run("--report-log=log.jsonl")
    lines = [json.loads(line) for line in (pytester.path / "log.jsonl").read_text().splitlines()]
    (last,) = [line for line in lines if line.get("when") == "teardown"]
    properties = dict(last["user_properties"])
    assert (properties["mobile_page"], properties["mobile_steps"]) == (page, 2)
    assert properties["mobile_screen"].endswith("/screens/002-tap.png")


def test_junit_properties_match_the_report(project):
    project.run("tasks", "--agent=oracle", "--junitxml=junit.xml")
    expected = {task["id"]: task for task in newest_report(project.pytester.path)["tasks"]}
    cases = ET.parse(project.pytester.path / "junit.xml").getroot().iter("testcase")
    seen = {}
    for case in cases:
        values = {p.get("name"): p.get("value") for p in case.iter("property")}
        seen[values["mobile_id"]] = values
    assert set(seen) == set(expected)
    for name, values in seen.items():
        assert values["mobile_success"] == str(expected[name]["success"])
        assert values["mobile_steps"] == str(expected[name]["steps"])


NOOP = f"""{PHONE}
from pytest_mobileagent import Agent, Finish

class Noop(Agent):
    def step(self, observation):
        return Finish()
"""
JUNIT = """
import pytest
from pytest_mobileagent import task
from pytest_mobileagent.errors import UndecidedError

@pytest.mark.parametrize("what", ["passes", "fails", "breaks", "xfails", "is open"])
@task("Do nothing.")
def test_it(episode, what):
    if what == "breaks":
        raise LookupError("no such table")
    if what == "xfails":
        pytest.xfail("known")
    if what == "is open":
        raise UndecidedError("the judges disagree")
    assert what == "passes"
"""


@pytest.mark.parametrize("family", ["xunit1", "xunit2"])
def test_junit_has_a_case_with_an_outcome_for_each_epoch(pytester, family):
    pytester.makeini(f"[pytest]\naddopts = -p no:cacheprovider\njunit_family = {family}")
    pytester.makeconftest(NOOP)
    pytester.makepyfile(test_junit=JUNIT)
    given = ["--agent=conftest.py:Noop", "--mobile-agent-process=off", "--mobile-epochs=2"]
    pytester.runpytest_inprocess(*given, "--junitxml=junit.xml")
    (suite,) = ET.parse(pytester.path / "junit.xml").getroot()
    found = {}
    for case in suite.iter("testcase"):
        values = {p.get("name"): p.get("value") for p in case.iter("property")}
        what = [(each.tag, each.get("message")) for each in case if each.tag != "properties"]
        found[case.get("name")] = (values["mobile_epoch"], values["mobile_outcome"], what)
    for epoch in ("0", "1"):
        assert found[f"test_it[passes-epoch{epoch}]"] == (epoch, "passed", [])
        for name, outcome, tag in (("fails", "failed", "failure"), ("breaks", "error", "error")):
            *told, [(shown, _)] = found[f"test_it[{name}-epoch{epoch}]"]
            assert (*told, shown) == (epoch, outcome, tag)
        assert found[f"test_it[xfails-epoch{epoch}]"] == (epoch, "xfailed", [("skipped", "known")])
        undecided = [("skipped", "review: the judges disagree")]
        assert found[f"test_it[is open-epoch{epoch}]"] == (epoch, "review", undecided)
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "10", "failures": "2", "errors": "2", "skipped": "4"}


PRINTING = """
from pytest_mobileagent import Agent, Finish

class Prints(Agent):
    def start(self, briefing):
        pass
    def step(self, observation):
        print("first words")
        print("x" * 20_000_000)
        print("last words")
        return Finish("4711")
"""
READING = """
from pytest_mobileagent import task

@task("Read.", app="a", golden_steps=6)
def test_read(episode):
    assert episode.answers("6")
"""


def test_long_output_is_truncated_in_reports_and_limited_in_the_episode(pytester):
    pytester.makeconftest(PHONE)
    pytester.makepyfile(test_it=READING, prints=PRINTING)
    result = pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", "--agent=prints.py:Prints", "--mobile-agent-process=off",
        "--junitxml=junit.xml", "-o", "junit_logging=all",
    )  # fmt: skip
    result.assert_outcomes(failed=1)
    told = result.stdout.str()
    assert len(told) < 200_000
    assert len((pytester.path / "junit.xml").read_text()) < 400_000
    (kept,) = pytester.path.glob("runs/*/episodes/*/agent-stdout.txt")
    assert f"characters in all; more of them are in {kept}" in told
    for text in (told, kept.read_text()):
        assert "first words" in text
        assert "last words" in text
        assert "characters are left out" in text
    assert 8_000_000 < kept.stat().st_size < 9_000_000


EVIL = "##vso[task.setvariable variable=a]b\n::set-env name=a::b\n##[command]x"
AGENT_OF_CI = f"""
from pytest_mobileagent import Agent, Finish, Tap
EVIL = {EVIL!r}

class Evil(Agent):
    def start(self, briefing):
        print(EVIL)
        self.goal = briefing.goal
    def step(self, observation):
        if "raise" in self.goal:
            raise ValueError(EVIL)
        return Finish(EVIL)
"""
TASKS_OF_CI = f"""
import pytest
from pytest_mobileagent import task
from pytest_mobileagent.errors import UndecidedError
from evil import EVIL

@pytest.mark.parametrize("how", ["pass", "fail", "say", "break", "open", "skip", "raise"])
@task("{EVIL!r} {{how}}", app="a")
def test_it(episode, how):
    print(episode.goal)
    if how == "break":
        raise LookupError(episode.answer)
    if how == "open":
        raise UndecidedError(episode.answer)
    if how == "skip":
        pytest.skip(episode.answer)
    assert how != "say", episode.answer
    if how in ("fail", "raise"):
        assert episode.screen.get(text=EVIL)
"""


@pytest.mark.parametrize("more", [(), ("-vv", "-rA", "--tb=long")])
def test_no_text_of_an_agent_or_task_is_a_command_to_a_ci_system(pytester, more):
    pytester.makeconftest(PHONE)
    pytester.makepyfile(test_it=TASKS_OF_CI, evil=AGENT_OF_CI)
    result = pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", "--agent=evil.py:Evil", "--mobile-agent-process=off", *more
    )
    told = result.stdout.str() + result.stderr.str()
    assert "vso[" in told
    assert not re.findall(r"(?m)^\s*::.*|^.*##(?:vso)?\[.*", told)

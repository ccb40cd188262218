"""The files in docs/cookbook work as their pages say, with virtual phones and scripted models."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.init import main as init
from pytest_mobileagent.testing import ScriptedModel
from tests.examples.workflows import GitHub, environment

if TYPE_CHECKING:
    from collections.abc import Callable

COOKBOOK = Path(__file__).parents[2] / "docs" / "cookbook"
PAGES = sorted(COOKBOOK.glob("*.md"))
FILES = sorted(path for path in COOKBOOK.iterdir() if path.suffix != ".md")
TASKS = """
import pytest
from pytest_mobileagent import open_app, sqlite, tap, task

APP = "com.example.shopping"
ITEMS = sqlite(f"/data/data/{APP}/databases/shopping.db", "select name, bought from items")

@pytest.mark.parametrize("number", range(8))
@task("Tick off the eggs in the Shopping app. ({number})", app=APP, probes={"items": ITEMS},
      solution=[open_app(), tap(text="Eggs")])
def test_eggs(episode, number):
    assert {"name": "Eggs", "bought": 1} in episode.probe("items")
"""
OPEN = """
import pytest
from pytest_mobileagent import open_app, tap, task

@pytest.mark.parametrize("number", range(5))
@task("Make the list look tidy. ({number})", app="com.example.shopping", kind="open-ended",
      solution=[open_app(), tap(text="Eggs")])
def test_tidy(episode, judge, number):
    assert judge(episode)
"""
WORDS = '''
"""Taps what its model names."""
from pytest_mobileagent import Agent, Finish, Reply, Tap

class Words(Agent):
    roles, sees = ("actor",), ("hierarchy",)

    def start(self, briefing):
        self.goal, self.model = briefing.goal, briefing.model()

    def step(self, observation):
        labels = [each.label for each in observation.screen.find_all(clickable=True)]
        said = self.model.complete(f"Goal: {self.goal}\\nOn the screen: {labels}").text
        if said == "done":
            return Finish()
        element = observation.screen.find(text=said)
        return Reply(Tap(*element.bounds.center) if element else [], said=said)
'''
GOOD = '"Shopping"\n"Eggs"\n"done"\n'
BAD = '"done"\n'
# The agent reads hierarchies, and drawing pictures would take a quarter of the time.
NO_PICTURES = 'mobile_screenshots = "needed"\n'
# With eight tasks and two epochs, differences of ten points can be detected.
GATE = '[[bound]]\nmetric = "success_rate"\nbaseline = true\nmargin = 0.1\nallow = 0.9\n'


def test_each_page_is_about_a_file_that_it_shows_whole_and_names_for_copying():
    assert {path.stem for path in FILES} == {path.stem for path in PAGES} - {"index"}
    for path in FILES:
        page = path.with_suffix(".md").read_text("utf-8")
        assert f"```{{literalinclude}} {path.name}\n" in page
        assert f"]({path.name})" in page
        assert path.with_suffix(".md").name in (COOKBOOK / "index.md").read_text("utf-8")


@pytest.mark.parametrize("path", [p for p in FILES if p.suffix == ".sh"], ids=lambda p: p.name)
def test_each_script_is_one_that_a_shell_can_read(path):
    subprocess.run(["sh", "-n", path], check=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project created by `init`, with eight tasks and an agent that asks a model."""
    folder = tmp_path / "bench"
    assert init([str(folder)]) == 0
    (folder / "tasks" / "shopping" / "test_shopping.py").write_text(TASKS)
    (folder / "agents" / "words.py").write_text(WORDS)
    (folder / "gate.toml").write_text(GATE)
    for name, replies in (("good", GOOD), ("bad", BAD)):
        (folder / f"{name}.jsonl").write_text(replies)
    with (folder / "pyproject.toml").open("a") as settings:
        settings.write(NO_PICTURES)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def sh(project: Path) -> Callable[..., str]:
    """Runs a script of the cookbook in the project, with given variables."""

    def run(name: str, *arguments: str, status: int = 0, **variables: str) -> str:
        ended = subprocess.run(
            ["sh", COOKBOOK / name, *arguments],
            cwd=project,
            env=environment() | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        said = f"{ended.stdout}{ended.stderr}"
        assert ended.returncode == status, said
        return said

    return run


def model_server() -> ScriptedModel:
    """Return a model that does the eight tasks, in whichever order episodes ask."""
    turns: Counter[str] = Counter()

    def reply(request: Any) -> str:
        (number,) = re.findall(r"\((\d)\)", request.text)
        turns[number] += 1
        return ("Shopping", "Eggs", "done")[(turns[number] - 1) % 3]

    return ScriptedModel([reply] * 1000, model="ours")


def successes(folder: Path) -> list[float]:
    """Return the success rates of the runs in a folder."""
    reports = sorted(folder.glob("**/report.json"))
    return [json.loads(path.read_text())["summary"]["success_rate"] for path in reports]


@pytest.mark.parametrize("name", ["pull-request.yml", "nightly.yml", "submit.yml"])
def test_a_workflow_fetches_what_it_installs(name):
    yaml = pytest.importorskip("yaml")
    (job,) = yaml.safe_load((COOKBOOK / name).read_text("utf-8"))["jobs"].values()
    fetched = set()
    for step in job["steps"]:
        more = step.get("with", {})
        if step.get("uses", "").startswith("actions/checkout@") and more.get("repository"):
            fetched.add(f"./{more['path']}")
        installed = re.findall(r'pip install "(\./[\w-]+)', step.get("run", ""))
        assert fetched.issuperset(installed)
    assert fetched
    assert "${{ env.PLUGIN }}" in str(job["steps"])
    assert "PLUGIN" in job["env"]


@pytest.mark.slow  # four runs with phones
def test_the_baseline_of_the_nights_moves_only_when_one_passes(project):
    github = GitHub(project)

    def night(replies: str) -> Any:
        variables = {"AGENT": "words", "MODEL": f"scripted:{replies}.jsonl", "EPOCHS": "2"}
        return github.run(COOKBOOK / "nightly.yml", "schedule", **variables)

    first = night("good")
    assert first.succeeded, first.log
    assert "gate" not in first.summary
    second = night("bad")
    assert not second.succeeded
    assert "FAIL" in second.summary
    assert successes(project / "baseline") == [1.0]
    third = night("bad")  # a bad night does not become the next baseline
    assert not third.succeeded
    assert successes(project / "baseline") == [1.0]
    fourth = night("good")
    assert fourth.succeeded, fourth.log
    assert "PASS" in fourth.summary


@pytest.mark.slow  # four runs with phones
def test_a_pull_request_is_held_against_main_and_costs_no_more_than_its_budget(project):
    github = GitHub(project)

    def build(event: str, replies: str, **more: str) -> Any:
        variables = {"AGENT": "words", "MODEL": f"scripted:{replies}.jsonl", **more}
        return github.run(COOKBOOK / "pull-request.yml", event, **variables)

    main = build("push", "good")
    assert main.succeeded, main.log
    same, worse = build("pull_request", "good"), build("pull_request", "bad")
    assert same.succeeded, same.log
    assert "PASS" in same.summary
    assert not worse.succeeded
    assert "FAIL" in worse.summary
    assert re.search(r"lost.*eggs.*\(file://.*/compare\.html#", worse.summary, re.DOTALL)
    (project / "prices.toml").write_text('["openai:ours"]\ninput = 1000\noutput = 1000\n')
    with (project / "pyproject.toml").open("a") as settings:
        settings.write('mobile_prices = "prices.toml"\n')
    with model_server().serve() as server:
        dear = build("pull_request", "", MODEL=f"openai:ours@{server}/v1", BUDGET="0.01,task=0.50")
    assert not dear.succeeded
    assert "status 2" in dear.log
    assert "budget: --mobile-max-cost=0.01" in dear.log


@pytest.mark.slow  # four runs with phones
def test_a_leaderboard_goes_on_after_a_break(sh, project):
    agents = "oracle words noop"
    tasks = project / "tasks" / "shopping" / "test_shopping.py"
    tasks.write_text(TASKS.replace("range(8)", "range(2)"))
    more = {"AGENTS": agents, "MODEL": "scripted:good.jsonl", "WORKERS": "1"}
    (project / "agents" / "words.py").rename(project / "agents" / "words.txt")
    assert "words" in sh("leaderboard.sh", status=4, **more)  # stops at the missing agent
    (project / "agents" / "words.txt").rename(project / "agents" / "words.py")
    said = sh("leaderboard.sh", **more)
    assert "6 reused, 0 run" in said
    rows = dict(re.findall(r"(?m)^\| (\w+) \| \d+ \| \d+ \| ([\d.]+)%", said))
    assert rows == {"oracle": "100.0", "words": "100.0", "noop": "0.0"}
    page = (project / "leaderboard.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"""(?:src|href)=["']?(?!data:|#)[^"'>\s]""", page)


@pytest.mark.slow  # a run with phones
def test_a_submitted_bundle_is_verified_and_becomes_a_row_unless_it_was_edited(project):
    github, bundles = GitHub(project), project / "bundles"
    run = ["pytest", "tasks", "--agent=oracle", "--mobile-exit=run", "--mobile-runs=made"]
    said = subprocess.run(
        run, cwd=project, env=environment(), check=True, capture_output=True, text=True
    ).stdout
    (digest,) = re.findall(r"(?m)^digest: (\w{32}) ", said)
    bundles.mkdir()
    bundle = bundles / "oracle.mobilerun.zip"
    bundling = ["mobileagent", "bundle", "made", "-o", str(bundle)]
    subprocess.run(bundling, cwd=project, env=environment(), check=True, capture_output=True)
    (bundles / "oracle.digest").write_text(digest)
    good = github.run(COOKBOOK / "submit.yml", "pull_request")
    assert good.succeeded, good.log
    assert "VERIFIED: 0 differences, 0 open" in good.log
    assert re.search(r"\| oracle \|.* 100\.0% .*\| yes: this machine, 20\d\d-", good.summary)
    (bundles / "oracle.digest").write_text("0" * 32)
    assert not github.run(COOKBOOK / "submit.yml", "pull_request").succeeded


@pytest.mark.slow  # starts phones
def test_phones_here_ask_a_model_server_elsewhere(sh):
    model = model_server()
    with model.serve() as server:
        said = sh(
            "gpu.sh", SERVER=f"{server}/v1", NAME="ours", AGENT="words", WORKERS="1",
            OPENAI_API_KEY="sk-secret",
        )  # fmt: skip
    assert "8 passed" in said
    assert len(model.requests) == 24


@pytest.mark.slow  # four runs
def test_judges_decide_all_episodes_after_people_have_decided_some(sh, project):
    (project / "tasks" / "shopping" / "test_shopping.py").write_text(OPEN)
    (project / "judge.jsonl").write_text('"It is tidy.\\nResult: 1"\n')
    (project / "other.jsonl").write_text('"It is tidy.\\nResult: 1"\n')
    command = ["pytest", "tasks", "--agent=oracle", "--llm-judge=off"]
    subprocess.run(command, cwd=project, env=environment(), check=True, capture_output=True)
    judges = {"JUDGES": "scripted:judge.jsonl,scripted:other.jsonl", "LABELS": "4"}
    said = sh("judge.sh", "sample", **judges)
    (decide,) = re.findall("decide them: (.*)", said)
    waiting = subprocess.run(
        [*decide.split(), "--list"], cwd=project, env=environment(), check=True,
        capture_output=True, text=True,
    ).stdout  # fmt: skip
    names = re.findall(r"(?m)^ *(\S*tidy\S*)", waiting)
    assert len(names) == 4
    for name, verdict in zip(names, ("pass", "pass", "pass", "fail"), strict=True):
        subprocess.run([*decide.split(), "--decide", f"{name}={verdict}"], cwd=project,
                       env=environment(), check=True, capture_output=True)  # fmt: skip
    said = sh("judge.sh", "calibrate", **judges)
    assert "4 episodes, 3 labelled done" in said
    assert "0.75" in said
    sh("judge.sh", "judge", **judges)
    assert successes(project / "judged") == [1.0]
    assert "usage" in sh("judge.sh", status=2)


@pytest.mark.slow  # starts Appium
def test_the_phones_of_a_hub_are_used_and_its_key_is_not_shown(sh, project, phone, appium_url):
    counter = """
from pytest_mobileagent import open_app, tap, task

@task("Count to one.", app="com.example.counter", solution=[open_app(), tap(text="Add one")])
def test_count(episode):
    assert episode.screen.find(text="Count: 1")
"""
    (project / "tasks" / "shopping" / "test_shopping.py").write_text(counter)
    (given,) = re.findall(r"(?s)<<'JSON'\n(.*?)JSON\n", (COOKBOOK / "farm.sh").read_text("utf-8"))
    ours = {"appium:udid": phone.serial, "appium:adbPort": phone.adb_port}
    (project / "hub.json").write_text(json.dumps(json.loads(given) | ours))
    hub = f"appium:{appium_url.replace('://', '://name:secret-key@')}"
    said = sh("farm.sh", MOBILE_DEVICE=hub, PHONES="1", AGENT="oracle")
    assert "1 passed" in said
    recorded = [path.read_text() for path in project.glob("runs/*/*.json")]
    assert len(recorded) >= 2
    assert "secret-key" not in "".join([said, *recorded])

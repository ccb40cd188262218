"""The examples in the README and docs/ run; their links, options and commands exist."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.__main__ import _COMMANDS, _OWN
from pytest_mobileagent.answers import read_answer
from pytest_mobileagent.init import main as init
from pytest_mobileagent.plugin.options import OPTIONS
from pytest_mobileagent.program.adapter_file import read_adapter

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent.parent
SUITES_APPS = f"""
from pathlib import Path

def pytest_mobileagent_apps(config):
    return Path({str(ROOT / "fixtures" / "apps")!r})
"""


def examples(page: str) -> dict[str, str]:
    """Return the page's Python blocks that begin with a file name, keyed by that name."""
    text = (ROOT / page).read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    named = [re.match(r"# ([\w/]+\.py)", block) for block in blocks]
    return {name[1]: block for name, block in zip(named, blocks, strict=True) if name}


@pytest.fixture
def begun(pytester: pytest.Pytester) -> Callable[[str], pytest.Pytester]:
    """The project created by `init`, with the files in the blocks of a page."""

    def begin(page: str) -> pytest.Pytester:
        assert init([str(pytester.path)]) == 0
        text = (ROOT / page).read_text("utf-8")
        for language, name, content in re.findall(
            r"^ *```(python|text|toml)\n *# ([\w/]+\.\w+)\n(.*?)^ *```",
            text,
            re.DOTALL | re.MULTILINE,
        ):
            head = f"# {name}\n" if language == "python" else ""
            written(pytester, {name: head + textwrap.dedent(content)})
        return pytester

    return begin


def written(project: pytest.Pytester, files: dict[str, str]) -> pytest.Pytester:
    for name, content in files.items():
        path = project.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return project


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return project.runpytest_inprocess(*arguments, "-p", "no:cacheprovider")


@pytest.mark.slow
def test_the_task_and_the_agent_of_the_readme_run(begun):
    project = begun("README.md")
    run(project, "tasks", "--agent=oracle").assert_outcomes(passed=3)
    run(project, "tasks", "--agent=eager").assert_outcomes(passed=2, failed=1)


@pytest.mark.slow  # runs pytest several times, with phones
def test_the_tasks_of_the_tasks_page_can_be_done_and_check_something(begun):
    project = begun("docs/tasks.md")
    run(project, "tasks", "--agent=oracle", "-k", "not table").assert_outcomes(passed=6)
    assert not (project.path / "failures.log").exists()
    run(project, "tasks", "--agent=noop").assert_outcomes(failed=8)
    assert len((project.path / "failures.log").read_text().splitlines()) == 8
    chosen = run(project, "tasks", "-m", "mobile_task(level=2)", "--collect-only", "-q")
    chosen.stdout.fnmatch_lines(["tasks/shopping/test_table.py::test_table[[]eggs[]]"])


@pytest.mark.slow
def test_the_app_of_the_apps_page_and_its_task_run(begun):
    run(begun("docs/apps.md"), "tasks/test_counter.py", "--agent=oracle").assert_outcomes(passed=1)


@pytest.mark.slow  # runs pytest several times, with phones
def test_the_app_of_an_evening_and_its_task_run(begun):
    project = begun("docs/app-in-an-evening.md")
    shutil.copytree(ROOT / "fixtures" / "apps" / "_simple", project.path / "apps" / "_simple")
    task = "tasks/test_recorder.py"
    run(project, task, "--agent=oracle").assert_outcomes(passed=1)
    for agent in ("noop", "truncated_oracle"):
        run(project, task, f"--agent={agent}").assert_outcomes(failed=1)


@pytest.mark.slow  # runs pytest several times, with phones
def test_the_agents_of_the_agents_page_and_their_tests_run(begun):
    project = begun("docs/writing-agents.md")
    run(project, "tests").assert_outcomes(passed=2)
    for options in (["--agent=steps", "--mobile-agent-option", "most=3"], ["--agent=loop"]):
        run(project, "tasks", "-k", "eggs", *options).assert_outcomes(passed=1, deselected=1)
    (project.path / "replies.jsonl").write_text('"132 1696"\n"130 710"\n"DONE"\n')
    for agent in ("briefed", "own_sdk"):
        options = [f"--agent={agent}", "--mobile-model=scripted:replies.jsonl"]
        run(project, "tasks", "-k", "eggs", *options).assert_outcomes(passed=1, deselected=1)


@pytest.mark.slow
def test_the_agent_of_the_screens_page_and_its_test_run(begun):
    run(begun("docs/screens.md"), "tests").assert_outcomes(passed=1)


@pytest.mark.slow
def test_the_agent_of_the_scripted_models_page_and_its_tests_run(begun):
    project = begun("docs/scripted-models.md")
    run(project, "tests").assert_outcomes(passed=3)
    model = "--mobile-model=scripted:replies/eggs.jsonl"
    result = run(project, "tasks", "-k", "eggs", "--agent=words", model)
    result.assert_outcomes(passed=1, deselected=1)


@pytest.mark.slow
def test_the_program_of_the_programs_page_runs(begun, monkeypatch):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    project = begun("docs/programs.md")
    options = ["-k", "eggs", "--mobile-model=scripted:replies/eggs.jsonl"]
    for agent in ("--agent=cmd:python their_agent/run.py {goal}", "--agent=theirs"):
        result = run(project, *options, agent)
        result.assert_outcomes(passed=1, deselected=1)
        assert "unmetered" not in result.stdout.str()
    (path,) = project.path.glob("runs/*-theirs-*/report.json")
    (task,) = json.loads(path.read_text())["tasks"]
    assert (task["answer"], task["steps"], task["calls"]) == ("the eggs are ticked off", 2, 3)


@pytest.mark.slow  # runs pytest with phones
@pytest.mark.parametrize(("name", "count"), [("checks", 6), ("clock", 1)])
def test_the_tasks_of_the_pages_about_checks_can_be_done(name, count, pytester):
    pages = {**examples("docs/checks.md"), **examples("docs/events.md")}
    project = written(pytester, {**pages, "conftest.py": SUITES_APPS})
    agent = "--agent=pytest_mobileagent.agent.agent:Scripted"
    run(project, f"tasks/{name}", agent).assert_outcomes(passed=count)


RECIPES = re.findall(
    r"(?ms)^```toml\n# agents/([\w-]+\.toml)\n(.*?)^```",
    (ROOT / "docs" / "program-recipes.md").read_text("utf-8"),
)


@pytest.mark.parametrize(("name", "recipe"), RECIPES, ids=[name for name, _ in RECIPES])
def test_every_recipe_is_an_adapter(name, recipe, tmp_path, monkeypatch):
    path = tmp_path / "bench" / "agents" / name
    path.parent.mkdir(parents=True)
    path.write_text(recipe)
    values = tomllib.loads(recipe)
    folder = path.parent / values.get("folder", ".")
    folder.mkdir(parents=True, exist_ok=True)
    for each in [*values.get("files", []), values.get("requirements", "run.py")]:
        (folder / each).parent.mkdir(exist_ok=True)
        (folder / each).touch()
    for program in ("bun", "claude", "codex", "node", "python"):
        (tmp_path / program).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert read_adapter(path).folder == (folder.resolve() if "folder" in values else None)


@pytest.mark.slow
def test_the_source_of_the_devices_page_gives_phones(pytester):
    task = """
from pytest_mobileagent import open_app, tap, task
from pytest_mobileagent.agent.agent import Scripted

@task("Count to one.", app="com.example.counter", solution=[open_app(), tap(text="Add one")])
def test_count(episode):
    assert episode.device.locale == "ko-KR"
    assert episode.screen.find(text="Count: 1")
"""
    pages = {**examples("docs/apps.md"), **examples("docs/devices.md")}
    del pages["tasks/test_counter.py"]
    pages["conftest.py"] += "\n" + pages.pop("abroad/conftest.py")
    project = written(pytester, {**pages, "test_count.py": task})
    agent = "--agent=test_count.py:Scripted"
    result = run(project, agent, "--mobile-device=abroad:ko-KR", "-n1")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*--mobile-device=abroad:ko-KR (--mobile-device)*"])
    wrong = run(project, agent, "--mobile-device=abroad:Korea")
    message = "ERROR: --mobile-device=abroad:Korea must be `abroad:LANGUAGE`, as in abroad:ko-KR"
    wrong.stderr.fnmatch_lines([message])
    many = run(project, agent, "--mobile-device=abroad:ko-KR", "-n9")
    many.stderr.fnmatch_lines(["ERROR: --mobile-device=abroad:ko-KR: there are no more than 8*"])


@pytest.mark.slow
def test_the_code_of_the_page_about_training_runs(monkeypatch):
    pytest.importorskip("gymnasium")
    page = (ROOT / "docs" / "rollouts.md").read_text("utf-8")
    code = "\n".join(re.findall(r"(?ms)^```python\n(.*?)^```", page))
    with tempfile.TemporaryDirectory() as runs:
        code = code.replace('Path("runs")', f"Path({runs!r})")
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=300)
        assert len([*Path(runs).glob("*/report.json")]) == 1


def test_every_link_of_the_pages_leads_somewhere():
    for name in PAGES:
        page = ROOT / name
        for link, _, anchor in re.findall(
            r"\]\((?!https?:)([^)#]*)(#([^)]*))?\)", page.read_text("utf-8")
        ):
            target = page.parent / link if link else page
            assert target.exists(), f"{name} links to {link}"
            assert not anchor or anchor in anchors(target), f"{name} links to {link}#{anchor}"


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site generate them."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text("utf-8"))
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def test_the_options_page_lists_every_option_with_its_default():
    page = (ROOT / "docs" / "options.md").read_text("utf-8")
    for option in OPTIONS:
        end = " = " if option.ini_only else "`" if option.is_flag else "="
        start = f"| `{option.shown}{end}"
        [row] = [line for line in page.splitlines() if line.startswith(start)]
        default = row.replace("\\|", "/").split("|")[2].strip().strip("`")
        assert default == (option.default or "none"), row


PAGES = [
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    *sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "docs").rglob("*.md")
        if "_build" not in path.parts
    ),
]
BLOCKS = [
    pytest.param(language, block, id=f"{page}-{number}")
    for page in PAGES
    for number, (language, block) in enumerate(
        re.findall(r"(?ms)^```(\w+)\n(.*?)^```", (ROOT / page).read_text("utf-8")), 1
    )
]


@pytest.mark.parametrize(("language", "block"), BLOCKS)
def test_every_block_is_what_it_says_and_imports_what_there_is(language, block):
    assert language in {"python", "toml", "json", "yaml", "text"}
    if language == "yaml":
        assert pytest.importorskip("yaml").safe_load(block)
    elif language == "toml":
        assert tomllib.loads(block)
    elif language == "json":
        assert json.loads(block)
    elif language == "python":
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pytest_mobile"):
                assert [a.name for a in node.names if not is_there(str(node.module), a.name)] == []


def is_there(module: str, name: str) -> bool:
    """Return whether a module has an attribute or submodule with this name."""
    found = importlib.import_module(module)
    return hasattr(found, name) or importlib.util.find_spec(f"{module}.{name}") is not None


def test_every_option_and_command_that_a_page_names_exists():
    known = {option.flag for option in OPTIONS}, {*_OWN, *_COMMANDS}
    for page in PAGES:
        text = (ROOT / page).read_text("utf-8")
        options = re.findall(r"--mobile-[a-z-]+[a-z]", text)
        commands = re.findall(r"python -m pytest_mobileagent ([a-z-]+)", text)
        assert (set(options) - known[0], set(commands) - known[1]) == (set(), set()), page


def test_the_table_of_answers_is_true():
    page = (ROOT / "docs" / "answers.md").read_text("utf-8")
    rows = re.findall(r"(?m)^\| `[^|]+` \| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$", page)
    assert len(rows) >= 9
    for expected, stated, other in rows:
        for cell, is_stated in ((stated, True), (other, False)):
            for quoted, plain in re.findall(r'"([^"]+)"|([^\s",][^",]*)', cell):
                said = quoted or plain.strip()
                outcome = read_answer(said, expected).outcome
                assert (outcome == "stated") is is_stated, (expected, said, outcome)

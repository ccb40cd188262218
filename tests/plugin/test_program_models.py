"""The calls of programs to models: answered, metered, budgeted, and their keys."""

from __future__ import annotations

import socket
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trustme  # noqa: F401 - runs in this process would load it, and forget it, one by one

from pytest_mobileagent.program.commands.steps import grouped
from tests.llm.standin import error, standing_in
from tests.plugin.program_runs import OPEN, PYTHON, Ran, run_program
from tests.plugin.projects import newest_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project

pytestmark = pytest.mark.slow  # each test starts an adb server and a program


@pytest.fixture
def run(project: Project) -> Callable[..., Ran]:
    return partial(run_program, project)


FIXED_URL = (
    OPEN
    + """
KEY = "sk-this-is-nobodys-key-at-all"
body = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "What next?"}]})
for _ in range(2):
    request = urllib.request.Request(
        "https://api.openai.com/v1/chat/completions", body.encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer " + KEY},
    )
    reply = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
    shell(reply)
"""
)


def test_fixed_url_is_answered_metered_and_budgeted(
    run: Callable[..., Ran], project: Project
) -> None:
    replies = ['"input tap 172 372"', '{"reply": "input keyevent HOME", "input_tokens": 900}']
    script = project.pytester.path / "replies.jsonl"
    script.write_text("\n".join(replies))
    ran = run(FIXED_URL, f"--mobile-model=scripted:{script}")
    assert (ran.task["calls"], ran.task["metered"], ran.task["success"]) == (2, True, True)
    assert ran.task["steps"] == 3
    assert ran.task["roles"]["actor"]["calls"] == 2
    of_each = ((line.get("mark"), line.get("acts"), line.get("looks")) for line in ran.raw)
    marks = [mark or ("act" if acts else "look" if looks else "") for mark, acts, looks in of_each]
    assert marks == ["act", "call", "act", "call", "act"]
    assert len(grouped([mark for mark in marks if mark])) == ran.task["steps"]  # derived again
    everything = "".join(path.read_text("utf-8", "replace") for path in ran.episode.glob("*.jsonl"))
    assert "What next?" in everything
    assert "sk-this-is" not in everything


def test_keys_inside_a_program_are_never_recorded(
    run: Callable[..., Ran], project: Project
) -> None:
    script = project.pytester.path / "replies.jsonl"
    script.write_text('"input tap 172 372"\n' * 2)
    body = FIXED_URL + (
        'print(KEY, os.environ["OPENAI_BASE_URL"], os.environ["OTHER_KEY"])\n'
        'open("written", "w").write(KEY + os.environ["OTHER_KEY"])\n'
    )
    adapter = 'folder = "."\nanswer = "^(.*) http"\nenv = {OTHER_KEY = "another-very-secret"}'
    ran = run(body, f"--mobile-model=scripted:{script}", adapter=adapter)
    assert ran.task["answer"].startswith("…")
    run_folder = ran.episode.parents[1]
    kept = [path for path in run_folder.rglob("*") if path.is_file()]
    assert any(path.name == "written" for path in kept)
    text = "".join(path.read_text("utf-8", "replace") for path in kept) + ran.output
    assert "sk-this-is" not in text
    assert "another-very-secret" not in text
    assert "/…/openai" in ran.printed()


def test_program_adb_and_keeper_have_no_real_keys_in_their_environment(
    run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real-0123456789")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-0123456789")
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-0123456789")
    body = """
from pathlib import Path

def holders(text):
    found, seen = [], 0
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            environment = path.read_bytes()
            name = path.with_name("cmdline").read_bytes().replace(b"\\0", b" ")
        except OSError:
            continue
        if b"MOBILEAGENT_TEST_MARK" in environment:
            seen += 1
            found += [name] if text.encode() in environment else []
    return found, seen

shell("true")
everything = Path("/proc/self/environ").read_text() + str(dict(os.environ))
assert "-0123456789" not in everything.replace("AIza-0123456789", ""), "a key"
assert os.environ["GEMINI_API_KEY"].startswith("AIza-")
assert os.environ["OPENAI_BASE_URL"].startswith("http://127.0.0.1")
found, seen = holders("sk-real-0123")
assert seen >= 3 and not found, (seen, found)
print("none")
"""
    monkeypatch.setenv("MOBILEAGENT_TEST_MARK", "1")
    adapter = 'answer = "^none$"\nown_keys = ["GEMINI_API_KEY"]'
    ran = run(body, adapter=adapter)
    assert ran.task["answer"] == "none", ran.end
    assert "other has real keys (GEMINI_API_KEY), and may reach any host" in ran.output


def test_unavailable_provider_is_not_the_fault_of_the_program(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
    assert "openai:gpt-4o: ConnectionRefusedError" in infrastructure(project, OWN_URL)


def test_a_program_that_only_prints_the_error_of_its_provider_is_not_at_fault(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = "".join(f"    {line}\n" for line in OWN_URL.splitlines())
    body = f"try:\n{tried}except Exception as error:\n    print(error)\n"
    with standing_in((400, error("Arrearage", "Pay."))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        assert "openai:gpt-4o: HTTP 400: Pay." in infrastructure(project, body)


OWN_URL = FIXED_URL.replace('"https://api.openai.com/v1', 'os.environ["OPENAI_BASE_URL"] + "')


def infrastructure(project: Project, body: str) -> str:
    """Return the reason why a program's episode ends as an infrastructure error."""
    program = project.pytester.path / "program.py"
    program.write_text(PYTHON + body)
    agent = f"--agent=cmd:{sys.executable} {program}"
    project.run("tasks", agent, "-k", "count[1]", "--mobile-retries=0")
    (task,) = newest_report(project.pytester.path)["tasks"]
    assert (task["outcome"], task["fault"]) == ("error", "infrastructure")
    return str(task["reason"])


def test_exhausted_budget_ends_the_episode(run: Callable[..., Ran], project: Project) -> None:
    script = project.pytester.path / "replies.jsonl"
    script.write_text('{"reply": "input tap 172 372", "input_tokens": 900}\n' * 2)
    ran = run(FIXED_URL, f"--mobile-model=scripted:{script}", "--mobile-max-tokens=task=500")
    assert ran.task["termination"] == "budget"
    assert ran.task["outcome"] == "error"
    assert ran.task["calls"] == 1

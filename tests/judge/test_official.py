"""A release's own evaluation, run in the user's copy: its results and its restrictions."""

from __future__ import annotations

import contextlib
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from pytest_mobileagent.errors import JudgeError
from pytest_mobileagent.judge.official import Evaluation, evaluate, hierarchy_of
from pytest_mobileagent.processes import VARIABLE

if TYPE_CHECKING:
    from pytest_mobileagent.verdict import Verdict


CLIENT = """
from openai import OpenAI
def eval(*arguments):
    client = OpenAI(api_key="x", base_url="https://example.com")
    asked = [{"role": "user", "content": "Is 4 right?"}]
    reply = client.chat.completions.create(model="m", messages=asked, temperature=1.0)
    return reply.choices[0].message.content == "Yes"
"""


OTHERS = [
    ("raise KeyError('x\\ny')", r"KeyError: 'x\ny', in ace/one.py, line 2, on v1.csv, line 2"),
    ("raise SystemExit('bye')", "SystemExit, in ace/one.py, line 2, on"),
    ("import os; os.abort()", "it was ended by SIGABRT"),
    ("import os; os.kill(os.getpid(), 9)", "not use os.kill"),
    ("import os; os.closerange(0, 99)", "ace/one.py"),
    ("import subprocess; subprocess.run(['true'])", "not use subprocess.Popen"),
    ("import socket; socket.create_connection(('127.0.0.1', 9))", "not use socket."),
    ("f = lambda: f(); f()", "RecursionError"),
    (
        "from appium import webdriver; webdriver.Remote()",
        "appium.webdriver, which is not available here",
    ),
    ("def", "SyntaxError"),
]


@pytest.fixture
def run(tmp_path):
    """Evaluates with a copy that has one file with this source, or a line as the body of `eval`."""

    def run(source: str, *arguments: Any, seconds: float = 20, **fields: Any) -> Verdict:
        copy = tmp_path / "copy"
        (copy / "ace").mkdir(parents=True, exist_ok=True)
        whole = source if "def eval" in source else f"def eval(*given):\n    {source}\n"
        (copy / "ace" / "one.py").write_text(whole)
        ask = fields.pop("ask", None)
        called = "x-official", "v1.csv, line 2", copy, "ace.one", "eval", arguments
        given = Evaluation(*called, stand_ins=("openai", "appium"), **fields)
        return evaluate(given, ask, seconds)

    return run


def test_official_result_is_a_verdict_that_does_not_count(run):
    found = run("return given[0]['n'] == 3 and given[1]", {"n": 3}, True)
    assert (found.passed, found.scorer) == (True, "x-official")
    assert found.evidence == {"counts": False}
    assert run("return None").passed is False


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return 1 / 0", "ZeroDivisionError: division by zero, in ace/one.py, line 2, on v1"),
        ("import os; os._exit(0)", "it ended its process without a result"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in OTHERS),
    ],
)
def test_any_failure_is_a_one_line_error_of_the_evaluation(run, body, why):
    found = run(body)
    assert found.passed is None
    assert found.reason.endswith(", on v1.csv, line 2")
    assert ", in ace/one.py" in found.reason
    assert why in found.reason
    assert len(found.reason.splitlines()) == 1
    assert len(found.reason) <= 400


def test_writing_files_is_refused_even_if_the_error_is_caught(run, tmp_path):
    target = tmp_path / "written"
    body = f"""
def eval(*given):
    try:
        open({str(target)!r}, "w").write("x")
    except Exception:
        pass
    return True
"""
    found = run(body)
    assert found.passed is None
    assert "open('written') to write to it" in found.reason
    assert not target.exists()
    assert {path.name for path in tmp_path.rglob("*")} == {"copy", "ace", "one.py"}


@pytest.mark.slow
def test_hanging_evaluation_is_ended_with_its_processes(run):
    found = run("while True: pass", seconds=1)
    assert found.passed is None
    assert found.reason.startswith(("it takes too long", "it takes longer than 1 s"))
    marked = f"{VARIABLE}=official ".encode()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # another user's process, or one that has ended
            assert marked not in environment.read_bytes()


def test_long_output_of_the_evaluation_is_ignored(run):
    body = "import sys; print('x' * 10**7); sys.stderr.write('y' * 10**7); return True"
    assert run(body).passed is True


def test_evaluation_has_no_keys_and_no_access_to_our_folders(run, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    kept = {VARIABLE, "LC_CTYPE"}  # Python itself sets the second one
    body = f"import os; return set(os.environ) <= {kept!r} and os.listdir() == []"
    assert run(body).passed is True


def test_questions_to_its_judge_are_answered_by_ours(run):
    asked: list[str] = []

    def ask(text: str) -> str:
        asked.append(text)
        return "Yes"

    assert run(CLIENT, ask=ask).passed is True
    assert run(CLIENT, ask=lambda text: "Yes.").passed is False  # by its own rule, not ours
    assert asked == ["Is 4 right?"]
    assert "there is no judge: --llm-judge=single" in run(CLIENT).reason

    def down(text: str) -> str:
        msg = "judge m does not answer"
        raise JudgeError(msg)

    found = run(CLIENT, ask=down)
    assert (found.passed, "judge m does not answer" in found.reason) == (None, True)


def test_clock_is_that_of_the_episode(run):
    body = """
from datetime import date, datetime, timedelta
def eval(*given):
    later = datetime.now() + timedelta(days=2)
    return later.strftime("%b %d") == "Jan 01" and date.today().year == 2024
"""
    assert run(body, now=datetime(2024, 12, 30, 9)).passed is True


def test_missing_libraries_may_be_imported_but_not_used(run):
    head = "import nowhere.at.all\nfrom other import Base\nclass Own(Base): pass\n"
    assert run(f"{head}def eval(*given): return True").passed is True
    found = run(f"{head}def eval(*given): return Own()")
    assert "the evaluation uses other.Base, which is not available here" in found.reason


def test_hierarchies_are_written_like_appium_does(make_screen):
    screen = make_screen({"text": "Save", "class": "android.widget.Button", "content-desc": ""})
    root = ET.fromstring(hierarchy_of(screen, (1080, 2400)))
    assert (root.tag, root.attrib["width"], root.attrib["height"]) == ("hierarchy", "1080", "2400")
    (button,) = root
    assert button.tag == button.attrib["class"] == "android.widget.Button"
    assert (button.attrib["text"], button.attrib["displayed"]) == ("Save", "true")
    assert "content-desc" not in button.attrib
    again = type(screen)(hierarchy_of(screen, (1080, 2400)), screen.png)
    assert hierarchy_of(again, (1080, 2400)) == hierarchy_of(screen, (1080, 2400))
    assert ET.fromstring(hierarchy_of(type(screen)("", b""), (1, 2))).attrib["height"] == "2"

"""Tests of the command `draft-check`, with scripted models and one behind a real SDK."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mobileagent import isolation as kernel
from pytest_mobileagent.draft import draft_check as command
from pytest_mobileagent.isolation import UnavailableError
from pytest_mobileagent.testing import ScriptedModel
from pytest_mobileagent.verdict import Verdict, append

pytestmark = pytest.mark.skipif(bool(kernel.unsupported()), reason=kernel.unsupported())

GOOD = """\
def test_used(episode):
    assert episode.answers(episode.screen.get(resource_id="used").text)
"""
USELESS = "def test_used(episode):\n    assert episode.screen\n"


class Project:
    """A project's settings, by ini key."""

    def __init__(self, **texts):
        self.texts = texts

    def get(self, name):
        return (self.texts[name], Path()) if name in self.texts else None


@pytest.fixture
def draft_check(tmp_path, capsys, monkeypatch):
    """Return a function that runs the command in an empty folder: status, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    # The marks above guarantee a sandbox.
    monkeypatch.setattr(command, "check_sandbox", lambda: None)

    def run(*arguments, replies=(), project=None):
        (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, replies)))
        model = ["--model=scripted:r.jsonl"] if replies else []
        words = [*map(str, arguments), *model]
        try:
            status: object = command.main(words, lambda: project or Project())
        except SystemExit as error:
            status = error.code
        return (status, *capsys.readouterr())

    return run


@pytest.fixture
def episode(done, tmp_path):
    """Return a writable copy of the episode in which the goal was met."""
    shutil.copytree(done.parent.parent, tmp_path / "run", symlinks=True)
    return tmp_path / "run" / "episodes" / "play.0"


@pytest.fixture
def other(failed, tmp_path):
    """Return a writable copy of the episode in which the goal was not met."""
    shutil.copytree(failed.parent.parent, tmp_path / "other", symlinks=True)
    return tmp_path / "other" / "episodes" / "play.0"


def fenced(code):
    return f"```python\n{code}```"


def test_the_command_prints_a_function_and_where_it_holds(draft_check, episode):
    status, out, err = draft_check(episode, replies=[fenced(GOOD)])
    assert (status, err) == (0, "")
    head, _, remarks, where, *code, _, _, summary = out.splitlines()
    assert head.startswith("# scripted:r.jsonl, 20")
    assert remarks == f"# {episode}:"
    assert where == "#   separates: holds after step 2 of 2 (nobody has decided)"
    assert "\n".join(code) + "\n" == GOOD
    assert summary == "# 1/1 100% (21%-100%) right; 1 call of scripted:r.jsonl, $0.0000"
    compile(out, "out", "exec")


def test_a_useless_draft_is_reported_with_status_1(draft_check, episode):
    status, out, _ = draft_check("--episode", episode, replies=[fenced(USELESS)])
    assert status == 1
    assert "#   USELESS: holds after step 0-2 of 2: even before anything was done" in out


def test_all_episodes_of_a_task_are_asked_and_those_done_are_drafted_from(
    draft_check, episode, other
):
    append(episode, Verdict(True, first_step=2))
    append(other, Verdict(False))
    status, out, _ = draft_check(other, episode, replies=[fenced(GOOD)])
    assert status == 0
    assert "right: holds after step 2 of 2 (goal met)" in out
    assert "right: holds at no step of 1 (goal not met)" in out
    assert (episode / "drafts.jsonl").exists()
    assert not (other / "drafts.jsonl").exists()


def test_a_reply_that_cannot_be_used_is_repaired_once(draft_check, episode):
    status, out, _ = draft_check(episode, replies=["No.", fenced(GOOD)])
    assert status == 0
    assert "2 calls of" in out
    lines = (episode / "drafts.jsonl").read_text("utf-8").splitlines()
    first, second = (json.loads(line) for line in lines)
    assert first["role"] == second["role"] == "drafter"
    assert "Your reply cannot be used: it is not valid Python" in second["prompt"][-1]["content"][0]


def test_a_model_that_writes_no_function_is_wrong(draft_check, episode, tmp_path):
    status, out, _ = draft_check(episode, "-o", "new", replies=["No.", "Never."])
    assert status == 1
    assert "# WRONG: its reply cannot be used: it is not valid Python" in out
    assert "# 0/1 0% (0%-79%) right; 2 calls" in out
    assert not (tmp_path / "new").exists()


def test_drafts_are_kept_beside_what_people_make_of_them(draft_check, episode, tmp_path):
    status, out, _ = draft_check(episode, "-o", "new", replies=[fenced(GOOD)])
    file = tmp_path / "new" / "test_play.py"
    assert (status, "# written to new/test_play.py" in out) == (0, True)
    assert file.read_text() in out
    _, out, _ = draft_check("--compare", "new")
    assert "functions right as drafted  1/1 100% (21%-100%)" in out
    file.write_text(file.read_text().replace('"used"', '"total"'))
    status, out, _ = draft_check("--compare", file)
    assert status == 0
    assert "functions right as drafted  0/1" in out
    assert "lines wrong                 1/2 50%" in out


@pytest.mark.parametrize("there", ["test_x.py", "test_x.py.draft"])
def test_nothing_is_overwritten_nor_asked_before(draft_check, episode, tmp_path, there):
    (tmp_path / there).write_text("mine")
    status, out, err = draft_check(episode, "-o", "test_x.py", replies=[fenced(GOOD)])
    assert (status, out) == (2, "")
    assert "test_x.py or its draft already exists" in err
    assert (tmp_path / there).read_text() == "mine"
    assert not (episode / "drafts.jsonl").exists()


@pytest.mark.slow  # It loads a provider's library.
def test_the_project_says_which_model_drafts_and_what_that_costs(draft_check, episode, tmp_path):
    with ScriptedModel([fenced(GOOD)]).serve() as url:
        (tmp_path / "prices.toml").write_text('["openai:b"]\ninput = 1000\noutput = 1000\n')
        model = f"actor=openai:a,drafter=openai:b@{url}/v1"
        project = Project(mobile_model=model, mobile_prices="prices.toml")
        status, out, err = draft_check(episode, project=project)
    assert (status, err) == (0, "")
    assert "1 call of openai:b, $" in out
    assert "$0.0000" not in out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "no episode is given"),
        (["nothing"], "no episode is recorded in nothing"),
        (["EPISODE"], "no model is given to draft: --model=PROVIDER:NAME"),
        (["EPISODE", "--model=gpt"], "'gpt' must be PROVIDER:NAME"),
        (["EPISODE", "--model=openai:gpt-4o"], "OPENAI_API_KEY is not set. Nothing was asked."),
        (["EPISODE", "--model=opnai:gpt-4o"], "did you mean 'openai'?"),
        (["EPISODE", "--model=scripted:none.jsonl"], "cannot read none.jsonl"),
        (["EPISODE", "--model=openai:x", "--prices=none.toml"], "none.toml"),
        (["--compare", "."], "no drafts are in ."),
        (["--compare", "none.py"], "cannot read none.py.draft"),
    ],
)
def test_missing_arguments_are_reported_with_status_2(draft_check, episode, arguments, problem):
    words = [str(episode) if word == "EPISODE" else word for word in arguments]
    status, out, err = draft_check(*words)
    assert (status, out) == (2, "")
    assert problem in err


def test_a_model_that_does_not_answer_is_an_error(draft_check, episode):
    replies = [{"fault": 400}]
    status, out, _ = draft_check(episode, replies=replies)
    assert status == 1
    assert "the request is refused" in out
    status, _, err = draft_check(episode, replies=[{"fault": 401}])
    assert status == 2
    assert "model scripted:r.jsonl" in err


def test_without_isolation_drafts_are_only_printed(draft_check, episode, monkeypatch):
    def unavailable():
        msg = "a sandbox needs Linux's seccomp"
        raise UnavailableError(msg)

    monkeypatch.setattr(command, "check_sandbox", unavailable)
    status, out, err = draft_check(episode, replies=[fenced(GOOD)])
    assert (status, out) == (2, "")
    assert "cannot be run here: a sandbox needs Linux's seccomp" in err
    assert "--no-run" in err
    status, out, err = draft_check(episode, "--no-run", replies=[fenced(GOOD)])
    assert (status, err) == (0, "")
    assert GOOD in out
    assert "holds" not in out


def test_text_from_a_hostile_draft_stays_a_comment(draft_check, episode):
    code = """\
def test_used(episode):
    assert not episode.steps, "\\x1b[2J" + "\\rimport os" + "\\nimport os" + "\\u2028import os"
"""
    status, out, _ = draft_check(episode, replies=[fenced(code)])
    assert status == 1
    assert "\x1b" not in out
    said = [line for line in out.replace(code, "").splitlines() if "import os" in line]
    assert [line[0] for line in said] == ["#"] * len(said)


@pytest.mark.slow  # It configures pytest in a separate process.
def test_the_model_is_taken_from_the_projects_ini_file(episode, tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\nmobile_model = scripted:replies.jsonl\n")
    (tmp_path / "replies.jsonl").write_text(json.dumps(fenced(GOOD)))
    words = [sys.executable, "-m", "pytest_mobileagent", "draft-check", str(episode)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert GOOD in done.stdout

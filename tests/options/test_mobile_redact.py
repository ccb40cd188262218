"""--mobile-redact: text and regions that match a rule appear nowhere in the recorded run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

AGENT = """
from pytest_mobileagent import Agent, Finish, Reply, Tap, Type

class Reads(Agent):
    def start(self, briefing):
        self.left = 3
    def step(self, observation):
        self.left -= 1
        seen = observation.screen.get(text="4111 1111 1111 1111").text  # it sees what there is
        if self.left == 2:
            return Reply(Type(seen), said=f"I see {seen}")
        if self.left == 1:
            return Reply(Tap(5, 5), said="alice@example.com")
        return Finish(f"It is {seen}")

class Raises(Reads):
    def step(self, observation):
        raise RuntimeError("alice@example.com, incorrect key: sk-test-0123456789")
"""
PROJECT = """
import pytest
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

@pytest.fixture(scope="session")
def mobile_lease():
    texts = ["4111 1111 1111 1111", "alice@example.com"]
    return FakeLease(FakePhone([make_screen(*texts, str(number)) for number in range(9)]))
"""
TASKS = """
from pytest_mobileagent import task

@task("Read the card.", app="a", golden_steps=6)
def test_read(episode):
    assert episode.answers("nothing of the kind"), episode.answer
"""
RULES = r"""
text = ['\d{4} \d{4} \d{4} \d{4}', 'alice@']
[[region]]
box = [0.0, 0.9, 1.0, 1.0]
"""
SECRETS = (b"4111 1111", b"alice@")


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., tuple[pytest.RunResult, Path | None]]:
    """Run a task on a phone that shows secrets; return the result and the run's folder."""

    def run(rules, *arguments, tasks=TASKS):
        pytester.makeconftest(PROJECT)
        pytester.makepyfile(test_it=tasks, reads=AGENT)
        (pytester.path / "rules.toml").write_text(rules, "utf-8")
        result = pytester.runpytest_inprocess(
            "-p", "no:cacheprovider", "--agent=reads.py:Reads", "--mobile-redact=rules.toml",
            *(arguments or ["--mobile-agent-process=off"]),
        )  # fmt: skip
        folders = sorted(pytester.path.glob("runs/*"))
        return result, folders[-1] if folders else None

    return run


def leaks(folder):
    """Return the names of the run's files that contain a secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 8
    return [path.name for path in files if any(word in path.read_bytes() for word in SECRETS)]


@pytest.mark.parametrize(
    "arguments",
    [["--mobile-agent-process=off"], pytest.param(["-n1"], marks=pytest.mark.slow)],
    ids=["thread", "worker"],
)
def test_nothing_that_matches_is_in_any_file_of_the_run(run, arguments):
    result, folder = run(RULES, *arguments)
    result.assert_outcomes(failed=1)
    assert leaks(folder) == []
    (task,) = json.loads((folder / "report.json").read_text())["tasks"]
    assert (task["answer"], task["outcome"]) == ("It is █████", "failed")
    stream = next(folder.glob("episodes/*/episode.jsonl")).read_text()
    assert "I see █████" in stream


def test_the_error_of_an_episode_without_a_verdict_is_redacted_in_the_index(run):
    skips = TASKS.partition("    assert")[0] + "    pytest.skip('no card 4111 1111 1111 1111')\n"
    result, folder = run(RULES, tasks="import pytest\n" + skips)
    result.assert_outcomes(skipped=1)
    assert "no card █████" in (folder / "index.jsonl").read_text("utf-8")
    assert leaks(folder) == []


def test_the_agent_sees_the_phone_and_the_record_says_that_it_is_redacted(run):
    _, folder = run(RULES)
    (task,) = json.loads((folder / "report.json").read_text())["tasks"]
    assert task["termination"] == "self-reported"  # the agent read the number on the screen
    told = json.loads((folder / "run.json").read_text())["run"]["redaction"]
    assert (told["patterns"], told["regions"], len(told["sha256"])) == (2, 1, 64)
    with Image.open(next(folder.glob("episodes/*/screens/000-start.png"))) as image:
        width, height = image.size
        assert image.convert("RGB").getpixel((width // 2, height - 1)) == (0, 0, 0), "the region"


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("text = ['(']", "*pattern 1 of `text` is not a regular expression*"),
        ("text = ['a*']", "*pattern 1 of `text` matches the empty text*"),
        ("", "*specifies nothing to black out*"),
        ("texts = ['a']", "*there is no 'texts'; it may have `text` and*"),
        ("text = 'a'", "*`text` must be a list of regular expressions*"),
        ("[[region]]\nbox = [1, 2, 3]", "*region*1: box must be*"),
        ("[[region]]\npackage = 'a'", "*region*1 needs either a `box` or a `resource_id`*"),
        ("no toml", "*is not TOML*"),
    ],
)
def test_invalid_rules_end_the_run_before_it_begins(run, rules, words):
    result, folder = run(rules)
    assert (result.ret, folder) == (pytest.ExitCode.USAGE_ERROR, None)
    result.stderr.fnmatch_lines([f"ERROR: --mobile-redact=rules.toml: {words}"])


def test_a_file_that_does_not_exist_is_an_error(run):
    result, _ = run(RULES, "--mobile-redact=none.toml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*none.toml cannot be read: No such file or directory*"])


def test_a_resumed_run_follows_the_same_rules(run, pytester):
    stops = "import pytest\ndef pytest_runtest_setup(item): pytest.exit('stopped by hand')"
    pytester.makepyfile(stopping=stops)
    pytester.syspathinsert()
    _, folder = run(RULES, "--mobile-agent-process=off", "-p", "stopping")
    given = ["-p", "no:cacheprovider", "--mobile-agent-process=off", f"--mobile-resume={folder}"]
    (pytester.path / "others.toml").write_text("text = ['bob']", "utf-8")
    refused = pytester.runpytest_inprocess(*given, "--mobile-redact=others.toml")
    refused.stderr.fnmatch_lines(
        ["ERROR: --mobile-redact=others.toml: * recorded with other rules*"]
    )
    result = pytester.runpytest_inprocess(*given)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*--mobile-redact=rules.toml (--mobile-resume)"])
    assert leaks(folder) == []


def test_a_key_in_an_error_of_an_agent_and_what_matches_are_in_no_file_and_not_in_junit(
    run, pytester, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    result, folder = run(
        RULES, "--mobile-agent-process=off", "--agent=reads.py:Raises", "--junitxml=junit.xml"
    )
    result.assert_outcomes(failed=1)
    (pytester.path / "junit.xml").rename(folder / "junit.xml")
    files = [path for path in folder.rglob("*") if path.is_file()]
    words = (*SECRETS, b"sk-test")
    assert [path.name for path in files if any(word in path.read_bytes() for word in words)] == []
    assert "incorrect key: …" in (folder / "junit.xml").read_text("utf-8")
    assert "incorrect key: …" in (folder / "report.json").read_text("utf-8")
    result.stdout.no_fnmatch_line("*sk-test*")

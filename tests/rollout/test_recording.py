"""Tests of recorded rollouts, which are runs like any other."""

from __future__ import annotations

import pytest

from pytest_mobileagent import Finish, Open, load
from pytest_mobileagent.__main__ import main
from pytest_mobileagent.errors import DeviceError, JudgeError, TaskError, UndecidedError
from pytest_mobileagent.report.recorded_run import REPORT, read_report, recorded_run
from pytest_mobileagent.rollout import MobileEnv, RecordedRollouts


def test_rollouts_and_forks_are_recorded_as_a_run_with_an_epoch_for_each(
    fleet, named, tmp_path, capsys
):
    with RecordedRollouts(tmp_path, [named["code"]]) as run:
        env = MobileEnv(named["code"], fleet[0], record=run)
        env.reset(seed=1)
        env.step(Open("com.example.counter"))
        fork = env.fork(fleet[1])
        for each, answer in ((env, "4711"), (fork, "4712")):
            each.step(Finish(answer))
        fork.close()
        env.reset(seed=1)
        env.step(Finish("4711"))
        env.close()
    whole = read_report(run.folder.path / REPORT)
    assert [each.epoch for each in whole["tasks"]] == [0, 1, 2]
    assert [each.outcome for each in whole["tasks"]] == ["passed", "failed", "passed"]
    assert whole["summary"]["epochs"]["number"] == 3
    assert whole["run"]["agent"] == "rollout"
    episodes = [load(run.folder.path / str(each.episode)) for each in whole["tasks"]]
    assert [each.case.epoch for each in episodes] == [0, 1, 2]
    assert [each.answer for each in episodes] == ["4711", "4712", "4711"]
    assert [len(each.steps) for each in episodes] == [2, 2, 1]
    assert (run.folder.path / "report.html").exists()
    assert main(["compare", str(run.folder.path), str(run.folder.path)]) == 0
    assert "2/3 → 2/3" in capsys.readouterr().out


def test_a_broken_episode_is_known_from_the_index_and_no_key_is_in_the_run(
    fleet, named, tmp_path, monkeypatch
):
    def down(_):
        raise JudgeError("the judge refuses the-own-key-of-a-test")

    monkeypatch.setenv("OTHER_API_KEY", "the-own-key-of-a-test")
    with RecordedRollouts(tmp_path, [named["nice"]]) as run:
        env = MobileEnv(named["nice"], fleet[0], record=run, judge=down)
        env.reset(seed=1)
        env.step(Finish())
        env.close()
    folder = run.folder.path
    texts = [path.read_text() for path in folder.rglob("*") if path.suffix in {".json", ".jsonl"}]
    assert any("the judge refuses …" in text for text in texts)
    assert not any("the-own-key" in text for text in texts)
    (folder / REPORT).unlink()  # as if the trainer had been killed
    (task,) = recorded_run(folder).tasks
    assert (task.outcome, task.fault) == ("error", "judge")
    assert task.reason == "the judge refuses …"


@pytest.mark.parametrize(
    ("error", "result"),
    [
        (DeviceError("gone"), ("error", "infrastructure")),
        (TaskError("no such table"), ("error", "task")),
        (UndecidedError("judges disagree"), ("review", None)),
    ],
)
def test_undecided_episodes_are_reported_as_by_pytest(fleet, named, tmp_path, error, result):
    def raises(_):
        raise error

    with RecordedRollouts(tmp_path, [named["nice"]]) as run:
        env = MobileEnv(named["nice"], fleet[2], record=run, judge=raises)
        env.reset(seed=1)
        assert "broken" in env.step(Finish())[4]
        env.close()
    for _ in ("from the report", "from the index"):
        (task,) = recorded_run(run.folder.path).tasks
        assert (task.outcome, task.fault) == result
        assert task.reason.startswith(str(error))
        (run.folder.path / REPORT).unlink(missing_ok=True)


def test_unrecorded_episodes_are_gone_with_their_environment(fleet, named):
    env = MobileEnv(named["code"], fleet[0])
    env.reset(seed=1)
    assert env.session
    first = env.session.folder
    env.reset(seed=1)
    assert not first.parent.parent.exists()
    assert env.session
    last = env.session.folder
    assert last.exists()
    assert last.is_relative_to(fleet[0].folder)  # so it also goes if this process is killed
    env.close()
    assert not last.parent.parent.exists()

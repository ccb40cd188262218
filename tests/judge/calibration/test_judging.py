"""Judging labelled episodes: what is skipped, counted and cached, and when it stops."""

import threading
from dataclasses import replace

import pytest

from pytest_mobileagent.judge.calibration import judging
from pytest_mobileagent.judge.calibration.judging import CalibrationPlan, Mode, judge_all, six
from pytest_mobileagent.judge.calibration.labels import read_labels
from pytest_mobileagent.llm.budget import Budget, Limit
from pytest_mobileagent.llm.known_replies import ReplyCache
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.prices import Price, Prices
from pytest_mobileagent.llm.reference import ModelReference
from pytest_mobileagent.testing import Fault, ScriptedModel, When

from .conftest import judge

ONE, TWO = ModelReference("openai", "one"), ModelReference("openai", "two")
SEEN = {"Do 1.": "total 5", "Do 2.": "nothing", "Do 3.": "Total: 7"}


def read(screen):
    """Return the text of a screenshot without OCR."""
    return next(text for goal, text in SEEN.items() if goal in screen.xml)


@pytest.fixture
def plan(labelled):
    """A plan for three labels, the second of which lacks its key component."""

    def make(*clients, **fields):
        components = {"key_components": ["Total"]}
        labels = labelled(
            ("Do 1.", True, components), ("Do 2.", False, components), ("Do 3.", True)
        )
        given = dict(zip((ONE, TWO), clients, strict=False))
        plan = CalibrationPlan(
            read_labels(labels).each, tuple(given), EpisodeModels(), read, (Mode(),), clients=given
        )
        return replace(plan, **fields)

    return make


def asked(plan):
    """Return the outcome, with the answers sorted by label and judge."""
    outcome = judge_all(plan, lambda done, of: None)
    outcome.answers.sort(key=lambda each: (each.label, each.judge))
    return outcome


def test_judges_are_asked_unless_key_components_are_missing(plan):
    one, two = judge("1 3"), judge("3")
    told = []
    outcome = judge_all(plan(one, two), lambda *how_far: told.append(how_far))
    answers = sorted(outcome.answers, key=lambda each: (each.judge, each.label))
    assert [each.verdict for each in answers] == [True, False, True, False, False, True]
    assert [each.skipped for each in answers] == [False, True, False] * 2
    assert [len(each.calls) for each in answers] == [1, 0, 1] * 2
    assert (len(one.requests), len(two.requests)) == (2, 2)
    assert (outcome.labels, outcome.stopped, told) == (3, "", [(1, 3), (2, 3), (3, 3)])


def test_key_components_can_be_ignored_for_comparison(plan):
    outcome = asked(plan(judge("1 2 3"), uses_components=False))
    assert [each.verdict for each in outcome.answers] == [True, True, True]
    assert [each.verdict_by_components for each in outcome.answers] == [True, False, True]


def test_the_majority_of_several_runs_counts_and_what_nobody_can_read_is_not_a_vote(plan):
    replies = ["Result: 1", "Result: 0", "Result: 1", "?", "??", "Result: 0", "Result: 0"]
    model = ScriptedModel([When("Do 1", replies[:3]), When("Do 3", replies[3:])])
    first, _, third = asked(plan(model, runs=3)).answers
    assert (first.passed, len(first.calls)) == (True, 3)
    assert (third.passed, len(third.calls), third.error) == (False, 4, "")


def test_judge_without_an_answer_is_an_error(plan):
    model = ScriptedModel([When("Do 1", [Fault(401)]), When("Do 3", "Result: 1")])
    first, _, third = asked(plan(model, judge("1 3"), threads=1)).answers[::2]
    assert (first.verdict, third.verdict) == (None, True)
    assert "does not answer" in first.error


def test_a_damaged_record_is_reported_for_each_judge(plan):
    given = plan(judge("1"), judge("1"))
    (given.labels[0].load.args[0] / "episode.jsonl").write_text("")
    outcome = asked(given)
    assert [bool(each.error) for each in outcome.answers] == [True, True, *[False] * 4]
    assert outcome.answers[0].error.startswith(given.labels[0].name)


def test_six_modes_ask_six_times(plan):
    model = judge("1 3")
    outcome = asked(plan(model, modes=six(Mode())))
    assert len(outcome.answers) == 18
    assert len(model.requests) == 12
    texts = {request.text for request in model.requests if "Do 1" in request.text}
    assert len(texts) == 6


def test_cached_replies_are_not_requested_again(plan, tmp_path):
    models = EpisodeModels(cache=ReplyCache(tmp_path / "replies"))
    first = judge("1 3")
    given = plan(first, models=models, runs=2)
    assert len(asked(given).answers[0].calls) == 2
    assert len(first.requests) == 4  # each run makes its own requests
    second = judge("")
    outcome = asked(replace(given, clients={ONE: second}))
    assert ([each.verdict for each in outcome.answers], second.requests) == (
        [True, False, True],
        [],
    )
    assert all(call.from_cache for each in outcome.answers for call in each.calls)


def test_exhausted_budget_stops_judging_and_keeps_answers(plan, tmp_path):
    ledger = tmp_path / "spent.jsonl"
    models = EpisodeModels(
        prices=Prices({"openai:one": Price(1000, 0)}),  # 1 US dollar per request
        budget=Budget(Limit(1)),
        ledger=ledger,
        cache=ReplyCache(tmp_path / "replies"),
    )
    given = plan(judge("1 3"), models=models, threads=1)
    outcome = asked(given)
    assert (outcome.labels, outcome.stopped) == (2, "--max-cost=1 is spent")
    ledger.unlink()  # the next command has a new ledger
    assert asked(given).stopped == ""


def test_ctrl_c_waits_for_pending_calls_and_starts_no_more(plan, monkeypatch):
    stopped = threading.Event()
    stop = judging._Work.stop

    def stop_and_tell(*args):
        stop(*args)
        stopped.set()

    monkeypatch.setattr(judging._Work, "stop", stop_and_tell)

    def slow(request):
        assert stopped.wait(60)
        return "Result: 1"

    def interrupted(workers):
        assert judged.wait(60)
        raise KeyboardInterrupt

    judged = threading.Event()
    monkeypatch.setattr(judging, "wait", interrupted)
    given = plan(ScriptedModel([When("Do 1", "Result: 1"), When("Do 3", [slow])]), threads=1)
    first, second, third = given.labels
    outcome = judge_all(replace(given, labels=(first, third, second)), lambda *_: judged.set())
    assert outcome.stopped == "interrupted"
    assert 1 <= outcome.labels <= 2
    assert len(outcome.answers) == outcome.labels


def test_unexpected_exception_is_raised(plan):
    def broken(screen):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asked(plan(judge("1"), read=broken))


def test_cross_app_labels_are_judged_per_subtask(labelled):
    subtasks = [{"app": "com.a", "task": "Look."}, {"app": "com.b", "task": "Buy."}]
    path = labelled(("Do 1.", False, {"subtasks": subtasks}))
    plan = CalibrationPlan(
        read_labels(path).each, (ONE,), EpisodeModels(), read, (Mode(),),
        clients={ONE: ScriptedModel(["1: 1\n2: none"])},
    )  # fmt: skip
    (answer,) = asked(plan).answers
    assert (answer.verdict, len(answer.calls)) == (False, 1)

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Tap
from pytest_mobileagent.errors import JudgeError
from pytest_mobileagent.judge.ask import STREAM, judge_models
from pytest_mobileagent.judge.panel import decide
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.llm.budget import Budget, BudgetSpent, Limit
from pytest_mobileagent.llm.models import ModelSettings
from pytest_mobileagent.llm.reference import ModelReference
from pytest_mobileagent.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent import Episode
    from pytest_mobileagent.llm.metered import MeteredModel

YES, NO = "Result: 1", "Result: 0"
TEXT = Question(actions="text")


def panel(*replies: Sequence[Any], **settings: Any) -> list[MeteredModel]:
    """Judges a, b, c … that say these replies."""
    references = [ModelReference("scripted", name) for name, _ in zip("abc", replies, strict=False)]
    clients = {each: ScriptedModel(said) for each, said in zip(references, replies, strict=True)}
    return judge_models(references, ModelSettings(**settings), clients=clients)


def asked(judge: MeteredModel) -> int:
    assert isinstance(judge.client, ScriptedModel)
    return len(judge.client.requests)


@pytest.fixture
def episode(make_episode: Callable[..., Episode]) -> Episode:
    return make_episode(Tap(1, 1))


@pytest.mark.parametrize(("reply", "passed"), [(YES, True), (NO, False)])
def test_one_judge_decides(episode: Episode, reply: str, passed: bool) -> None:
    verdict = decide(panel([reply]), TEXT, episode)
    assert (verdict.passed, verdict.scorer) == (passed, "judge")
    assert verdict.reason == f"a: {'done' if passed else 'not done'}"
    assert [call.role for call in verdict.calls] == ["judge"]


@pytest.mark.parametrize(
    ("one", "other", "passed"),
    [(YES, YES, True), (NO, NO, False), (YES, NO, None), (NO, YES, None)],
)
def test_two_judges_have_to_agree(
    episode: Episode, one: str, other: str, passed: bool | None
) -> None:
    verdict = decide(panel([f"Reason: one\n{one}"], [other]), TEXT, episode)
    assert (verdict.passed, verdict.scorer) == (passed, "judges")
    assert [judge["model"] for judge in verdict.evidence["judges"]] == ["scripted:a", "scripted:b"]
    assert verdict.reason.startswith('a: done, "one"' if one == YES else 'a: not done, "one"')


@pytest.mark.parametrize("third", [YES, NO])
def test_a_third_is_asked_only_to_settle_a_dispute(episode: Episode, third: str) -> None:
    disputed = panel([YES], [NO], [third])
    verdict = decide(disputed, TEXT, episode)
    assert verdict.passed is (third == YES)
    assert [asked(judge) for judge in disputed] == [1, 1, 1]
    agreed = panel([YES], [YES], [third])
    assert decide(agreed, TEXT, episode).passed is True
    assert asked(agreed[2]) == 0


@pytest.mark.parametrize(
    ("votes", "passed"),
    [([YES, YES, NO], True), ([NO, YES, NO], False), ([YES, NO], None), ([YES] * 5, True)],
)
def test_the_majority_of_a_judges_votes_counts(
    episode: Episode, votes: list[str], passed: bool | None
) -> None:
    verdict = decide(panel(votes), TEXT, episode, runs=len(votes))
    assert verdict.passed is passed
    assert len(verdict.calls) == len(votes)
    told = verdict.evidence["judges"][0]["details"]["votes"]
    assert sorted(told) == sorted(vote == YES for vote in votes)
    assert f"{votes.count(YES)} of {len(votes)} votes: done" in verdict.reason


def test_a_judge_that_cannot_tell_agrees_with_nobody(episode: Episode) -> None:
    assert decide(panel([YES, NO], [YES, YES]), TEXT, episode, runs=2).passed is None


def test_judges_are_asked_at_once(episode: Episode) -> None:
    both = threading.Barrier(2, timeout=20)

    def reply(_: object) -> str:
        both.wait()
        return YES

    assert decide(panel([reply], [reply]), TEXT, episode).passed is True


def test_a_judge_that_fails_is_asked_again(episode: Episode) -> None:
    mumbling = ["Hm.", "Hm."]  # the second is its reply to the request to mend the first
    assert decide(panel([*mumbling, YES]), TEXT, episode, retries=1).passed is True
    with pytest.raises(JudgeError, match="judge scripted:a: its reply cannot be read"):
        decide(panel([*mumbling, *mumbling, YES]), TEXT, episode, retries=1)


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_an_unreadable_reply_is_told_where_nothing_can_be_said_to_mend_it(
    episode: Episode, retries: int
) -> None:
    with pytest.raises(JudgeError) as failed:
        decide(panel(["Looks fine to me."]), TEXT, episode, retries=retries)
    told = str(failed.value)
    first = "judge scripted:a: its reply cannot be read, as its last line is no result: "
    assert told.startswith(f"{first}'Looks fine to me.'. To mend it: ")
    assert "the scripted model has no reply left" in told
    assert told.count("Asked again: ") == (retries > 0)


def test_without_the_key_components_on_a_screen_no_model_is_asked(episode: Episode) -> None:
    question = Question(("Total", "14.99"), actions="text")
    judges = panel([YES])
    verdict = decide(judges, question, episode, read=lambda _: "The total: 14.98")
    assert verdict.passed is False
    assert verdict.reason == "no screenshot shows all key components; the nearest lacks '14.99'"
    assert asked(judges[0]) == 0
    assert decide(judges, question, episode, read=lambda _: "TOTAL\u200914.99").passed is True


def test_prompts_and_replies_are_kept_beside_those_of_the_agent(
    episode: Episode, tmp_path: Path
) -> None:
    reference = ModelReference("scripted", "a")
    judges = judge_models(
        [reference],
        ModelSettings(),
        folder=tmp_path,
        pictures=tmp_path / "screens",
        clients={reference: ScriptedModel([YES])},
    )
    verdict = decide(judges, TEXT, episode)
    (line,) = (tmp_path / STREAM).read_text("utf-8").splitlines()
    assert YES in line
    assert verdict.evidence["judges"][0]["lines"] == [1]


def test_a_spent_budget_is_no_verdict(episode: Episode, tmp_path: Path) -> None:
    ledger = tmp_path / "spent.jsonl"
    ledger.write_text("[2.0,100]\n", "utf-8")
    judges = panel([YES], budget=Budget(Limit(1.0)), ledger=ledger)
    with pytest.raises(BudgetSpent, match="--mobile-max-cost=1 is spent"):
        decide(judges, TEXT, episode)

"""Panels of judges, and key components, searched for from the last screenshot backwards."""

from __future__ import annotations

import threading
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Screen, Tap
from pytest_mobileagent.errors import JudgeError, ScreenError, TaskError
from pytest_mobileagent.judge.ask import STREAM, judge_models
from pytest_mobileagent.judge.panel import Coarse, coarse, decide, reader
from pytest_mobileagent.judge.question import Question
from pytest_mobileagent.llm.budget import Budget, BudgetSpent, Limit
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.reference import ModelReference
from pytest_mobileagent.screen.element import Bounds
from pytest_mobileagent.screen.ocr import TextBox
from pytest_mobileagent.testing import ScriptedModel
from tests.judge.asking import screen, worked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PIL.Image import Image

    from pytest_mobileagent import Episode
    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.llm.metered import MeteredModel


YES, NO = "Result: 1", "Result: 0"
TEXT = Question(actions="text")


def panel(*replies: Sequence[Any], **settings: Any) -> list[MeteredModel]:
    """Return judges named a, b, c … with these scripted replies."""
    references = [ModelReference("scripted", name) for name, _ in zip("abc", replies, strict=False)]
    clients = {each: ScriptedModel(said) for each, said in zip(references, replies, strict=True)}
    return judge_models(references, EpisodeModels(**settings), clients=clients)


def asked(judge: MeteredModel) -> int:
    assert isinstance(judge.client, ScriptedModel)
    return len(judge.client.requests)


@pytest.fixture
def episode(make_episode: Callable[..., Episode]) -> Episode:
    return make_episode(Tap(1, 1))


@pytest.mark.parametrize(("reply", "passed"), [(YES, True), (NO, False)])
def test_single_judge_decides(episode, reply, passed):
    verdict = decide(panel([reply]), TEXT, episode)
    assert (verdict.passed, verdict.scorer) == (passed, "judge")
    assert verdict.reason == f"a: {'done' if passed else 'not done'}"
    assert [call.role for call in verdict.calls] == ["judge"]


@pytest.mark.parametrize(
    ("one", "other", "passed"),
    [(YES, YES, True), (NO, NO, False), (YES, NO, None), (NO, YES, None)],
)
def test_two_judges_must_agree(episode, one, other, passed):
    verdict = decide(panel([f"Reason: one\n{one}"], [other]), TEXT, episode)
    assert (verdict.passed, verdict.scorer) == (passed, "judges")
    assert [judge["model"] for judge in verdict.evidence["judges"]] == ["scripted:a", "scripted:b"]
    assert verdict.reason.startswith('a: done, "one"' if one == YES else 'a: not done, "one"')


@pytest.mark.parametrize("third", [YES, NO])
def test_third_judge_is_asked_only_to_settle_a_dispute(episode, third):
    disputed = panel([YES], [NO], [third])
    verdict = decide(disputed, TEXT, episode)
    assert verdict.passed is (third == YES)
    assert [asked(judge) for judge in disputed] == [1, 1, 1]
    agreed = panel([YES], [YES], [third])
    assert decide(agreed, TEXT, episode).passed is True
    assert asked(agreed[2]) == 0


@pytest.mark.parametrize(
    ("votes", "passed"), [([YES, YES, NO], True), ([NO, YES, NO], False), ([YES, NO], None)]
)
def test_majority_of_a_judges_votes_decides(episode, votes, passed):
    verdict = decide(panel(votes), TEXT, episode, runs=len(votes))
    assert verdict.passed is passed
    assert len(verdict.calls) == len(votes)
    told = verdict.evidence["judges"][0]["details"]["votes"]
    assert sorted(told) == sorted(vote == YES for vote in votes)
    assert f"{votes.count(YES)} of {len(votes)} votes: done" in verdict.reason


def test_undecided_judge_agrees_with_no_other(episode):
    assert decide(panel([YES, NO], [YES, YES]), TEXT, episode, runs=2).passed is None


def test_the_same_votes_give_the_same_verdict_in_any_order(episode):
    votes = [NO, YES, "Another reason.\nResult: 1"]
    verdicts = [decide(panel([*each]), TEXT, episode, runs=3) for each in permutations(votes)]
    assert len({each.reason for each in verdicts}) == 1
    assert len({str(each.evidence["judges"][0]["details"]["votes"]) for each in verdicts}) == 1


def test_judges_are_asked_concurrently(episode):
    both = threading.Barrier(2, timeout=20)

    def reply(_: object) -> str:
        both.wait()
        return YES

    assert decide(panel([reply], [reply]), TEXT, episode).passed is True


def test_failed_judge_is_asked_again(episode):
    mumbling = ["Hm.", "Hm."]  # the second replies to the request for repair
    assert decide(panel([*mumbling, YES]), TEXT, episode, retries=1).passed is True
    with pytest.raises(JudgeError, match="judge scripted:a: its reply cannot be read"):
        decide(panel([*mumbling, *mumbling, YES]), TEXT, episode, retries=1)


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_an_unreadable_reply_is_reported_where_nothing_can_be_said_to_mend_it(episode, retries):
    with pytest.raises(JudgeError) as failed:
        decide(panel(["Looks fine to me."]), TEXT, episode, retries=retries)
    told = str(failed.value)
    first = "judge scripted:a: its reply cannot be read, as its last line is not a result: "
    assert told.startswith(f"{first}'Looks fine to me.'. Asked to repair it: ")
    assert "the scripted model has no reply left" in told
    assert told.count("Asked again: ") == (retries > 0)


def test_no_model_is_asked_if_key_components_are_missing(episode):
    question = Question(("Total", "14.99"), actions="text")
    judges = panel([YES])
    verdict = decide(judges, question, episode, read=lambda _: "The total: 14.98")
    assert verdict.passed is False
    assert verdict.reason == "no screenshot shows all key components; the nearest lacks '14.99'"
    assert asked(judges[0]) == 0
    assert decide(judges, question, episode, read=lambda _: "TOTAL\u200914.99").passed is True


def test_prompts_and_replies_are_recorded_beside_those_of_the_agent(episode, tmp_path):
    reference = ModelReference("scripted", "a")
    folder = tmp_path / "episodes" / "name.0"
    folder.mkdir(parents=True)
    clients = {reference: ScriptedModel([YES])}
    judges = judge_models([reference], EpisodeModels(), folder=folder, clients=clients)
    verdict = decide(judges, TEXT, episode)
    (line,) = (folder / STREAM).read_text("utf-8").splitlines()
    assert YES in line
    assert verdict.evidence["judges"][0]["lines"] == [1]


def test_a_spent_budget_is_not_a_verdict(episode, tmp_path):
    ledger = tmp_path / "spent.jsonl"
    ledger.write_text("[2.0,100]\n", "utf-8")
    judges = panel([YES], budget=Budget(Limit(1.0)), ledger=ledger)
    with pytest.raises(BudgetSpent, match="--mobile-max-cost=1 is spent"):
        decide(judges, TEXT, episode)


def seen(*texts: str) -> tuple[EpisodeRecord, Callable[[Screen], str], list[str]]:
    """Return an episode whose screenshots have these texts, a reader, and the texts read."""
    screens = [screen(text, shade=shade) for shade, text in enumerate(texts)]
    by_picture = {each.png: text for each, text in zip(screens, texts, strict=True)}
    read: list[str] = []

    def reading(each: Screen) -> str:
        read.append(by_picture[each.png])
        return read[-1]

    steps = [(each, Tap(1, 1)) for each in screens[:-1]]
    return worked(*steps, last=screens[-1]), reading, read


def test_search_stops_at_the_last_screenshot_with_all_components():
    episode, reading, read = seen("Oslo 12 May", "Oslo 12 May", "Paid: Oslo, 12 May", "Home")
    assert coarse(episode, ["oslo", "12 May"], reading) == Coarse(2, (), 2, 2)
    assert read == ["Home", "Paid: Oslo, 12 May"]


def test_components_must_be_on_one_screenshot():
    episode, reading, _ = seen("Start", "Oslo", "12 May", "Home")
    found = coarse(episode, ["Oslo", "12 May"], reading)
    assert found == Coarse(None, ("Oslo",), 2, 4)  # the last one that lacks a component
    assert not found.passed
    assert found.to_json() == {"found": None, "nearest": 2, "missing": ["Oslo"], "read": 4}


@pytest.mark.parametrize(
    ("component", "shown", "is_there"),
    [
        ("It’s “done”", 'It\'s "done"', True),
        ("Oslo – Bergen", "OSLO-BERGEN", True),
        ("￥12", "¥ 12", True),
        ("1200 km", "1,200 km", True),
        ("1,200", "1200", True),
        ("7:30", "Alarm 7:30 AM", True),
        ("7:30", "17:30", False),
        ("7:30", "7:305", False),
        ("12", "120", False),
        ("12", "12.5", False),
        ("12", "9 12 31", True),
        ("3 items", "13 items", False),
        ("Wi-Fi", "network&internet wi-fi on", True),
        ("New York", "Flights to NEWYORK", True),  # OCR omits spaces
        ("3:30 PM", "at 3：30 pm", True),
        ("无线 网络", "设置无线网络已开", True),
        ("9:41 AM", "9:41\u200aAM", True),
        ("iPhone 12", "iPhone 11", False),
        ("Oslo", "0slo", False),
    ],
)
def test_component_is_found_in_any_typography_but_not_in_similar_text(component, shown, is_there):
    episode, reading, _ = seen(shown)
    assert coarse(episode, [component], reading).missing == (() if is_there else (component,))


def test_nothing_is_read_without_components():
    episode, reading, read = seen("Home", "Home")
    assert coarse(episode, (), reading).found == 1
    assert read == []


def test_equal_screenshots_are_read_once():
    home = screen("Home")
    read: list[Screen] = []
    steps = [(home, Tap(1, 1))] * 5

    def reading(each: Screen) -> str:
        read.append(each)
        return "Home"

    found = coarse(worked(*steps, last=home), ["Oslo"], reading)
    assert (found.read, len(read), found.nearest) == (1, 1, 5)


def test_component_without_visible_text_is_a_task_error():
    episode, reading, _ = seen("Home")
    with pytest.raises(TaskError, match="no visible letter"):
        coarse(episode, ["\u200b"], reading)


def test_broken_screenshot_is_skipped():
    broken = Screen("<hierarchy/>", b"no picture")
    good = screen("Oslo")

    def reading(each: Screen) -> str:
        return "Oslo" if each is good else str(each.image)

    assert coarse(worked((good, Tap(1, 1)), last=broken), ["Oslo"], reading).found == 0
    with pytest.raises(ScreenError):
        coarse(worked((good, Tap(1, 1)), last=broken), ["Paris"], reading)


class Engine:
    def __init__(self) -> None:
        self.asked = 0

    def read(self, image: Image) -> list[TextBox]:
        self.asked += 1
        box = Bounds(0, 0, 9, 9)
        return [TextBox("New", box, 1.0), TextBox("York", Bounds(9, 0, 20, 9), 1.0)]


def test_each_picture_is_read_by_ocr_once_per_process():
    engine = Engine()
    episode = worked(last=screen("New York", shade=7))
    for _ in range(3):
        assert coarse(episode, ["New York"], reader(engine)).found == 0
    assert engine.asked == 1
    assert "image" not in vars(episode.screen)  # decoded pictures are not kept


@pytest.mark.slow  # loads an OCR engine
def test_screenshots_are_read_by_ocr_by_default():
    from tests.judge.attacks import Attack, episode

    assert coarse(episode(Attack("", "en", "shown", "Paid to Oslo")), ["Paid to Oslo"]).passed


def test_single_vote_for_a_wall_is_recorded(episode):
    question = Question(actions="text", wall=True)
    verdict = decide(panel(["Result: wall"]), question, episode)
    assert (verdict.passed, verdict.reason) == (False, "a: not done, for a wall")
    assert verdict.evidence["question"]["wall"] is True
    judged = decide(panel([NO, "Result: wall", NO]), question, episode, runs=3)
    assert judged.evidence["judges"][0]["details"]["wall"] is True
    assert "wall" not in decide(panel([NO]), question, episode).evidence["judges"][0]["details"]

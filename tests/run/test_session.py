"""The session: what counts as a step, and how each decision is carried out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Agent, ModelCall, Reply, Task, Termination
from pytest_mobileagent._task.user import NO_USER
from pytest_mobileagent.action import Ask, Finish, Impossible, Open, Raw, Type, Wait
from pytest_mobileagent.action.gestures import Scroll, Swipe, Tap
from pytest_mobileagent.agent.conversation import pack_observation, unpack_observation
from pytest_mobileagent.run.session import MOST_LOOKS
from pytest_mobileagent.screen import xml as hierarchy
from pytest_mobileagent.testing import FakePhone, make_screen, play
from tests.run.agents import agent, script

if TYPE_CHECKING:
    from pytest_mobileagent import Action, Observation
    from pytest_mobileagent.device.device import Capture


class Count:
    """A probe that reads how many actions were performed on a phone."""

    script = "count"

    def parse(self, output: str) -> str:
        return output


def test_each_hierarchy_is_parsed_once(monkeypatch):
    parsed: list[str] = []
    outline = hierarchy.outline

    def noted(xml: str) -> Any:
        parsed.append(xml)
        return outline(xml)

    def step(_: Agent, seen: Observation) -> Action:
        return Finish() if "2" in seen.screen.texts and seen.screen.elements else Tap(1, 1)

    monkeypatch.setattr(hierarchy, "outline", noted)
    screens = [make_screen(str(number)) for number in range(3)]
    play(agent(step), "Read.", phone=FakePhone(screens))
    assert parsed == [screen.xml for screen in screens]


def test_an_agent_that_reports_ends_the_episode(phone):
    decisions = [Tap(1, 1), Type("a"), Finish("It is done.")]
    phone.answers["count"] = "some"
    episode = play(script(*decisions), Task("Do it.", probes={"done": Count()}), phone=phone)
    assert episode.termination is Termination.SELF_REPORTED
    assert (episode.answer, episode.error) == ("It is done.", "")
    assert [step.action for step in episode.steps] == decisions
    assert [screen.texts for screen in episode.screens] == [("0",), ("1",), ("2",), ("2",)]
    assert phone.actions == [Tap(1, 1), Type("a")], "a report is not done on the phone"
    assert episode.initial_probe("done") == episode.probe("done") == "some"
    assert 0 <= episode.seconds_thinking + episode.seconds_acting <= episode.seconds


def test_several_actions_are_one_step(phone):
    both = [Tap(1, 1), Tap(2, 2)]
    episode = play(script(both, Reply((Type("a"), Finish("b")))), "Do it.", phone=phone)
    assert [step.actions for step in episode.steps] == [tuple(both), (Type("a"), Finish("b"))]
    assert phone.actions == [*both, Type("a")]
    assert (episode.step_count, len(episode.actions), episode.answer) == (2, 3, "b")
    assert episode.termination is Termination.SELF_REPORTED


class Unread:
    """A class defined by the agent."""


UNDONE: dict[str, tuple[Any, str, int]] = {
    "nothing": ([], "no action could be found in your reply", 0),
    "a point in words": (Tap("a", 1), "whole pixels", 0),  # type: ignore[arg-type]
    "a point of thousands of digits": (Tap(10**9999, 1), "whole pixels", 0),
    "a point off the screen": (Tap(100, 1), "outside the screen, which is 100x200", 0),
    "a text that is an object": (Type(["a"]), "the text must be a string", 0),  # type: ignore[arg-type]
    "what a program did": (Raw("input tap 1 1"), "not an action that a phone can do", 0),
    "a half": ([Tap(1, 1), Tap(100, 1), Tap(2, 2)], "action 2 of 3: Tap(x=100, y=1)", 1),
    "what follows a report": ([Finish("a"), Tap(1, 1)], "nothing can follow Finish", 0),
    "a long text": (Type("\0" + "a" * 10**4), " … ", 0),
    "a huge text": (Type("a" * 10**6), "1000000 characters; the maximum is 100000", 0),
}


@pytest.mark.parametrize(("reply", "notice", "done"), UNDONE.values(), ids=UNDONE)
def test_an_impossible_action_is_a_step_with_a_notice(phone, tmp_path, reply, notice, done):
    seen: list[str] = []
    each = iter([Reply(reply, "words"), Finish()])

    def step(_: Agent, observation: Observation) -> Any:
        seen.append(observation.notice)
        return next(each)

    episode = play(agent(step), "Do it.", phone=phone, folder=tmp_path)
    assert (episode.termination, episode.answer) == (Termination.SELF_REPORTED, "")
    assert episode.step_count == 1
    assert notice in episode.steps[0].notice
    assert seen == ["", episode.steps[0].notice]
    assert len(seen[1]) < 2000
    assert len(episode.actions) == len(phone.actions) == done
    assert episode.steps[0].said == "words"


def test_calls_of_a_decision_that_the_limit_forbids_are_kept(phone):
    call = ModelCall("gpt", price_usd=0.5)
    episode = play(
        agent(lambda *_: Reply(Tap(1, 1), calls=[call])), "Do it.", phone=phone, step_limit=2
    )
    assert [step.calls for step in episode.steps] == [(call,), (call,)]
    assert (episode.unused, episode.totals.price_usd) == ((call,), 1.5)


@pytest.mark.parametrize(
    ("user", "replies"),
    [
        (None, [None, NO_USER, None]),
        ("Blue.", [None, "Blue.", None]),
        ({"colour": "Blue.", "size": "L."}, [None, "Blue.", None]),
        ({"size": "L."}, [None, NO_USER, None]),
    ],
)
def test_a_question_gets_the_answer_that_the_task_has(phone, user, replies):
    heard: list[str | None] = []
    each = iter([Ask("Which Colour?"), Tap(1, 1), Finish()])

    def step(_: Agent, observation: Observation) -> Any:
        heard.append(observation.reply)
        return next(each)

    episode = play(agent(step), Task("Buy a shirt.", user=user), phone=phone)
    assert heard == replies
    assert [step.reply for step in episode.steps] == [*replies[1:], None]
    assert phone.actions == [Tap(1, 1)]
    assert episode.step_count == 2


def test_words_and_questions_of_an_agent_are_kept(phone):
    call = ModelCall("gpt", input_tokens=10)
    replies = [Reply(Tap(1, 1), "Let me see.", [call]), Reply(Finish(), said=42)]  # type: ignore[arg-type]
    episode = play(script(*replies), "Do it.", phone=phone)
    assert [(step.said, step.calls) for step in episode.steps] == [
        ("Let me see.", (call,)),
        ("42", ()),
    ]


class Integer:
    """An integer type such as NumPy's."""

    def __index__(self) -> int:
        return 7


class OwnReply(Reply):
    """A reply class defined by the agent."""


@pytest.mark.parametrize(
    ("reply", "action"),
    [(Tap(Integer(), 1), Tap(7, 1)), (OwnReply(Tap(1, 2)), Tap(1, 2)), ((Tap(1, 2),), Tap(1, 2))],  # type: ignore[arg-type]
)
def test_odd_but_clear_replies_are_taken(phone, reply, action):
    play(script(reply), "Do it.", phone=phone)
    assert phone.actions == [action]


SWIPE = Swipe(50, 150, 50, 50)


TAP, LOOK = Tap(1, 1), Reply(SWIPE, counts=False)
REPORTED, LIMITED = Termination.SELF_REPORTED, Termination.STEP_LIMIT


@pytest.mark.parametrize(
    ("decisions", "limit", "ending"),
    [
        ([Impossible("no such app")], 3, (Termination.GAVE_UP, 0, 0)),
        ([TAP] * 2, 3, (REPORTED, 2, 2)),
        ([TAP] * 3, 3, (REPORTED, 3, 3)),
        ([TAP] * 4, 3, (LIMITED, 3, 3)),
        ([Reply([])] * 9, 3, (LIMITED, 3, 0)),
        ([TAP, LOOK, Finish("3")], 1, (REPORTED, 1, 2)),
        ([LOOK] * (MOST_LOOKS + 9), 2, (LIMITED, 2, MOST_LOOKS + 2)),
        ([*[LOOK] * MOST_LOOKS, TAP, *[LOOK] * MOST_LOOKS], 3, (REPORTED, 1, 2 * MOST_LOOKS + 1)),
        ([Reply(TAP, counts=False)], 3, (REPORTED, 1, 1)),
        ([Reply(Type("a"), counts=False)], 3, (REPORTED, 1, 1)),
        ([Reply([SWIPE, TAP], counts=False)], 3, (REPORTED, 1, 2)),
        ([Reply(Ask("Which?"), counts=False)], 3, (REPORTED, 1, 0)),
        ([Reply([], counts=False)], 3, (REPORTED, 0, 0)),
    ],
)
def test_a_decision_is_a_step_unless_it_reports_or_only_looks(phone, decisions, limit, ending):
    """An ending is the termination, and how many steps and actions on the phone there were."""
    episode = play(script(*decisions), "Do it.", phone=phone, step_limit=limit)
    assert (episode.termination, episode.step_count, len(phone.actions)) == ending


def test_a_mere_look_is_recorded_and_is_not_a_step(phone):
    looks = [Reply(action, counts=False) for action in (SWIPE, Wait(0.1), Scroll("down"))]
    episode = play(script(*looks, Tap(1, 1), Finish("b")), "Do it.", phone=phone, step_limit=1)
    assert (episode.termination, episode.step_count) == (Termination.SELF_REPORTED, 1)
    assert [step.counts for step in episode.steps] == [False, False, False, True, True]
    assert len(phone.actions) == len(episode.actions) == 4


def test_an_app_that_is_not_installed_cannot_be_opened():
    phone = FakePhone([make_screen("0", size=(100, 200))], apps=["com.shop"])
    seen: list[str] = []
    each = iter([Open("com.shpo"), Open(""), Open("com.shop"), Finish()])

    def step(_: Agent, observation: Observation) -> Any:
        seen.append(observation.notice)
        return next(each)

    episode = play(agent(step), "Do it.", phone=phone)
    assert seen[1] == "Open(app='com.shpo'): no app of this package is installed"
    assert seen[2]
    assert seen[3] == ""
    assert phone.actions == [Open("com.shop")]
    assert (episode.step_count, episode.termination) == (3, Termination.SELF_REPORTED)


def test_a_phone_without_a_list_of_apps_is_asked_to_open_any(phone):
    play(script(Open("com.any"), Finish()), "Do it.", phone=phone)
    assert phone.actions == [Open("com.any")]


def test_notices_of_the_phone_reach_the_agent_and_the_record():
    heard: list[tuple[str, str]] = []
    black = "the picture is black"

    class Losing(FakePhone):
        def observe(self, probes: Any = None) -> Capture:
            typed = bool(self.actions) and isinstance(self.actions[-1], Type)
            return replace(super().observe(probes), lost="the text is lost" if typed else "")

    def step(_: Agent, seen: Observation) -> Action | list[Action]:
        again = unpack_observation(pack_observation(seen))
        assert (again.notice, again.failure) == (seen.notice, seen.failure)
        heard.append((seen.notice, seen.failure))
        decisions = [Tap(1, 1), Type("a"), [Ask("Why?"), Type("b"), Tap(-1, 0)], Finish()]
        return decisions[len(heard) - 1]  # type: ignore[return-value]

    pages = [make_screen("0"), replace(make_screen("1"), notice=black), make_screen("2")]
    episode = play(agent(step), "Type.", phone=Losing(pages))
    outside = heard[3][1]
    assert "outside" in outside or "action 3 of 3" in outside
    assert outside.endswith("; the text is lost")
    assert heard[:3] == [("", ""), (black, ""), ("the text is lost", "the text is lost")]
    assert [step.screen.notice for step in episode.steps] == ["", black, "", ""]
    assert [step.notice for step in episode.steps] == ["", "the text is lost", outside, ""]
    assert [step.undone for step in episode.steps] == [0, 0, 1, 0]
    assert len(episode.steps[2].answers) == 1
    assert episode.termination is Termination.SELF_REPORTED

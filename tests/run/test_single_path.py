"""Single paths: golden actions are performed in place of the agent's decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Agent, Reply, Scripted, Task, Termination, answer, check, scroll, tap
from pytest_mobileagent.action import Ask, Finish, Impossible, Key, Open, Type
from pytest_mobileagent.action.gestures import Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.action.matching.graph_mobile_bench import graph
from pytest_mobileagent.errors import NoEdgeError, NoSolutionError, TaskError
from pytest_mobileagent.run.single_path import STANDS_STILL
from pytest_mobileagent.testing import MemoryPhone, make_screen, play
from tests.run.agents import agent, script, throw

if TYPE_CHECKING:
    from pytest_mobileagent import Action, Episode, Observation

SIZE = (1080, 2400)
PAGES = ("home", "search", "results", "shop")


def pages(**given: Any) -> MemoryPhone:
    """Return a phone whose pages can be reached only with `show`."""
    return MemoryPhone({name: make_screen(name) for name in PAGES}, {}, **given)


def on(page: str, action: Action) -> Golden:
    return Golden(action, SIZE, page=page)


GOLDEN = (on("home", Tap(1, 1)), on("search", Type("mug")), on("results", Tap(2, 2)))


def follow(
    *decisions: Any, golden: Any = GOLDEN, phone: Any = None, task: Any = None, **given: Any
) -> Episode:
    asked = task or Task("Find a mug.", golden=golden)
    return play(script(*decisions), asked, phone=phone or pages(), path="single", **given)


def test_the_golden_page_comes_next_whatever_the_agent_decides():
    episode = follow(Key("back"), Tap(9, 9), Tap(2, 2))
    assert [screen.texts for screen in episode.screens[:3]] == [
        ("home",),
        ("search",),
        ("results",),
    ]
    assert [step.action for step in episode.steps] == [Key("back"), Tap(9, 9), Tap(2, 2)]
    assert [step.golden for step in episode.steps] == list(GOLDEN)
    assert episode.actions == (Tap(1, 1), Type("mug"), Tap(2, 2)), "what was done on the phone"
    assert (episode.termination, episode.golden_left) == (Termination.PATH, 0)
    assert episode.step_count == 3


def test_an_agent_learns_what_was_done_in_its_place():
    seen: list[Observation] = []

    def step(_: Agent, observation: Observation) -> Action:
        seen.append(observation)
        return Tap(5000, 1)  # off the screen

    play(agent(step), Task("Find a mug.", golden=GOLDEN), phone=pages(), path="single")
    assert [each.done for each in seen] == [None, Tap(1, 1), Type("mug")]
    assert {each.notice for each in seen} == {""}, "its own action was not done anyway"


def test_impossible_decisions_are_recorded():
    episode = follow(Tap(5000, 1), [], [Tap(1, 1), Tap(5000, 1)])
    first, second, third = episode.steps
    assert "outside the screen" in first.notice
    assert "no action could be found" in second.notice
    assert third.undone == 1
    assert second.done == (Type("mug"),)


@pytest.mark.parametrize("report", [Finish("4 mugs"), Impossible("no mugs")])
def test_a_report_in_the_middle_is_a_decision_and_the_path_continues(report):
    episode = follow(report, Type("mug"), Tap(2, 2))
    assert [step.action for step in episode.steps] == [report, Type("mug"), Tap(2, 2)]
    assert episode.termination is Termination.PATH
    assert episode.answer == "", "it is not the answer to the goal"
    assert [bool(each) for each in check.matches(check.aitw, episode)] == [False, True, True]


def test_the_last_decision_may_be_the_answer():
    golden = (*GOLDEN[:2], on("results", Finish("12")))
    episode = follow(Tap(1, 1), Type("mug"), Finish("4 mugs"), golden=golden)
    assert episode.answer == "4 mugs"
    assert len(episode.screens) == 4
    assert episode.step_count == 2, "a report is not a step"
    assert [bool(each) for each in check.matches(check.androidcontrol, episode)] == [True] * 3


def test_the_last_golden_action_is_done_too():
    phone = MemoryPhone(
        {"home": make_screen("Shop"), "shop": make_screen("Cart")}, {("home", "Shop"): "shop"}
    )
    episode = follow(Key("home"), golden=[on("home", Tap(540, 60))], phone=phone)
    assert episode.screen.texts == ("Cart",)


def test_a_path_may_begin_on_any_page():
    episode = follow(Tap(1, 1), golden=[on("shop", Tap(1, 1))])
    assert episode.screens[0].texts == ("shop",)


def test_a_page_that_does_not_exist_breaks_the_task():
    with pytest.raises(TaskError, match="there is no page 'cellar'"):
        follow(Tap(1, 1), golden=[GOLDEN[0], on("cellar", Tap(1, 1))])


def test_a_phone_without_pages_does_the_golden_actions(phone):
    def button(screen: Any) -> Any:
        return screen.get(text="1")

    episode = follow(Tap(1, 1), Tap(50, 60), golden=[Tap(3, 3), button], phone=phone)
    assert phone.actions == [Tap(3, 3), Tap(50, 60)]
    assert [step.golden and step.golden.boxes for step in episode.steps] == [
        (),
        ((0, 0, 100, 120),),
    ]


def test_a_golden_element_that_does_not_exist_breaks_the_task(phone):
    with pytest.raises(TaskError, match=r"golden action 1 is not on its screen"):
        follow(Tap(1, 1), golden=[lambda screen: screen.find(text="no such")], phone=phone)


@pytest.mark.parametrize("agent", [script(Tap(1, 1)), Scripted])
def test_a_golden_function_that_fails_breaks_the_task(phone, agent):
    def button(screen: Any) -> Any:
        return screen.find(text="no such").clickable

    task = Task("Find a mug.", golden=[button])
    with pytest.raises(TaskError, match=r"golden action.*its function failed: AttributeError"):
        play(agent, task, phone=phone, path="single")


def test_a_golden_action_that_cannot_be_done_breaks_the_task(phone):
    with pytest.raises(TaskError, match=r"cannot be done.*outside the screen"):
        follow(Tap(1, 1), Tap(1, 1), golden=[Tap(3000, 3), Tap(1, 1)], phone=phone)


def test_a_golden_action_can_always_be_done_on_recorded_pages():
    phone = pages(apps=["com.shop"])
    golden = (on("home", Open("com.mugs")), on("shop", Tap(3000, 3)))
    episode = follow(Open("com.mugs"), Tap(3000, 3), golden=golden, phone=phone)
    assert [(step.undone, step.notice) for step in episode.steps] == [(0, "")] * 2
    assert all(check.matches(check.androidcontrol, episode))
    other = follow(Open("com.shpo"), Tap(1, 1), golden=golden, phone=phone)
    assert [step.undone for step in other.steps] == [1, 0], "only the golden one always can"


def test_golden_actions_come_before_a_solution():
    task = Task("Find a mug.", golden=GOLDEN, solution=[tap(text="no such")])
    episode = play(Scripted, task, phone=pages(), path="single")
    assert all(check.matches(graph, episode))


def test_a_path_that_leaves_the_recorded_pages_breaks_the_task():
    def nothing_recorded(_: Any, action: Action) -> None:
        msg = f"nothing is recorded for {action}"
        raise NoEdgeError(msg)

    with pytest.raises(TaskError, match="leaves the recorded pages: nothing is recorded for Tap"):
        follow(Tap(1, 1), golden=[Tap(1, 1), Tap(1, 1)], phone=pages(react=nothing_recorded))
    last = follow(Tap(1, 1), golden=[Tap(1, 1)], phone=pages(react=nothing_recorded))
    assert last.termination is Termination.PATH, "nothing comes after it"


def test_without_golden_actions_there_is_no_path():
    with pytest.raises(NoSolutionError, match=r"no golden actions .* golden=\[…\]"):
        follow(Tap(1, 1), golden=())


def test_a_solution_is_a_golden_path(phone):
    solution = [tap(text="0"), scroll("up", until={"text": "3"}), answer("done")]
    task = Task("Find three.", solution=solution)
    episode = follow(Tap(40, 5), Scroll("up"), Tap(1, 1), Finish("done"), task=task, phone=phone)
    done = [step.golden and step.golden.action for step in episode.steps]
    assert done == [Tap(50, 60), Scroll("up"), Scroll("up"), Finish("done")]
    found = [bool(each) for each in check.matches(check.androidcontrol, episode)]
    assert found == [True, True, False, True], "anywhere in the element is right"


def test_a_solution_that_does_not_fit_breaks_the_task(phone):
    task = Task("Find it.", solution=[tap(text="no such")])
    with pytest.raises(TaskError, match=r"golden action 1, tap.*does not fit"):
        follow(Tap(1, 1), task=task, phone=phone)


def test_looking_around_moves_nothing_and_is_not_a_step(phone):
    seen: list[Observation] = []
    decisions = iter([Reply(Swipe(1, 9, 1, 1), counts=False), Tap(1, 1), Tap(2, 2)])

    def step(_: Agent, observation: Observation) -> Any:
        seen.append(observation)
        return next(decisions)

    task = Task("Find it.", golden=[Tap(3, 3), Tap(4, 4)])
    episode = play(agent(step), task, phone=phone, path="single")
    assert phone.actions == [Tap(3, 3), Tap(4, 4)]
    assert [each.notice for each in seen] == ["", STANDS_STILL, ""]
    assert [each.done for each in seen] == [None, None, Tap(3, 3)]
    assert len(check.matches(check.aitw, episode)) == 2


@pytest.mark.parametrize(("decision", "reply"), [(Ask("Which one?"), "the blue"), (Tap(1, 1), "2")])
def test_the_user_replies_to_the_agent_or_to_the_golden_question(decision, reply):
    seen: list[Any] = []

    def step(_: Agent, observation: Observation) -> Action:
        seen.append(observation.reply)
        return decision

    golden = [on("home", Ask("How many?")), on("search", Tap(1, 1))]
    task = Task("Buy mugs.", golden=golden, user={"which": "the blue", "many": "2"})
    play(agent(step), task, phone=pages(), path="single")
    assert seen == [None, reply]


def test_unreached_golden_actions_match_nothing():
    broken = agent(throw(RuntimeError("out of ideas")))
    task = Task("Find a mug.", golden=GOLDEN)
    episode = play(broken, task, phone=pages(), path="single")
    assert (episode.termination, episode.golden_left) == (Termination.AGENT_ERROR, 3)
    assert [bool(each) for each in check.matches(check.aitw, episode)] == [False] * 3


def test_the_limit_of_steps_cuts_a_path():
    episode = follow(Tap(1, 1), Type("mug"), step_limit=1)
    assert (episode.termination, episode.golden_left) == (Termination.STEP_LIMIT, 2)
    assert [bool(each) for each in check.matches(check.aitw, episode)] == [True, False, False]


def test_an_agent_whose_own_loop_returns_is_not_asked_further():
    class Loop(Agent):
        def run(self, briefing: Any, phone: Any) -> str:
            phone.act(Tap(1, 1))
            return "4 mugs"

    task = Task("Find a mug.", golden=GOLDEN)
    episode = play(Loop, task, phone=pages(), path="single")
    assert [step.action for step in episode.steps] == [Tap(1, 1), Finish("4 mugs")]
    assert (episode.termination, episode.error) == (Termination.SELF_REPORTED, "")
    assert episode.golden_left == 1


def test_a_path_is_recorded_whole(tmp_path):
    from pytest_mobileagent.check.episode import load

    episode = follow(Tap(1, 1), Type("cup"), golden=GOLDEN[:2], folder=tmp_path)
    assert episode.folder is not None
    again = load(episode.folder)
    assert again == episode
    assert [step.golden for step in again.steps] == list(GOLDEN[:2])
    names = sorted(path.stem for path in (episode.folder / "screens").glob("*.png"))
    assert names == ["000-start", "001-tap", "002-type"]

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import (
    Observation,
    answer,
    ask_user,
    open_app,
    person,
    questions,
    scroll,
    seen,
    tap,
)
from pytest_mobileagent._task import Task
from pytest_mobileagent._task.user import NO_USER
from pytest_mobileagent.action import Ask, Finish, Impossible, Key, Open
from pytest_mobileagent.action.gestures import Scroll, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.agent.agent import KnowsTask, Scripted, StepInstructions
from pytest_mobileagent.errors import TaskError, UnfitMoveError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent._task.solution import Move
    from pytest_mobileagent.action.matching import Wanted


class Truncated(Scripted):
    def moves(self, task: Task) -> Sequence[Move]:
        return super().moves(task)[:-1]


TASK = Task(
    "Tell me the {thing}.",
    app="com.shop",
    solution=[open_app(), tap(text="{thing}"), answer("It is %s.", seen(resource_id="price"))],
)


def assigned(agent: Scripted) -> Scripted:
    assert isinstance(agent, KnowsTask)
    agent.assign_task(TASK, {"thing": "price"})
    return agent


def test_solution_is_played_move_by_move(make_screen):
    agent = assigned(Scripted())
    price = {"text": "5 €", "resource-id": "a:id/price"}
    assert agent.step(Observation(make_screen())) == Open("com.shop")
    assert agent.step(
        Observation(make_screen({"text": "price", "bounds": "[0,0][4,8]"}, price))
    ) == Tap(2, 4)
    assert agent.step(Observation(make_screen("Thank you"))) == Finish("It is 5 €.")
    assert agent.step(Observation(make_screen())) == Finish()


def test_solution_without_final_move_ends_with_a_report(make_screen):
    agent = assigned(Truncated())
    screens = [make_screen(), make_screen("price"), make_screen()]
    assert [type(agent.step(Observation(screen))) for screen in screens] == [Open, Tap, Finish]


def test_impossible_move_is_named(make_screen):
    agent = assigned(Scripted())
    agent.step(Observation(make_screen()))
    complaint = r"move 2 of the solution, tap\(text='\{thing\}'\), does not fit: .*text='price'"
    with pytest.raises(TaskError, match=complaint):
        agent.step(Observation(make_screen("Sold out")))


def test_task_without_solution_cannot_be_played():
    with pytest.raises(TaskError, match="no solution to play, and no golden actions: add either"):
        Scripted().assign_task(Task("Do it."), {})


GOLDEN: list[Wanted] = [
    Golden(Tap(1, 1), (100, 200), page="home"),
    lambda screen: screen.get(text="price"),
    Key("back"),
]


@pytest.mark.parametrize(
    ("end", "agent", "last"),
    [
        ([], Scripted, [Key("back"), Finish()]),
        ([], Truncated, [Finish()]),
        ([Finish()], Scripted, [Key("back"), Finish()]),
        ([Finish()], Truncated, [Finish()]),
        ([Finish("5 €")], Scripted, [Key("back"), Finish("5 €")]),
        ([Finish("5 €")], Truncated, [Key("back"), Finish()]),
        ([Impossible()], Scripted, [Key("back"), Impossible()]),
    ],
)
def test_golden_actions_are_played_like_a_solution(make_screen, end, agent, last):
    player = agent()
    player.assign_task(Task("Go.", golden=[*GOLDEN, *end]), {})
    price = {"text": "price", "bounds": "[0,0][4,8]"}
    actions = [player.step(Observation(make_screen(price))) for _ in range(2 + len(last))]
    assert actions == [Tap(1, 1), Tap(2, 4), *last]


def test_a_golden_action_that_does_not_fit_is_named(make_screen):
    player = Scripted()
    player.assign_task(Task("Go.", golden=GOLDEN[1:]), {})
    complaint = r"move 1, a golden action chosen by a function, does not fit: its"
    with pytest.raises(UnfitMoveError, match=complaint):
        player.step(Observation(make_screen("Sold out")))


def test_scroll_repeats_until_the_element_is_seen(make_screen):
    solution = [open_app(), scroll("up", until={"text": "Last"}), tap(text="Last")]
    task = Task("Go.", app="com.shop", solution=solution)
    for lists in (["home", "a", "b", "c", "Last"], ["home", "a", "Last"], ["home", "Last"]):
        agent = Scripted()
        agent.assign_task(task, {})
        actions = [agent.step(Observation(make_screen(text))) for text in lists]
        scrolls = [Scroll("up")] * (len(lists) - 2)
        assert [type(action) for action in actions] == [Open, *map(type, scrolls), Tap]
        assert isinstance(agent.step(Observation(make_screen("after"))), Finish)


def test_scroll_that_moves_nothing_ends(make_screen):
    solution = [open_app(), scroll("up", until={"text": "Last"}), tap(text="Last")]
    agent = Scripted()
    agent.assign_task(Task("Go.", app="com.shop", solution=solution), {})
    for text in ("home", "a", "b"):
        agent.step(Observation(make_screen(text)))
    with pytest.raises(UnfitMoveError, match="move 3 of the solution"):
        agent.step(Observation(make_screen("b")))


ASKING = Task(
    "Buy a green mug.",
    vague="Buy a mug.",
    user=questions([("How many?", "1"), ("Which {thing}?", "Green {thing}")]),
    solution=[ask_user("Which {thing}?", mug="Red"), answer("{mug}")],
)


@pytest.mark.parametrize(
    ("reply", "said"), [("Blue", "Blue"), (NO_USER, "Red"), (None, "Red"), ("{now}", "{now}")]
)
def test_a_solution_asks_and_guesses_without_an_answer(make_screen, reply, said):
    agent = Scripted()
    agent.assign_task(ASKING.as_variant("vague"), {"thing": "mug"})
    assert agent.step(Observation(make_screen())) == Ask("Which mug?")
    assert agent.step(Observation(make_screen(), reply)) == Finish(said)


def test_nothing_is_asked_if_the_goal_is_complete(make_screen):
    agent = Scripted()
    agent.assign_task(ASKING.as_variant("full"), {"thing": "mug"})
    assert agent.step(Observation(make_screen())) == Finish("Green mug")


def test_known_answers_come_from_the_pairs_of_questions_and_answers():
    alone = Task("Buy a green mug.", vague="Buy.", user=person("a"), solution=ASKING.solution)
    with pytest.raises(TaskError, match=r"no pair of user=questions\(\[…\]\) answers it"):
        Scripted().assign_task(alone.as_variant("full"), {"thing": "mug"})


def test_instructions_grow_with_the_users_answers():
    told = StepInstructions(("Open it.", "Tap it."))
    assert (len(told), list(told)) == (0, [])
    for said, shown in [
        ("Green.", ["Open it.\nGreen."]),
        ("", ["Tap it."]),
        ("", []),
        ("Two.", ["Two."]),
    ]:
        told.add(said)
        number = len(told._texts) - 1
        assert list(told[number : number + 1]) == shown
        assert len(told) == number + bool(shown)

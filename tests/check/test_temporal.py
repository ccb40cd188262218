"""Tests of conditions during an episode: ever, never, in order, and until the end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Episode, Finish, Step, Tap, Type
from pytest_mobileagent.check.events import NoListenerError
from pytest_mobileagent.check.temporal import apart
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import collect_misses

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Screen

THREE = [Tap(1, 1), Tap(2, 2), Tap(3, 3)]


def shows(*texts: str) -> Callable[[Episode], bool]:
    return lambda e: any(e.screen.find(text=text) for text in texts)


def saw(text: str) -> Callable[[Episode], bool]:
    return lambda e: e.saw(text=text)


def tapped(text: str) -> Callable[[Episode], bool]:
    return lambda e: e.tapped(text=text)


@pytest.fixture
def pages(make_screen: Callable[..., Screen]) -> Callable[..., tuple[Screen, ...]]:
    """Return a function that makes screens, each filled by a single text."""

    def make(*texts: str) -> tuple[Screen, ...]:
        return tuple(make_screen({"text": t, "bounds": "[0,0][100,200]"}) for t in texts)

    return make


@pytest.mark.parametrize(
    ("shown", "ever", "until_end"),
    [
        (("0",), True, False),
        (("1",), True, False),
        (("3",), True, True),
        (("2", "3"), True, True),
        (("1", "3"), True, False),
        (("0", "1", "2", "3"), True, True),
        (("9",), False, False),
    ],
)
def test_condition_is_evaluated_at_every_moment(make_episode, shown, ever, until_end):
    episode = make_episode(*THREE)
    assert episode.ever(shows(*shown)) is ever
    assert episode.never(shows(*shown)) is not ever
    assert episode.until_end(shows(*shown)) is until_end


def test_final_report_is_a_moment(make_episode):
    episode = make_episode(*THREE, Finish("42"))
    assert episode.ever(lambda e: e.answers("42"))
    assert not episode.prefix(3).ever(lambda e: e.answers("42"))


def test_episode_without_steps_has_one_moment(make_episode):
    assert make_episode().ever(shows("0"))
    assert make_episode().until_end(shows("0"))
    assert make_episode().never(shows("1"))


@pytest.mark.parametrize(
    "question",
    [
        lambda e: e.screen.get(text="3"),
        lambda e: e.screen.find_all(text="3")[0],
    ],
    ids=["get", "index"],
)
def test_a_failed_lookup_does_not_hold_at_that_moment(make_episode, question):
    assert make_episode(*THREE).ever(question)
    assert not make_episode(*THREE).prefix(2).ever(question)


def test_condition_returning_none_does_not_hold(make_episode):
    assert make_episode(*THREE).never(lambda e: None)


@pytest.mark.parametrize(
    ("question", "error"),
    [
        (lambda e: e.sow(text="a"), AttributeError),
        (lambda e: e.probe("none"), TaskError),
        (lambda e: 1 / 0, ZeroDivisionError),
        (lambda e: e.saw, TaskError),
    ],
    ids=["misspelt", "no probe", "zero", "not called"],
)
def test_an_error_in_a_question_propagates_even_from_never(make_episode, question, error):
    with pytest.raises(error):
        make_episode(*THREE).never(question)


def test_a_missing_listener_is_an_error_on_prefixes_too(make_episode):
    def deaf(episode: Episode) -> bool:
        raise NoListenerError

    with pytest.raises(NoListenerError):
        make_episode(*THREE).ever(deaf)


@pytest.mark.parametrize("ask", ["ever", "never", "until_end"])
def test_a_value_is_not_a_question(make_episode, ask):
    with pytest.raises(TaskError, match=rf"{ask}\(\) takes functions of an episode, .* not True"):
        getattr(make_episode(), ask)(True)


def test_order_needs_two_conditions(make_episode):
    with pytest.raises(TaskError, match="two or more functions of an episode, not 1"):
        make_episode().in_order(shows("0"))
    with pytest.raises(TaskError, match="not 'Pay'"):
        make_episode().in_order(shows("0"), "Pay")


@pytest.mark.parametrize(
    ("questions", "holds"),
    [
        ((saw("Cart"), tapped("Cart")), True),
        ((saw("Cart"), tapped("Pay")), True),
        ((tapped("Pay"), saw("Done")), True),
        ((saw("Pay"), tapped("Cart")), False),
        ((tapped("Pay"), tapped("Cart")), False),
        ((tapped("Cart"), tapped("Cart")), False),
        ((tapped("Cart"), saw("Cart")), False),
        ((saw("Cart"), saw("Cart")), True),
        ((saw("Shop"), saw("Cart"), tapped("Pay"), saw("Done")), True),
        ((saw("Shop"), tapped("Pay"), saw("Cart")), False),
        ((saw("none"), saw("Shop")), False),
    ],
)
def test_second_condition_must_become_true_after_the_first(make_episode, pages, questions, holds):
    episode = make_episode(*THREE, screens=pages("Shop", "Cart", "Pay", "Done"))
    assert episode.in_order(*questions) is holds


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [((1, 2), (3,), True), ((3,), (1, 2, 3), False), ((3,), (1, 3), True), ((2,), (2,), True),
     ((0,), (0, 1), True), ((1,), (0, 1, 3), True), ((1,), (0, 1, 2), False)],
)  # fmt: skip
def test_a_question_that_continues_to_hold_does_not_become_true_again(
    make_episode, one, other, holds
):
    def at(moments: tuple[int, ...]) -> Callable[[Episode], bool]:
        return lambda e: e.screen.texts[0] in map(str, moments)

    assert make_episode(*THREE).in_order(at(one), at(other)) is holds


def test_actions_of_one_step_are_in_order(make_episode, pages):
    both = [Type("Oslo"), Type("Bern")]
    episode = make_episode(both, screens=pages("From", "To"))
    oslo, bern = (lambda e: e.typed("Oslo")), (lambda e: e.typed("Bern"))
    assert episode.in_order(oslo, bern)
    assert not episode.in_order(bern, oslo)
    assert episode.in_order(bern, saw("To"))


def test_results_of_a_step_with_several_actions_follow_the_last_action(make_episode, pages):
    episode = make_episode([Type("a"), Type("b")], screens=pages("From", "To"))
    on = replace(episode.steps[0], probes={"on": True})
    episode = replace(episode, steps=(on,), initial_probes={"on": False})
    assert episode.in_order(lambda e: e.typed("a"), lambda e: e.probe("on"))
    assert not episode.in_order(lambda e: e.probe("on"), lambda e: e.typed("b"))


def test_failed_actions_have_no_order(make_episode, pages):
    episode = make_episode([Type("a"), Type("b")], screens=pages("From", "To"))
    episode = replace(episode, steps=(replace(episode.steps[0], undone=1),))
    assert not episode.in_order(lambda e: e.typed("a"), lambda e: e.typed("b"))


def test_rest_of_an_episode_starts_with_the_current_state(make_episode):
    episode = make_episode(*THREE, initial_probes={"n": 0})
    steps = tuple(replace(step, probes={"n": n}) for n, step in enumerate(episode.steps, 1))
    rest = replace(episode, steps=steps).rest(2)
    assert [step.action for step in rest.steps] == THREE[2:]
    assert (rest.initial_probe("n"), rest.probe("n"), len(rest.screens)) == (2, 3, 2)
    assert episode.rest(0) is episode
    assert (episode.rest(9).steps, episode.rest(9).screen) == ((), episode.screen)


def explained(ask: Callable[[], Any]) -> list[str]:
    with collect_misses() as misses:
        assert not ask()
    (explain,) = misses
    return explain().splitlines()


def test_misses_explain_themselves(make_episode, pages):
    episode = make_episode(*THREE, screens=pages("Shop", "Cart", "Pay", "Shop"))
    assert explained(lambda: episode.ever(shows("Done")))[:2] == [
        "it held at no moment of 3 steps",
        "  at last, nothing on the screen of ? has text='Done'",
    ]
    assert explained(lambda: episode.never(saw("Cart"))) == ["it held after step 1, Tap(x=1, y=1)"]
    assert explained(lambda: episode.never(saw("Shop"))) == ["it held at the start"]
    assert explained(lambda: episode.until_end(shows("Cart", "Pay")))[0] == (
        "it first held after step 1, Tap(x=1, y=1), and no longer after step 3, Tap(x=3, y=3)"
    )
    assert explained(lambda: episode.in_order(saw("Pay"), tapped("Cart")))[:2] == [
        "number 2 of 2 did not become true in the 1 action after number 1 did",
        "  at last, no tap hit text='Cart' in 1 steps",
    ]
    assert explained(lambda: episode.in_order(saw("Done"), saw("Pay")))[0] == (
        "the first of 2 held at no moment"
    )


def test_searches_inside_conditions_leave_no_misses(make_episode):
    with collect_misses() as misses:
        assert make_episode(*THREE).ever(shows("3"))
        assert make_episode(*THREE).never(lambda e: e.screen.get(text="9"))
    assert not misses


@given(st.lists(st.booleans(), min_size=1, max_size=8))
def test_temporal_checks_agree_with_their_definitions(make_episode, held):
    episode: Episode = make_episode(*[Tap(n, n) for n in range(len(held) - 1)])

    def holds(moment: Episode) -> bool:
        return held[len(moment.steps)]

    assert episode.ever(holds) is any(held)
    assert episode.never(holds) is not any(held)
    assert episode.until_end(holds) is (any(held) and all(held[held.index(True) :]))


def test_step_without_action_is_not_split(make_episode):
    bare = replace(make_episode(), steps=(Step(make_episode().screen),))
    assert apart(bare) == bare

"""Tests of the questions that a test body asks about an episode."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent import Step, check, load
from pytest_mobileagent.action import Finish, Key, Open, Type
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Swipe, Tap
from pytest_mobileagent.errors import RecordError, TaskError, UndecidedError
from pytest_mobileagent.screen.explain import collect_misses


@pytest.fixture
def shop(make_screen):
    return make_screen(
        {"text": "Lamp", "resource-id": "s:id/product", "bounds": "[0,0][100,50]"},
        {"text": "Torch", "resource-id": "s:id/product", "bounds": "[0,50][100,100]"},
        {"text": "", "bounds": "[0,100][100,100]"},
        package="com.shop",
    )


def explained(misses: list[Any]) -> str:
    return "\n".join(explain() for explain in misses)


@pytest.mark.parametrize(
    ("action", "criteria", "hit"),
    [
        (Tap(50, 60), {"text": "Torch"}, True),
        (LongPress(0, 50), {"text": "Torch"}, True),
        (DoubleTap(99, 99), {"text": "Torch"}, True),
        (Tap(50, 100), {"text": "Torch"}, False),
        (Tap(50, 49), {"text": "Torch"}, False),
        (Tap(50, 10), {"resource_id": "product"}, True),
        (Tap(50, 100), {"text": ""}, False),
        (Swipe(50, 60, 50, 61), {"text": "Torch"}, False),
        (Type("a", at=(50, 60)), {"text": "Torch"}, False),
        (Tap(50, 10), {"text": "Fan"}, False),
    ],
)
def test_a_tap_hits_the_elements_around_it(make_episode, shop, action, criteria, hit):
    assert make_episode(action, screens=(shop, shop)).tapped(**criteria) is hit


def test_tap_can_be_matched_by_a_function_of_the_seen_screen(make_episode, make_screen, shop):
    episode = make_episode(Key("back"), Tap(50, 60), screens=(make_screen(), shop, make_screen()))
    assert episode.tapped(lambda screen: screen.find_all(resource_id="product")[1])
    assert not episode.tapped(lambda screen: screen.find_all(resource_id="product")[0])
    assert not episode.tapped(lambda screen: screen.find_all(resource_id="none")[0])
    assert not episode.tapped(lambda screen: screen.find(resource_id="none"))
    assert not episode.tapped(lambda screen: screen.get(text="none").children[0])


def test_miss_lists_the_actual_taps(make_episode, shop):
    episode = make_episode(Tap(50, 60), Tap(50, 150), screens=(shop, shop, shop))
    with collect_misses() as misses:
        episode.tapped(text="Lam")
    assert explained(misses).splitlines() == [
        "no tap hit text='Lam' in 2 steps",
        f"  instead: step 1, (50, 60), on {shop.get(text='Torch').describe()}",
        "  instead: step 2, (50, 150), on nothing",
        "  at last, nothing on the screen of com.shop has text='Lam'",
        "  closest: <element text='Lamp' resource_id='s:id/product' at [0,0][100,50]>",
    ]


def test_a_question_without_criteria_is_an_error_even_without_taps(make_episode):
    with pytest.raises(TypeError, match="nothing to search for"):
        make_episode().tapped()


def test_typed_text_is_compared_with_normalised_spaces(make_episode):
    episode = make_episode(Type("at\u00a09 "), Type("bread"))
    assert episode.typed("at 9")
    with collect_misses() as misses:
        assert not episode.typed("brea")
    assert explained(misses) == (
        "'brea' was not typed in 2 steps\n  instead: 'at\\xa09 '\n  instead: 'bread'"
    )


def test_app_was_opened_if_it_was_shown(make_episode, make_screen, shop):
    home = make_screen(package="com.home")
    episode = make_episode(Open("com.gone"), Tap(1, 1), screens=(home, home, shop))
    assert episode.opened("com.shop")
    with collect_misses() as misses:
        assert not episode.opened("com.gone")
    assert explained(misses).splitlines()[1:] == [
        "  instead: com.home",
        "  instead: com.shop",
    ]


def test_an_element_on_any_screen_was_seen(make_episode, make_screen, shop):
    episode = make_episode(Tap(1, 1), Tap(1, 1), screens=(make_screen(), shop, make_screen("Tor")))
    with collect_misses() as misses:
        assert episode.saw(text="Torch")
        assert not misses
        assert not episode.saw(text="Torches")
    assert explained(misses).splitlines() == [
        "no screen had text='Torches' in 2 steps",
        "  at last, nothing on the screen of ? has text='Torches'",
        "  closest: <element text='Tor' at [0,0][0,0]>",
    ]


def test_failed_actions_count_as_neither_tapped_nor_typed(make_episode, shop):
    decided = (Tap(50, 10), Tap(5000, 0), Tap(50, 60), Type("a"))
    step = Step(shop, decided, notice="outside of the screen", undone=3)
    episode = make_episode(screens=(shop, shop), steps=(step,))
    assert episode.tapped(text="Lamp")
    assert not episode.tapped(text="Torch")
    assert not episode.typed("a")


def test_answer_is_the_agents_report(make_episode):
    episode = make_episode(Tap(1, 1), Finish("It is 1,200."))
    assert episode.answers("1200")
    with collect_misses() as misses:
        assert not episode.answers("1300")
    assert 'the answer does not say the number 1300: "It is 1,200."' in explained(misses)


def test_loaded_record_has_the_questions_of_a_body(tmp_path):
    with pytest.raises(RecordError, match="no episode is recorded"):
        load(tmp_path)


def test_unclear_answer_is_undecided(make_episode):
    episode = make_episode(Finish("It's free, or not."), goal="What does it cost?")
    with pytest.raises(UndecidedError, match="the answer says 'free' among other things"):
        episode.answers("free")


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda e: e.tapped(lambda _: "Save"), "must return elements or None, not 'Save'"),
        (lambda e: e.tapped(lambda _: [3]), "must return elements or None, not 3"),
        (lambda e: e.typed(3), r"typed\(3\) takes a string"),
        (lambda e: e.opened(None), r"opened\(None\) takes a string"),
        (lambda e: e.event(type="clicked", after="add"), "must be a result of event"),
        (lambda e: e.answers(5), r"answers\(5\): must be text, or a kind"),
        (lambda e: check.essential(holds=e), "must be a function of an episode"),
        (lambda _: check.essential(click="Save"), "'Save' cannot be of type str"),  # type: ignore[arg-type]
        (lambda _: check.aitw(Tap(1, 2), Tap(1, 2), size=(0, 0)), "not the size of a screen"),
    ],
)
def test_invalid_values_are_reported(make_episode, ask, why):
    with pytest.raises(TaskError, match=why):
        ask(make_episode(Tap(5, 5), Finish("No charge.")))


def test_phone_episode_reaches_no_recorded_page(make_episode):
    episode = make_episode(Tap(1, 2))
    assert (episode.page, episode.pages) == ("", ())
    with pytest.raises(TaskError, match="device emulator-5554 does not show recorded pages"):
        episode.reached("home")


def test_recorded_page_is_reached_by_any_of_its_names(make_episode, make_screen):
    screens = (make_screen("a", page="home", same=("home2",)), make_screen("b", page="cart"))
    episode = make_episode(Tap(1, 2), screens=screens)
    assert (episode.page, episode.pages) == ("cart", ("home", "cart"))
    assert episode.reached("home")
    assert episode.reached("home2")
    assert not episode.reached("menu")
    assert not episode.prefix(0).reached("cart")

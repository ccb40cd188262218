"""Tests of where two episodes of one task diverge, on hand-made episodes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Case, DeviceInfo, Screen, Task
from pytest_mobileagent.action import Ask, Finish, Impossible, Key, Open, Raw, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.episode import EpisodeRecord, Step
from pytest_mobileagent.report.comparison.divergence import (
    Divergence,
    first_divergence,
    same_actions,
    similarity,
)
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from pytest_mobileagent import Action

DEVICE = DeviceInfo("emulator-5554", "Pixel", "15", 35, (1080, 2400), 420)
ROWS = ("Alarm", "Clock", "Timer", "Stopwatch", "Bedtime", "Settings")
LIST = make_screen(*ROWS, package="clock", activity="clock.Main")
ALARM = make_screen("Add alarm", "6:00", "7:00", package="clock", activity="clock.Alarm")
TIMER = make_screen("Start", "Reset", package="clock", activity="clock.Timer")


def middle(screen: Screen, text: str) -> Tap:
    return Tap(*screen.get(text=text).bounds.center)


def episode(*walk: Screen | Action) -> EpisodeRecord:
    """Return an episode from alternating screens and actions; the last screen is the final one."""
    screens = [each for each in walk if isinstance(each, Screen)]
    actions = [each for each in walk if not isinstance(each, Screen)]
    steps = tuple(Step(screen, (each,)) for screen, each in zip(screens, actions, strict=False))
    case = Case(Task("Do it."), "suite/task")
    return EpisodeRecord(case, "Do it.", "mine", DEVICE, screens[-1], steps)


TAP_ALARM, TAP_TIMER = middle(LIST, "Alarm"), middle(LIST, "Timer")


def test_equal_episodes_never_diverge():
    way = episode(LIST, TAP_ALARM, ALARM, Finish("7:00"))
    assert first_divergence(way, way) is None
    near = replace(TAP_ALARM, x=TAP_ALARM.x + 30)  # another pixel of the same row
    other = episode(LIST, near, ALARM, Finish(" 7:00"))
    assert first_divergence(way, other) is None


def test_agents_diverge_where_their_actions_differ():
    one = episode(LIST, TAP_ALARM, ALARM, Finish())
    other = episode(LIST, TAP_TIMER, TIMER, Finish())
    assert first_divergence(one, other) == Divergence(1, "action")
    assert first_divergence(episode(LIST, Wait(1), LIST, TAP_ALARM, ALARM), other) == Divergence(
        1, "action"
    )


def test_different_screen_after_equal_actions_is_an_environment_divergence():
    one = episode(LIST, TAP_ALARM, ALARM, middle(ALARM, "Add alarm"), ALARM)
    ad = make_screen("Buy now!", "Close", package="ads", activity="ads.Full")
    other = episode(LIST, TAP_ALARM, ad, middle(ad, "Close"), ALARM)
    assert first_divergence(one, other) == Divergence(
        2, "screen", ("Add alarm",), ("Buy now!", "Close")
    )


def test_different_first_screens_are_reported():
    found = first_divergence(episode(LIST, TAP_ALARM, ALARM), episode(TIMER, Key("back"), LIST))
    assert found is not None
    assert (found.step, found.why, found.after) == (1, "start", ("Start", "Reset"))


def test_an_episode_ended_by_a_limit_diverges_where_the_other_continues_or_reports():
    whole = episode(LIST, TAP_ALARM, ALARM, Key("back"), LIST, TAP_TIMER, TIMER)
    assert first_divergence(whole.prefix(2), whole) == Divergence(3, "length")
    assert first_divergence(whole, whole.prefix(0)) == Divergence(1, "length")
    one, other = (episode(LIST, TAP_ALARM, ALARM, Finish(said)) for said in ("6:00", "7:00"))
    goes_on = episode(LIST, TAP_ALARM, ALARM, Key("back"), LIST, Finish("6:00"))
    assert first_divergence(one, other) == first_divergence(one, goes_on) == Divergence(2, "action")


def test_a_small_difference_is_reported_only_without_others():
    late = make_screen(*ROWS[:5], "Sign in", package="clock", activity="clock.Main")
    assert 0.7 < similarity(LIST, late) < 0.8
    rows = [f"Row {letter}" for letter in "abcdefghijklmnop"]
    full = make_screen(*rows, package="clock")
    short = make_screen(*rows[:-1], "Sign in", package="clock")
    tap = middle(full, "Row a")
    one, other = episode(full, tap, full, Finish()), episode(full, tap, short, Finish())
    assert first_divergence(one, other) == Divergence(2, "screen", ("Row p",), ("Sign in",))
    later = episode(full, tap, short, Key("back"), full)
    assert first_divergence(one, later) == Divergence(2, "action", ("Row p",), ("Sign in",))
    before = episode(short, tap, full, Finish()), episode(full, tap, full, Key("home"), LIST)
    assert first_divergence(*before) == Divergence(2, "action")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12:59", "1:00 PM"),
        ("Thursday, November 26", "Fri, Nov 27"),
        ("11月26日 星期四", "11月27日 周五"),
    ],
)
def test_volatile_content_is_not_a_difference(one, other):
    assert similarity(make_screen("Alarm", one), make_screen("Alarm", other)) == 1.0


def test_the_status_bar_is_not_a_difference_but_a_state_is():
    battery = {"text": "Battery low", "package": "com.android.systemui"}
    assert similarity(make_screen("Alarm", battery), make_screen("Alarm")) == 1.0
    switch = {"text": "Wi-Fi", "checkable": "true", "checked": "true"}
    assert similarity(make_screen(switch), make_screen({**switch, "checked": "false"})) == 0.0
    assert similarity(make_screen("Alarm", package="a"), make_screen("Alarm", package="b")) == 0.0
    assert similarity(make_screen(), make_screen()) == 1.0
    assert similarity(make_screen(), make_screen(shade=9)) == 0.0, "they have only a picture"


def step(action: Action, screen: Screen = LIST, notice: str = "") -> Step:
    return Step(screen, (action,), notice=notice)


MOVED = make_screen("New!", *ROWS, package="clock", activity="clock.Main")
TWINS = make_screen("Add", "Add", "Add", "Add", package="clock")
TOP, LOWER = (each.bounds.center for each in TWINS.find_all(text="Add")[:2])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        # The row is further down there.
        (step(TAP_ALARM), step(middle(MOVED, "Alarm"), MOVED), True),
        (step(TAP_ALARM), step(middle(LIST, "Clock")), False),  # the neighbouring row
        # Their texts do not distinguish them.
        (step(Tap(*TOP), TWINS), step(Tap(*LOWER), TWINS), False),
        (step(Tap(*TOP), TWINS), step(Tap(TOP[0] + 9, TOP[1]), TWINS), True),
        (step(Tap(900, 2300)), step(Tap(905, 2290)), True),  # There is no element at either point.
        (step(Tap(900, 2300)), step(Tap(100, 2300)), False),
        (step(TAP_ALARM), step(LongPress(TAP_ALARM.x, TAP_ALARM.y)), False),
        (step(DoubleTap(9, 9)), step(DoubleTap(10, 9)), True),
        (step(TAP_ALARM), step(TAP_ALARM, notice="the phone is locked"), False),
        (step(Swipe(500, 2000, 510, 900)), step(Swipe(400, 1500, 400, 700)), True),
        (step(Swipe(500, 2000, 510, 900)), step(Scroll("up")), True),
        (step(Scroll("up")), step(Scroll("down")), False),
        (step(Type("Oslo ")), step(Type("oslo")), True),
        (step(Type("a", enter=True)), step(Type("a")), False),
        (step(Wait(1)), step(Wait(5)), True),
        (step(Impossible("no")), step(Impossible("I cannot")), True),
        (step(Impossible("no")), step(Finish("no")), False),
        (step(Ask("Who?")), step(Ask("Who ?")), False),
        (step(Raw("input tap 1 1")), step(Raw("input tap 1 1")), True),
    ],
)
def test_insignificant_differences_between_actions_are_ignored(one, other, same):
    assert same_actions(one, other) is same
    assert same_actions(other, one) is same


def test_longer_swipe_matters_only_if_it_leads_elsewhere():
    low, lower = make_screen("Row 9 a", "b", "c"), make_screen("x", "y", "z")
    one = episode(LIST, Swipe(500, 2000, 500, 900), low, Finish())
    other = episode(LIST, Swipe(500, 2000, 500, 200), lower, Finish())
    assert first_divergence(one, other) == Divergence(1, "action")
    same = episode(LIST, Swipe(500, 2000, 500, 900), lower, Finish())
    found = first_divergence(one, same)
    assert found is not None
    assert (found.step, found.why) == (2, "screen")
    alike = replace(other, screen=low, steps=(*other.steps[:1], one.steps[1]))
    assert first_divergence(one, alike) is None


def test_app_may_be_opened_by_name_or_by_icon():
    home = make_screen("Clock", "Maps", package="launcher")
    icon, other = middle(home, "Clock"), middle(home, "Maps")
    rest = (TAP_ALARM, ALARM, Finish())
    opens = episode(home, Open("clock"), LIST, *rest)
    assert first_divergence(opens, episode(home, icon, LIST, *rest)) is None
    assert first_divergence(episode(home, icon, LIST, *rest), opens) is None
    assert first_divergence(opens, episode(home, other, home, icon, LIST)) == Divergence(
        1, "action"
    )
    assert first_divergence(opens, episode(home, icon, TIMER, Finish())) == Divergence(1, "action")


def test_points_of_programs_may_be_none():
    odd = Tap("left", None)  # type: ignore[arg-type]
    assert same_actions(step(odd), step(odd))
    assert not same_actions(step(odd), step(Tap(1, 1)))


ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(Tap, st.integers(0, 1079), st.integers(0, 2399)),
    st.builds(Scroll, st.sampled_from(["up", "down", "left", "right"])),
    st.builds(Swipe, *[st.integers(0, 1079)] * 4),
    st.builds(Type, st.text(max_size=3)),
    st.builds(Wait, st.floats(0, 9)),
    st.builds(Finish, st.text(max_size=3)),
)
WALKS = st.lists(st.tuples(st.sampled_from([LIST, ALARM, TIMER, TWINS]), ACTIONS), max_size=5)


def walked(walk: list[tuple[Screen, Action]]) -> EpisodeRecord:
    return episode(*(each for pair in walk for each in pair), LIST)


@given(WALKS, WALKS)
def test_a_divergence_is_in_both_episodes_and_symmetric(one, other):
    before, after = walked(one), walked(other)
    found, back = first_divergence(before, after), first_divergence(after, before)
    assert first_divergence(before, before) is None
    if found is None:
        assert back is None
        assert len(one) == len(other)
        return
    assert back is not None
    assert (back.step, back.why) == (found.step, found.why)
    assert (back.before, back.after) == (found.after, found.before)
    assert 1 <= found.step <= min(len(one), len(other)) + 1


@given(WALKS, WALKS, WALKS)
def test_common_prefix_only_shifts_the_step(common, one, other):
    found = first_divergence(walked(one), walked(other))
    later = first_divergence(walked([*common, *one]), walked([*common, *other]))
    assert (found is None) == (later is None)
    if found is not None and later is not None:
        assert later.step == found.step + len(common)
        assert later.why == ("screen" if common and found.why == "start" else found.why)

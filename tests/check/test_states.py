"""Tests of LlamaTouch's essential states, matched in order, and of when a task was first done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Case, Episode, Finish, Tap, Task, Type, check
from pytest_mobileagent.check.states import essential, essential_states
from pytest_mobileagent.check.temporal import first_success
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import collect_misses

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Screen


@pytest.fixture
def shop(make_episode: Callable[..., Episode], make_screen: Callable[..., Screen]) -> Episode:
    """Return an episode from the home screen by a search, where a text is typed, to the results."""

    def page(*texts: str, activity: str) -> Screen:
        rows = [
            {
                "text": text,
                "bounds": f"[0,{20 * n}][100,{20 * n + 20}]",
                "class": "android.widget.Button",
            }
            for n, text in enumerate(texts)
        ]
        return make_screen(*rows, package="com.shop", activity=activity)

    screens = (
        page("Home", "Search", activity=".Main"),
        page("Search", "Filter", activity=".Search"),
        page("lamp", "Filter", activity=".Search"),
        page("Results for lamp", "Table lamp", activity="com.shop.Results"),
    )
    episode = make_episode(Tap(50, 30), Type("lamp"), Tap(50, 30), Finish(), screens=screens)
    probes = [{"packages": ["com.shop"]}] * 2 + [{"packages": ["com.shop", "com.new"]}] * 2
    steps = tuple(replace(s, probes=p) for s, p in zip(episode.steps, probes, strict=True))
    shown = replace(episode.steps[3], screen=screens[3], probes=probes[3])
    return replace(
        episode, steps=(*steps[:3], shown), initial_probes={"packages": ["com.shop", "com.old"]}
    )


SEARCHING: dict[str, Any] = {"click": {"text": "Search"}}


@pytest.mark.parametrize(
    ("states", "steps"),
    [
        ([{"activity": "com.shop/.Main"}], [0]),
        ([{"activity": ".Search"}], [1]),
        ([{"activity": "com.shop/com.shop.Results"}], [3]),
        ([{"activity": "com.shop/.SearchSettings"}], [None]),
        ([{"exact": {"text": "Filter"}}], [1]),
        ([{"exact": [{"text": "Filter"}, {"text": "lamp"}]}], [2]),
        ([{"exact": {"text": "filter"}}], [None]),
        ([{"fuzzy": "result for lamps"}], [3]),
        ([{"fuzzy": "lamp results for"}], [3]),
        ([{"fuzzy": "shoes"}], [None]),
        ([SEARCHING], [1]),
        ([{"click": {"xpath": "//node[@text='Search']"}}], [1]),
        ([{"click": {"text": "Home"}}], [None]),
        ([{"typed": "lamp"}], [2]),
        ([{"typed": "lam"}], [None]),
        ([{"installed": "com.new"}], [3]),
        ([{"uninstalled": "com.old"}], [1]),
        ([{"installed": "com.shop", "uninstalled": ["com.old", "com.new"]}], [1]),
        ([{"installed": "com.none"}], [None]),
        ([{"holds": lambda e: e.answers("")}], [None]),
        ([{"holds": lambda e: len(e.steps) == 2}], [2]),
        ([{"holds": lambda e: e.screen.get(text="lamp")}], [2]),
        ([SEARCHING, {"typed": "lamp"}, {"fuzzy": "Table lamp"}], [1, 2, 3]),
        ([{"exact": {"text": "Filter"}}] * 2, [1, 2]),
        ([{"exact": {"text": "Filter"}}] * 3, [1, 2, None]),
        ([{"typed": "lamp"}, SEARCHING, {"activity": ".Results"}], [2, None, None]),
        ([{"exact": {"text": "Table lamp"}}] * 2, [3, None]),
        ([{"activity": ".Main", **SEARCHING}], [1]),
        ([{"activity": ".Results", **SEARCHING}], [None]),
    ],
)
def test_each_state_matches_the_first_screen_after_the_previous_match(shop, states, steps):
    found = essential_states(shop, [essential(**state) for state in states])
    assert list(found.steps) == steps
    assert bool(found) is (None not in steps)
    assert found.share == sum(step is not None for step in steps) / len(steps)


FULL = ("com.shop", "com.shop.Main")
OTHER_CLASS = ("com.shop.debug", "com.shop.Main")


@pytest.mark.parametrize(
    ("recorded", "wanted", "is_shown"),
    [
        *[
            (recorded, wanted, True)
            for recorded in (FULL, ("com.shop", ".Main"), ("com.shop", "com.shop/.Main"))
            for wanted in (
                ".Main", "Main", "com.shop/.Main", "com.shop/com.shop.Main", "com.shop.Main",
                " com.shop/.Main ",
            )
        ],
        (FULL, "com.other/.Main", False),
        (("com.shop", ".Main"), "com.other/.Main", False),
        (FULL, "com.other/com.shop.Main", False),
        (FULL, "com.shop/.sub.Main", False),
        (FULL, "com.shop/.MainSettings", False),
        (FULL, "shop.Main", False),
        (("com.shop", "com.shop.sub.Main"), ".sub.Main", True),
        (("com.shop", "com.shop.sub.Main"), ".Main", False),
        (("com.shop", "com.shop.Settings$Wifi"), "com.shop/.Settings$Wifi", True),
        (("com.shop", "com.shop.Settings$Wifi"), "com.shop/.Settings", False),
        (OTHER_CLASS, "com.shop.debug/com.shop.Main", True),
        (OTHER_CLASS, "com.shop.Main", True),
        (OTHER_CLASS, "com.shop.debug/.Main", False),
        (OTHER_CLASS, "com.shop/.Main", False),
        (OTHER_CLASS, ".Main", False),
        (("", "com.shop.Main"), "com.shop/.Main", True),
        (("", ".Main"), "com.shop/.Main", True),
        (("com.shop", ""), ".Main", False),
        (("", ""), "com.shop/.Main", False),
    ],
)  # fmt: skip
def test_activity_matches_in_short_and_full_form(
    make_episode, make_screen, recorded, wanted, is_shown
):
    package, activity = recorded
    episode = make_episode(screens=(make_screen("A", package=package, activity=activity),))
    assert bool(essential_states(episode, [essential(activity=wanted)])) is is_shown


@pytest.mark.parametrize(
    ("package", "wanted", "is_shown"),
    [
        ("com.shop", ".Main", True),
        ("com.pay", ".Main", True),
        ("com.ads", ".Main", False),
        ("com.ads", "com.ads/.Main", True),
    ],
)
def test_short_activity_name_belongs_to_an_app_of_the_task(
    make_episode, make_screen, package, wanted, is_shown
):
    screens = (make_screen("A", package=package, activity=f"{package}.Main"),)
    case = Case(Task("Buy it.", app="com.shop", apps=("com.pay",)), "suite/task")
    episode = make_episode(screens=screens, case=case)
    assert bool(essential_states(episode, [essential(activity=wanted)])) is is_shown


def test_annotated_element_is_compared_without_its_position(shop, make_screen):
    button = {"class": "android.widget.Button", "bounds": "[7,7][8,8]"}
    same = make_screen({"text": "TABLE lamp", **button}).elements[0]
    assert essential_states(shop, [essential(exact=same)]).steps == (3,)
    for other in ({"checked": "true"}, {"class": "View"}, {"content-desc": "x"}):
        node = make_screen({"text": "Table lamp", **button, **other}).elements[0]
        assert not essential_states(shop, [essential(exact=node)])


def test_whole_screen_is_compared_by_its_words(shop, make_screen):
    like, unlike = make_screen("Results for lamp", "Table lamps"), make_screen("Cart", "Sum")
    found = essential_states(shop, [essential(fuzzy=like)])
    assert found.steps == (3,)
    assert not essential_states(shop, [essential(fuzzy=unlike)])


def test_a_function_may_define_the_similarity_of_texts(shop):
    asked = []

    def similarity(one: str, other: str) -> float:
        asked.append((one, other))
        return 0.85 if other == "Search" else 0.86 if other == "lamp" else 0.0

    assert essential_states(shop, [essential(fuzzy="x")], similarity=similarity).steps == (2,)
    assert ("x", "Home") in asked


def test_miss_names_the_closest_screen(shop):
    with collect_misses() as misses:
        states = [essential(**SEARCHING), essential(exact=[{"text": "lamp"}, {"text": "Sofa"}])]
        assert not essential_states(shop, states)
    (explain,) = misses
    assert explain().splitlines() == [
        "essential state 2 of 2 was not reached",
        "  closest: the screen after step 2, which lacks text='Sofa'",
    ]


def test_a_state_after_the_last_screen_is_not_reached(shop):
    with collect_misses() as misses:
        essential_states(shop, [essential(fuzzy="Table lamp"), essential(typed="a")])
    assert [explain() for explain in misses] == [
        "essential state 2 of 2 was not reached: no screen is left"
    ]


def test_states_can_be_sub_goals_and_hold_on_prefixes(shop):
    states = [essential(**SEARCHING), essential(typed="lamp")]
    steps = [essential_states(shop.prefix(n), states).steps for n in range(4)]
    assert steps == [(None, None), (1, None), (1, 2), (1, 2)]


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"exact": "text"},
        {"fuzzy": 3},
        {"click": {"sext": "a"}},
        {"exact": {}},
        {"installed": 1},
    ],
)
def test_a_state_that_is_invalid_is_refused(state):
    with pytest.raises((TaskError, TypeError)):
        essential(**state)


@pytest.mark.parametrize("states", [[], [{"text": "a"}], None])
def test_invalid_lists_of_states_are_refused(shop, states):
    with pytest.raises(TaskError, match=r"list of essential\(…\)"):
        essential_states(shop, states)


def test_task_without_the_activity_probe_is_broken(shop):
    with pytest.raises(TaskError, match="the task has no probe 'apps'"):
        essential_states(shop, [essential(installed="com.new")], packages="apps")


def test_states_are_exported_to_task_authors():
    assert check.essential_states is essential_states
    assert check.essential is essential


@given(
    st.lists(st.sampled_from("abc"), max_size=7),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=4),
)
def test_all_states_match_if_and_only_if_they_are_a_subsequence(
    make_episode, make_screen, shown, wanted
):
    screens = tuple(make_screen(text) for text in ["start", *shown])
    episode = make_episode(*[Tap(1, 1)] * len(shown), screens=screens)
    rest = iter(shown)
    subsequence = all(text in rest for text in wanted)
    states = [essential(exact={"text": text}) for text in wanted]
    assert bool(essential_states(episode, states)) is subsequence


TAPS = [Tap(1, 1), Tap(2, 2), Tap(3, 3)]


@pytest.mark.parametrize(
    ("actions", "sought", "after"),
    [
        ([*TAPS, Finish()], "0", 0),
        ([*TAPS, Finish()], "2", 2),
        ([*TAPS, Finish()], "3", 3),
        (TAPS, "3", 3),
        ([*TAPS, Finish()], "9", None),
        ([], "0", 0),
    ],
)
def test_first_success_is_the_step_before_the_satisfying_screen(
    make_episode, actions, sought, after
):
    def holds(episode: Episode) -> bool:
        return bool(episode.screen.find(text=sought))

    episode = make_episode(*actions)
    assert first_success(holds, episode, whole=holds(episode)) == after


def test_an_answer_may_make_it_hold_without_being_a_step(make_episode):
    def holds(episode: Episode) -> bool:
        return episode.answers("42")

    assert first_success(holds, make_episode(*TAPS, Finish("42")), whole=True) == 3
    assert first_success(holds, make_episode(Finish("42")), whole=True) == 0


def test_success_counts_even_if_it_is_undone(make_episode):
    def holds(episode: Episode) -> bool:
        return len(episode.steps) == 1

    assert first_success(holds, make_episode(*TAPS), whole=False) == 1


def test_each_prefix_is_evaluated_once(make_episode):
    asked: list[int] = []

    def holds(episode: Episode) -> bool:
        asked.append(len(episode.steps))
        return False

    assert first_success(holds, make_episode(*TAPS, Finish()), whole=True) == 3
    assert asked == [0, 1, 2, 3]

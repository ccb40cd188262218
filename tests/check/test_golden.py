"""Tests of `check.compare`: the reported matches of steps, and the rule that decided them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Bounds, Finish, Key, Open, Raw, Tap, Task, Type, check
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.action.matching.graph_mobile_bench import graph
from pytest_mobileagent.check.golden import OffPathError, check_path, collect_matches, scorer_name
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.screen.explain import collect_misses
from pytest_mobileagent.testing import FakePhone, make_screen, play
from tests.run.agents import script

if TYPE_CHECKING:
    from pytest_mobileagent import Episode

GOLDEN = [Golden(Tap(540, 60), (1080, 2400)), Golden(Type("mug"), (1080, 2400))]


def episode(*decisions: Any, path: Any = "single") -> Episode:
    task = Task("Find a mug.", golden=GOLDEN)
    return play(script(*decisions), task, phone=FakePhone([make_screen("Shop")]), path=path)


def test_the_last_comparison_is_collected_with_its_scorer():
    played = episode(Tap(540, 60), Type("cup"))
    with collect_matches() as compared:
        assert compared.steps is None
        check.compare(check.mobile_bench, played)
        found = check.compare(check.androidcontrol, played, GOLDEN, scorer="os-atlas")
    assert [bool(match) for match in found] == [True, False]
    assert compared.to_json() == {
        "scorer": "androidcontrol:os-atlas",
        "steps": [
            {"step": 1, "type": True, "exact": True, "counts": True},
            {"step": 2, "type": True, "exact": False, "counts": True},
        ],
    }
    assert check.compare(check.androidcontrol, played) == check.compare(
        check.androidcontrol, played, GOLDEN
    )


def test_off_a_path_golden_actions_are_required():
    played = episode(Tap(540, 60), Finish(), path="multi")
    with pytest.raises(TaskError, match=r"pass them as compare\(…, golden="):
        check.compare(check.aitw, played)
    assert [bool(match) for match in check.compare(check.aitw, played, GOLDEN)] == [True, False]


def test_a_golden_function_that_fails_where_the_agent_went_matches_nothing():
    def centre(screen: Any) -> Any:
        return Tap(*screen.find(text="Sesame").bounds.center)

    played = episode(Tap(540, 60), Type("mug"), path="multi")
    with collect_misses() as misses:
        found = check.compare(graph, played, [centre, Type("mug")])
    assert [bool(match) for match in found] == [False, True]
    told = [miss() for miss in misses]
    assert told[0].startswith("step 1, nothing on the screen of ? has text='Sesame'")
    assert told[1].startswith("step 1, its function failed: AttributeError: 'NoneType'")


def test_only_the_first_action_of_a_decision_counts_on_a_path():
    played = episode([Tap(540, 60), Type("mug")], [Raw("input text mug"), Type("mug")])
    assert [bool(match) for match in check.matches(check.aitw, played)] == [True, False]


def test_steps_off_the_golden_path_are_named():
    check_path(episode(Tap(540, 60), Type("mug")))
    with pytest.raises(OffPathError, match=r"2 of 2 steps are not .*, by graph: steps 1, 2"):
        check_path(episode(Key("back"), Key("home")))


def test_the_step_that_does_not_match_is_named():
    played = episode(Tap(540, 60), Key("back"))
    outside = Golden(Tap(540, 60), (1080, 2400), (Bounds(0, 0, 9, 9),))
    with collect_misses() as misses:
        check.compare(check.mobile_bench, played, [outside, GOLDEN[1]])
    first, second = (each().splitlines()[0] for each in misses)
    assert first == "step 1, Mobile-Bench-v2: the golden Tap(x=540, y=60) does not match itself"
    assert second.startswith("step 2, Mobile-Bench-v2: Key(name='back') is of a different type")


def test_the_golden_action_that_a_rule_does_not_know_is_named():
    played = episode(Tap(540, 60), Key("back"))
    unknown = Golden(Open("com.shop"), (1080, 2400))
    with pytest.raises(TaskError, match="golden action 2: AITW has no action like Open"):
        check.compare(check.aitw, played, [GOLDEN[0], unknown])


@pytest.mark.parametrize(
    ("rule", "options", "name"),
    [
        (check.aitw, {}, "aitw"),
        (check.aitz, {}, "aitz:coat"),
        (check.mobile_bench, {"scorer": "code"}, "mobile_bench:code"),
        (check.odyssey, {"quirks": True}, "odyssey:odyssey, quirks"),
        (partial(check.aitw), {}, "partial"),
        (print, {}, "print"),
    ],
)
def test_scorer_is_named_by_its_rule_and_options(rule, options, name):
    assert scorer_name(rule, options) == name

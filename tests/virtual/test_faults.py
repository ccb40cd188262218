"""Faults: their kinds, when they strike, and how long they last."""

from __future__ import annotations

import pytest

from pytest_mobileagent.virtual.faults import KINDS, FaultError, parse


def pattern(text: str, occasions: int = 8) -> str:
    fault = parse(text)
    return "".join(".x"[fault.strikes()] for _ in range(occasions))


@pytest.mark.parametrize(
    ("text", "struck"),
    [
        ("missed-tap", "xxxxxxxx"),
        ("missed-tap --times 2", "xx......"),
        ("missed-tap --after 3", "...xxxxx"),
        ("die --after 2", "..x....."),
        ("die --times 2 --after 1", ".xx....."),
    ],
)
def test_a_fault_strikes_with_its_rate_and_delay(text, struck):
    assert pattern(text) == struck


def test_chance_is_the_same_for_a_seed():
    patterns = {seed: pattern(f"missed-tap --rate 0.3 --seed {seed}", 400) for seed in (1, 2)}
    assert patterns[1] != patterns[2]
    assert patterns[1] == pattern("missed-tap --rate 0.3 --seed 1", 400)
    assert all(90 < struck.count("x") < 150 for struck in patterns.values())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "unknown fault ''; there are: drop-connection, hang, die,"),
        ("fire", "unknown fault 'fire'"),
        ("hang soon", "hang: argument seconds: invalid float value: 'soon'"),
        ("hang -1", "at least 0|arguments"),
        ("hang nan", "at least 0"),
        ("missed-tap 5", "unrecognized arguments: 5"),
        ("missed-tap --times 0", "--times has to be above 0"),
        ("missed-tap --rate 1.5", "--rate above 0 and at most 1"),
        ("missed-tap --after -1", "--after at least 0|expected one argument"),
        ("storage-full --times 2", "unrecognized arguments"),
    ],
)
def test_unknown_faults_are_refused(text, said):
    with pytest.raises(FaultError, match=said):
        parse(text)


def test_faults_stay_over_a_snapshot_until_they_are_cleared(demo):
    demo.snapshots.save("here")
    for name in KINDS:
        demo.faults.set(name)
    demo.snapshots.load("here")
    assert [line.split()[0] for line in demo.faults.list()] == list(KINDS)
    with pytest.raises(FaultError, match="unknown fault 'fire'"):
        demo.faults.clear("fire")
    demo.faults.clear("die")
    assert len(demo.faults.list()) == len(KINDS) - 1
    demo.faults.clear()
    assert demo.faults.list() == []
    demo.snapshots.delete("here")


def test_only_taps_are_missed(demo, hand):
    demo.faults.set("missed-tap --times 2")
    for loud in ("false", "false", "true"):
        hand.tap("text", "Loud")
        assert f'checked="{loud}"' in hand.node("text", "Loud")
    assert demo.faults.list() == ["missed-tap --times 2 (struck 2 times so far)"]
    demo.faults.clear()

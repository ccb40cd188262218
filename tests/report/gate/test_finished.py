"""Tests of a gate's verdict on a run that has ended."""

import pytest

from pytest_mobileagent.report.gate.decide import decide_finished
from pytest_mobileagent.report.gate.spec import Bound, Gate
from tests.report.gate.entries import entries, many, recorded

GATE = Gate((Bound("success_rate", baseline=True),))
PLANNED = {"mobile-epochs": {"value": "3..10", "source": "--mobile-epochs"}}


@pytest.mark.parametrize(
    ("epochs", "fallen", "analysis", "verdict"),
    [
        ("PPP", 0, 1, "PASS"),
        ("PPPPPPPPPP", 0, 1, "PASS"),  # More epochs were run because of another bound.
        ("PPP", 2, 1, "INCONCLUSIVE"),  # stopped after the first interim analysis
        ("PPPPPPPP", 2, 2, "INCONCLUSIVE"),  # … between the second and the third
        ("PPPPPnnnnn", 2, 2, "INCONCLUSIVE"),  # … by kill -9
        ("PPPPPPPPPP", 2, 3, "INCONCLUSIVE"),
    ],
)
def test_a_run_with_analyses_is_evaluated_as_during_the_run(epochs, fallen, analysis, verdict):
    baseline = recorded(entries(many(100, "PPP")))
    tasks = many(100, epochs) | many(fallen, epochs.replace("P", "F"))
    decision = decide_finished(GATE, recorded(entries(tasks), options=PLANNED), baseline)
    assert (decision.verdict, decision.analysis + 1) == (verdict, analysis)
    assert len(decision.analyses.epochs) == 3


def test_a_killed_run_does_not_lack_dropped_epochs():
    """One bound was decided at the first interim analysis, so its tasks ran no further epochs."""
    easy = {f"tasks/easy/t{number}": "PPP" for number in range(100)}
    hard = many(100, "PPP")
    baseline = [*entries(easy, suite="easy"), *entries(hard)]
    killed = dict.fromkeys(easy, "PPPnnnnnnn")
    went_on = many(100, "PPPPPnnnnn") | many(2, "FFFFFnnnnn")
    run = recorded(
        [*entries(killed, suite="easy"), *entries(went_on)], ended=False, options=PLANNED
    )
    bounds = tuple(Bound("success_rate", baseline=True, suite=name) for name in ("easy", "clock"))
    decision = decide_finished(Gate(bounds), run, recorded(baseline))
    assert decision.analysis + 1 == 2
    assert "are missing" not in decision.line


@pytest.mark.parametrize("options", [{}, {"mobile-epochs": {"value": "4"}}])
def test_any_other_run_is_evaluated_once(options):
    run = recorded(entries(many(100, "PPPP")), options=options)
    decision = decide_finished(GATE, run, run)
    assert (decision.verdict, decision.analyses.epochs) == ("PASS", (4,))


@pytest.mark.parametrize(("paths", "status"), [(["tasks"], 0), (["tasks/clock"], 8)])
def test_tasks_only_in_the_baseline_are_missing_unless_selected_alike(paths, status):
    baseline = recorded(entries(many(101, "PPPP")), selection={"paths": ["tasks"]})
    run = recorded(entries(many(100, "PPPP")), selection={"paths": paths})
    assert decide_finished(GATE, run, baseline).status == status


def test_a_run_that_was_merged_without_a_shard_does_not_pass():
    gate = Gate((Bound("success_rate", min=0.5),))
    run = recorded(entries(many(60, "P")), missing_shards=["2/4", "3/4"])
    decision = decide_finished(gate, run, None)
    assert decision.status == 8
    assert decision.line == "INCONCLUSIVE: shards 2, 3 of 4 are missing: merge the whole run"
    failing = recorded(entries(many(60, "F")), missing_shards=["2/4", "3/4"])
    assert decide_finished(gate, failing, None).status == 1

"""Tests of MobileGym's columns."""

import pytest

from pytest_mobileagent.report.export.layouts import find_layout
from pytest_mobileagent.report.export.layouts.layout import Run
from pytest_mobileagent.report.metrics.summary import totals
from tests.report.conftest import make


def test_each_number_is_over_the_episodes_in_which_it_is_known():
    tasks = [
        make(True, id="a", partial_credit=1.0, premature=False, side_effects=2),
        make(False, id="b", partial_credit=0.5, premature=True, side_effects=0),
        make(False, id="c", premature=False, side_effects=0),
        make(True, id="d", side_effects=None),
    ]
    run = Run({"agent": "mine"}, totals(tasks), tasks)
    layout = find_layout("mobilegym")
    values = [measure.cell(run).value for measure in layout.measures]  # type: ignore[union-attr]
    assert values == pytest.approx([0.5, 0.75, 0.25, 1 / 3])
    low, high = run.summary["side_effect_interval"]
    assert 0 < low < 1 / 3 < high < 1

"""The learner of examples/ learns."""

from __future__ import annotations

import importlib.util
from itertools import islice
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")
from pytest_mobileagent.rollout import phones
from tests.loading import load_suites

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_return_of_the_learner_rises(monkeypatch):
    spec = importlib.util.spec_from_file_location("learn_taps", ROOT / "examples/learn_taps.py")
    assert spec
    assert spec.loader
    learner = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(learner)
    monkeypatch.chdir(ROOT)
    tasks = load_suites("tasks/messages", options=["-k", "test_open"])
    assert len(tasks) == 1
    with phones(4) as fleet:
        returns = [*islice(learner.learn(tasks, fleet), 16)]
    assert sum(returns[:4]) < 2
    assert returns[-4:] == [1.0] * 4

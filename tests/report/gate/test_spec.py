"""Tests of parsing what a gate requires, and of the errors in such a specification."""

import pytest

from pytest_mobileagent.report.gate.spec import Bound, Gate, read_gate

FILE = """
must_pass = ["tasks/clock/alarm/alarm"]
[[bound]]
metric = "success_rate"
baseline = true
[[bound]]
metric = "cost_usd"
suite = "coursera"
max = 2.0
"""


def test_file_contains_bounds_and_required_tasks(tmp_path):
    (tmp_path / "gate.toml").write_text(FILE)
    gate = read_gate("gate.toml", tmp_path)
    assert gate == Gate(
        (
            Bound("success_rate", baseline=True, margin=0.02, allow=0.05),
            Bound("cost_usd", suite="coursera", max=2.0),
        ),
        ("tasks/clock/alarm/alarm",),
    )
    assert gate.needs_baseline
    assert not gate.allow_skipped
    (tmp_path / "gate.toml").write_text("allow_skipped = true\n" + FILE)
    assert read_gate("gate.toml", tmp_path).allow_skipped


def test_bound_against_the_baseline_has_a_scope_and_may_limit_lost_tasks(tmp_path):
    (tmp_path / "gate.toml").write_text(BASELINE + 'scope = "tasks like these"\nmax_lost = 0')
    (bound,) = read_gate("gate.toml", tmp_path).bounds
    assert (bound.scope, bound.max_lost) == ("tasks like these", 0)
    (bound,) = read_gate("success_rate >= baseline", tmp_path).bounds
    assert (bound.scope, bound.max_lost) == ("these tasks", None)


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("success_rate >= 0.5", Bound("success_rate", min=0.5)),
        ("cost_usd<=2", Bound("cost_usd", max=2)),
        (" success_rate >= baseline ", Bound("success_rate", baseline=True)),
        ("terminations.agent error <= 3", Bound("terminations.agent error", max=3)),
        ("pass_at.3 >= 0.6", Bound("pass_at.3", min=0.6)),
    ],
)
def test_simple_gate_needs_no_file(tmp_path, text, bound):
    assert read_gate(text, tmp_path) == Gate((bound,))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("success_rate > 0.5", "is not an expression: write one such as success_rate >= 0.5"),
        ("success_rate >= half", "'half' is neither a number nor the word baseline"),
        ("sucess_rate >= 0.5", "no number 'sucess_rate' in a summary: did you mean success_rate"),
        ("success_rate >= 50", "a share from 0 to 1, not 50: 0.5 is 50 %"),
        ("success_rate >= -0.5", "success_rate is never negative, so a limit of -0.5 decides"),
        ("terminations.agnet error <= 0", "no episode ends with 'agnet error': did you mean agent"),
        ("termination_rates.time limits <= 0.1", "'time limits': did you mean time limit"),
        ("success_rate <= baseline", "only success_rate >= baseline is possible"),
        ("terminations <= 3", "terminations contains several numbers: name one of them"),
        ("terminations. <= 3", "terminations. contains several numbers: name one of them"),
        ("success_rate.clock >= 0.5", "success_rate is a single number: leave out .clock"),
        ("interval.0 >= 0.5", "interval is a pair of numbers"),
        ("gates.toml", "cannot be read .No such file or directory.: name a TOML file"),
    ],
)
def test_a_meaningless_expression_is_an_error(tmp_path, text, said):
    with pytest.raises(ValueError, match=said):
        read_gate(text, tmp_path)


BASELINE = '[[bound]]\nmetric = "success_rate"\nbaseline = true\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "has no condition"),
        ("[[bound]", "end of an array declaration"),
        ("bounds = []", "'bounds' is not a key of a gate: did you mean bound"),
        ('[bound]\nmetric = "success_rate"', "write .*bound.* above each"),
        ('allow_skipped = "yes"\nmust_pass = ["a"]', "allow_skipped must be true or false"),
        ("must_pass = 3", "must_pass must be a list of task ids"),
        ("[[bound]]\nmin = 1", "bound 1: metric is missing"),
        ('[[bound]]\nmetric = "tasks"', "bound 1: tasks has no limit"),
        ('[[bound]]\nmetric = "tasks"\nmin = true', "min must be a number, not True"),
        ('[[bound]]\nmetric = "tasks"\nmin = 3\nmax = 2', "at least 3 and at most 2"),
        ('[[bound]]\nmetric = "tasks"\nmin = 3\nallow = 0.1', "allow is for a bound against the"),
        ('[[bound]]\nmetric = "tasks"\nmin = 3\nsute = "clock"', "did you mean suite"),
        ('[[bound]]\nmetric = "tasks"\nmin = 3\nsuite = 3', "suite must be a string"),
        (BASELINE + 'scope = "all tasks"', 'scope must be "these tasks" or "tasks like these"'),
        (BASELINE + "max_lost = -1", "max_lost must be a number of tasks, not -1"),
        (
            '[[bound]]\nmetric = "tasks"\nmin = 3\nmax_lost = 0',
            "max_lost is for a bound against the",
        ),
        (BASELINE + "min = 0.5", "write a separate ..bound.."),
        (BASELINE + "margin = 0.05", "margin = 0.05 and allow = 0.05 must be shares"),
        (BASELINE + BASELINE.replace("success_rate", "mean_steps"), "bound 2: only success_rate"),
        ('[[bound]]\nmetric = "tasks"\nbaseline = "runs"', "--mobile-baseline names the run"),
        ('[[bound]]\nmetric = "success_rate"\nbaseline = "False"', "must be true or false"),
        ('[[bound]]\nmetric = "tasks"\nmax = 1' + "0" * 400, "max must be a number"),
        ("must_pass = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
    ],
)
def test_mistake_in_a_file_is_reported_with_its_location(tmp_path, content, said):
    (tmp_path / "gate.toml").write_text(content)
    with pytest.raises(ValueError, match=said) as error:
        read_gate("gate.toml", tmp_path)
    assert str(error.value).startswith(f"{tmp_path / 'gate.toml'}: ")

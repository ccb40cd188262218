"""Calculations with numbers that are drawn."""

import operator
from functools import partial

import pytest

from pytest_mobileagent import answer, open_app, seen, sqlite, tap, task
from pytest_mobileagent.answers import number

from .drawing import draw

CALCULATOR = "com.google.android.calculator"
HISTORY = sqlite(
    f"/data/data/{CALCULATOR}/databases/history.db",
    "SELECT expression, result FROM history ORDER BY _id",
)
OPERATORS = {"+": "add", "−": "sub", "×": "mul", "÷": "div", "√": "sqrt", "%": "pct", "^": "pow"}
KEYS = {"=": "eq", **{sign: f"op_{name}" for sign, name in OPERATORS.items()}}
OPERATIONS = {
    "add": ("+", operator.add),
    "subtract": ("−", operator.sub),
    "multiply": ("×", operator.mul),
}
RESULT = answer(seen(resource_id="result_final"))
calculation = partial(task, app=CALCULATOR, probes={"history": HISTORY})
question = partial(calculation, kind="single-frame query")


def press(keys, *then):
    """Return a solution that presses keys of the pad, between which values may stand."""
    return lambda values: [
        open_app(),
        *(tap(resource_id=KEYS.get(key, f"digit_{key}")) for key in keys.format(**values)),
        *then,
    ]


def two(dice):
    """Draw two numbers of two digits, of which the first is larger."""
    b, a = sorted(dice.sample(range(11, 100), 2))
    return {"a": a, "b": b}


def results(episode):
    return [row["result"].replace(",", "") for row in episode.probe("history")]


@pytest.mark.parametrize("operation", OPERATIONS)
@question(
    "With Calculator, {operation} {a} and {b} (the smaller from the larger, if that matters), and "
    "tell me the result.",
    level=1,
    parameters=two,
    solution=lambda values: press(f"{{a}}{OPERATIONS[values['operation']][0]}{{b}}=", RESULT)(
        values
    ),
    golden_steps=7,
)
def test_result(episode, operation, a, b):
    value = OPERATIONS[operation][1](a, b)
    assert episode.answers(number(value))
    assert str(value) in results(episode)


@pytest.mark.parametrize("sign", ["+", "−", "×", "÷"])
@task(
    'Open Calculator and type "{a}{sign}{b}", without asking for the result.',
    app=CALCULATOR,
    level=1,
    parameters=two,
    solution=press("{a}{sign}{b}"),
    golden_steps=6,
)
def test_type(episode, sign, a, b):
    assert episode.screen.get(resource_id="formula").text == f"{a}{sign}{b}"


@question(
    "I paid {a}, {b} and {c}. How much is that together? Use Calculator.",
    level=2,
    parameters=draw(**dict.fromkeys("abc", range(10, 100))),
    solution=press("{a}+{b}+{c}=", RESULT),
    golden_steps=10,
)
def test_sum(episode, a, b, c):
    assert episode.answers(number(a + b + c))
    assert str(a + b + c) in results(episode)


@calculation(
    "Calculate the square root of {square} with Calculator.",
    level=1,
    parameters=draw(square=[root**2 for root in range(32, 100)]),
    solution=press("√{square}="),
    golden_steps=7,
)
def test_root(episode, square):
    assert f"{square**0.5:.0f}" in results(episode)


@question(
    "How much is {part}% of {whole}? Work it out with Calculator, and tell me.",
    level=2,
    parameters=draw(part=range(11, 100), whole=range(100, 1000, 100)),
    solution=press("{part}%×{whole}=", RESULT),
    golden_steps=9,
)
def test_percent(episode, part, whole):
    assert episode.answers(number(part * whole // 100))
    assert str(part * whole // 100) in results(episode)


@calculation(
    "Calculate {base} to the power of 3 with Calculator, as one calculation.",
    level=2,
    parameters=draw(base=range(11, 100)),
    solution=press("{base}^3="),
    golden_steps=6,
)
def test_cube(episode, base):
    assert str(base**3) in results(episode)

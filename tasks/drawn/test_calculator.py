"""Calculations with numbers that are drawn."""

import pytest

from pytest_mobileagent import answer, open_app, seen, sqlite, tap, task
from pytest_mobileagent.answers import number

CALCULATOR = "com.google.android.calculator"
HISTORY = sqlite(
    "/data/data/com.google.android.calculator/databases/history.db",
    "SELECT expression, result FROM history ORDER BY _id",
)
KEYS = {"+": "op_add", "−": "op_sub", "×": "op_mul", "÷": "op_div", "=": "eq", "√": "op_sqrt",
        "%": "op_pct", "^": "op_pow", ".": "dec_point", "(": "parens", ")": "parens",
        "!": "op_fact"}  # fmt: skip
RESULT = answer(seen(resource_id="result_final"))


def press(keys):
    """Return moves that press keys of the pad."""
    return [tap(resource_id=KEYS.get(key, f"digit_{key}")) for key in keys]


def two(dice):
    """Draw two numbers of two digits, of which the first is larger."""
    b, a = sorted(dice.sample(range(11, 100), 2))
    return {"a": a, "b": b}


def results(episode):
    return [row["result"] for row in episode.probe("history")]


OPERATIONS = {
    "add": ("+", lambda a, b: a + b),
    "subtract": ("−", lambda a, b: a - b),
    "multiply": ("×", lambda a, b: a * b),
}


@pytest.mark.parametrize("operation", OPERATIONS)
@task(
    "With Calculator, {operation} {a} and {b} (the smaller from the larger, if that matters), and "
    "tell me the result.",
    app=CALCULATOR,
    kind="single-frame query",
    level=1,
    probes={"history": HISTORY},
    parameters=two,
    solution=lambda values: [
        open_app(),
        *press(f"{values['a']}{OPERATIONS[values['operation']][0]}{values['b']}="),
        RESULT,
    ],
    golden_steps=7,
)
def test_result(episode, operation, a, b):
    value = OPERATIONS[operation][1](a, b)
    assert episode.answers(number(value))
    assert str(value) in [text.replace(",", "") for text in results(episode)]


@pytest.mark.parametrize("sign", ["+", "−", "×", "÷"])
@task(
    'Open Calculator and type "{a}{sign}{b}", without asking for the result.',
    app=CALCULATOR,
    level=1,
    parameters=two,
    solution=lambda values: [open_app(), *press(f"{values['a']}{values['sign']}{values['b']}")],
    golden_steps=6,
)
def test_type(episode, sign, a, b):
    assert episode.screen.get(resource_id="formula").text == f"{a}{sign}{b}"


@task(
    "I paid {a}, {b} and {c}. How much is that together? Use Calculator.",
    app=CALCULATOR,
    kind="single-frame query",
    level=2,
    probes={"history": HISTORY},
    parameters=lambda dice: {name: dice.randint(10, 99) for name in "abc"},
    solution=lambda values: [
        open_app(),
        *press("{a}+{b}+{c}=".format(**values)),
        RESULT,
    ],
    golden_steps=10,
)
def test_sum(episode, a, b, c):
    assert episode.answers(number(a + b + c))
    assert str(a + b + c) in results(episode)


@task(
    "Calculate the square root of {square} with Calculator.",
    app=CALCULATOR,
    level=1,
    probes={"history": HISTORY},
    parameters=lambda dice: {"square": dice.randint(32, 99) ** 2},
    solution=lambda values: [open_app(), *press(f"√{values['square']}=")],
    golden_steps=7,
)
def test_root(episode, square):
    assert f"{square**0.5:.0f}" in results(episode)


@task(
    "How much is {part}% of {whole}? Work it out with Calculator, and tell me.",
    app=CALCULATOR,
    kind="single-frame query",
    level=2,
    probes={"history": HISTORY},
    parameters=lambda dice: {"part": dice.randint(11, 99), "whole": dice.randint(1, 9) * 100},
    solution=lambda values: [open_app(), *press("{part}%×{whole}=".format(**values)), RESULT],
    golden_steps=9,
)
def test_percent(episode, part, whole):
    assert episode.answers(number(part * whole // 100))
    assert str(part * whole // 100) in results(episode)


@task(
    "Calculate {base} to the power of 3 with Calculator, as one calculation.",
    app=CALCULATOR,
    level=2,
    probes={"history": HISTORY},
    parameters=lambda dice: {"base": dice.randint(11, 99)},
    solution=lambda values: [open_app(), *press(f"{values['base']}^3=")],
    golden_steps=6,
)
def test_cube(episode, base):
    assert str(base**3) in [text.replace(",", "") for text in results(episode)]

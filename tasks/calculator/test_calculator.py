"""Sums, functions, and the history of calculations."""

from pytest_mobileagent import answer, open_app, seen, sqlite, tap, task
from pytest_mobileagent.answers import number

CALCULATOR = "com.google.android.calculator"
HISTORY = sqlite(
    "/data/data/com.google.android.calculator/databases/history.db",
    "SELECT expression, result FROM history ORDER BY _id",
)


def press(*keys):
    """Return moves that press keys of the pad by their ids."""
    return [tap(resource_id=key) for key in keys]


def digits(number):
    """Return the ids of the keys of an integer."""
    return [f"digit_{digit}" for digit in str(number)]


@task(
    'Open Calculator and type "17×23", without asking for the result.',
    app=CALCULATOR,
    level=1,
    solution=[open_app(), *press(*digits(17), "op_mul", *digits(23))],
)
def test_type(episode):
    assert episode.screen.get(resource_id="formula").text == "17×23"


@task(
    "A dinner cost 84 with drinks for 36 on top. With the Calculator, work out what each of us "
    "five has to pay, with a tip of 15% on everything, and tell me.",
    app=CALCULATOR,
    kind="single-frame query",
    level=2,
    probes={"history": HISTORY},
    solution=[
        open_app(),
        *press("parens", *digits(84), "op_add", *digits(36), "parens", "op_mul"),
        *press("digit_1", "dec_point", *digits(15), "op_div", "digit_5", "eq"),
        answer(seen(resource_id="result_final")),
    ],
)
def test_share_of_a_bill(episode):
    assert episode.answers(number(27.6))
    assert "27.6" in [row["result"] for row in episode.probe("history")]


@task(
    "Calculate the cosine of 60 degrees in Calculator, as one calculation.",
    app=CALCULATOR,
    level=2,
    probes={"history": HISTORY},
    solution=[open_app(), *press("arrow", "fun_cos", *digits(60), "eq")],
)
def test_cosine(episode):
    cosines = [row["result"] for row in episode.probe("history") if "cos(" in row["expression"]]
    assert "0.5" in cosines


@task(
    "In Calculator, find out which is larger, 7! or 2 to the power of 12, and by how much. "
    'Answer with the larger one and the difference, as in "3!, 12".',
    app=CALCULATOR,
    kind="multi-frame query",
    level=3,
    probes={"history": HISTORY},
    solution=[
        open_app(),
        *press("digit_7", "op_fact", "op_sub", "digit_2", "op_pow", *digits(12), "eq"),
        answer("7!, 944"),
    ],
)
def test_compare(episode):
    assert episode.probe("history")
    assert episode.answers(["7!", "944"])

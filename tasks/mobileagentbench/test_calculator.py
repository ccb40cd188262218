"""Calculator: ten tasks of MobileAgentBench."""

from pytest_mobileagent import Tap, tap, tasks

from .checks import equal, texts
from .setups import fresh, press
from .table import SOURCE, fields, of

KEYS = {"+": "plus", "-": "minus", "×": "multiply", "÷": "divide", "^": "power", "√": "root",
        ".": "decimal", "C": "clear", "=": "equals"}  # fmt: skip


def key(sign):
    return f"btn_{KEYS.get(sign, sign)}"


def pressed(episode, signs):
    """Return whether keys were pressed in this order, with or without others in between."""
    touched = iter(
        [
            {each.resource_id for each in step.screen.at(act.x, act.y)}
            for step in episode.steps
            for act in step.reached
            if isinstance(act, Tap)
        ]
    )
    return all(any(f"{episode.app}:id/{key(sign)}" in ids for ids in touched) for sign in signs)


def result(value, *formulas):
    """Ask whether the result is a value, and the keys of a formula and then = were pressed."""
    return lambda e: (
        equal(texts(e, "result"), [value]) and any(pressed(e, f"{f}=") for f in formulas)
    )


def converted(episode):
    """Ask whether the converter shows a mile in kilometers, in either place."""
    shown = {
        (*texts(episode, f"{place}_unit_name"), *texts(episode, f"{place}_unit_text"))
        for place in ("top", "bottom")
    }
    return equal(shown, {("Mile", "1"), ("Kilometer", "1.609344")})


QUESTIONS = {
    "calculator_add": result("8", "3+5", "5+3"),
    "calculator_cube": result("27", "3^3", "3×3×3"),
    "calculator_divide": result("4", "12÷3"),
    "calculator_convert_length": converted,
    "calculator_minus": result("8", "12-4"),
    # The app has no brackets and works from left to right, so there are many ways.
    "calculator_mixed": result("87", "24×3", "3×24"),
    "calculator_multiply": result("48", "12×4", "4×12"),
    "calculator_point": result("-61.6", "19.7-81.3"),
    "calculator_recalculate": result("60", "C5"),
    "calculator_square": result("7", "√16+3"),
}
SETUPS = {"calculator_recalculate": fresh(after=[press(resource_id=key(sign)) for sign in "12×4"])}

KEYED = {"add": "3+5", "cube": "3^3", "divide": "12÷3", "minus": "12-4", "mixed": "24×3+18-3",
         "multiply": "12×4", "point": "19.7-81.3", "recalculate": "C5",
         "square": "√16+3"}  # fmt: skip
SOLUTIONS = {
    f"calculator_{name}": [tap(resource_id=key(sign)) for sign in f"{signs}="]
    for name, signs in KEYED.items()
}
SOLUTIONS["calculator_convert_length"] = [
    tap(content_desc="Unit converter"),
    tap(text="Length"),
    tap(resource_id="bottom_unit_holder"),
    tap(text="Mile (mi)"),
    tap(resource_id="swap_button"),
    tap(resource_id=key("1")),
]


@tasks(of("calculator"), each=fields("calculator", SOLUTIONS, SETUPS), source=SOURCE)
def test_calculator(episode, row):
    assert episode.ever(QUESTIONS[row.id])

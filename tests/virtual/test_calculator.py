"""Calculator: what its keys come to."""

from pathlib import Path

import pytest

from pytest_mobileagent.virtual.loading import load_apps
from pytest_mobileagent.virtual.phone import Phone
from tests.virtual.conftest import NOON, Hand

APPS = Path(__file__).parents[2] / "fixtures" / "apps"
CALCULATOR = "com.google.android.calculator"
KEYS = {"×": "op_mul", "÷": "op_div", "+": "op_add", "−": "op_sub", "%": "op_pct", "!": "op_fact"}
KEYS |= {"^": "op_pow", "√": "op_sqrt", "π": "const_pi", ".": "dec_point", "c": "fun_cos"}
KEYS |= {"s": "fun_sin", "t": "fun_tan", "l": "fun_ln", "(": "parens", ")": "parens"}


@pytest.fixture(scope="module")
def booted() -> Phone:
    return Phone(load_apps(APPS), time=NOON, frozen=True)


@pytest.fixture
def calculator(phone: Phone, hand: Hand) -> Hand:
    phone.activities.launch(CALCULATOR)
    hand.tap("resource-id", f"{CALCULATOR}:id/arrow")
    return hand


def press(hand: Hand, keys: str) -> None:
    for key in keys:
        hand.tap("resource-id", f"{CALCULATOR}:id/{KEYS.get(key, f'digit_{key}')}")


@pytest.mark.parametrize(
    ("keys", "formula", "result"),
    [
        ("2+24÷3", "2+24÷3", "10"),
        ("50%28", "50%28", "14"),
        ("80+25%", "80+25%", "100"),
        ("√25", "√25", "5"),
        ("2^3^2", "2^3^2", "512"),
        ("−3^2", "−3^2", "−9"),
        ("2(3+4)", "2(3+4)", "14"),
        ("5!÷(2!×3!)", "5!÷(2!×3!)", "10"),
        ("45×π÷180", "45×π÷180", "0.785398163397"),
        ("c60", "c60", "0.5"),
        ("l1234", "l1234", "7.11801620447"),
        (".1+.2", ".1+.2", "0.3"),
        ("9999×9999", "9999×9999", "99,980,001"),
        ("20!", "20!", "2.43290200818E18"),
        ("1÷0", "1÷0", "Can't divide by 0"),
        ("√−4", "√−4", "Not a number"),
        ("9^9^9^9", "9^9^9^9", "Infinite?"),
        ("((", "((", "Format error"),
    ],
)
def test_what_is_typed_is_calculated(
    calculator: Hand, keys: str, formula: str, result: str
) -> None:
    press(calculator, keys)
    assert f'text="{formula}"' in calculator.node("resource-id", f"{CALCULATOR}:id/formula")
    calculator.tap("content-desc", "equals")
    final = calculator.node("resource-id", f"{CALCULATOR}:id/result_final")
    assert f'text="{result}"' in final


def test_the_result_is_seen_while_typing_and_kept_in_the_history(
    phone: Phone, calculator: Hand
) -> None:
    press(calculator, "17×23")
    preview = calculator.node("resource-id", f"{CALCULATOR}:id/result_preview")
    assert 'text="391"' in preview
    calculator.tap("content-desc", "equals")
    press(calculator, "+1")
    assert calculator.sees("391+1")
    calculator.tap("content-desc", "More options")
    calculator.tap("text", "History")
    assert calculator.sees("17×23")


def test_the_sine_of_half_a_turn_in_radians_is_nothing(calculator: Hand) -> None:
    calculator.tap("content-desc", "switch to radians")
    press(calculator, "sπ")
    calculator.tap("content-desc", "equals")
    assert calculator.sees("0")

"""Calculator: table 8 of B-MoCA's paper."""

from pytest_mobileagent import open_app, tap

from .table import task

KEYS = dict(zip("+−×÷%!√π()", [
    *("op_add", "op_sub", "op_mul", "op_div", "op_pct", "op_fact", "op_sqrt", "const_pi"),
    *("parens", "parens"),
], strict=True))  # fmt: skip


# The button for the functions; if all keys fit, the formula, which tapping does not change.
MORE = "(//*[contains(@resource-id, ':id/formula') or contains(@resource-id, ':id/arrow')])[last()]"


def typing(text, *before):
    """Return moves that open the app and press keys by id, then those of a formula."""
    keys = [*before, *(KEYS.get(sign, f"digit_{sign}") for sign in text)]
    return [open_app(), *(tap(resource_id=key) for key in keys)]


def function(name, text):
    """Return moves that open the app, press a function's key, and those of its argument."""
    return [open_app(), tap(xpath=MORE), *typing(text, name)[1:]]


def formula(episode):
    """Return the formula's text for accessibility, in which a function is only its first letter."""
    found = episode.screen.find(resource_id="formula")
    return found.text if found else ""


def results(episode):
    """Return the results that are shown, while typing and at the end."""
    shown = [episode.screen.find(resource_id=f"result_{time}") for time in ("preview", "final")]
    return [element.text for element in shown if element]


@task("calculator-open", solution=[open_app()])
def test_open(episode):
    # The release only looks for the key, in any state.
    assert episode.screen.get(resource_id="clr").enabled


@task("calculator-1", solution=typing("1"))
def test_1(episode):
    assert formula(episode) == "1"


@task("calculator-factorial_6", solution=typing("6!"))
def test_factorial_6(episode):
    assert formula(episode) == "6!"


@task("calculator-1_plus_1", solution=typing("1+1"))
def test_1_plus_1(episode):
    assert formula(episode) == "1+1"


@task("calculator-3_times_5", solution=typing("3×5"))
def test_3_times_5(episode):
    assert formula(episode) == "3×5"


@task("calculator-root_25", solution=typing("√25"))
def test_root_25(episode):
    assert formula(episode) == "√25"


@task("calculator-cos_60", solution=function("fun_cos", "60"))
def test_cos_60(episode):
    assert formula(episode) == "c60"


@task("calculator-percent_28", solution=typing("50%28"))
def test_percent_28(episode):
    assert formula(episode) == "50%28"


@task("calculator-17_times_23", solution=typing("17×23"))
def test_17_times_23(episode):
    assert formula(episode) == "17×23"


@task("calculator-2_plus_24_by_3", solution=typing("2+24÷3"))
def test_2_plus_24_by_3(episode):
    assert formula(episode) == "2+24÷3"


@task("calculator-cos_180", solution=function("fun_cos", "180"))
def test_cos_180(episode):
    assert formula(episode) == "c180"


@task("calculator-ln_1234", solution=function("fun_ln", "1234"))
def test_ln_1234(episode):
    assert formula(episode) == "l1234"


@task("calculator-fibonacci", solution=typing("1+1+2+3+5"))
def test_fibonacci(episode):
    assert formula(episode) in ("0+1+1+2+3", "1+1+2+3+5")


@task("calculator-radians_45", solution=typing("45×π÷180"))
def test_radians_45(episode):
    assert formula(episode) == "45×π÷180"


@task("calculator-primes", solution=typing("2+3+5+7+11"))
def test_primes(episode):
    assert formula(episode) == "2+3+5+7+11"


@task("calculator-5_choose_2", solution=typing("5!÷(2!×3!)"))
def test_5_choose_2(episode):
    assert formula(episode) == "5!÷(2!×3!)"


@task("calculator-10_choose_2", solution=typing("10!÷(2!×8!)"))
def test_10_choose_2(episode):
    assert formula(episode) == "10!÷(2!×8!)"


@task("calculator-harmonic_mean", solution=typing("2×4×5÷(4+5"))
def test_harmonic_mean(episode):
    assert any(result.startswith("4.44") for result in results(episode))


# The cube root is a power, whose key comes before its exponent.
@task(
    "calculator-geometric_mean",
    solution=[*typing("(3×4×5)"), *typing("(1÷3", "op_pow")[1:]],
)
def test_geometric_mean(episode):
    assert any(result.startswith("3.91") for result in results(episode))

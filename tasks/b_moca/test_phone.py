"""Phone: table 11 of B-MoCA's paper."""

from pytest_mobileagent import log, open_app, tap

from .table import task

KEYS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def dial(number):
    """Return the moves that call a number with the keypad."""
    keys = [tap(resource_id=KEYS[int(digit)]) for digit in number]
    return [
        open_app(),
        tap(resource_id="fab"),
        *keys,
        tap(resource_id="dialpad_floating_action_button"),
    ]


def calls(episode, number):
    """Return whether an ongoing call to a number is shown.

    The paper compares the number as Android 10 writes it, without blanks; here its digits are
    compared.
    """
    name = episode.screen.find(resource_id="contactgrid_contact_name")
    shown = "".join(filter(str.isdecimal, name.text)) if name else ""
    return bool(episode.screen.find(resource_id="incall_end_call")) and shown == number


@task(
    "phone-open",
    probes={"log": log("MainActivity.onCreate", tag="Dialer", level="I")},
    solution=[open_app()],
)
def test_open(episode):
    assert episode.probe("log")


@task(
    "phone-911",
    probes={"log": log("Emergency number detected", tag="Telecom", level="I")},
    solution=dial("911"),
)
def test_911(episode):
    assert episode.probe("log")


@task("phone-11489", solution=dial("11489"))
def test_11489(episode):
    assert calls(episode, "11489")


@task("phone-311311", solution=dial("311311"))
def test_311311(episode):
    assert calls(episode, "311311")


@task("phone-1234578", solution=dial("1234578"))
def test_1234578(episode):
    assert calls(episode, "1234578")


@task("phone-2234458", solution=dial("2234458"))
def test_2234458(episode):
    assert calls(episode, "2234458")


@task("phone-4027717", solution=dial("4027717"))
def test_4027717(episode):
    assert calls(episode, "4027717")


@task("phone-7663394", solution=dial("7663394"))
def test_7663394(episode):
    assert calls(episode, "7663394")


@task("phone-9876654", solution=dial("9876654"))
def test_9876654(episode):
    assert calls(episode, "9876654")


@task("phone-20000202", solution=dial("20000202"))
def test_20000202(episode):
    assert calls(episode, "20000202")


@task("phone-264451193", solution=dial("264451193"))
def test_264451193(episode):
    assert calls(episode, "264451193")


@task("phone-weather_service", solution=dial("3017130622"))
def test_weather_service(episode):
    assert calls(episode, "3017130622")


@task("phone-social_security", solution=dial("8007721213"))
def test_social_security(episode):
    assert calls(episode, "8007721213")


@task("phone-contact_center", solution=dial("8003334636"))
def test_contact_center(episode):
    assert calls(episode, "8003334636")


@task("phone-white_house", solution=dial("2024561111"))
def test_white_house(episode):
    assert calls(episode, "2024561111")

"""Calls in Phone."""

import pytest

from pytest_mobileagent import answer, open_app, seen, sqlite, tap, task, type_text

PHONE = "com.google.android.dialer"
STORAGE = "/data/data/com.android.providers"
CALLS = sqlite(f"{STORAGE}.contacts/databases/calllog.db", "SELECT number, type FROM calls")
BLOCKED = sqlite(
    f"{STORAGE}.blockednumber/databases/blockednumbers.db", "SELECT original_number FROM blocked"
)


def digits(number):
    return "".join(filter(str.isdecimal, number))[-10:]


@pytest.mark.parametrize("number", ["8003334636", "2024561111"])
@task(
    "In Phone, call {number} by its keypad, and stay in the call.",
    app=PHONE,
    level=2,
    solution=[
        open_app(),
        tap(content_desc="key pad"),
        *(tap(xpath=f"//*[@text=substring('{{number}}', {at}, 1)]") for at in range(1, 11)),
        tap(content_desc="dial"),
    ],
)
def test_call(episode, number):
    assert episode.screen.find_all(resource_id="incall_end_call")
    name = episode.screen.get(resource_id="contactgrid_contact_name").text
    assert digits(name) == number


@task(
    "Open Phone. Whose call did I miss today?",
    app=PHONE,
    kind="single-frame query",
    level=1,
    solution=[open_app(), tap(content_desc="Recents"), answer(seen(text="Ben Carter"))],
)
def test_missed(episode):
    assert episode.answers("Ben Carter")


@task(
    "In Phone, block calls from (212) 555-0143.",
    app=PHONE,
    level=2,
    probes={"blocked": BLOCKED},
    solution=[
        open_app(),
        tap(content_desc="More options"),
        tap(text="Settings"),
        tap(text="Blocked numbers"),
        tap(text="Add a number"),
        type_text("2125550143", resource_id="add_blocked_number"),
        tap(text="Block"),
    ],
)
def test_block(episode):
    numbers = {digits(row["original_number"]) for row in episode.probe("blocked")}
    assert numbers == {"8005550137", "2125550143"}


@task(
    "Remove my calls with Evelyn Shaw from the call history of Phone, and nothing else.",
    app=PHONE,
    level=2,
    probes={"calls": CALLS},
    solution=[
        open_app(),
        tap(content_desc="Recents"),
        tap(text="Evelyn Shaw"),
        tap(text="Delete"),
    ],
)
def test_forget(episode):
    kept = [row for row in episode.initial_probe("calls") if digits(row["number"]) != "4155550190"]
    assert episode.probe("calls") == kept


@task(
    "In Phone, look up for how long I spoke with Hiro Tanaka the last time.",
    app=PHONE,
    kind="multi-frame query",
    level=2,
    solution=[
        open_app(),
        tap(content_desc="Recents"),
        tap(text="Hiro Tanaka"),
        answer(seen(resource_id="call_duration")),
    ],
)
def test_duration(episode):
    assert episode.answers("7 min 11 s")


@task(
    "Open Phone and show the Recents.",
    app=PHONE,
    level=1,
    solution=[open_app(), tap(content_desc="Recents")],
)
def test_recents(episode):
    assert episode.screen.find_all(resource_id="new_call_log_recycler_view")

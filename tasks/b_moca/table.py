"""The table of B-MoCA's tasks, and how its test files make tasks of the rows.

B-MoCA (arXiv 2404.16660) ends an episode as soon as the goal is met, and requires no report. The
table is the union of the paper's 131 tasks and of the release's 131 (commit 9c56c16 of
gimme1dollar/b-moca). Its columns, beside those that are fields of a task:

- `step_limit` is the paper's, or the release's for tasks that the paper does not have;
  `release_limit` is the release's.
- `decided` is the source of the paper's decision (Tables 8 to 15): `ui`, `log`, `database`,
  `preferences` or `setting`.
- `time` is the phone's time when the task begins, and `setup` names its preparation.
- `release_key` is a digest of the goal in the release (see release.py).
"""

from __future__ import annotations

import re
import tomllib
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest_mobileagent as mobile
from pytest_mobileagent.errors import TaskError

from .release import official

if TYPE_CHECKING:
    from collections.abc import Callable

COLUMNS = ("time", "setup", "decided", "in_paper", "in_release", "release_limit", "release_key")


def read() -> dict[str, mobile.Row]:
    """Return the rows by id.

    Raises:
        TaskError: if the table or the release cannot be read, or lacks something.
    """
    rows = mobile.rows("tasks.csv", wording=official)
    for row in rows[:1]:
        if missing := [name for name in COLUMNS if name not in row.columns]:
            msg = f"{row.where} has no column {', '.join(missing)}"
            raise TaskError(msg)
    return {row.id: row for row in rows}


ROWS = read()
ALARMS_DB = "/data/user_de/0/{app}/databases/alarms.db"
ONE_ALARM = """DELETE FROM alarm_instances; DELETE FROM alarm_templates;
    INSERT INTO alarm_templates (hour, minutes, daysofweek, enabled, vibrate, label)
    VALUES (9, 0, 96, 0, 1, "")"""
AIRPLANE = """cmd connectivity airplane-mode {0} || {{ settings put global airplane_mode_on {1}
    am broadcast -a android.intent.action.AIRPLANE_MODE --ez state {2}; }}"""
VOLUME = "media volume --stream {0} --set 1 || cmd media_session volume --stream {0} --set 1"
PEOPLE = "content query --uri content://com.android.contacts/raw_contacts --projection _id"
PERSON = "content insert --uri content://com.android.contacts/raw_contacts --bind starred:i:0"
NAME = (
    "content insert --uri content://com.android.contacts/data --bind data1:s:Robin"
    " --bind mimetype:s:vnd.android.cursor.item/name"
    f" --bind raw_contact_id:i:$({PEOPLE} | sed -n 's/.*_id=//p' | tail -n 1)"
)
PICTURE, SCAN = "/sdcard/Pictures/home.png", "android.intent.action.MEDIA_SCANNER_SCAN_FILE"
# What the release does to each phone before the task, or what prevents that the task is already
# done.
SETUPS = {
    "alarms": f"am force-stop {{app}}; sqlite3 {ALARMS_DB} '{ONE_ALARM}'",
    "call_volume": VOLUME.format(0),
    "ring_volume": VOLUME.format(2),
    "media_volume": VOLUME.format(3),
    "alarm_volume": VOLUME.format(4),
    "brightness": "settings put system screen_brightness 255",
    "airplane_on": AIRPLANE.format("enable", 1, "true"),
    "airplane_off": AIRPLANE.format("disable", 0, "false"),
    "wifi_on": "svc wifi enable",
    "wifi_off": "svc wifi disable",
    "contact": f"{PEOPLE} | grep -q Row || {{ {PERSON}; {NAME}; }}",
    "picture": f"screencap -p {PICTURE}; am broadcast -a {SCAN} -d file://{PICTURE}",
}
READY = "READY"
STRINGS = Path(__file__).parents[2] / "fixtures" / "apps"


def task(name: str, **fields: Any) -> Any:
    """Make a test function the task of a row, as `pytest_mobileagent.task` does for a goal.

    Scrolling until an element appears is not a golden step: most screens are large enough.
    """
    row = ROWS[name]
    ready = preparing(row.time, row.setup)
    steps = sum(move.done is None for move in fields.get("solution", ()))
    fields = {"golden_steps": steps or None, **fields}
    return mobile.task(**row.task_fields, stop_on_success=True, prepare=ready, **fields)


def preparing(time: str, setup: str) -> Callable[[Any, str], None] | None:
    """Return a function that prepares a phone for a task, or None if nothing is to be prepared.

    The release sets the clock again before each step; here it continues to run, as on any phone.
    """

    def prepare(device: Any, app: str) -> None:
        for name in setup.split(";") if setup else ():
            script = SETUPS[name].replace("{app}", app)
            said = device.system.shell(f"{{ {script}; }} 2>&1 && echo {READY}").strip()
            if not said.endswith(READY):
                msg = f"cannot set up {name!r}, which may take `adb root`: {said[-200:]}"
                raise TaskError(msg)
        if time:
            mobile.set_clock(device, datetime.fromisoformat(time))

    return prepare if time or setup else None


def reach(**criteria: Any) -> list[Any]:
    """Return the moves that tap an element which small screens must be scrolled to reach."""
    return [mobile.scroll("up", until=criteria), mobile.tap(**criteria)]


@lru_cache
def words(english: str, app: str = "settings") -> re.Pattern[str]:
    """Return a pattern for an app's text without an id, in all languages of the fixtures."""
    texts = (english, *(each.get(english, english) for each in translations(app)))
    return re.compile("|".join(f"^{re.escape(text)}$" for text in dict.fromkeys(texts)))


@lru_cache
def translations(app: str) -> list[dict[str, str]]:
    """Return the texts of a fixture app by the English ones, for each language."""
    files = sorted((STRINGS / app / "strings").glob("*.toml"))
    return [tomllib.loads(file.read_text("utf-8")) for file in files]

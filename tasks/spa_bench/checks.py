"""Checks of tasks that our own virtual apps support, with solutions: of the phone and of a map.

Those of Calendar, Clock and Contacts are in planning.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent import files, long_press, open_app, scroll, setting, tap, type_text

if TYPE_CHECKING:
    from collections.abc import Callable


class Check(NamedTuple):
    """The body of a task, and the fields of the task that it needs."""

    body: Callable[[Any], None]
    fields: dict[str, Any]


CHECKS: dict[tuple[str, str], Check] = {}


def check(name: str, *, language: str = "en", **fields: Any) -> Callable[[Any], Any]:
    """Register a function as the check of a task in a language."""

    def register(body: Callable[[Any], None]) -> Callable[[Any], None]:
        CHECKS[language, name] = Check(body, fields)
        return body

    return register


def fresh(episode: Any, probe: str) -> list[Any]:
    """Return the values that a probe reads at the end but not at the start."""
    before = episode.initial_probe(probe)
    return [each for each in episode.probe(probe) if each not in before]


# Calculator.

SIGNS = {"+": "op_add", "!": "op_fact", "(": "parens", ")": "parens", "e": "const_e"}
# The button for the functions; if all keys fit, the formula, which tapping does not change.
MORE = "(//*[contains(@resource-id, ':id/formula') or contains(@resource-id, ':id/arrow')])[last()]"


def keys(text: str) -> list[Any]:
    """Return the moves that press the keys of a formula, and then the equals key."""
    each = [SIGNS.get(sign, f"digit_{sign}") for sign in text]
    return [tap(resource_id=key) for key in (*each, "eq")]


LOGARITHMS = [
    open_app(),
    tap(xpath=MORE),
    *(
        tap(resource_id=key)
        for key in ("fun_log", "digit_2", "digit_0", "parens", "op_add", "fun_ln")
    ),
    *(tap(resource_id=key) for key in ("const_e", "parens", "eq")),
]


def results(episode: Any) -> list[str]:
    """Return the computed results, in order."""
    shown = [screen.find(resource_id="result_final") for screen in episode.screens]
    return [element.text for element in shown if element]


def number(text: str) -> str:
    return re.sub(r"[^0-9.]", "", text)


@check("calculator_0", solution=[open_app(), *keys("1+1")])
def sum_of_ones(episode):
    assert number(episode.screen.get(resource_id="result_final").text) == "2"


@check("calculator_1", solution=LOGARITHMS)
def logarithms(episode):
    assert number(episode.screen.get(resource_id="result_final").text).startswith("2.301")


@check("calculator_2", solution=[*LOGARITHMS, tap(resource_id="clr"), *keys("7!")])
def logarithms_and_factorial(episode):
    assert any(number(each).startswith("2.301") for each in results(episode))
    assert number(episode.screen.get(resource_id="result_final").text) == "5040"


# Files.

PICTURES, DOCUMENTS = files("/sdcard/DCIM"), files("/sdcard/Documents")
FOLDERS = {"dcim": PICTURES, "documents": DOCUMENTS}
STORAGE = "//*[contains(@resource-id, 'roots_list')]/*[last()]"


def folder(name: str) -> Any:
    return tap(xpath=f"//*[contains(@resource-id, 'item_root')][.//*[@text='{name}']]")


IN_DCIM = [open_app(), tap(content_desc="Show roots"), tap(xpath=STORAGE), folder("DCIM")]


def new_folder(name: str) -> list[Any]:
    return [
        tap(content_desc="More options"),
        tap(text="New folder"),
        type_text(name, resource_id="text1"),
        tap(text="OK"),
    ]


@check("files_0", solution=IN_DCIM)
def dcim(episode):
    title = episode.screen.find(xpath="//*[contains(@resource-id, 'toolbar')]//*[@text='DCIM']")
    crumb = episode.screen.find_all(resource_id="breadcrumb_text", text="DCIM")
    assert title or crumb


@check("files_1", probes=FOLDERS, solution=[*IN_DCIM, *new_folder("Agent_created")])
def created(episode):
    assert "Agent_created/" in fresh(episode, "dcim")


@check(
    "files_2",
    probes=FOLDERS,
    solution=[
        *IN_DCIM,
        *new_folder("Agent_created_2"),
        *new_folder("Agent_created_3"),
        long_press(text="Agent_created_2"),
        tap(content_desc="More options"),
        tap(text="Move to…"),
        folder("Documents"),
        tap(text="Move"),
    ],
)
def moved(episode):
    assert "Agent_created_3/" in fresh(episode, "dcim")
    assert "Agent_created_2/" in fresh(episode, "documents")
    assert "Agent_created_2/" not in episode.probe("dcim")


# Settings.

TIMEOUT = {"timeout": setting("system", "screen_off_timeout")}
AT_TIMEOUT = [open_app(), tap(text="Display"), scroll("up", until={"text": "Screen timeout"})]
NIGHT = {"night": setting("secure", "ui_night_mode")}
HISTORY = {"history": setting("secure", "notification_history_enabled")}


@check("settings_0", solution=[open_app(), tap(text="Display")])
def timeout(episode):
    assert episode.saw(xpath="//*[@text='Screen timeout']/following-sibling::*[@text]")


@check(
    "settings_1",
    probes=TIMEOUT,
    solution=[*AT_TIMEOUT, tap(text="Screen timeout"), tap(text="5 minutes")],
)
def five_minutes(episode):
    assert episode.probe("timeout") == str(5 * 60_000)


@check(
    "settings_2",
    probes={**TIMEOUT, **NIGHT},
    solution=[
        *AT_TIMEOUT,
        tap(text="Screen timeout"),
        tap(text="10 minutes"),
        scroll("down", until={"text": "Dark theme"}),
        tap(text="Dark theme"),
    ],
)
def ten_minutes_and_dark(episode):
    assert episode.probe("timeout") == str(10 * 60_000)
    assert episode.probe("night") == "2"


@check(
    "settings_3",
    probes=HISTORY,
    solution=[
        open_app(),
        tap(text="Notifications"),
        tap(text="Notification history"),
    ],
)
def notification_history(episode):
    assert episode.probe("history") == "1"


# A map in Chinese.


@check(
    "gaodeditu_0",
    language="zh",
    solution=[open_app(), tap(text="美食")],
)
def restaurants(episode):
    assert episode.screen.find(content_desc="山外面馆")
    assert episode.screen.find(content_desc="溪上人家")

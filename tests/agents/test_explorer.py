"""The explorer finds everything that can be seen, returns, and avoids dangerous actions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Finish, Key, LongPress, Open, Scroll, Tap, Task, Termination, Type
from pytest_mobileagent.testing import MemoryPhone, make_screen, play
from tests.agents.playing import shipped

if TYPE_CHECKING:
    from pytest_mobileagent import Episode, Screen

APP = "org.notes"


def page(name: str, *texts: str | dict[str, str], package: str = APP) -> Screen:
    """Return a page whose texts can be tapped."""
    rows = [each if isinstance(each, dict) else {"text": each} for each in texts]
    nodes = [
        {"bounds": f"[0,{200 * n}][1080,{200 * n + 150}]", "clickable": "true", "package": package,
         **row}
        for n, row in enumerate(rows, 1)
    ]  # fmt: skip
    return make_screen(*nodes, size=(1080, 2400), package=package, activity=f"{package}.{name}")


HOME = page("Launcher", "Notes", package="launcher")
LINKS = {
    ("home", APP): "list",
    ("list", "First"): "note",
    ("list", "Second"): "other",
    ("list", "Help"): "web",
    ("note", "More"): "menu",
    ("menu", "Delete"): "gone",
    ("gone", "OK"): "list",
}


def notes_phone(**pages: Screen) -> MemoryPhone:
    """Return a phone with an app of five pages, one of them behind a dangerous button."""
    known = {
        "home": HOME,
        "list": page("List", "First", "Second", "Help"),
        "note": page("Note", "First", "More"),
        "other": page("Note", "Second", {"text": "", "class": "android.widget.EditText"}),
        "menu": page("Menu", "Copy", "Delete", "Share"),
        "gone": page("Gone", "OK"),
        "web": page("Browser", "Accept", package="org.browser"),
    }
    return MemoryPhone(known | pages, LINKS)


def explore(phone: MemoryPhone | None = None, **given: Any) -> Episode:
    given.setdefault("step_limit", 150)
    task = Task("Look around.", app=APP)
    return play(shipped("explorer"), task, phone=phone or notes_phone(), **given)


@pytest.mark.parametrize("seed", range(5))
def test_the_agent_sees_every_page_that_is_safe_to_open_and_stops(seed):
    episode = explore(seed=seed)
    seen = {screen.activity.rpartition(".")[2] for screen in episode.screens}
    assert seen == {"Launcher", "List", "Note", "Menu", "Browser"}
    assert episode.termination is Termination.SELF_REPORTED
    assert episode.answer.startswith("4 pages, ")


@pytest.mark.parametrize("order", ["breadth-first", "random"])
def test_outside_of_the_app_it_does_nothing_but_come_back(order):
    episode = explore(options={"order": order})
    outside = [step.action for step in episode.steps if step.screen.package != APP]
    assert len(outside) > 1
    assert set(outside) <= {Open(APP), Key("back"), Finish()}


HARMFUL = [
    *("Pay now", "Sign out", "Konto löschen", "Se déconnecter", "Cerrar sesión", "结算(2)"),
    *("退出登录", "送信する", "로그아웃", "Оплатить 5 ₽", "حذف الكل", "हटाएं"),
    {"text": "", "content-desc": "Delete note"},
    {"text": "", "resource-id": "org.notes:id/deleteButton"},
    {"text": "", "resource-id": "org.notes:id/btn_send"},
]
HARMLESS = [
    *("Payload", "Orderly", "Calls", "设置"),
    {"text": "", "resource-id": "org.notes:id/sender"},
]


def test_the_agent_avoids_controls_that_might_do_harm():
    rows = [each if isinstance(each, dict) else {"text": each} for each in HARMFUL + HARMLESS]
    boxes = [{**row, "bounds": f"[0,{100 * n}][1080,{100 * n + 90}]"} for n, row in enumerate(rows)]
    episode = explore(notes_phone(menu=page("Menu", *boxes)), options={"texts": "abc"})
    touched = {
        step.action.y // 100
        for step in episode.steps
        if step.screen.activity.endswith("Menu") and isinstance(step.action, Tap)
    }
    assert touched == set(range(len(HARMFUL), len(rows)))


def test_the_agent_avoids_the_users_words_too():
    episode = explore(options={"avoid": "second, copy"})
    assert not any(s.screen.at(s.action.x, s.action.y)[0].text in {"Second", "Copy"}
                   for s in episode.steps if isinstance(s.action, Tap))  # fmt: skip


def many_kinds() -> MemoryPhone:
    """Return a phone with a page of thirty buttons, a list, a field, and rows for long presses."""
    box = {"bounds": "[0,0][1080,90]"}
    buttons: list[str | dict[str, str]] = [f"Tab {chr(65 + n)}" for n in range(8)]
    held = [{"text": t, "long-clickable": "true", "clickable": "false"} for t in ("Row x", "Row y")]
    more = [{"scrollable": "true", "clickable": "false", **box},
            {"class": "android.widget.EditText", "text": "Search"}]  # fmt: skip
    pages = {"home": HOME, "list": page("List", *buttons, *held, *more[1:], more[0])}
    return MemoryPhone(pages, {("home", APP): "list"})


def test_the_agent_tries_all_kinds_of_actions_in_turn():
    episode = explore(many_kinds(), seed=2)
    kinds = [type(action) for step in episode.steps for action in step.actions]
    assert set(kinds) == {Open, Tap, LongPress, Scroll, Type, Finish}
    first = Counter(kinds[1:8])
    assert max(first.values()) <= 3
    (typed,) = [a for a in episode.actions if isinstance(a, Type)]
    assert typed.enter  # because the field is a search
    assert typed.clear


def test_a_field_that_is_not_a_search_field_is_not_submitted():
    episode = explore(options={"texts": "abc"})
    (typed,) = {a for a in episode.actions if isinstance(a, Type)}
    assert (typed.text, typed.enter) == ("abc", False)


def test_other_seeds_try_things_in_another_order():
    ways = {explore(seed=seed).actions for seed in range(4)}
    assert len(ways) > 1
    assert explore(seed=3).actions == explore(seed=3).actions


def test_of_many_rows_it_opens_a_few():
    row = {"resource-id": "org.notes:id/row"}
    rows = [{**row, "text": f"Note {chr(65 + n)}"} for n in range(9)]
    phone = MemoryPhone({"home": HOME, "list": page("List", *rows)}, {("home", APP): "list"})
    assert len({a for a in explore(phone).actions if isinstance(a, Tap)}) == 3


def test_an_app_that_does_not_open_causes_no_endless_loop():
    phone = MemoryPhone({"home": HOME}, {})
    episode = explore(phone, step_limit=12)
    assert episode.termination is Termination.STEP_LIMIT
    assert set(episode.actions) == {Open(APP)}

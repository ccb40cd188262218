"""Tests of walls: how they are recognised, on which screens, and which app they block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Screen
from pytest_mobileagent.check.walls import (
    app_behind,
    is_same_page,
    look,
    read,
    walls_near,
    was_passed,
)
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.check.walls import Wall

SHOP = "com.example.shop"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "walls.toml"


def walls(file: Path, text: str) -> tuple[Wall, ...]:
    file.write_text(text, "utf-8")
    return read(file)


@pytest.mark.parametrize(
    ("table", "shown", "stands"),
    [
        ('texts = ["Log in|Sign in"]', ["sign  IN"], True),
        ('texts = ["Log in|Sign in"]', ["Sign in to see more"], False),
        ('texts = ["Sign in*"]', ["Sign in to see more"], True),
        ('texts = ["*see*more"]', ["Sign in to see more"], True),
        ('texts = ["*see*more"]', ["See more than this"], False),
        ('texts = ["ab*ba"]', ["aba"], False),  # The two parts must not overlap.
        ('texts = ["Log in", "Password"]', ["Log in"], False),
        ('texts = ["Log in", "Password"]', ["Password", "Log in"], True),
        ('texts = ["登录"]', ["\u200b登录"], True),
        ('texts = ["Log in"]\npackage = "com.example.shop"', ["Log in"], True),
        ('texts = ["Log in"]\npackage = "com.a|com.b"', ["Log in"], False),
        ('ids = ["login"]', [{"resource-id": f"{SHOP}:id/login"}], True),
        ('ids = ["com.example.shop:id/login"]', [{"resource-id": f"{SHOP}:id/login"}], True),
        ('ids = ["log*"]', [{"resource-id": f"{SHOP}:id/login"}], True),
        ('ids = ["login"]', ["login"], False),
        ('texts = ["Log in"]', [{"content-desc": "Log in"}], True),
    ],
)
def test_a_wall_is_recognised_by_app_texts_and_ids(file, table, shown, stands):
    (wall,) = walls(file, f"[log-in]\n{table}\n")
    assert wall.stands_on(make_screen(*shown, package=SHOP)) is stands


def test_a_hierarchy_that_cannot_be_read_is_not_a_wall(file):
    (wall,) = walls(file, '[log-in]\ntexts = ["Log in"]')
    assert not wall.stands_on(Screen("<", b""))


def test_last_three_different_screens_are_searched_for_walls(file):
    known = walls(file, '# A comment\n\n[log-in]\ntexts = ["Log in"]')
    wall, *others = (make_screen(text) for text in ("Log in", "1", "2", "3"))
    found = look(known, [others[0], wall, others[1], others[2], others[2]])
    assert found is not None
    assert found.screen == 1
    assert found.by.endswith("walls.toml, line 3 (log-in)")
    assert look(known, [wall, *others]) is None
    assert look(known, []) is None


def test_blocked_app_is_the_last_used_app_of_the_task():
    packages = ["com.a", "com.b", "com.c"]
    screens = [make_screen(str(n), package=p) for n, p in enumerate(["com.b", "com.a", "chrome"])]
    assert app_behind(screens, 2, packages) == "com.a"
    assert app_behind(screens, 0, packages) == "com.b"
    assert app_behind(screens[2:], 0, packages) == "com.a"  # the task's first app
    assert app_behind(screens, 2, []) is None


def test_two_views_of_a_page_match_although_a_hint_differs():
    page = ["Welcome", "Log in", "Sign up", "Help", "Terms", "Privacy"]
    one, other = (make_screen(*page, hint, package=SHOP) for hint in ("Tip 1", "Tip 2"))
    assert is_same_page(one, other)
    assert not is_same_page(one, make_screen(*page, "Tip 1", package="com.other"))
    assert not is_same_page(one, make_screen("Welcome", "Basket", package=SHOP))
    # Nothing is known about either page.
    assert not is_same_page(Screen("<", b""), Screen("<", b""))
    assert was_passed([make_screen("Basket", package=SHOP), one], 1)
    assert not was_passed([make_screen("Apps", package="launcher"), other, one], 2)


def test_nearest_file_up_to_the_project_folder_is_used(tmp_path):
    deep = tmp_path / "project" / "suite" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / "walls.toml").write_text("[x]\n")
    assert walls_near(deep, tmp_path / "project") == ()
    (deep.parent / "walls.toml").write_text('[own]\nids = ["login"]\n')
    (wall,) = walls_near(deep, tmp_path / "project")
    assert wall.where.endswith("suite/walls.toml, line 1 (own)")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[a", "is not TOML: Expected"),
        ("a = 3", r", line 1 \(a\): a wall must be a table"),
        ("\n[a]\n", r", line 2 \(a\): it needs `texts`, `ids` or both"),
        ('[a]\ntexts = "Log in"', r", line 2 \(a\): texts must be a list of texts such as"),
        ('[a]\nids = ["x"]\ntexts = ["Log in|"]', r", line 3 \(a\): texts must be a list"),
        ('[a]\ntexts = ["*"]', r", line 2 \(a\): texts must be a list"),
        ("[a]\nids = [3]", r", line 2 \(a\): ids must be a list"),
        ('[a]\nids = ["x"]\npackage = "com.a|"', r", line 3 \(a\): package must be a string"),
        ('[a]\nids = ["x"]\n[b]\nids = ["x"]\ntext = []', r", line 5 \(b\): a wall has no 'text'"),
        ('["a.b"]\nids = []', r", line 1 \(a\.b\): it needs"),
    ],
)
def test_a_file_that_is_wrong_is_reported_with_its_line(file, text, why):
    with pytest.raises(TaskError, match=f"walls.toml ?{why}") as told:
        walls(file, text)
    assert "\n" not in str(told.value)


def test_a_file_that_cannot_be_read_is_reported(file):
    file.mkdir()
    with pytest.raises(TaskError, match=r"cannot read .*walls\.toml: Is a directory"):
        read(file)

"""How tasks and differences are written in lists."""

from __future__ import annotations

import pytest

from pytest_mobileagent.report.text.table import label, points, shortener


def test_ids_lose_the_folders_that_all_have_in_common() -> None:
    ids = ["tasks/clock/alarm/alarm", "tasks/clock/timer/start[a/b]"]
    assert [shortener(ids)(each) for each in ids] == ["alarm/alarm", "timer/start[a/b]"]
    assert shortener([*ids, "other"])(ids[0]) == ids[0]


def test_an_environment_is_part_of_a_name() -> None:
    assert label("tasks/a", "100") == "tasks/a[env100]"
    assert label("a\x1b[0m") == "a\\x1b[0m"


@pytest.mark.parametrize(
    ("share", "text"), [(0.008, "+0.8"), (-0.091, "-9.1"), (-0.0004, "+0.0"), (0.1, "+10.0")]
)
def test_points_have_a_sign(share: float, text: str) -> None:
    assert points(share) == text

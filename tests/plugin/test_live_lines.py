"""What the live lines say."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mobileagent import Case, Task
from pytest_mobileagent.episode.running import Running
from pytest_mobileagent.plugin.live import Progress, duration, render

NONE = Progress(0, 21, 0, 0, None, 4.0)


def running(
    serial: str, name: str, steps: int = 4, limit: int | None = 12, cost: float | None = 0.02
):
    case = Case(Task("Do it."), name)
    return Running(Path(), case, "", serial, "", limit, steps, cost_usd=cost)


def lines(episodes, progress=NONE, columns=80, rows=24, colors=False):
    return render(episodes, progress, lambda case: case.id, columns, rows, colors=colors)


def test_a_line_for_each_device_and_one_for_all():
    each = [running("emulator-5554", "clock/alarm[epoch1]"), running("R5CT", "a", 0, None, None)]
    assert lines(each, Progress(7, 21, 3, 6, 0.5, 70.0)) == [
        "emulator-5554  clock/alarm[epoch1]  step 4/12  $0.02",
        "R5CT           a                    step 0",
        "7/21 done  50.0% (3/6)  $0.50  about 2 min 20 s left",
    ]
    assert lines([]) == ["0/21 done"]


def test_lines_fit_into_the_window():
    many = [running(f"emulator-{number}", "a" * 200) for number in range(30)]
    shown = lines(many, columns=50, rows=10)
    assert len(shown) == 5
    assert all(len(line) < 50 for line in shown)
    assert "…" in shown[0]
    assert shown[-1] == "… and 26 more  0/21 done"


def test_what_apps_and_tasks_are_called_controls_nothing():
    (line, _) = lines([running("a\x1b[2J", "[red]b[/red]\nc")])
    assert "\x1b" not in line
    assert "[red]b" in line


def test_colors_are_left_out_where_they_are_not_wanted():
    each = [running("emulator-5554", "a")]
    assert "\x1b[36m" in lines(each, colors=True)[0]
    assert "\x1b" not in "".join(lines(each))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (725, "12 min 5 s"), (12000, "3 h 20 min")],
)
def test_times_have_two_units(seconds, words):
    assert duration(seconds) == words

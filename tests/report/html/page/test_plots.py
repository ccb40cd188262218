"""Tests of the plots on the page of a run, in a real browser."""

import pytest

pytestmark = pytest.mark.slow  # starts a browser


def test_step_plot_bins_many_tasks(read, invented):
    rows = [invented.row(f"clock/{n}", "passed" if n % 4 else "failed") for n in range(400)]
    reader = read(invented.index([*rows, invented.row("clock/far", steps=40, golden_steps=20)]))
    reader.click("#plots-box summary")
    plot = "document.querySelectorAll('.plot')[1]"
    reader.until(f"{plot}?.querySelectorAll('.cell.passed').length === 2")
    titles = reader.ask(f"[...{plot}.querySelectorAll('g title')].map((each) => each.textContent)")
    assert sorted(title.partition(": ")[2] for title in titles) == [
        "1 task, 1 passed",
        "400 tasks, 300 passed",
    ]
    whole, part = (
        reader.ask(f"{plot}.querySelector('.cell.{kind}').getAttribute('height')")
        for kind in ("failed", "passed")
    )
    assert float(part) == pytest.approx(3 * float(whole))


def test_bar_shows_a_rate_with_interval_and_filters_on_click(read, invented, some):
    about = invented.index(some)
    about["summary"]["apps"]["com.android.clock"]["interval"] = [0.25, 0.75]
    totals = about["summary"]["apps"]["com.android.clock"]
    about["summary"]["apps"] |= {"z": {**totals, "success_rate": 0.1}, "idle": {"decided": 0}}
    reader = read(about)
    reader.click("#plots-box summary")
    reader.until("document.querySelectorAll('.bar-row').length > 3")
    # By app, the lowest rate first; by level. Groups without decided episodes are left out.
    names_of_bars = [text.split("\n")[0] for text in reader.texts(".bar-row")]
    assert names_of_bars == ["z", "clock", "1", "2"]
    bar = "document.querySelectorAll('.bar-row')[1]"
    assert reader.ask(f"{bar}.title") == "com.android.clock: 50 %, 1 of 2, 95 %: 25 % to 75 %"
    assert reader.ask(f"{bar}.querySelector('.interval').getAttribute('d')").startswith(
        "M 25 7 L 75"
    )
    reader.click(".bar-row:nth-child(2)")
    reader.at("#f=app%3Acom.android.clock")
    assert [text.split("\n")[0] for text in reader.texts(".row .c-task")] == [
        "clock/a",
        "clock/b two",
    ]


def test_plots_have_a_mark_per_task_and_a_line_per_device(read, invented, some):
    reader = read(invented.index(some))
    reader.sees("#count", "4 tasks")
    reader.click("#plots-box summary")
    titles = reader.texts(".plot figcaption b")
    assert titles == ["Success", "Steps against golden steps", "Success against cost", "Timeline"]
    plot = "document.querySelectorAll('.plot')"
    assert reader.ask(f"{plot}[1].querySelectorAll('.dot, .cross').length") == 3
    assert reader.ask(f"{plot}[2].querySelectorAll('.dot').length") == 1
    assert reader.ask(f"{plot}[3].querySelectorAll('.tick.name').length") == 2
    reader.press("/", "outcome:failed")
    reader.until(f"{plot}[1].querySelectorAll('.out').length === 2")


def test_bars_of_many_tasks_are_one_shape_per_outcome(read, invented):
    rows = [
        invented.row(f"clock/{n}", "passed" if n % 4 else "failed", began=40.0 * n)
        for n in range(1_600)
    ]
    reader = read(invented.index(rows))
    reader.click("#plots-box summary")
    reader.until("document.querySelectorAll('.wide-plot path.span').length === 2")
    assert reader.ask("document.querySelectorAll('.wide-plot rect').length") == 0
    assert reader.ask("document.querySelector('.wide-plot .passed').getAttribute('d')[0]") == "M"
    reader.press("/", "outcome:failed")
    reader.until("document.querySelector('.wide-plot path.passed')?.matches('.out')")

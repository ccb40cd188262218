"""Tests that Mobile-Bench-v2's tables (arXiv 2505.11891) follow from counts of steps."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.report.export import find_layout
from pytest_mobileagent.report.export.layouts import Run, tabulate
from tests.report.conftest import make
from tests.report.export.layouts.counting import (
    changed,
    differences,
    heads,
    percents,
    rows_of,
    run_of,
    shown,
    spread,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent.report.entry import Entry
    from tests.report.export.layouts.counting import Cells

SINGLE = {"mobile-path": {"value": "single", "source": "--mobile-path"}}
# TYPE or SE, step accuracy and success of each split, in percent.
TABLE_3 = """
AppAgent/Qwen2-VL-72B/Single     95.2 60.3 21.1  93.5 53.8 5.0  78.0 24.4 0.0  91.2 43.5 1.0
AppAgent/Qwen2-VL-72B/Multi      5.2  62.8 20.6  4.4  58.9 4.0  -    -    -    -    -    -
AppAgent/Qwen-VL-Max/Single      94.7 58.6 20.5  91.2 54.7 7.5  77.1 24.3 0.0  90.3 48.5 0.0
AppAgent/Qwen-VL-Max/Multi       5.9  67.6 12.6  4.3  63.1 6.6  -    -    -    -    -    -
AppAgent/Llama3.2-VL-90B/Single  86.4 22.4 2.6   87.0 24.3 1.0  69.7 11.2 0.0  85.4 15.5 0.0
AppAgent/GPT-4v/Single           91.2 24.0 6.0   90.8 25.2 0.0  72.7 17.4 0.0  88.6 20.5 0.0
AppAgent/GPT-4v/Multi            6.1  29.7 3.0   4.5  29.4 0.0  -    -    -    -    -    -
AppAgent/GPT-4o/Single           80.4 57.6 18.5  69.2 40.6 1.5  52.3 18.2 0.0  64.7 33.9 0.0
AppAgent/GPT-4o/Multi            5.3  61.8 19.8  4.4  61.7 6.5  -    -    -    -    -    -
Agent-v2/Qwen2-VL-72B/Single     91.5 50.5 13.0  91.6 49.0 4.5  75.8 20.7 0.0  86.2 40.8 1.0
Agent-v2/Qwen2-VL-72B/Multi      5.4  54.9 15.1  4.4  58.6 4.0  -    -    -    -    -    -
Agent-v2/Qwen-VL-Max/Single      74.2 17.0 3.0   68.8 12.3 2.0  66.5 4.2  0.0  66.6 7.0  0.0
Agent-v2/Qwen-VL-Max/Multi       5.4  29.6 4.5   4.3  24.8 3.0  -    -    -    -    -    -
Agent-v2/Llama3.2-VL-90B/Single  62.4 16.6 1.0   67.0 17.5 0.0  63.7 9.7  0.0  64.3 8.3  0.0
Agent-v2/GPT-4v/Single           90.8 22.9 3.8   90.6 28.3 0.5  62.5 12.6 0.0  91.0 15.6 0.0
Agent-v2/GPT-4v/Multi            6.0  17.8 5.4   4.5  11.8 0.0  -    -    -    -    -    -
Agent-v2/GPT-4o/Single           91.9 53.5 13.5  92.3 50.5 7.0  77.1 25.5 0.0  91.6 39.7 2.0
Agent-v2/GPT-4o/Multi            4.9  57.6 25.6  4.2  56.3 7.5  -    -    -    -    -    -
"""
# The tasks of each split in "Random-800" (section 4.1), and golden steps: those of section 3.3, but
# more for the last two, as 1274 and 753 steps do not have all shares of the table.
SPLITS = {"simple": (600, 2772), "complex": (200, 1442), "noisy": (100, 2000)}
SPLITS |= {"ambiguous": (100, 2000)}
# The success rates that no counts of 600 or 200 tasks give when they are rounded.
IMPOSSIBLE: Cells = {
    # 127, 124, 76, 16, 91 and 154 of 600, truncated.
    ("AppAgent/Qwen2-VL-72B/Single", 3): "21.2",
    ("AppAgent/Qwen2-VL-72B/Multi", 3): "20.7",
    ("AppAgent/Qwen-VL-Max/Multi", 3): "12.7",
    ("AppAgent/Llama3.2-VL-90B/Single", 3): "2.7",
    ("Agent-v2/Qwen2-VL-72B/Multi", 3): "15.2",
    ("Agent-v2/GPT-4o/Multi", 3): "25.7",
    # 13 of 200 are 6.5, and 32 of 600 are 5.3: neither 6.6 nor 5.4 is a share of these tasks.
    ("AppAgent/Qwen-VL-Max/Multi", 6): "6.5",
    ("Agent-v2/GPT-4v/Multi", 3): "5.3",
}
BLANK = make(False)


def path(length: int, exact: int, typed: int) -> list[Any]:
    """Return matches of golden steps: exact ones first, then those of the right type."""
    both, right, wrong = (
        {"step": 1, "type": kind, "exact": hit, "counts": True}
        for kind, hit in ((True, True), (True, False), (False, False))
    )
    return [both] * exact + [right] * (typed - exact) + [wrong] * (length - max(typed, exact))


def nearest(cell: str, whole: int) -> int:
    """Return the count out of a total whose share in percent is printed as a cell."""
    count = round(float(cell) * whole / 100)
    assert count in percents(cell, whole)
    return count


def split_of(
    tag: str, typed: str, exact: str, success: str, *, single: bool, variant: str | None = None
) -> Iterator[Entry]:
    """Yield the tasks of a split whose counts are printed as its three cells."""
    tasks, steps = SPLITS[tag]
    passed, hits = nearest(success, tasks), nearest(exact, steps)
    types = nearest(typed, steps) if single else hits
    acted = spread(round(float(typed) * tasks), tasks) if not single else [0] * tasks
    lengths = spread(steps, tasks)
    whole = sum(lengths[:passed])
    lost = tasks - passed
    # Failures share the other exact steps, and each of them has at least one that is not exact.
    each = [*lengths[:passed], *spread(hits - whole, lost)] if hits >= whole else [0] * tasks
    kinds = [*lengths[:passed], *spread(types - whole, lost)]
    for number, length in enumerate(lengths):
        yield replace(
            BLANK,
            id=f"{tag}/{variant}/{number}",
            tags=[tag],
            variant=variant,
            success=number < passed,
            actions=acted[number],
            matches=path(length, each[number], kinds[number]),
        )


@pytest.mark.parametrize("name", rows_of(TABLE_3))
def test_rows_of_table_3_follow_from_counts(name: str) -> None:
    agent, model, category = name.split("/")
    cells = changed(name, rows_of(TABLE_3)[name], IMPOSSIBLE)
    entries = [
        entry
        for tag, three in zip(SPLITS, zip(*[iter(cells)] * 3, strict=True), strict=True)
        if three[0] != "-"
        for entry in split_of(tag, *three, single=category == "Single")
    ]
    options = SINGLE if category == "Single" else {}
    run = run_of(entries, agent, models={"default": f"openai:{model}"}, options=options)
    (row,) = shown("mobile-bench-v2:3", run)
    assert row[:3] == [agent, f"openai:{model}", category]
    found = differences([[name, *row[3:]]], "\n".join(
        line for line in TABLE_3.splitlines() if line.startswith(f"{name} ")
    ))  # fmt: skip
    assert found == {place: cell for place, cell in IMPOSSIBLE.items() if place[0] == name}


def test_no_counts_give_the_cells_that_are_listed() -> None:
    for name, place in IMPOSSIBLE:
        cell = rows_of(TABLE_3)[name][place - 1]
        assert not list(percents(cell, 600 if place == 3 else 200))


def test_table_3_has_three_columns_for_each_split() -> None:
    run = run_of([make(True, tags=["simple"])])
    numbers = ("Type/SE", "Step. Acc", "SR")
    groups = ("Common-Simple", "Common-Complex", "Noisy Data", "Ambiguous Data")
    for name in ("mobile-bench-v2", "mobile-bench-v2:3"):
        assert heads(name, run) == [
            "Agent", "Models", "Cate.", *(f"{group}: {each}" for group in groups
                                          for each in numbers),
        ]  # fmt: skip


def test_full_goals_of_the_ambiguous_split_are_in_table_6_only() -> None:
    entries = [
        make(variant == "vague", id=variant, tags=["ambiguous"], variant=variant)
        for variant in ("full", "vague")
    ]
    assert shown("mobile-bench-v2:3", run_of(entries))[0][-1] == "100.0"
    (row,) = shown("mobile-bench-v2:6", run_of(entries))
    assert (row[4], row[7]) == ("0.0", "100.0")


def test_se_by_the_papers_formula_is_noted() -> None:
    check = {"passed": True, "scorer": "check", "reason": "", "evidence": {}, "first_step": 6}
    entry = make(
        True, tags=["complex"], verdict=check, first_success_step=6, golden_steps=4, actions=7
    )
    run = run_of([entry, make(False, id="b", tags=["simple"], actions=9)])
    table = tabulate(find_layout("mobile-bench-v2:3"), [run])
    assert [str(cell) for cell in table.rows[0][3:9]] == [
        "9.0",
        "n/a",
        "0.0",
        "7.0",
        "n/a",
        "100.0",
    ]
    (note,) = table.notes
    assert note.startswith("m3a: SE is the mean number of actions, as in the paper's table; ")
    assert note.endswith("; by its formula it is Common-Complex 1.50")
    on_path = tabulate(find_layout("mobile-bench-v2:3"), [run_of([entry], options=SINGLE)])
    assert not [note for note in on_path.notes if "SE is" in note]


# TYPE, step accuracy and success with full and with ambiguous instructions.
TABLE_6 = """
AppAgent/Qwen2-VL-72B     82.9 41.5 1.0  91.2 43.5 1.0
AppAgent/Qwen-VL-Max      81.2 39.3 0.0  90.3 48.5 1.0
AppAgent/Llama3.2-VL-90B  67.9 7.6  0.0  85.4 15.5 0.0
AppAgent/GPT-4v           72.8 15.9 0.0  88.6 20.5 0.0
AppAgent/GPT-4o           59.7 31.9 1.0  64.7 33.9 0.0
Agent-v2/Qwen2-VL-72B     80.3 38.5 1.0  86.2 40.8 1.0
Agent-v2/Qwen-VL-Max      57.6 3.3  0.0  66.6 7.0  0.0
Agent-v2/Llama3.2-VL-90B  57.8 4.0  0.0  64.3 8.3  0.0
Agent-v2/GPT-4v           84.6 13.9 0.0  91.0 15.6 0.0
Agent-v2/GPT-4o           87.7 38.4 2.0  91.6 39.7 2.0
"""


def test_table_6_follows_from_counts() -> None:
    runs, name = [], "mobile-bench-v2:6"
    for row, cells in rows_of(TABLE_6).items():
        (f1, f2, f3), (v1, v2, v3) = cells[:3], cells[3:]
        entries = [
            *split_of("ambiguous", f1, f2, f3, single=True, variant="full"),
            *split_of("ambiguous", v1, v2, v3, single=True, variant="vague"),
        ]
        runs.append(run_of(entries, row, options=SINGLE, models={"default": "m"}))
    rows = [[row[0], *row[2:]] for row in shown(name, *runs)]
    assert differences(rows, TABLE_6) == {}
    assert heads(name, *runs) == ["Agent", "Models"] + [
        f"{group}: {title}"
        for group in ("Full Instruction", "Ambiguous Instruction")
        for title in ("Type", "Step. Acc", "SR")
    ]


# Step accuracy and noisy step accuracy on four subsets of AITZ, and on all tasks.
TABLE_4 = """
Qwen2-VL/Normal  38.5 -     44.8 -     60.0 -     45.1 -     46.9 -
Qwen2-VL/Noise   37.3 15.4  42.2 17.2  54.7 20.5  42.1 17.1  43.9 17.4
OS-Atlas/Normal  41.9 -     46.4 -     60.5 -     46.3 -     48.6 -
OS-Atlas/Noise   38.8 21.8  41.7 19.7  56.4 23.5  43.8 23.6  45.1 21.7
"""
TABLE_7 = """
Qwen2-VL-7B/AITZ     37.33 15.38  42.18 17.11  54.68 20.45  42.06 17.14  43.84 17.46
OS-Atlas/AITZ        38.81 21.79  41.61 19.73  56.37 23.57  43.71 23.57  45.16 21.62
Qwen2VL/AITZ+Noisy   43.07 77.56  47.63 73.68  60.64 75.76  44.02 75.00  48.20 75.79
OS-Atlas/AITZ+Noisy  44.92 82.05  49.64 76.32  63.06 79.55  48.01 78.57  50.99 79.56
Qwen2VL/Out-domain   37.18 50.64  45.18 41.89  57.45 53.38  42.32 50.00  44.96 49.90
OS-Atlas/Out-domain  41.75 53.85  45.47 48.65  60.27 60.90  47.28 55.71  48.69 55.47
"""
# Step accuracy, noisy step accuracy and success.
TABLE_5 = """
CogAgent/AITW(CoaT)           40.4 -    11.5  38.1 -    11.3  45.2 -    17.3  39.1 -    13.4
Qwen2-VL-7B/AITZ(CoaT)        36.1 -    8.3   39.1 -    11.2  50.9 -    20.7  41.8 -    15.2
Qwen2-VL-7B/AITZ-Noise        39.8 98.0 11.7  42.3 99.0 16.6  60.9 100  30.4  41.5 99.0 13.3
OS-Atlas-7B/AITZ-Noise        46.2 99.0 18.7  50.2 99.5 21.3  62.4 100  33.0  44.8 99.0 17.3
Qwen2-VL-7B/AITZ-Noise(Full)  43.2 96.0 15.6  46.2 97.5 19.8  64.2 98.5 35.6  50.9 98.0 22.3
OS-Atlas-7B/AITZ-Noise(Full)  47.2 98.0 19.0  47.1 99.0 22.3  66.7 99.0 38.0  51.8 99.0 23.5
"""
SUBSETS = ("general", "google_apps", "install", "web_shopping")
STEPS = 10_000  # of each subset, noisy ones too: enough for every cell


def long_path(tag: str, exact: str, noisy: str, *, steps: int = STEPS) -> Entry:
    """Return a task as long as a subset, whose counts are printed as two cells."""
    hits, tags = round(float(exact) * steps / 100), [tag]
    noise = {}
    if noisy != "-":
        tags.append("noisy")
        right = round(float(noisy) * STEPS / 100)
        noise = {"noisy_steps_asking": STEPS, "noisy_steps_right": right}
    return make(False, id=tag, tags=tags, matches=path(steps, hits, hits), **noise)


def rest(cells: list[str]) -> Entry:
    """Return a task of no subset with which the last two cells are those of all tasks."""
    totals = []
    for each in (cells[::2], cells[1::2]):
        *parts, total = (0 if cell == "-" else round(float(cell) * STEPS / 100) for cell in each)
        missing = f"{(5 * total - sum(parts)) / STEPS * 100:.6f}"
        totals.append("-" if each[-1] == "-" else missing)
    return long_path("single", *totals)


@pytest.mark.parametrize(
    ("layout", "paper"), [("mobile-bench-v2:4", TABLE_4), ("mobile-bench-v2:7", TABLE_7)]
)
def test_tables_of_noise_follow_from_counts(layout: str, paper: str) -> None:
    found = []
    for name, cells in rows_of(paper).items():
        agent, about = name.split("/")
        each = [
            long_path(tag, exact, noisy)
            for tag, exact, noisy in zip(SUBSETS, cells[:8:2], cells[1:8:2], strict=True)
        ]
        run = run_of(
            [*each, rest(cells)], agent, options=SINGLE, models={"default": f"vllm:{agent}"},
            **({"label": about} if layout.endswith("7") else {}),
        )  # fmt: skip
        (row,) = shown(layout, run)
        assert row[:2] == [f"vllm:{agent}" if layout.endswith("7") else agent, about]
        found.append([name, *row[2:]])
    assert differences(found, paper) == {}
    groups = ["General", "Google App", "Install", "Web Shopping", "Total"]
    columns = [f"{group}: {title}" for group in groups for title in ("Step. Acc", "Noisy")]
    second = "Training Data" if layout.endswith("7") else "Benchmark"
    assert heads(layout, run) == ["Agent", second, *columns]


def test_table_5_follows_from_counts() -> None:
    found = []
    whole, lost = (
        {
            tag: [replace(BLANK, id=f"{tag}{n}", tags=[tag], matches=path(1, hit, hit))
                  for n in range(999)]
            for tag in SUBSETS
        }
        for hit in (1, 0)
    )  # fmt: skip
    for name, cells in rows_of(TABLE_5).items():
        agent, label = name.split("/")
        entries = []
        for tag, (exact, noisy, success) in zip(
            SUBSETS, zip(*[iter(cells)] * 3, strict=True), strict=True
        ):
            passed = nearest(success, 1000)
            steps = STEPS - 999
            hits = round(float(exact) * STEPS / 100) - passed
            entries += [
                *whole[tag][:passed],
                *lost[tag][passed:],
                long_path(tag, f"{100 * hits / steps:.7f}", noisy, steps=steps),
            ]
        run = run_of(entries, agent, options=SINGLE, label=label)
        (row,) = shown("mobile-bench-v2:5", run)
        assert row[:2] == [agent, label]
        found.append([name, *row[2:]])
    assert differences(found, TABLE_5) == {}


# Means over 100 instructions of each split.
TABLE_2 = """
Annotation_Step  4.62  7.21  12.74  7.53
Evaluation_Step  4.57  7.07  12.36  7.12
Win_Rate_↑       86.0  72.5  100    86.0
SE_↓             1.01  1.02  1.03   1.05
"""


def instructions() -> list[dict[str, Any]]:
    """Return counts of 100 instructions of each split that are printed as table 2."""
    rows = [*rows_of(TABLE_2).values()]
    found: list[dict[str, Any]] = []
    for place, tag in enumerate(SPLITS):
        golden, fewest = (round(100 * float(row[place])) for row in rows[:2])
        won = Fraction(rows[2][place])
        redundant = golden - fewest  # steps, each in another trajectory
        each = spread(fewest, 100)
        if tag == "ambiguous":  # where SE is less than the quotient of the means
            each = [*spread(fewest - 8 * redundant, 100 - redundant), *[8] * redundant]
        more = [0] * (100 - redundant) + [1] * redundant
        for number, (steps, extra) in enumerate(zip(each, more, strict=True)):
            half = number == int(won) and won.denominator > 1
            found.append({
                "id": f"{tag}{number}", "tags": [tag], "golden_steps": steps + extra,
                "fewest_steps": steps, "won": int(half), "tied": 2 * (number < int(won)),
                "lost": int(half) or 2 * (number >= int(won)), "turned": 0,
            })  # fmt: skip
    return found


def test_table_2_follows_from_counts_of_instructions(tmp_path: Path) -> None:
    file = tmp_path / "quality.json"
    file.write_text(json.dumps({"instructions": instructions()}))
    runs = find_layout("mobile-bench-v2:2").read(file)
    assert heads("mobile-bench-v2:2", *runs) == [
        "Instructions", "Metric", "Simple", "Complex", "Noisy", "Ambiguous",
    ]  # fmt: skip
    rows = [
        [metric.replace(" ", "_"), *cells]
        for name, metric, *cells in shown("mobile-bench-v2:2", *runs)
        if name == "instructions"
    ]
    assert differences(rows, TABLE_2) == {}


def test_instructions_without_comparisons_have_no_numbers(tmp_path: Path) -> None:
    file = tmp_path / "quality.json"
    one = {"id": "a", "tags": ["simple"], "golden_steps": 5, "fewest_steps": None,
           "won": 0, "tied": 0, "lost": 0}  # fmt: skip
    file.write_text(json.dumps({"instructions": [one]}))
    rows = shown("mobile-bench-v2:2", *find_layout("mobile-bench-v2:2").read(file))
    assert [row[2] for row in rows] == ["5.00", "n/a", "n/a", "n/a"]
    for wrong, told in (
        ({"golden_steps": "five"}, "golden_steps cannot be of type str"),
        ({"lost": -1}, "a number of judges is negative"),
        ({"tags": ["short"]}, "none of its instructions has a tag of simple, complex, noisy"),
    ):
        file.write_text(json.dumps({"instructions": [one | wrong]}))
        with pytest.raises(RecordError, match=f"is not what `instruct .*{told}"):
            find_layout("mobile-bench-v2:2").read(file)


def test_runs_on_several_paths_have_success_by_the_body() -> None:
    entries = [
        make(True, id="a", variant="full", matches=path(2, 1, 2)),
        make(False, id="b", variant="vague", matches=path(2, 2, 2)),
    ]
    on_path = Run({"agent": "m", "options": SINGLE}, run_of(entries).summary, entries)
    assert shown("mobile-bench-v2:6", run_of(entries))[0][2:] == [
        "100.0", "50.0", "100.0", "100.0", "100.0", "0.0",
    ]  # fmt: skip
    assert shown("mobile-bench-v2:6", on_path)[0][2:] == [
        "100.0", "50.0", "0.0", "100.0", "100.0", "100.0",
    ]  # fmt: skip

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.report.export.published_scores import as_lines, as_table
from pytest_mobileagent.report.export.tables import as_csv, as_latex, as_markdown

BESIDE: dict[str, Any] = {
    "agent": "m3a", "score": 0.306, "source": "a paper", "suite": "clock", "tasks": 116,
    "model": None, "preset": "paper", "only_reported": False, "runs": None, "standard_error": None,
    "own": 0.306, "own_error": 0.043, "decided": 116, "epochs": 3, "difference": -0.0001,
    "interval": [-0.084, 0.084], "by_chance": True,
    "differs_in": [
        {"name": "screen", "own": "720x1600", "published": "1080x2400", "source": "s"},
        {"name": "runs", "own": 1, "published": None, "source": ""},
    ],
}  # fmt: skip


def test_a_score_is_on_one_line_with_what_differs() -> None:
    line = "m3a  30.6 ± 4.3 (116 tasks, 3 epochs)   published 30.6   difference 0.0 (-8.4 to 8.4)"
    assert as_lines("m3a", [BESIDE]) == [
        f"{line}   differs in: screen 720x1600 for 1080x2400, runs unknown",
        "  chance can explain the difference",
        "  published in: a paper",
    ]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"model": "gpt"}, "published 30.6 with gpt   "),
        ({"decided": 24}, "(24 of 116 tasks, 3 epochs)"),
        ({"decided": 24}, "  the run has decided 24 of 116 tasks; the others may be easier"),
        ({"by_chance": False}, "  chance does not explain the difference: see what differs"),
        ({"by_chance": None}, "  whether chance can explain the difference cannot be told"),
        ({"only_reported": True}, "  only successes that the agent reported count"),
        ({"epochs": 1}, "  with one epoch, the published score is taken as exact"),
        ({"own": None, "own_error": None, "difference": None, "interval": None}, "n/a (116 tasks"),
        ({"source": "\x1b[31mred"}, "  published in: \\x1b[31mred"),
    ],
)
def test_lines_say_what_limits_the_comparison(fields: dict[str, Any], told: str) -> None:
    assert told in "\n".join(as_lines("m3a", [{**BESIDE, **fields}]))


def test_several_runs_and_scores_are_rows_of_a_table() -> None:
    table = as_table(["m3a", "t3a"], [[BESIDE, {**BESIDE, "model": "g"}], [BESIDE]])
    lines = as_markdown(table).splitlines()
    assert lines[2] == (
        "| m3a | 30.6% ± 4.3% | 116 | 3 | 30.6% | n/a | 0.0 | -8.4 to 8.4 | yes | "
        "screen 720x1600 for 1080x2400, runs unknown |"
    )
    assert lines[3].startswith("| m3a | ")
    assert lines[4].startswith("| t3a | ")
    assert as_csv(table).splitlines()[1].startswith("m3a,0.306,0.043,116,3,0.306,n/a,0.0,'-8.4 to")
    assert r"t3a & 30.6\% $\pm$ 4.3\% & 116" in as_latex(table)

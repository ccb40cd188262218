"""GUI-Critic's test items: they are recognised only to say why judges cannot be asked about them.

Source: X-PLUG/MobileAgent (MIT), GUI-Critic-R1/test_files: `images`, `problem`, `solution`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from pytest_mobileagent.judge.calibration.label import LabelsError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "GUI-Critic"


def fits(items: list[Any]) -> bool:
    """Return whether each item has images, a problem, and a solution."""
    return bool(items) and all(
        isinstance(item, dict) and {"images", "problem", "solution"} <= item.keys()
        for item in items
    )


def labels(items: list[Any], path: Path, *, suspects: bool) -> NoReturn:  # noqa: ARG001
    """Refuse the data set.

    Raises:
        LabelsError: always; the text says why.
    """
    msg = (
        f"{path} is of {NAME}: its {len(items)} labels say whether the next action was right, not "
        "whether a task was done, and most of these actions are taps at a point of a screenshot "
        "that does not come with them. A judge of episodes cannot be calibrated by that"
    )
    raise LabelsError(msg)

"""B-MoCA's demonstrations: one text file each, which its agents use as examples in prompts.

    Goal: …

    - Observation: [ … the elements of the screen … ]
    - Action: tap(5)

    - Observation: …

Steps are separated by empty lines. `bmoca_text` and `bmoca_multimodal` read the folder with
`--mobile-agent-option shots=3 --mobile-agent-option examples=FOLDER`. Source: B-MoCA, paper section
4.1; gimme1dollar/b-moca, demonstration/ and bmoca/agent/foundation_model/utils.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.action import Finish
from pytest_mobileagent.dataset import LeftOutError, Trajectory, listed
from pytest_mobileagent.dataset.formats import ELEMENTS, Format
from pytest_mobileagent.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


class Layout(Format):
    """A folder for each split, with a text file `NUMBER.txt` for each trajectory."""

    dialect: ClassVar[str] = "bmoca"
    is_bound: ClassVar[bool] = True
    observations: ClassVar[tuple[str, ...]] = (ELEMENTS,)
    offers: ClassVar[tuple[str, ...]] = (ELEMENTS,)

    def add(self, split: str, number: int, trajectory: Trajectory) -> int:
        """Write a demonstration without its final report, for which B-MoCA has no action."""
        steps = trajectory.steps
        if isinstance(steps[-1].action, Finish) and not steps[-1].action.answer:
            steps = steps[:-1]
        if not steps:
            raise LeftOutError("nothing was done")
        blocks = [f"Goal: {_line(trajectory.goal)}"]
        for each in self.spoken(replace(trajectory, steps=steps)):
            observation = _line(listed(self.words, each.step.screen))
            blocks.append(f"- Observation: {observation}\n{each.words}")
        self.keep(f"{split}/{number}.txt", "\n\n".join(blocks) + "\n")
        return len(blocks) - 1

    @classmethod
    def read(cls, folder: Path, about: Mapping[str, Any]) -> Iterator[Trajectory]:  # noqa: ARG003
        """Raise RecordError, since the texts have neither screenshots nor positions of elements."""
        msg = f"{folder} contains only demonstrations as text: export the original runs instead"
        raise RecordError(msg)


def _line(text: str) -> str:
    """Return the text without empty lines, since these separate steps."""
    return "\n".join(line for line in text.splitlines() if line.strip())

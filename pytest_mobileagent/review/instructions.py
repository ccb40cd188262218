"""The review page's data for instructions written by models, which people keep, edit or drop."""

from __future__ import annotations

import secrets
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import ends_episode
from pytest_mobileagent.dataset import LeftOutError
from pytest_mobileagent.errors import MobileAgentError, RecordError
from pytest_mobileagent.instruct.drafts import decide, pages_of, read_drafts
from pytest_mobileagent.judge.prompts import wording_of
from pytest_mobileagent.judge.transcript import TranscriptFrame, in_words
from pytest_mobileagent.report.html.trajectory import mark, size_of
from pytest_mobileagent.review.server import LONGEST_NAME, UnknownEpisodeError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.instruct.drafts import DraftInstruction
    from pytest_mobileagent.screen import Screen

WORDS = {
    "title": "Instructions",
    "question": "Should this become a task?",
    "pass": "Keep",
    "fail": "Drop",
    "passed": "kept",
    "failed": "dropped",
    "text": "Instruction",
    "help": "keep the instruction, as it is or as you have edited it",
    "help_fail": "drop it: it becomes no task",
}
_DECISIONS = {"pass": "keep", "fail": "drop", "undo": "undo"}
_KEPT = 4  # trajectories in memory, with all their screenshots


class InstructionService:
    """Serves a table's drafts to the page; `who` decides if the page sends no name.

    Raises:
        RecordError: if the drafts cannot be read.
    """

    def __init__(self, table: Path, who: str) -> None:
        self.table, self._who = table, who
        self._stamp = secrets.token_hex(4)  # in the URLs of screens, which browsers cache
        self._lock = threading.Lock()
        self._pages = lru_cache(_KEPT)(self._read)
        self.decided: set[int] = set()
        self.drafts()

    def drafts(self) -> list[DraftInstruction]:
        """Return all drafts, with people's decisions so far.

        Raises:
            RecordError: if the drafts cannot be read.
        """
        return read_drafts(self.table)

    def left(self) -> int:
        """Return the number of undecided instructions."""
        return sum(draft.decision is None for draft in self.drafts())

    def queue(self) -> dict[str, Any]:
        """Return all instructions, with people's decisions."""
        drafts = self.drafts()
        return {
            "run": self.table.name,
            "agent": "",
            "who": self._who,
            "stamp": self._stamp,
            "goes_on": False,
            "problem": "",
            "words": WORDS,
            "left": sum(draft.decision is None for draft in drafts),
            "items": [
                [number, draft.instruction, "review", made and made.kept, made and made.who]
                for number, draft in enumerate(drafts)
                for made in [draft.decision]
            ],
        }

    def episode(self, number: int) -> dict[str, Any]:
        """Return an instruction with its trajectory, or the reason why that cannot be shown."""
        draft = self._draft(number)
        plain: dict[str, Any] = {
            "number": number,
            "name": draft.id,
            "goal": draft.instruction,
            "text": draft.instruction,
            "facts": _facts(draft),
            "alert": _alert(draft),
            "opinions": _opinions(draft),
        }
        try:
            screens = self._screens(draft.id)
        except (MobileAgentError, LeftOutError) as error:
            return {**plain, "damaged": str(error)}
        return {**plain, "frames": _frames(draft, screens)}

    def screen(self, number: int, index: int) -> bytes | None:
        """Return a screenshot; None if the trajectory has no such screen, or no picture of it.

        Raises:
            RecordError: if the trajectory cannot be read.
        """
        try:
            screens = self._screens(self._draft(number).id)
        except LeftOutError as error:
            raise RecordError(str(error)) from error
        return (screens[index].png or None) if index < len(screens) else None

    def decide(
        self, number: Any, decision: Any, who: str, note: str, text: str = ""
    ) -> dict[str, Any]:
        """Record a decision on an instruction; `text` is its final wording if it is kept.

        Raises:
            LookupError, TypeError, ValueError: if there is no such instruction or decision.
            HostError, RecordError: if the decision cannot be written.
        """
        draft, who = self._draft(number), who.strip()[:LONGEST_NAME] or self._who
        how = {"who": who, "instruction": "" if decision == "undo" else text, "note": note.strip()}
        decide(self.table, draft, _DECISIONS[decision], **how)
        (self.decided.discard if decision == "undo" else self.decided.add)(number)
        return {"opinions": _opinions(self._draft(number))}

    def _draft(self, number: Any) -> DraftInstruction:
        drafts = self.drafts()
        if type(number) is not int or not 0 <= number < len(drafts):
            raise UnknownEpisodeError(f"there is no instruction {number}")
        return drafts[number]

    def _screens(self, name: str) -> tuple[Screen, ...]:
        with self._lock:  # a browser requests all screens at once
            return self._pages(name)

    def _read(self, name: str) -> tuple[Screen, ...]:
        return pages_of(next(each for each in self.drafts() if each.id == name), self.table)


def _frames(draft: DraftInstruction, screens: tuple[Screen, ...]) -> list[dict[str, Any]]:
    """Return the frames of a trajectory, in the same form as those of an episode."""
    each = [golden.action for golden in draft.golden if not ends_episode(golden.action)]
    instructions, verbs = draft.row["instructions"], wording_of("en").verbs
    frames = []
    for at, screen in enumerate(screens):
        frame: dict[str, Any] = {"title": "At the end", "words": "", "marks": []}
        if at < len(each):
            marked = mark(each[at], screen)
            frame = {
                "title": f"Step {at + 1}",
                "words": in_words(TranscriptFrame(at + 1, at, screen, (each[at],)), verbs),
                "marks": [] if marked is None else [{**marked, "done": True}],
            }
        instruction = instructions[at] if at < len(instructions) else ""
        about = {"instruction": instruction, "size": size_of(screen), "app": screen.package}
        frames.append(frame | about)
    return frames


def _facts(draft: DraftInstruction) -> list[tuple[str, str]]:
    verified = draft.row["verified"]
    redundant = ", ".join(map(str, verified["redundant"]))
    verdict = "yes" if verified["passed"] else "no"
    facts = [
        ("the model wrote", str(draft.row["instruction"])),
        ("in steps", " ".join(map(str, draft.row.get("step_by_step", ())))),
        ("verified", f"{verdict}: {verified['reason']}" if verified["reason"] else verdict),
        ("redundant steps", redundant),
        ("from", str(next(iter(draft.row["origin"].values()), ""))),
    ]
    return [(name, text) for name, text in facts if text]


def _alert(draft: DraftInstruction) -> str:
    repeats = draft.row["verified"]["repeats"]
    if not repeats:
        return ""
    return (
        f"It repeats a text of a page that no step is related to: \u201c{repeats}\u201d. "
        "Does the user want that, or only the page?"
    )


def _opinions(draft: DraftInstruction) -> list[dict[str, Any]]:
    """Return the effective decision, in the same form as a verdict on an episode."""
    found = draft.decision
    if found is None:
        return []
    edited = found.kept and found.instruction != draft.row["instruction"]
    note = f"edited. {found.note}".strip() if edited else found.note
    return [
        {
            "scorer": "person",
            "passed": found.kept,
            "reason": note,
            "when": found.time,
            "who": found.who,
            "withdrawn": False,
            "stands": True,
            "judges": [],
            "evidence": {},
            "words": [WORDS["passed"], WORDS["failed"]],
        }
    ]

"""What later subtasks have to know of an earlier one (SPA-Bench, appendix E.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.judge.conversation import converse
from pytest_mobileagent.judge.evidence import MOST_PICTURES
from pytest_mobileagent.judge.fence import Data, seal
from pytest_mobileagent.judge.prompts import wording_of
from pytest_mobileagent.judge.reply import read_notes
from pytest_mobileagent.judge.views import numbered
from pytest_mobileagent.llm.message import Message

if TYPE_CHECKING:
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.record import EpisodeRecord
    from pytest_mobileagent.judge.question import Question
    from pytest_mobileagent.llm.model import Model

_SYSTEM = """\
You take notes for a colleague who judges the next part of a task on a phone and cannot see these \
screens. You are told what to note. Write down what the screens say of it, as precisely as they \
do: names, numbers, dates. Where there are several, such as the results of a search, list all that \
fit. Leave out everything else, and do not guess: if the screens do not show it, say so. Write one \
paragraph without line breaks, in the language of what is to be noted."""
_REPAIR = "Your reply was empty or cut off. Write the note again, as one short paragraph."


def summarise(
    model: Model, memory: str, screens: range, question: Question, episode: EpisodeRecord
) -> tuple[str, tuple[ModelCall, ...]]:
    """Return what a model notes of `memory`, in one line, from the screens in a range.

    More screens than a request can hold are shown one part after the other, and noted of each.

    Raises:
        JudgeError: the model does not answer, or says nothing.
    """
    notes: list[str] = []
    calls: list[ModelCall] = []
    for first in range(screens.start, screens.stop, MOST_PICTURES):
        part = range(first, min(first + MOST_PICTURES, screens.stop))
        shown = numbered(episode, part, question.evidence)
        number, content = seal(["To be noted:", Data("note", memory), *shown])
        guard = wording_of("en").guard.replace("{NUMBER}", number)
        messages = [Message("system", (f"{_SYSTEM}\n\n{guard}",)), Message("user", content)]
        noted, more = converse(model, messages, read_notes, _REPAIR)
        notes.append(" ".join(noted.split()))
        calls += more
    return " ".join(notes), tuple(calls)

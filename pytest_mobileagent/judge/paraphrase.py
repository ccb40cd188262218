"""A model's judgement of whether an answer says in other words what was expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.judge.ask import converse
from pytest_mobileagent.judge.fence import Data, seal
from pytest_mobileagent.judge.prompts import wording_of
from pytest_mobileagent.judge.reply import read_result
from pytest_mobileagent.llm.model import Message

if TYPE_CHECKING:
    from pytest_mobileagent.llm.model import Model

_ROLE = "You compare two answers to one question, and say whether they mean the same."
_RULES = (
    "The answers may differ in words, order, language and notation. Numbers, dates, names and "
    "amounts have to be the same: one that is rounded, vague or missing is another answer. What "
    "the given answer says beyond the expected one does no harm unless it contradicts it."
)
_FORM = (
    "Reply with one line and nothing else: `Result: 1` if the given answer says what is expected, "
    "`Result: 0` if it does not."
)


def is_paraphrase(model: Model, question: str, said: str, expected: str) -> bool:
    """Return whether a model considers an answer a paraphrase of the expected one.

    Raises:
        JudgeError: the model does not answer, or not readably.
        BudgetSpent: no `Exception`: nothing more may be spent.
    """
    if not said.strip():
        return False
    wording = wording_of("en")
    number, content = seal(
        [
            "The question:",
            Data("question", question),
            "The expected answer:",
            Data("expected", expected),
            "The given answer:",
            Data("given", said),
            _FORM,
        ]
    )
    guard = wording.guard.replace("{NUMBER}", number)
    messages = [
        Message("system", (f"{_ROLE}\n\n{_RULES}\n\n{guard}",)),
        Message("user", content),
    ]
    result, _ = converse(model, messages, read_result, wording.repair_result)
    return result.passed

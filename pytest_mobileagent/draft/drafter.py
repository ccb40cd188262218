"""Asking a model for a check of a recorded task, and once more if its reply cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.draft.options import ROLE
from pytest_mobileagent.draft.prompt import messages, repair
from pytest_mobileagent.draft.reply import Draft, UnreadableDraftError, read_draft
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.llm.metered import Meter, MeteredModel
from pytest_mobileagent.llm.providers import make_client

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.llm.model import Model
    from pytest_mobileagent.llm.models import ModelSettings
    from pytest_mobileagent.llm.reference import ModelReference

STREAM = "drafts.jsonl"  # prompts and replies, beside the episode's calls.jsonl
# Models that reason count their thoughts as output, whatever they are asked for.
_MOST_TOKENS = 16_384


@dataclass(frozen=True, slots=True)
class Drafted:
    """What a model wrote, and all calls that it took; no `draft` if `problem` says why not."""

    draft: Draft | None
    calls: tuple[ModelCall, ...]
    problem: str = ""


def drafter(reference: ModelReference, settings: ModelSettings, folder: Path) -> MeteredModel:
    """Return a model that drafts checks of the episode in a folder, where its calls are kept.

    Raises:
        ValueError: it cannot be reached from here.
    """
    log = ExchangeLog(folder, STREAM)
    meter = Meter(settings.prices, settings.spending(), settings.cache, log)
    return MeteredModel(reference, ROLE, make_client(reference), meter)


def draft_check(model: Model, episode: Episode, *, passed: bool | None) -> Drafted:
    """Ask a model for a check of an episode's task.

    `passed` is whether the goal was met in it, None if nobody has decided that.

    Raises:
        BudgetSpent, ModelUnavailable: no `Exception`s: the model does not answer.
        RequestRefusedError: the provider refuses the request.
    """
    conversation = list(messages(episode, passed=passed))
    calls: list[ModelCall] = []
    problem = ""
    for _ in range(2):
        reply = model.complete(conversation, max_tokens=_MOST_TOKENS, temperature=0.0)
        calls.append(reply.call)
        try:
            if reply.stop == "length":
                _cut_off()
            return Drafted(read_draft(reply.text, tuple(episode.case.parameters)), tuple(calls))
        except UnreadableDraftError as error:
            problem = str(error)
        # A provider takes no message without content.
        conversation += [reply.message] if reply.text.strip() else []
        conversation.append(repair(episode, problem))
    return Drafted(None, tuple(calls), problem)


def _cut_off() -> None:
    msg = "it was cut off: write less"
    raise UnreadableDraftError(msg)

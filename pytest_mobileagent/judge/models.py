"""The models that are asked as judges: metered like an agent's, recorded in a file of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.llm.metered import Meter, MeteredModel
from pytest_mobileagent.llm.models import client_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from pytest_mobileagent.llm.message import Client
    from pytest_mobileagent.llm.models import ModelSettings
    from pytest_mobileagent.llm.reference import ModelReference

STREAM = "judges.jsonl"  # prompts and replies, beside the episode's calls.jsonl
ROLE = "judge"


class _JudgeLog(ExchangeLog):
    """Keeps calls of judges in their file, and in a list: errors cost, too."""

    def __init__(self, folder: Path, calls: list[ModelCall]) -> None:
        super().__init__(folder, STREAM)
        self._calls = calls

    def add(self, exchange: Mapping[str, Any]) -> None:
        """Write a call with its prompt and its reply (see `ExchangeLog`)."""
        if exchange["call"] is not None:
            self._calls.append(ModelCall.from_json(exchange["call"]))
        super().add(exchange)


def judge_models(
    references: Sequence[ModelReference],
    settings: ModelSettings,
    *,
    folder: Path | None = None,
    pictures: Path | None = None,
    clients: Mapping[ModelReference, Client] | None = None,
    calls: list[ModelCall] | None = None,
) -> list[MeteredModel]:
    """Return models in the role of judges of one episode; they share an account.

    `folder` is the episode's, in which prompts and replies are kept, and `pictures` the run's
    folder of screens; without them nothing is kept. `clients` stand in for some models. Each call
    is added to `calls`, whatever becomes of it, where there is a folder.

    Raises:
        ValueError: a model cannot be reached from here.
    """
    meter = Meter(
        settings.prices,
        settings.spending(),
        settings.cache,
        None if folder is None else _JudgeLog(folder, [] if calls is None else calls),
        None if pictures is None else ScreenStore(pictures),
    )
    given = clients or {}
    return [
        MeteredModel(each, ROLE, given.get(each) or client_of(each, settings.cache), meter)
        for each in references
    ]

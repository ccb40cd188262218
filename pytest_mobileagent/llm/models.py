"""A run's settings for models, and the checks of models before a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.llm.budget import Budget, Ledger, Spending
from pytest_mobileagent.llm.known_replies import RecordedAnswers, RecordedReplies
from pytest_mobileagent.llm.model import ProviderError
from pytest_mobileagent.llm.prices import Prices
from pytest_mobileagent.llm.providers import (
    check_endpoint,
    endpoint_of,
    key_of,
    make_client,
    provider_of,
)
from pytest_mobileagent.llm.reference import ModelChoice

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.llm.known_replies import ReplyCache
    from pytest_mobileagent.llm.model import Client, Completion, Request
    from pytest_mobileagent.llm.reference import ModelReference


def check_reference(
    reference: ModelReference,
    prices: Prices,
    *,
    unpriced: bool = False,
    limited: bool = False,
    replays: bool = False,
    options: str = "--mobile-",
    remark: str = "",
) -> None:
    """Check that a model can be asked: its script, or its endpoint, key and price.

    - `unpriced`: whether a model without a known price may be asked; `limited`: whether a maximum
      cost is set.
    - `replays`: whether all replies come from the cache, which needs neither key nor endpoint.
    - `options`: the prefix of the options that errors name (prices, unpriced, max-cost and
      max-tokens); `remark` is added to the message about a missing key or extra.

    Raises:
        ValueError: if the model cannot be asked; the message says what to do.
    """
    if provider_of(reference).api == "scripted":
        make_client(reference)
        return
    endpoint_of(reference)
    if not replays:
        try:
            key_of(reference)
            if provider_of(reference).api == "gemini":
                check_extra("gemini", "asking models of Gemini")
        except (ValueError, HostError) as error:
            raise ValueError(f"{error}. {remark}" if remark else str(error)) from None
    if not prices.knows(reference):
        _check_unpriced(options, unpriced=unpriced, limited=limited)
    if not replays:
        check_endpoint(reference)


def _check_unpriced(options: str, *, unpriced: bool, limited: bool) -> None:
    prices = "--prices" if options == "--" else "-o mobile_prices"  # an ini key only, in pytest
    if not unpriced:
        give = f"Give one with {prices}=FILE, or run with {options}unpriced=allow"
        raise ValueError(f"no price is known. {give}")
    if limited:
        msg = (
            f"no price is known, so {options}max-cost cannot limit it. Give one with "
            f"{prices}=FILE, or limit {options}max-tokens"
        )
        raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A run's settings for models. They have no keys, so they can be sent to an agent's process.

    - `choice`: the model for each role.
    - `ledger`: the file in which the run's spending is added up; None if it is not recorded.
    - `ledger_server`: the socket of a `LedgerServer`, if other machines spend from the same budget.
    - `cache`: the cache of replies; None without a cache.
    - `recorded`: a file of calls whose replies are returned in order, so no model is asked; with
      `compares`, only to the prompts of these calls.
    - `clients`: clients of this process, in place of those of some models; other processes do not
      get them.
    """

    choice: ModelChoice = field(default_factory=ModelChoice)
    prices: Prices = field(default_factory=Prices)
    budget: Budget = field(default_factory=Budget)
    ledger: Path | None = None
    cache: ReplyCache | None = None
    recorded: Path | None = None
    ledger_server: Path | None = None
    clients: Mapping[ModelReference, Client] = field(default_factory=dict)
    compares: bool = False

    def replies(self, pictures: ScreenStore | None) -> RecordedReplies | RecordedAnswers | None:
        """Return the recorded replies, from the first one on; None without a file of them.

        `pictures` has those of their prompts.
        """
        if self.recorded is None:
            return None
        if self.compares:
            return RecordedAnswers(self.recorded, pictures)
        return RecordedReplies(self.recorded)

    def client(self, reference: ModelReference) -> Client:
        """Return the client of a model; it refuses if only cached or recorded replies may be used.

        Raises:
            ValueError: if the model cannot be reached from here.
        """
        if (given := self.clients.get(reference)) is not None:
            return given
        only_cached = self.cache is not None and self.cache.only_replays
        return _NoClient() if only_cached or self.recorded is not None else make_client(reference)

    def spending(self) -> Spending:
        """Return a new account of an episode's spending."""
        ledger = None if self.ledger is None else Ledger(self.ledger, self.ledger_server)
        return Spending(self.budget, ledger)


class _NoClient:
    """The client of a model whose replies are all cached or recorded, so it needs no key."""

    def ask(self, _request: Request) -> Completion:
        """Raise ProviderError: requests are answered from the cache or record before this."""
        raise ProviderError("--mobile-cache=replay or recorded: no model is asked")

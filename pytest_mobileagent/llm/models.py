"""The choice of models for a command: its options, checks, prices; and one repair of a reply."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.llm import providers
from pytest_mobileagent.llm.known_replies import ReplyCache
from pytest_mobileagent.llm.prices import Prices, load_prices
from pytest_mobileagent.llm.reference import ModelChoice, parse_choice

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.llm.model import Message, Model, ModelReply
    from pytest_mobileagent.llm.reference import ModelReference

T = TypeVar("T")
_ATTEMPTS = 2


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

    - `unpriced`: whether the price may be unknown; `limited`: whether a maximum cost is set.
    - `replays`: whether all replies come from the cache, which needs neither key nor endpoint.
    - `options`: the prefix of the options that errors name (prices, unpriced, max-cost and
      max-tokens); `remark` is added to the message about a missing key or extra.

    Raises:
        ValueError: if the model cannot be asked; the message says what to do.
    """
    if providers.provider_of(reference).api == "scripted":
        providers.make_client(reference)
        return
    providers.endpoint_of(reference)
    if not replays:
        try:
            providers.key_of(reference)
            if providers.provider_of(reference).api == "gemini":
                check_extra("gemini", "asking models of Gemini")
        except (ValueError, HostError) as error:
            raise ValueError(f"{error}. {remark}" if remark else str(error)) from None
    if not prices.knows(reference):
        _check_unpriced(options, unpriced=unpriced, limited=limited)
    if not replays:
        providers.check_endpoint(reference)


def _check_unpriced(options: str, *, unpriced: bool, limited: bool) -> None:
    prices = "--prices" if options == "--" else "-o mobile_prices"  # an ini key only, in pytest
    if not unpriced:
        give = f"Give one with {prices}=FILE, or run with {options}unpriced=allow"
        raise ValueError(f"no price is known. {give}")
    if limited:
        raise ValueError(
            f"no price is known, so {options}max-cost cannot limit it. Give one with "
            f"{prices}=FILE, or limit {options}max-tokens"
        )


class Settings(Protocol):
    """The options that the project in the current folder sets."""

    def get(self, name: str) -> tuple[str, Path] | None:
        """Return an option's text, by its ini key, and the folder that its paths are relative to.

        None if it is not set.
        """


class CachingSettings(Settings, Protocol):
    """The options of a project, and the folder of its cache of models' replies."""

    @property
    def replies(self) -> Path:
        """The folder of the cache."""


def cache_for(
    models: Sequence[ModelReference], folder: Path | None, project: Callable[[], CachingSettings]
) -> ReplyCache | None:
    """Return the cache of replies in a folder, by default the project's.

    None for scripted models, as a script may change under the same name.
    """
    if any(each.is_script for each in models):
        return None
    return ReplyCache(folder or project().replies)


def add_model_options(parser: argparse.ArgumentParser, model: str) -> None:
    """Add the options that `model_of` and `models_of` read; `model` is the help for --model."""
    add = parser.add_argument
    add("--model", metavar="MODEL", help=model)
    add("--prices", type=Path, metavar="FILE", help="a TOML file with your own prices")
    add(
        "--unpriced",
        choices=("stop", "allow"),
        help="whether a model without a known price may be asked (default: the project's, or stop)",
    )


def model_of(
    given: argparse.Namespace, project: Callable[[], Settings], role: str, what: str
) -> tuple[ModelReference, Prices]:
    """Return the model of one role, and the prices that apply (see `models_of`).

    Raises:
        ValueError, HostError: if the model cannot be asked; the message says why.
    """
    choice, prices = models_of(given, project, (role,), what)
    reference = choice.of(role)
    assert reference is not None  # checked by `models_of`
    return reference, prices


def models_of(
    given: argparse.Namespace,
    project: Callable[[], Settings],
    roles: Sequence[str],
    what: str,
    *,
    asks: bool = True,
) -> tuple[ModelChoice, Prices]:
    """Return the models of the roles and their prices, after checking that they can be asked.

    `project` is only called for options that the command line does not give. `what` is the verb for
    the error message if there is no model ("draft"). See `prices_for` for `asks`.

    Raises:
        ValueError, HostError: if a model cannot be asked; the message says why.
    """
    check_extra("models", "asking models")
    choice = _choice(given.model, project, roles, what)
    return choice, prices_for(choice.references, given, project, asks=asks)


def prices_for(
    references: Sequence[ModelReference],
    given: argparse.Namespace,
    project: Callable[[], Settings],
    *,
    asks: bool = True,
) -> Prices:
    """Return the prices that apply to models, and check that the models can be asked.

    Unless the command `asks` them, no key, endpoint or known price is needed.

    Raises:
        ValueError, HostError: if a model cannot be asked; the message says why.
    """
    prices = load_prices(given.prices) if given.prices else Prices()
    unpriced = given.unpriced
    if not all(prices.knows(each) for each in references):
        settings = project()
        if not given.prices and (own := settings.get("mobile_prices")):
            prices = load_prices(own[1] / Path(own[0]).expanduser())
        if unpriced is None and (setting := settings.get("mobile_unpriced")):
            unpriced = setting[0]
    for reference in references if asks else ():
        check_reference(
            reference,
            prices,
            unpriced=unpriced == "allow",
            options="--",
            remark="Nothing was asked.",
        )
    return prices


def _choice(
    model: str | None, project: Callable[[], Settings], roles: Sequence[str], what: str
) -> ModelChoice:
    """Return a model for each of the roles; a script has its absolute path."""
    text, folder = (model, Path()) if model else project().get("mobile_model") or ("", Path())
    named = parse_choice(text) if text else ModelChoice()
    found = {}
    for role in roles:
        reference = named.of(role)
        if reference is None:
            one = f" in the role {role}" if named.roles else ""
            how = "--model=PROVIDER:NAME, as in openai:gpt-4o"
            raise ValueError(f"no model is given to {what}{one}: {how}")
        found[role] = reference.named_in(folder)
    return ModelChoice(None, found)


def ask_until_readable(
    model: Model,
    messages: Sequence[Message],
    read: Callable[[ModelReply], T],
    repair: Callable[[str], Message],
    most_tokens: int,
) -> tuple[T | None, str, tuple[ModelCall, ...]]:
    """Ask a model, and ask it once more if its reply cannot be read.

    `read` parses a reply, or raises ValueError; `repair` returns the message that follows such a
    reply, given the problem. The temperature is 0. Return what `read` returned, or None and the
    problem; and all calls that were made.

    Raises:
        BudgetSpent, ModelUnavailable: if the model does not answer; neither is an `Exception`.
        RequestRefusedError: if the provider refuses the request.
    """
    conversation = list(messages)
    calls: list[ModelCall] = []
    problem = ""
    for _ in range(_ATTEMPTS):
        reply = model.complete(conversation, max_tokens=most_tokens, temperature=0.0)
        calls.append(reply.call)
        try:
            return read(reply), "", tuple(calls)
        except ValueError as error:
            problem = str(error)
        # Providers refuse messages without content.
        conversation += [reply.message] if reply.text.strip() else []
        conversation.append(repair(problem))
    return None, problem, tuple(calls)

"""Which model drafts, and what it costs: by the command line, or else by the project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.llm.checks import check_reference
from pytest_mobileagent.llm.prices import Prices, load_prices
from pytest_mobileagent.llm.reference import ModelReference, parse_choice

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

ROLE = "drafter"


class Settings(Protocol):
    """What the project in the current folder sets."""

    def get(self, name: str) -> tuple[str, Path] | None:
        """Return the text of an option, by its ini key, and the folder that paths in it are of."""


def model_of(
    given: argparse.Namespace, project: Callable[[], Settings]
) -> tuple[ModelReference, Prices]:
    """Return the model that drafts, which can be asked, and the prices that count.

    `project` is asked only for what the command line does not say.

    Raises:
        ValueError, HostError: it cannot be asked; the text says why.
    """
    check_extra("models", "asking models")
    reference = _reference(given.model, project)
    prices = load_prices(given.prices) if given.prices else Prices()
    unpriced = given.unpriced
    if not prices.knows(reference):
        settings = project()
        if not given.prices and (own := settings.get("mobile_prices")):
            prices = load_prices(own[1] / Path(own[0]).expanduser())
        if unpriced is None and (said := settings.get("mobile_unpriced")):
            unpriced = said[0]
    check_reference(
        reference,
        prices,
        unpriced=unpriced == "allow",
        options="--",
        remark="Nothing was asked.",
    )
    return reference, prices


def _reference(model: str | None, project: Callable[[], Settings]) -> ModelReference:
    """Return the model in the role of the drafter; a script has its whole path."""
    text, folder = (model, Path()) if model else project().get("mobile_model") or ("", Path())
    reference = parse_choice(text).of(ROLE) if text else None
    if reference is None:
        msg = "no model is given that could draft: --model=PROVIDER:NAME, as in openai:gpt-4o"
        raise ValueError(msg)
    return reference.named_in(folder)

"""What can be known to be wrong with a model before it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.llm.providers import (
    check_endpoint,
    endpoint_of,
    key_of,
    make_client,
    provider_of,
)

if TYPE_CHECKING:
    from pytest_mobileagent.llm.prices import Prices
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

    - `unpriced`: whether a model without a price may be asked, `limited`: whether its cost is.
    - `replays`: all replies are kept, so that neither key nor endpoint is needed.
    - `options`: how the options begin that the text of an error names: prices, unpriced, max-cost
      and max-tokens; `remark` is added where a key is missing.

    Raises:
        ValueError: it cannot be asked; the text says what to do.
    """
    if provider_of(reference).api == "scripted":
        make_client(reference)
        return
    endpoint_of(reference)
    if not replays:
        try:
            key_of(reference)
        except ValueError as error:
            msg = f"{error}. {remark}" if remark else str(error)
            raise ValueError(msg) from None
    if not prices.knows(reference):
        _check_unpriced(options, unpriced=unpriced, limited=limited)
    if not replays:
        check_endpoint(reference)


def _check_unpriced(options: str, *, unpriced: bool, limited: bool) -> None:
    if not unpriced:
        give = f"Give one with {options}prices=FILE, or run with {options}unpriced=allow"
        msg = f"no price is known. {give}"
        raise ValueError(msg)
    if limited:
        msg = (
            f"no price is known, so {options}max-cost cannot limit it. Give one with "
            f"{options}prices=FILE, or limit {options}max-tokens"
        )
        raise ValueError(msg)

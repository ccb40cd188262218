"""The sellers of tokens that programs use, and their prices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Usage
from pytest_mobileagent.llm.streams import as_text

if TYPE_CHECKING:
    from pytest_mobileagent.llm.prices import Prices

UNLIMITED = (
    "no price is known, so --mobile-max-cost cannot limit it. Set one with -o mobile_prices=FILE, "
    "or use --mobile-max-tokens"
)


@dataclass(frozen=True, slots=True)
class Seller:
    """The seller of a model's tokens: `provider:name` in records, `table` in genai-prices."""

    provider: str
    name: str
    table: str = ""

    @property
    def id(self) -> str:
        """PROVIDER:NAME."""
        return f"{self.provider}:{self.name}"


def price(
    prices: Prices, seller: Seller, data: dict[str, Any], place: tuple[str, str], usage: Usage
) -> float | None:
    """Return the price of tokens in US dollars; None if it is unknown (see `Prices.cost`)."""
    if seller.provider == "scripted":
        return 0.0
    answered = as_text(data.get("model") or data.get("modelVersion"))
    return prices.cost(seller.id, seller.table, (answered, seller.name), usage, (data, place))


def is_priced(prices: Prices, seller: Seller) -> bool:
    """Return whether the price of a model is known."""
    return (
        price(prices, seller, {"model": seller.name}, ("openai", "chat"), Usage(1, 1)) is not None
    )

"""What a recorded call used and what it cost, as far as the provider tells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.message import Usage

if TYPE_CHECKING:
    from pytest_mobileagent.llm.prices import Prices

UNLIMITED = (
    "no price is known, so --mobile-max-cost cannot limit it. Give one with --mobile-prices=FILE, "
    "or limit --mobile-max-tokens"
)
_MOST = 2**53  # that a record can hold (see ModelCall)
_NAMES = ("model", "modelVersion")  # where replies name their model
_ODD = (LookupError, ValueError, TypeError, AttributeError, OverflowError)


@dataclass(frozen=True, slots=True)
class Seller:
    """Who sold the tokens of a model: `provider:name` in records, `table` in genai-prices."""

    provider: str
    name: str
    table: str = ""

    @property
    def id(self) -> str:
        """PROVIDER:NAME."""
        return f"{self.provider}:{self.name}"


def reported(data: dict[str, Any], place: tuple[str, str], *, is_whole: bool) -> Usage:
    """Return the tokens that a reply reports; None where it does not.

    A stream that broke off has told how much was asked at most.
    """
    read = _read(data, place)
    if read is None:
        return Usage()
    given, output, cached = map(
        _count, (read.input_tokens, read.output_tokens, read.cache_read_tokens)
    )
    if not given:  # nothing is asked without any token
        return Usage(None, output or None)
    usage = Usage(given, output, cached if cached is None or cached <= given else None)
    return usage if is_whole else replace(usage, output=None)


def price(
    prices: Prices, seller: Seller, data: dict[str, Any], place: tuple[str, str], usage: Usage
) -> float | None:
    """Return what tokens cost, in US dollars; None if that is not known.

    Prices of the user's own win over the table, which counts what `data` says in more detail.
    """
    if seller.provider == "scripted":
        return 0.0
    if own := prices.own.get(seller.id):
        return own.of(usage)
    if usage.input is None or usage.output is None or not seller.table:
        return None
    from genai_prices import Usage as Tokens  # loaded by who prices
    from genai_prices import calc_price

    tokens = _read(data, place)
    if tokens is None or (tokens.input_tokens, tokens.output_tokens) != (usage.input, usage.output):
        tokens = Tokens(
            input_tokens=usage.input, output_tokens=usage.output, cache_read_tokens=usage.cached
        )
    answered = str(data.get("model") or data.get("modelVersion") or seller.name)
    for name in dict.fromkeys((answered, seller.name)):
        try:
            return float(calc_price(tokens, name, provider_id=seller.table).total_price)
        except _ODD:
            continue
    return None


def is_priced(prices: Prices, seller: Seller) -> bool:
    """Whether the price of a model is known."""
    return (
        price(prices, seller, {"model": seller.name}, ("openai", "chat"), Usage(1, 1)) is not None
    )


def _read(data: dict[str, Any], place: tuple[str, str]) -> Any:
    """Return the tokens that a reply reports, as genai-prices counts them; None without."""
    from genai_prices import extract_usage  # loaded by who prices

    # It refuses models that it does not know, which have tokens all the same.
    counts = {name: value for name, value in data.items() if name not in _NAMES}
    try:
        return extract_usage(counts, provider_id=place[0], api_flavor=place[1]).usage
    except _ODD:
        return None


def _count(value: Any) -> int | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and 0 <= value < _MOST else None

"""Token prices, from genai-prices and from the user, and estimates of token counts.

For endpoints that report no tokens, MobileAgentBench's estimate is used: one token per 4 characters
of text; 85 tokens per picture, plus 170 for each tile of 512x512 pixels. Input and output are
counted, but helper models such as OCR are not (arXiv 2406.08184, "Metrics", after OpenAI's rule for
gpt-4-vision-preview in high detail, without its scaling).
"""

from __future__ import annotations

import difflib
import io
import math
import tomllib
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.model import Usage
from pytest_mobileagent.llm.providers import PROVIDERS, provider_of
from pytest_mobileagent.llm.reference import parse_reference
from pytest_mobileagent.llm.replies import checked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.llm.model import Completion, Image, Request
    from pytest_mobileagent.llm.reference import ModelReference


_PER = 1_000_000  # the number of tokens that a price is for
_FIELDS = ("input", "output", "cached")
# The provider and API whose format `extract_usage` must expect; the seller may be a different one.
_USAGE = {
    "chat": ("openai", "chat"),
    "responses": ("openai", "responses"),
    "anthropic": ("anthropic", "default"),
    "gemini": ("google", "default"),
}


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; if `cached` is None, cached input costs as much as other."""

    input: float
    output: float
    cached: float | None = None

    def of(self, usage: Usage) -> float | None:
        """Return the cost of tokens in US dollars; None if their number is unknown."""
        if usage.input is None or usage.output is None:
            return None
        cached = min(usage.cached or 0, usage.input)
        rate = self.input if self.cached is None else self.cached
        whole = (usage.input - cached) * self.input + cached * rate + usage.output * self.output
        return whole / _PER


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of models: the user's `own`, by PROVIDER:NAME, then those of genai-prices."""

    own: Mapping[str, Price] = field(default_factory=dict)

    @property
    def table(self) -> str:
        """The name of the price table, for records; empty without one, as scripts need none."""
        own = ["own"] if self.own else []
        try:
            return " and ".join([f"genai-prices {version('genai-prices')}", *own])
        except PackageNotFoundError:
            return "".join(own)

    def knows(self, reference: ModelReference) -> bool:
        """Return whether the price of a model is known."""
        return self.price(reference, "", Usage(1, 1)) is not None

    def metered(self, reference: ModelReference, answer: Completion) -> tuple[Usage, float | None]:
        """Return the tokens of an answer and their cost in US dollars, as far as they are known."""
        usage = checked(answer.usage)
        return usage, self.price(reference, answer.model, usage, answer.usage_data)

    def price(
        self,
        reference: ModelReference,
        answered: str,
        usage: Usage,
        data: Mapping[str, Any] | None = None,
    ) -> float | None:
        """Return the cost of a model's tokens; `answered` is the provider's name for the model.

        `data` is the reply with its usage (see `cost`).
        """
        provider = provider_of(reference)
        if provider.api == "scripted":
            return 0.0
        place = _USAGE.get(provider.api, _USAGE["chat"])
        names = (answered, reference.name)
        return self.cost(reference.id, provider.prices, names, usage, (data or {}, place))

    def cost(
        self,
        model: str,
        seller: str,
        names: Iterable[str],
        usage: Usage,
        details: tuple[Mapping[str, Any], tuple[str, str]],
    ) -> float | None:
        """Return the cost of tokens in US dollars; None if it is unknown.

        The user's own price of the `model` (PROVIDER:NAME) takes precedence over the table's, where
        `seller` has the first of the `names`. The `details` are the reply and its format, from
        which genai-prices reads, for example, what was written to a cache.
        """
        if (own := self.own.get(model)) is not None:
            return own.of(usage)
        if usage.input is None or usage.output is None or not seller:
            return None
        tokens = _detailed(usage, *details)
        found = (_calculated(name, seller, tokens) for name in dict.fromkeys(names) if name)
        return next((price for price in found if price is not None), None)

    def priced(self, call: ModelCall) -> ModelCall:
        """Return a call that an agent reports, with the price of its tokens if it has none.

        The price is looked up by the model's name, with or without its provider. It stays unknown
        if the name or the number of tokens is unknown.
        """
        if call.price_usd is not None:
            return call
        provider, _, name = call.model.rpartition(":")
        tokens = checked(Usage(call.input_tokens, call.output_tokens, call.cached_tokens))
        if (own := self._own_by_name(call.model)) is not None:
            return replace(call, price_usd=own.of(tokens))
        if tokens.input is None or tokens.output is None or not find_spec("genai_prices"):
            return call
        known = PROVIDERS.get(provider)
        seller = (known.prices if known is not None else provider) or None
        return replace(call, price_usd=_calculated(name, seller, _tokens(tokens)))

    def _own_by_name(self, model: str) -> Price | None:
        """Return the user's own price of a model; a name without provider must be unambiguous."""
        if model in self.own:
            return self.own[model]
        named = [price for key, price in self.own.items() if key.partition(":")[2] == model]
        return named[0] if len(named) == 1 else None


def load_prices(path: Path) -> Prices:
    """Read the user's own prices from a TOML file.

    It has a table for each model::

        ["openai:our-tuned-4o"]
        input = 3.75       # US dollars per million tokens
        cached = 1.875     # optional
        output = 15.0

    Raises:
        ValueError: if there is no such file, or its content is invalid; the message says where.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{path} is not TOML: {error}") from None
    return Prices({model: _price(path, model, given) for model, given in content.items()})


def _price(path: Path, model: str, given: Any) -> Price:
    if not isinstance(given, dict):
        raise ValueError(f'{path}: {model} must be a table: ["{model}"] with input and output')
    try:
        reference = parse_reference(model)
        if difflib.get_close_matches(reference.provider, PROVIDERS, 1):
            provider_of(reference)  # an unknown one may be a provider that only programs ask
    except ValueError as error:
        raise ValueError(f'{path}: ["{model}"]: {error}') from None
    for name, value in given.items():
        if name not in _FIELDS:
            near = difflib.get_close_matches(name, _FIELDS, 1)
            hint = f"; did you mean {near[0]}?" if near else f" (available: {', '.join(_FIELDS)})"
            raise ValueError(f'{path}: ["{model}"] has no {name!r}{hint}')
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and 0 <= value <= _PER):  # no token costs more than a dollar
            raise ValueError(f'{path}: {name} of ["{model}"] must be US dollars per million tokens')
    if lacking := [name for name in ("input", "output") if name not in given]:
        raise ValueError(f'{path}: ["{model}"] lacks {" and ".join(lacking)}')
    return Price(**given)


def _tokens(usage: Usage) -> Any:
    """Return tokens as an object of genai-prices."""
    from genai_prices import Usage as Tokens  # slow to import, and only needed for prices

    return Tokens(
        input_tokens=usage.input, output_tokens=usage.output, cache_read_tokens=usage.cached
    )


def _detailed(usage: Usage, data: Mapping[str, Any], place: tuple[str, str]) -> Any:
    """Return tokens as an object of genai-prices, with the details that it reads in a reply."""
    from genai_prices import extract_usage  # slow to import, and only needed for prices

    # Without the model's name, because genai-prices refuses unknown models.
    counts = {name: data[name] for name in ("usage", "usageMetadata") if name in data}
    try:
        tokens = extract_usage(counts, provider_id=place[0], api_flavor=place[1]).usage
        if (tokens.input_tokens, tokens.cache_read_tokens or 0) != (usage.input, usage.cached or 0):
            return _tokens(usage)
        tokens.output_tokens = usage.output
    except (LookupError, ValueError, TypeError, AttributeError, OverflowError):
        return _tokens(usage)
    return tokens


def _calculated(name: str, seller: str | None, tokens: Any) -> float | None:
    """Return the price from the table; None if it has no such model of the seller, or of any."""
    from genai_prices import calc_price  # slow to import, and only needed for prices

    try:
        return float(calc_price(tokens, name, provider_id=seller).total_price)
    except (LookupError, ValueError, TypeError, OverflowError):
        return None


HELPERS = frozenset({"captioner", "grounder", "ocr"})  # roles that the estimate leaves out
_CHARACTERS, _TILE, _BASE, _EACH = 4, 512, 85, 170


def text_tokens(text: str) -> int:
    """Return an estimate of the text's tokens."""
    return math.ceil(len(text) / _CHARACTERS)


def image_tokens(width: int, height: int) -> int:
    """Return an estimate of a picture's tokens, given its size in pixels."""
    return _BASE + _EACH * math.ceil(width / _TILE) * math.ceil(height / _TILE)


def input_tokens(request: Request) -> int:
    """Return an estimate of a request's tokens; pictures of unknown size count as one tile."""
    pictures = (image_tokens(*(_size(image) or (_TILE, _TILE))) for image in request.images)
    return text_tokens(request.text) + sum(pictures)


def _size(image: Image) -> tuple[int, int] | None:
    from PIL import Image as pillow

    try:
        with pillow.open(io.BytesIO(image.data)) as opened:  # reads the header only
            return opened.size
    except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
        return None

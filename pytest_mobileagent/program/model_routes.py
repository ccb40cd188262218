"""The part of a program's environment that leads to models: URLs and keys for the recorder.

A program under test is not trusted with keys. The variables for the keys of model providers contain
stand-ins, which are worthless outside the episode. On the way to a provider, each stand-in is
replaced by the real key. Also here: which provider a host belongs to, and what its tokens cost.
"""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_mobileagent.errors import HostError, did_you_mean
from pytest_mobileagent.llm.model import Usage
from pytest_mobileagent.llm.providers import (
    PROVIDERS,
    check_endpoint,
    endpoint_of,
    key_of,
    key_variables,
)
from pytest_mobileagent.llm.reference import ModelReference
from pytest_mobileagent.llm.replies import as_text
from pytest_mobileagent.program.connections import Origin, with_headers
from pytest_mobileagent.urls import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    import h11

    from pytest_mobileagent.llm.prices import Prices


_GOOGLE = "https://generativelanguage.googleapis.com"
_ALWAYS = {"openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"), "anthropic": ("ANTHROPIC_BASE_URL",)}
_BUNDLES = (
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "AWS_CA_BUNDLE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "DENO_CERT", "PIP_CERT",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProviderRoute:
    """A path of the local port that leads to a provider, whose endpoint is `base`.

    `variables` are set to the path and a `suffix`, which together represent the endpoint.
    """

    provider: str
    base: str
    variables: tuple[str, ...]
    suffix: str = ""

    def target(self, rest: str) -> str:
        """Return the provider's URL for a path below the route's."""
        return self.base + rest.removeprefix(self.suffix)


def routes(*, every: bool = False) -> dict[str, ProviderRoute]:
    """Return the routes by name: those that most programs use, and those that the user has set.

    With `every`, there is one for each provider that has an endpoint.

    Raises:
        HostError: if the value of a variable is not a URL.
    """
    found = {}
    for name, provider in PROVIDERS.items():
        variables = _ALWAYS.get(name) or tuple(
            each for each in provider.url_variables if os.environ.get(each)
        )
        if name in {"openai-responses", "ollama"} or not (variables or (every and provider.url)):
            continue
        base = endpoint_of(ModelReference(name, "any"))
        suffix = "" if provider.api == "anthropic" else "/v1"
        if name == "gemini":  # its own API has a separate route, below
            found["gemini-openai"] = ProviderRoute(name, f"{base}/openai", variables, suffix)
        else:
            found[name] = ProviderRoute(name, base, variables, suffix)
    local = endpoint_of(ModelReference("ollama", "any")).removesuffix("/v1")
    found["ollama"] = ProviderRoute("ollama", local, ("OLLAMA_HOST",))
    google = os.environ.get("GOOGLE_GEMINI_BASE_URL") or _GOOGLE
    found["gemini"] = ProviderRoute("gemini", google.rstrip("/"), ("GOOGLE_GEMINI_BASE_URL",))
    if azure := os.environ.get("AZURE_OPENAI_ENDPOINT"):
        found["azure"] = ProviderRoute("azure", azure.rstrip("/"), ("AZURE_OPENAI_ENDPOINT",))
    for route in found.values():
        try:
            Origin.of(route.base)
        except ValueError as error:
            msg = f"the environment variable {' or '.join(route.variables)}: {error}"
            raise HostError(msg) from None
    return found


def route_of(name: str, routes: Mapping[str, ProviderRoute]) -> ProviderRoute:
    """Return the route of a name.

    Raises:
        ValueError: if the route does not exist.
    """
    if name in routes:
        return routes[name]
    hint = f"{did_you_mean(name, routes)} (the providers are: {', '.join(sorted(routes))})"
    raise ValueError(f"no provider with an endpoint is called {name!r}{hint}")


def check_route(name: str) -> None:
    """Check that the provider at a route has a key, and answers.

    Raises:
        HostError: if the value of a variable that sets an endpoint is not a URL.
        ValueError: if the route does not exist or has no key, or the endpoint does not answer.
    """
    route = route_of(name, routes(every=True))
    key_at(route)
    # Azure's endpoint is the user's own, and answers under other paths.
    reference = ModelReference(route.provider, "any")
    if route.provider != "azure" and route.base.startswith(endpoint_of(reference)):
        check_endpoint(reference)


def key_at(route: ProviderRoute) -> str:
    """Return the key of the provider at a route; empty if it is not set and not needed.

    Raises:
        ValueError: if the provider needs a key, which is not set.
    """
    url = PROVIDERS[route.provider].url
    is_own = not url or Origin.of(route.base) != Origin.of(url)
    return key_of(ModelReference(route.provider, "any", route.base if is_own else ""))


def environment(
    routes: Mapping[str, ProviderRoute], url: Callable[[str], str], proxy: str, bundle: Path
) -> dict[str, str]:
    """Return the variables that lead programs to the port, as a provider and as a proxy."""
    found = {
        variable: url(name) + route.suffix
        for name, route in routes.items()
        for variable in route.variables
    }
    for variable in ("HTTPS_PROXY", "HTTP_PROXY"):
        found |= {variable: proxy, variable.lower(): proxy}
    # The user's own NO_PROXY applies to the connections from here to the providers.
    direct = ",".join(LOOPBACK)
    found |= {"NO_PROXY": direct, "no_proxy": direct, "NODE_USE_ENV_PROXY": "1"}
    return found | dict.fromkeys(_BUNDLES, str(bundle))


# Hosts and their subdomains that neither this package's providers nor genai-prices list.
_MORE_HOSTS = {
    "aiplatform.googleapis.com": "google-vertex",
    "aliyuncs.com": "dashscope",
    "api-inference.modelscope.cn": "modelscope",
    "api.ai21.com": "ai21",
    "api.baichuan-ai.com": "baichuan",
    "api.cloudflare.com": "cloudflare",
    "api.deepinfra.com": "deepinfra",
    "api.hunyuan.cloud.tencent.com": "hunyuan",
    "api.lingyiwanwu.com": "01ai",
    "api.sambanova.ai": "sambanova",
    "api.siliconflow.cn": "siliconflow",
    "api.siliconflow.com": "siliconflow",
    "api.stepfun.com": "stepfun",
    "api.studio.nebius.ai": "nebius",
    "integrate.api.nvidia.com": "nvidia",
    "models.github.ai": "github",
    "models.inference.ai.azure.com": "github",
    "qianfan.baidubce.com": "qianfan",
    "router.huggingface.co": "huggingface",
    "spark-api-open.xf-yun.com": "spark",
    "volces.com": "volcengine",
}
# genai-prices matches all of Google's hosts. Of Google's and Alibaba's, only hosts of models count.
_ONLY = {
    "googleapis.com": re.compile(r"^(generativelanguage|([\w-]+-)?aiplatform)\."),
    "aliyuncs.com": re.compile(r"^dashscope[\w-]*\."),
}


@lru_cache(maxsize=256)
def provider_at(host: str) -> str:
    """Return the name of the provider at a host; empty if it is unknown."""
    host = host.lower().rstrip(".")
    for end, pattern in _ONLY.items():
        if _is_below(host, end) and not pattern.match(host):
            return ""
    own = {urlsplit(provider.url).hostname: name for name, provider in reversed(PROVIDERS.items())}
    if host in own and host != "localhost":
        return own[host]
    for end, name in _MORE_HOSTS.items():
        if _is_below(host, end) or (name == "google-vertex" and host.endswith(f"-{end}")):
            return name
    from genai_prices.data import providers  # takes long to load

    found = (each for each in providers if re.match(each.api_pattern, f"https://{host}/"))
    return str(next((each.id for each in found), ""))


def seller_of(provider: str) -> str:
    """Return the name of a provider in genai-prices; empty if it is not listed there."""
    if provider in PROVIDERS:
        return PROVIDERS[provider].prices
    return "google" if provider == "google-vertex" else provider


def _is_below(host: str, end: str) -> bool:
    return host == end or host.endswith(f".{end}")


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
    named = {"model": seller.name}
    return price(prices, seller, named, ("openai", "chat"), Usage(1, 1)) is not None


# For programs that refuse to start without a key.
_USUAL = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")
# Prefixes of keys, by which some programs recognise the provider.
_PREFIX = re.compile(r"sk-ant-[a-z]+\d+-|sk-or-v1-|sk-|gsk_|xai-|nvapi-|AIza")
_LEAST = 8  # characters of a key that is replaced: a shorter one may be part of other words


class LentKeys:
    """The stand-ins that a program gets instead of the keys in an environment.

    - `own`: the variables whose real keys it gets nevertheless.
    - `always`: whether it also gets stand-ins for missing keys, because another model answers.
    """

    def __init__(
        self, environment: Mapping[str, str], own: Collection[str] = (), *, always: bool = False
    ) -> None:
        self._own = set(own)
        self._by_key: dict[str, str] = {}
        named: dict[str, str] = {}
        for name in sorted(key_variables() - self._own):
            if key := environment.get(name, "").strip():
                named[name] = self._by_key.setdefault(key, _stand_in_for(key))
        if always:
            spare = _stand_in_for("sk-")
            named |= {name: named.get(name, spare) for name in _USUAL if name not in self._own}
            self._by_key.setdefault("", spare)
        self._named = named

    @property
    def stand_ins(self) -> list[str]:
        """The stand-ins, which no record may contain."""
        return list(self._by_key.values())

    @property
    def keys(self) -> list[str]:
        """The real keys that have a stand-in."""
        return [key for key in self._by_key if key]

    def stand_in_for(self, variables: Iterable[str]) -> str:
        """Return the stand-in for the first of some variables that is set, or one without a key."""
        given = (self._named[name] for name in variables if name in self._named)
        return next(given, "") or self._by_key.setdefault("", _stand_in_for("sk-"))

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """Return an environment in which every occurrence of a key is replaced by its stand-in."""
        long = sorted((key for key in self.keys if len(key) >= _LEAST), key=len, reverse=True)
        lent = {}
        for name, value in base.items():
            if name not in self._own:
                for key in long:
                    value = value.replace(key, self._by_key[key])  # noqa: PLW2901
            lent[name] = value
        return lent | self._named

    def applied(
        self, request: h11.Request, target: str, instead: str = ""
    ) -> tuple[h11.Request, str]:
        """Return a request and its target with the stand-ins replaced by keys.

        `instead` is the key of the model that answers in place of the provider, if it has one.
        """
        pairs = [(each, instead or key) for key, each in self._by_key.items() if instead or key]
        headers = [(name, _replaced(value, pairs)) for name, value in request.headers.raw_items()]
        target = _replaced(target.encode("latin-1"), pairs).decode("latin-1")
        return with_headers(request, headers), target


def _stand_in_for(key: str) -> str:
    found = _PREFIX.match(key)
    return f"{found[0] if found else ''}mobileagent-{secrets.token_hex(16)}"


def _replaced(value: bytes, pairs: Iterable[tuple[str, str]]) -> bytes:
    for stand_in, key in pairs:
        value = value.replace(stand_in.encode(), key.encode())
    return value

"""The providers of models: their endpoints, the variables with their keys, and their clients."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import importlib
import os
import re
import urllib.error
import urllib.request
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit, urlunsplit

from pytest_mobileagent.errors import did_you_mean
from pytest_mobileagent.llm.clients import REQUEST_SECONDS
from pytest_mobileagent.urls import by_proxy, hide, proxy_of, redact_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_mobileagent.llm.model import Client
    from pytest_mobileagent.llm.reference import ModelReference

API = Literal["chat", "responses", "anthropic", "gemini", "predict", "scripted"]
_SECONDS = 10  # timeout for an endpoint to answer the check
_MOST_READ = 20_000  # bytes of an error
REAL_KEY = 20  # minimum characters of a real key; a shorter one may be a word in a reply


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of models.

    - `api`: the API that it speaks. `url`: its endpoint; empty if the user must give one.
    - `key`: environment variables that may have its key; empty if it has no keys.
    - `url_variables`: environment variables that override its endpoint.
    - `prices`: its name in genai-prices; empty if it has no prices there.
    - `needs_key`: whether its own endpoint requires a key.
    """

    api: API
    url: str = ""
    key: tuple[str, ...] = ()
    url_variables: tuple[str, ...] = ()
    prices: str = ""
    needs_key: bool = True


def _chat(url: str, name: str, prices: str = "", *more: str) -> Provider:
    """Return a provider that speaks OpenAI's API; `name` begins its variables, `more` have keys."""
    return Provider("chat", url, (f"{name}_API_KEY", *more), (f"{name}_BASE_URL",), prices)


_OPENAI = _chat("https://api.openai.com/v1", "OPENAI", "openai")
PROVIDERS = {
    "openai": _OPENAI,
    "openai-responses": replace(_OPENAI, api="responses"),
    "anthropic": Provider("anthropic", "https://api.anthropic.com", ("ANTHROPIC_API_KEY",),
                          ("ANTHROPIC_BASE_URL",), "anthropic"),
    "gemini": Provider("gemini", "https://generativelanguage.googleapis.com/v1beta",
                       ("GEMINI_API_KEY", "GOOGLE_API_KEY"), ("GEMINI_BASE_URL",), "google"),
    "openrouter": _chat("https://openrouter.ai/api/v1", "OPENROUTER", "openrouter"),
    "deepseek": _chat("https://api.deepseek.com/v1", "DEEPSEEK", "deepseek"),
    "mistral": _chat("https://api.mistral.ai/v1", "MISTRAL", "mistral"),
    "groq": _chat("https://api.groq.com/openai/v1", "GROQ", "groq"),
    "xai": _chat("https://api.x.ai/v1", "XAI", "x-ai"),
    "together": _chat("https://api.together.xyz/v1", "TOGETHER", "together"),
    "zhipu": _chat("https://open.bigmodel.cn/api/paas/v4", "ZHIPUAI", "zhipuai", "ZAI_API_KEY"),
    "zai": _chat("https://api.z.ai/api/paas/v4", "ZAI", "zai"),
    "dashscope": _chat("https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE"),
    "moonshot": _chat("https://api.moonshot.ai/v1", "MOONSHOT", "moonshotai"),
    "volcengine": _chat("https://ark.cn-beijing.volces.com/api/v3", "ARK"),
    "azure": Provider("chat", "", ("AZURE_OPENAI_API_KEY",), prices="azure"),
    "ollama": Provider("chat", "http://localhost:11434/v1", ("OLLAMA_API_KEY",), ("OLLAMA_HOST",),
                       needs_key=False),
    "lmstudio": Provider("chat", "http://localhost:1234/v1", ("LM_API_TOKEN",),
                         ("LMSTUDIO_BASE_URL",), needs_key=False),
    "vllm": Provider("chat", "", ("VLLM_API_KEY",), ("VLLM_BASE_URL",), needs_key=False),
    "predict": Provider("predict", "", ("PREDICT_API_KEY",), needs_key=False),
    "scripted": Provider("scripted", needs_key=False),
}  # fmt: skip


def provider_of(reference: ModelReference) -> Provider:
    """Return the provider of a model.

    Raises:
        ValueError: if there is no such provider.
    """
    if reference.provider not in PROVIDERS:
        hint = did_you_mean(reference.provider.lower(), PROVIDERS)
        msg = f"no provider is called {reference.provider!r}{hint} (available: "
        raise ValueError(f"{msg}{', '.join(sorted(PROVIDERS))})")
    return PROVIDERS[reference.provider]


def endpoint_of(reference: ModelReference) -> str:
    """Return the URL of a model's endpoint: the user's own, the environment's, or the provider's.

    Raises:
        ValueError: if there is none.
    """
    provider = provider_of(reference)
    given = [value for name in provider.url_variables if (value := os.environ.get(name))]
    url = reference.url or next(iter(given), "") or provider.url
    if not url:
        msg = f"{reference.provider} has no default endpoint: name one, as in "
        raise ValueError(f"{msg}{reference.id}@http://HOST:PORT/v1")
    if provider.api == "gemini":  # whose endpoint for OpenAI's clients is below its own
        url = url.rstrip("/").removesuffix("/openai")
    return (_ollama(url) if reference.provider == "ollama" else url).rstrip("/")


def server_of(reference: ModelReference) -> str:
    """Return what identifies a model's server: its endpoint, or its script's content.

    It is a redacted URL, or a script's digest; empty if the model cannot be reached from here.
    """
    if reference.is_script:
        try:
            content = Path(reference.url or reference.name).read_bytes()
        except OSError:
            return ""
        return f"sha256:{hashlib.sha256(content).hexdigest()}"
    try:
        return redact_urls(endpoint_of(reference))
    except ValueError:
        return ""


def _ollama(url: str) -> str:
    """Return the URL for a host in the form of OLLAMA_HOST, with or without scheme and port.

    (Ollama's FAQ, "How can I expose Ollama on my network?".)
    """
    if "://" not in url:
        url = f"http://{url}" if re.search(r":\d+(/|$)", url) else f"http://{url}:11434"
    url = url.replace("://0.0.0.0", "://127.0.0.1", 1).rstrip("/")
    return url if url.endswith("/v1") else f"{url}/v1"


def key_of(reference: ModelReference) -> str:
    """Return the key of a model's provider; empty if none is needed and none is set.

    The user's own endpoint needs no key.

    Raises:
        ValueError: if the key is missing or invalid; the message names the environment variable.
    """
    provider = provider_of(reference)
    for name in provider.key:
        if key := os.environ.get(name, "").strip():
            if not (key.isascii() and key.isprintable() and " " not in key):
                msg = f"the environment variable {name} has spaces or odd characters: set a key"
                raise ValueError(msg)
            return key
    if provider.needs_key and not reference.url:
        raise ValueError(f"the environment variable {' or '.join(provider.key)} is not set")
    return ""


# Variables with the keys of further providers, which only programs ask.
_MORE = {
    "AI21_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CEREBRAS_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN",
    "COHERE_API_KEY", "CO_API_KEY", "FIREWORKS_API_KEY", "NEBIUS_API_KEY", "NVIDIA_API_KEY",
    "PERPLEXITY_API_KEY", "SAMBANOVA_API_KEY", "SILICONFLOW_API_KEY", "STEPFUN_API_KEY",
}  # fmt: skip


def key_variables() -> set[str]:
    """Return the names of all variables that may have a key for models."""
    return {name for provider in PROVIDERS.values() for name in provider.key} | _MORE


def without_key_variables(
    environment: Mapping[str, str], references: Iterable[ModelReference] = ()
) -> dict[str, str]:
    """Return an environment without the variables that have keys, except those of `references`."""
    needed = {name for each in references for name in provider_of(each).key}
    held = [environment.get(name, "").strip() for name in key_variables() - needed]
    secret = [key for key in held if len(key) >= REAL_KEY]
    return {
        name: value
        for name, value in environment.items()
        if name in needed or not (name in key_variables() or any(key in value for key in secret))
    }


def keys() -> tuple[str, ...]:
    """Return all providers' keys in the environment, which must not be recorded."""
    found = {os.environ.get(name, "").strip() for name in key_variables()}
    # The longest come first, as one key may be the beginning of another.
    return tuple(sorted((key for key in found if len(key) >= 8), key=len, reverse=True))


def without_keys(text: str, least: int = 0) -> str:
    """Return the text without any key of at least `least` characters."""
    for key in keys():
        text = text.replace(key, "…") if len(key) >= least else text
    return text


def check_endpoint(reference: ModelReference) -> None:
    """Check that a model's endpoint answers and accepts the key, without asking a model.

    Raises:
        ValueError: if it does not answer, or refuses the key.
    """
    provider = provider_of(reference)
    url = endpoint_of(reference)
    url += {"anthropic": "/v1/models", "predict": ""}.get(provider.api, "/models")
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{redact_urls(url)} is not a URL of http or https")
    key = key_of(reference)
    proxy = proxy_of(url)
    if proxy:
        make_client(reference)  # fails if clients cannot use the proxy
    if proxy.startswith("socks"):  # the library here cannot
        return
    proxies = dict.fromkeys(("http", "https"), proxy) if proxy else {}
    opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler(proxies))
    try:
        with opener.open(_request(url, provider.api, key), timeout=_SECONDS):
            return
    except urllib.error.HTTPError as error:
        with error, contextlib.suppress(OSError, http.client.HTTPException):
            said = error.read(_MOST_READ)
        if error.code == 407:
            msg = f"{redact_urls(url)} does not answer: HTTP 407{by_proxy(url)}"
            raise ValueError(msg) from None
        is_refused = error.code in {401, 403} or b"API_KEY_INVALID" in said  # the latter: Google
        if is_refused and provider.api != "predict":
            which = " or ".join(provider.key)
            wants = f"requires a key: set the environment variable {which}"
            does = f"refuses the key of {which}" if key else wants
            what = f"(HTTP {error.code}){by_proxy(url)}"
            raise ValueError(f"{redact_urls(url)} {does} {what}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        why = str(getattr(error, "reason", error)).strip() or type(error).__name__
        why = without_keys(hide(hide(why, url), proxy))
        raise ValueError(f"{redact_urls(url)} does not answer: {why}{by_proxy(url)}") from None


def _request(url: str, api: API, key: str) -> urllib.request.Request:
    """Return a request with a key, or with the user name and password in a URL."""
    headers = {"User-Agent": "pytest-mobileagent"}
    if key and api == "anthropic":
        headers |= {"x-api-key": key, "anthropic-version": "2023-06-01"}
    elif key and api == "gemini":
        headers["x-goog-api-key"] = key
    elif key:
        headers["Authorization"] = f"Bearer {key}"
    parts = urlsplit(url)
    owner, at, host = parts.netloc.rpartition("@")
    if at:  # in the place of a key, like the SDKs' HTTP client
        headers["Authorization"] = f"Basic {base64.b64encode(unquote(owner).encode()).decode()}"
    return urllib.request.Request(urlunsplit(parts._replace(netloc=host)), headers=headers)  # noqa: S310 - http or https


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A handler that does not follow redirects, so the key is not sent to their targets."""

    def redirect_request(self, *_: object) -> None:
        """Return None: the redirect itself shows that the endpoint answers."""


def make_client(reference: ModelReference) -> Client:
    """Return the client of a model; clients are shared within a process.

    Raises:
        ValueError: if the model has no endpoint, key or script, or cannot be reached by a proxy.
    """
    if provider_of(reference).api == "scripted":
        from pytest_mobileagent.llm.scripted import ScriptedModel

        try:
            return ScriptedModel.load(Path(reference.url or reference.name))
        except OSError as error:
            raise ValueError(f"cannot read {reference.name}: {error.strerror}") from None
    try:
        return _client(reference, endpoint_of(reference), key_of(reference))
    except ImportError as error:
        if "SOCKS" not in str(error):
            raise
        msg = "a SOCKS proxy in the environment needs the package socksio: pip install socksio"
        raise ValueError(f"{reference.id}: {msg}") from None


def prepare(references: Iterable[ModelReference]) -> None:
    """Import the SDKs and make the clients of models before time is measured.

    Errors are reported by the first request instead.
    """
    for reference in references:
        with contextlib.suppress(ValueError, ImportError):
            if provider_of(reference).api != "scripted":
                make_client(reference)


@lru_cache(maxsize=32)  # a client that it drops is closed once nobody else has it
def _client(reference: ModelReference, url: str, key: str) -> Client:
    module, name = _CLIENTS[provider_of(reference).api]
    client = getattr(importlib.import_module(f"pytest_mobileagent.llm.clients.{module}"), name)
    made: Client = client(reference.name, url, key, REQUEST_SECONDS)
    return made


# By module, as the SDKs are slow to import.
_CLIENTS = {
    "chat": ("openai", "OpenAIChat"),
    "responses": ("openai", "OpenAIResponses"),
    "anthropic": ("anthropic_messages", "AnthropicMessages"),
    "gemini": ("gemini", "Gemini"),
    "predict": ("predict", "Predict"),
}

"""Where programs look for models: paths on the local port, and the variables that name them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.llm.providers import PROVIDERS, endpoint_of
from pytest_mobileagent.llm.reference import ModelReference
from pytest_mobileagent.program.http.upstream import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_GOOGLE = "https://generativelanguage.googleapis.com"
_ALWAYS = {"openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"), "anthropic": ("ANTHROPIC_BASE_URL",)}
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_BUNDLES = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "AWS_CA_BUNDLE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "DENO_CERT",
    "PIP_CERT",
)


@dataclass(frozen=True, slots=True)
class Route:
    """A provider by a path of its own: `base` is its endpoint, to which the rest is added.

    `variables` name it to programs, with `suffix` behind the path; the endpoint stands for both.
    """

    provider: str
    base: str
    variables: tuple[str, ...]
    suffix: str = ""

    def target(self, rest: str) -> str:
        """Return the URL that a path below the route's stands for."""
        return self.base + rest.removeprefix(self.suffix)


def routes() -> dict[str, Route]:
    """Return the routes by name: those that most programs know, and those the user has set.

    Raises:
        HostError: a variable holds no URL.
    """
    found = {}
    for name, provider in PROVIDERS.items():
        variables = _ALWAYS.get(name) or tuple(
            each for each in provider.url_variables if os.environ.get(each)
        )
        if not variables or name in {"openai-responses", "ollama"}:
            continue
        base = endpoint_of(ModelReference(name, "any"))
        suffix = "" if provider.api == "anthropic" else "/v1"
        # Gemini's own API has a route of its own, below.
        found["gemini-openai" if name == "gemini" else name] = Route(name, base, variables, suffix)
    local = endpoint_of(ModelReference("ollama", "any")).removesuffix("/v1")
    found["ollama"] = Route("ollama", local, ("OLLAMA_HOST",))
    google = os.environ.get("GOOGLE_GEMINI_BASE_URL") or _GOOGLE
    found["gemini"] = Route("gemini", google.rstrip("/"), ("GOOGLE_GEMINI_BASE_URL",))
    if azure := os.environ.get("AZURE_OPENAI_ENDPOINT"):
        found["azure"] = Route("azure", azure.rstrip("/"), ("AZURE_OPENAI_ENDPOINT",))
    for route in found.values():
        try:
            Origin.of(route.base)
        except ValueError as error:
            msg = f"the environment variable {' or '.join(route.variables)}: {error}"
            raise HostError(msg) from None
    return found


def environment(
    routes: Mapping[str, Route], url: Callable[[str], str], proxy: str, bundle: Path
) -> dict[str, str]:
    """Return the variables by which programs find the port, as a provider and as a proxy."""
    found = {
        variable: url(name) + route.suffix
        for name, route in routes.items()
        for variable in route.variables
    }
    for variable in ("HTTPS_PROXY", "HTTP_PROXY"):
        found |= {variable: proxy, variable.lower(): proxy}
    # Other hosts that the user excepts from a proxy are excepted from that on their way from here.
    direct = ",".join(LOOPBACK)
    found |= {"NO_PROXY": direct, "no_proxy": direct, "NODE_USE_ENV_PROXY": "1"}
    return found | dict.fromkeys(_BUNDLES, str(bundle))

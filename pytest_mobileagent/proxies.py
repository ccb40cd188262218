"""Proxies that the environment names (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY), and the way past them.

No proxy can reach a server that listens on the loopback of this machine, such as a run's own ports
or a model server beside it. The variables are read like curl and Python's libraries do: lower case
comes first, and NO_PROXY names hosts that are reached directly.
"""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Mapping

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_NAMES = ("http_proxy", "https_proxy", "all_proxy")


def is_loopback(host: str) -> bool:
    """Return whether a host, as in a URL, is this machine: localhost, 127.0.0.2, [::1], 0.0.0.0."""
    host = host.strip("[]").partition("%")[0].rstrip(".").lower()
    with suppress(OSError, ValueError):  # inet_aton reads short forms, such as 127.1
        host = socket.inet_ntoa(socket.inet_aton(host))
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")  # RFC 6761
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped.is_loopback or mapped.is_unspecified


def leads_here(url: str) -> bool:
    """Return whether a URL leads to this machine."""
    return is_loopback(_parts(url).hostname or "")


def proxy_of(url: str) -> str:
    """Return the URL of the proxy through which a URL is reached; empty if it is reached directly.

    The proxy's URL may contain a password.
    """
    from urllib.request import getproxies, proxy_bypass  # slow to import

    parts = _parts(url)
    host, place = parts.hostname, parts.netloc.rpartition("@")[2]
    if not place.rpartition(":")[2].isdigit():  # NO_PROXY may name a port that the URL leaves out
        place = f"{place}:{443 if parts.scheme == 'https' else 80}"
    if not host or is_loopback(host) or proxy_bypass(place):
        return ""
    proxies = getproxies()
    if any(_covers(name.strip(), host) for name in proxies.get("no", "").split(",")):
        return ""
    proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
    return proxy if "://" in proxy or not proxy else f"http://{proxy}"


def _covers(name: str, host: str) -> bool:
    """Return whether an entry of NO_PROXY is a network with a host in it, or *.DOMAIN."""
    with suppress(ValueError):
        return ipaddress.ip_address(host) in ipaddress.ip_network(name.strip("[]"), strict=False)
    return name.startswith("*.") and host.endswith(name[1:].lower())


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")  # whoever asks it reports that it is no URL


def by_proxy(url: str) -> str:
    """Return the words to add to an error about a URL that is reached through a proxy, or ""."""
    proxy = redact_urls(proxy_of(url))
    return f" (through the proxy {proxy}, which the environment names)" if proxy else ""


def sparing_loopback(environment: Mapping[str, str]) -> dict[str, str]:
    """Return NO_PROXY, in both cases, extended by this machine; {} if no variable names a proxy.

    It would then only make Python's libraries on macOS ignore the system's proxies.
    """
    if not any(environment.get(name) for each in _NAMES for name in (each, each.upper())):
        return {}
    extended = {}
    for name, other in (("no_proxy", "NO_PROXY"), ("NO_PROXY", "no_proxy")):
        given = environment.get(name) or environment.get(other, "")
        hosts = [each.strip() for each in given.split(",") if each.strip()]
        extended[name] = ",".join(hosts if "*" in hosts else dict.fromkeys([*hosts, *LOOPBACK]))
    return extended

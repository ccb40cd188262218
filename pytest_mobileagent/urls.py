"""URLs: without their secrets, and the proxies by which they are reached.

The environment names proxies (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY). No proxy can reach a server that
listens on the loopback of this machine, such as a run's own ports or a model server beside it. The
variables are read like curl and Python's libraries do: lower case comes first, and NO_PROXY names
hosts that are reached directly.
"""

from __future__ import annotations

import base64
import ipaddress
import re
import socket
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

# The name and password, which may contain any character, end at the last @ before the next URL,
# unless that @ leads to the URL, as in lists of models: PROVIDER:NAME@URL,PROVIDER:NAME@URL.
_URL = re.compile(
    r"(\w+://)(?:(?:(?!\w+://).)*@(?!\w+://))?((?:(?!\w+://)[^\s?#])*(?:[?#]\S*)?)", re.DOTALL
)


def redact_urls(text: str) -> str:
    """Return the text with secrets removed from its URLs, so that it may be shown and recorded.

    Names, passwords and the values of queries are removed, and more than that if it is unclear
    where a password ends.
    """
    return _URL.sub(lambda url: url[1] + _without_query(url[2]), text)


def hide(text: str, url: str) -> str:
    """Return text, such as an error message, without the secrets of a URL (see `redact_urls`)."""
    from urllib.parse import unquote, unquote_plus  # most processes never need these

    names = re.findall(r"//(.*)@", url)
    values = re.findall(r"[?&](?:[^&=#]*=)?([^&#]+)", url)
    parts = [*names, *(part for name in names for part in name.split(":", 1)), *values]
    headers = [each for name in names for each in _as_header(unquote(name))]
    for secret in sorted({*parts, *map(unquote_plus, parts), *headers}, key=len, reverse=True):
        if len(secret) >= 3:  # a shorter secret protects nothing, and may occur in unrelated words
            text = text.replace(secret, "…")
    return text


def passwords_in(text: str) -> list[str]:
    """Return the passwords in the URLs of the text, also in the form that headers use."""
    from urllib.parse import unquote  # most processes never need it

    names = [url[1] for url in re.finditer(r"\w+://([^\s/@]*:[^\s/]*)@", text)]
    passwords = [name.partition(":")[2] for name in names]
    headers = [each for name in names for each in _as_header(unquote(name))]
    return [each for each in {*passwords, *map(unquote, passwords), *headers} if each]


def _as_header(name: str) -> list[str]:
    """Return name and password as in headers (RFC 7617), in both alphabets of base64."""
    content = name.encode("utf-8", "surrogateescape")
    both = base64.b64encode(content), base64.urlsafe_b64encode(content)
    return [each.decode().rstrip("=") for each in both]


def _without_query(rest: str) -> str:
    place, question, query = rest.partition("#")[0].partition("?")
    pairs = (part.partition("=") for part in query.split("&"))
    parts = (f"{name}=…" if equals else "…" for name, equals, _ in pairs)
    return place + question + ("&".join(parts) if query else "")


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
    """Return NO_PROXY, in both cases, extended by this machine; {} if no variable names a proxy."""
    if not any(environment.get(name) for each in _NAMES for name in (each, each.upper())):
        return {}  # it would only make Python's libraries on macOS ignore the system's proxies
    extended = {}
    for name, other in (("no_proxy", "NO_PROXY"), ("NO_PROXY", "no_proxy")):
        given = environment.get(name) or environment.get(other, "")
        hosts = [each.strip() for each in given.split(",") if each.strip()]
        extended[name] = ",".join(hosts if "*" in hosts else dict.fromkeys([*hosts, *LOOPBACK]))
    return extended

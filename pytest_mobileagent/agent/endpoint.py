"""The model endpoints for agents that use their own SDKs.

They lead to a port of the worker that plays the episode, which records, prices and limits the calls
and forwards them with the real key. Endpoints are requested from the port over HTTP, so this works
both from the agent's process and from a thread.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import NamedTuple

from pytest_mobileagent.errors import AgentError

_SECONDS = 60.0  # the first request loads libraries


class Endpoint(NamedTuple):
    """The address of a provider's models in one episode: `base_url` and `token`.

    The token replaces the provider's key. Both are worthless after the episode.
    """

    base_url: str
    token: str

    def __repr__(self) -> str:
        """Return the address without the parts that would allow others to use it."""
        host = self.base_url.partition("://")[2].partition("/")[0]
        return f"Endpoint(http://{host})"


def request_endpoint(port: str, provider: str) -> Endpoint:
    """Return the endpoint of a provider, from an episode's `port`.

    Raises:
        AgentError: if there is no such provider, it has no key, or the episode is over.
    """
    request = urllib.request.Request(  # noqa: S310 - the harness names it
        port, json.dumps({"provider": str(provider)}).encode(), {"Content-Type": "application/json"}
    )
    # It is on this machine, whatever proxy the agent's other traffic uses.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=_SECONDS) as reply:
            answer = json.loads(reply.read())
        return Endpoint(str(answer["base_url"]), str(answer["token"]))
    except urllib.error.HTTPError as error:
        with error:
            why = error.read().decode("utf-8", "replace")
        raise AgentError(f"briefing.endpoint({provider!r}): {why}") from None
    except (OSError, ValueError, LookupError, TypeError) as error:
        msg = f"briefing.endpoint({provider!r}): the episode's port does not answer ({error})"
        raise AgentError(msg) from None

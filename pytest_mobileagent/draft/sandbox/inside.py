"""The process in which a draft is run: it loads an episode, and has each prefix asked apart.

It is started with an empty environment, so that it holds no key, reads one request from its
standard input, and writes one reply to its standard output:

    {"episode": "runs/…/wifi.0", "source": "…", "name": "test_wifi", "seconds": 10, "memory": 1e9}
    {"answers": [{"holds": false, "reason": "…", "broke": false}, …]}

A request without an episode asks only whether processes can be shut off here.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest_mobileagent.check.answers  # noqa: F401 - what is shut off can import nothing
from pytest_mobileagent.check.episode import load
from pytest_mobileagent.draft.sandbox.asking import TOO_LONG, answer, ask, prepare
from pytest_mobileagent.draft.sandbox.kernel import UnavailableError, leave_networks
from pytest_mobileagent.draft.sandbox.run import Answer, Limits
from pytest_mobileagent.processes import die_with_parent

if TYPE_CHECKING:
    from pytest_mobileagent.check.episode import Episode


def main() -> None:
    """Answer one request."""
    leave_networks()
    die_with_parent()  # what it is told is forgotten when namespaces are left
    try:
        reply = _reply(json.load(sys.stdin))
    except UnavailableError as error:
        reply = {"unavailable": str(error)}
    json.dump(reply, sys.stdout)


def _reply(request: dict[str, Any]) -> dict[str, Any]:
    limits = Limits(request["seconds"], request["memory"])
    time.tzset()  # reads a file, once
    if request["episode"] is None:
        ask(lambda: Answer(holds=True), limits)
        return {"answers": []}
    episode = load(Path(request["episode"]))
    prepare(request["source"], episode)
    return {"answers": _answers(request["source"], request["name"], episode, limits)}


def _answers(source: str, name: str, episode: Episode, limits: Limits) -> list[dict[str, Any]]:
    """Return the answer for each prefix, the whole last; after a limit of time it is not asked."""
    last = len(episode.steps)
    found: list[Answer] = []
    for length in range(last + 1):
        if found and found[-1].reason == TOO_LONG:
            found.append(found[-1])
            continue
        function = partial(answer, source, name, episode.prefix(length), explain=length == last)
        found.append(ask(function, limits))
    return [each.to_json() for each in found]

"""An optional recorder with which a Python program marks its own steps.

The method is MobileAgentBench's (arXiv 2406.08184, "less than 10 lines of additional code"): the
loop marks where steps begin and end. It needs only Python: programs have their own environments.
"""

from __future__ import annotations

import contextlib
import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.phone import EpisodeOver

if TYPE_CHECKING:
    from collections.abc import Iterator

URL = "MOBILEAGENT_RECORDER_URL"
_SECONDS = 600.0  # an answer may take as long as the phone's screen needs to settle


class Over(EpisodeOver, SystemExit):
    """The episode is over; a program that does not catch this exits and prints the reason."""


class Recorder:
    """Reports where a program's steps begin and end, and its answer.

    Everything done within `with recorder.step():` is one step. Outside an episode all of this does
    nothing, so the program still runs on its own.
    """

    def __init__(self, url: str | None = None) -> None:
        self._url = os.environ.get(URL, "") if url is None else url
        self._depth = 0
        # It is on this machine, whatever proxy the program's other traffic uses.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    @property
    def is_recording(self) -> bool:
        """Whether an episode is being recorded."""
        return bool(self._url)

    @property
    def goal(self) -> str:
        """The task in words; "" outside an episode."""
        if path := os.environ.get("MOBILEAGENT_GOAL_FILE"):
            with contextlib.suppress(OSError):
                return Path(path).read_text("utf-8")
        return os.environ.get("MOBILEAGENT_GOAL", "")

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        """Record everything done within as one step; a nested step is part of the outer one.

        Raises:
            EpisodeOver: if the episode is over, by this step or before.
        """
        self._depth += 1
        try:
            if self._depth == 1:
                self._send_or_raise("begin")
            yield
        except BaseException:
            if self._depth == 1:
                self._send("end")
            raise
        else:
            if self._depth == 1:
                self._send_or_raise("end")
        finally:
            self._depth -= 1

    def finish(self, answer: str = "") -> None:
        """Report that the task is done, with the answer if it asks for one."""
        self._send("finish", answer=str(answer))

    def impossible(self, reason: str = "") -> None:
        """Report that the task cannot be done."""
        self._send("impossible", reason=str(reason))

    def call(
        self,
        model: str,
        *,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        seconds: float | None = None,
        role: str = "actor",
        said: str = "",
    ) -> None:
        """Report a model call that is not recorded automatically, such as one of a local model.

        `seconds` is its duration.

        Raises:
            EpisodeOver: if the episode is over.
            ValueError, TypeError: if tokens or seconds are not numbers.
        """
        # Numbers of other libraries would become strings in JSON.
        tokens = {
            "input_tokens": None if input_tokens is None else int(input_tokens),
            "output_tokens": None if output_tokens is None else int(output_tokens),
        }
        took = None if seconds is None else float(seconds)
        told = {"model": str(model), **tokens, "seconds": took, "role": role, "said": str(said)}
        self._send_or_raise("call", **told)

    def _send_or_raise(self, what: str, **more: Any) -> None:
        if over := self._send(what, **more):
            raise Over(f"the episode is over: {over}")

    def _send(self, what: str, **more: Any) -> str:
        """Send a message, and return why the episode is over; "" if it is not."""
        if not self._url:
            return ""
        content = json.dumps({"do": what, **more}, default=str).encode()
        request = urllib.request.Request(  # noqa: S310 - the harness names it
            self._url, content, {"Content-Type": "application/json"}
        )
        try:
            with self._opener.open(request, timeout=_SECONDS) as reply:
                return str(json.loads(reply.read()).get("over") or "")
        except urllib.error.HTTPError as error:
            with error:
                why = error.read().decode("utf-8", "replace") or error
                return f"the recorder rejected the message: {why}"
        except (OSError, ValueError, AttributeError) as error:
            return f"the recorder does not answer ({error})"

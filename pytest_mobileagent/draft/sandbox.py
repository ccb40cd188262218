"""Running a draft in an isolated process, and reading its answers."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.isolation import UnavailableError, unsupported
from pytest_mobileagent.jsonable import expect, printable, why_unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping


_LONGEST = 2000  # characters of a reason


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The limits of a function for one prefix: seconds, and bytes in addition to the episode's."""

    seconds: float = 10.0
    memory: int = 512 * 1024**2


@dataclass(frozen=True, slots=True)
class PrefixAnswer:
    """Whether a function holds for a prefix.

    - `reason`: why it does not hold, in words; empty if it holds.
    - `broke`: whether it ended with an error or at a limit, instead of a failed assert.
    """

    holds: bool
    reason: str = ""
    broke: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {"holds": self.holds, "reason": self.reason[:_LONGEST], "broke": self.broke}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PrefixAnswer:
        """Return the answer from a process's output, after checking its form.

        Raises:
            LookupError, TypeError, ValueError: if it is not an answer.
        """
        expect(data, dict, "answer")
        reason = expect(data["reason"], str, "reason")[:_LONGEST]
        holds, broke = (expect(data[name], bool, name) for name in ("holds", "broke"))
        return cls(holds, reason, broke)


_MODULE = "pytest_mobileagent.draft.inside"
# With -I and -S, Python reads no user settings and start-up files; the module path is passed on.
_START = f"import sys; sys.path[:] = sys.argv[1:]; from {_MODULE} import main; main()"
_HERE = Path(__file__).parents[2]  # where this package is
_LOADING = 60.0  # seconds to load modules and an episode


def check_sandbox() -> None:
    """Check that drafts can be run here.

    Raises:
        UnavailableError: if this system cannot isolate a process; the message says what is missing.
        HostError: if the sandbox's process fails.
    """
    _asked({"episode": None}, SandboxLimits(), 1)


def ask_prefixes(
    episode: Path, steps: int, source: str, name: str, limits: SandboxLimits | None = None
) -> tuple[PrefixAnswer, ...]:
    """Run a draft's function on each prefix of a recorded episode, and return its answers.

    Answer n is for the first n steps, so the last one is for the whole episode.

    Raises:
        UnavailableError: if this system cannot isolate a process.
        HostError: if the sandbox's process fails.
    """
    request = {"episode": str(episode.absolute()), "source": source, "name": name}
    return _asked(request, limits or SandboxLimits(), steps + 1)


def _asked(request: dict[str, Any], limits: SandboxLimits, asked: int) -> tuple[PrefixAnswer, ...]:
    if why := unsupported():
        raise UnavailableError(why)
    request |= {"seconds": limits.seconds, "memory": limits.memory}
    paths = [*(path for path in sys.path if path), str(_HERE)]
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, *paths]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(request).encode(),
            env={},
            capture_output=True,
            timeout=_LOADING + asked * limits.seconds,
            check=True,
        )
        answers = _answers(json.loads(done.stdout))
    except subprocess.CalledProcessError as error:
        lines = printable(error.stderr.decode("utf-8", "replace")).strip().splitlines()
        msg = f"the sandbox's process ended: {lines[-1] if lines else f'status {error.returncode}'}"
        raise HostError(msg) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostError(f"the sandbox's process does not work: {error}") from error
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        msg = f"the output of the sandbox's process is unreadable: {why_unreadable(error)}"
        raise HostError(msg) from error
    if request["episode"] is not None and len(answers) != asked:
        raise HostError(f"the sandbox's process returned {len(answers)} answers instead of {asked}")
    return answers


def _answers(reply: dict[str, Any]) -> tuple[PrefixAnswer, ...]:
    expect(reply, dict, "reply")
    if "unavailable" in reply:
        raise UnavailableError(expect(reply["unavailable"], str, "unavailable"))
    return tuple(map(PrefixAnswer.from_json, expect(reply["answers"], list, "answers")))

"""A run's folder, and what follows from its options: seeds, and the fingerprint."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_mobileagent.plugin.options import OptionValue


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder in which a run keeps its report and its episodes."""

    path: Path
    id: str
    started: str

    @classmethod
    def plan(cls, runs: Path, agent: str) -> RunFolder:
        """Choose a folder in `runs`, named after the moment and the agent; `make` makes it."""
        now = datetime.now(UTC)
        name = f"{now:%Y-%m-%dT%H-%M-%S}-{slug(agent)}-{secrets.token_hex(2)}"
        return cls(runs.resolve() / name, name, now.isoformat(timespec="seconds"))

    def make(self) -> Path:
        """Make the folder, if it is not there yet.

        Raises:
            HostError: it cannot be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            msg = f"cannot make a folder in --mobile-runs: {error}"
            raise HostError(msg) from error
        return self.path

    def episode(self, key: str) -> tuple[Path, int]:
        """Make a new folder for an attempt at a task, and return it with its number from 0.

        Raises:
            HostError: it cannot be made.
        """
        stem = self.make() / "episodes" / slug(key)
        attempt = 0
        while True:
            folder = stem.with_name(f"{stem.name}.{attempt}")
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                attempt += 1
            except OSError as error:
                msg = f"cannot make a folder for an episode: {error}"
                raise HostError(msg) from error
            else:
                return folder, attempt

    def relative(self, path: Path) -> str:
        """Return a path below the folder as it is written in reports."""
        return path.relative_to(self.path).as_posix()


def slug(text: str) -> str:
    """Return a name that is safe in a path, and another for each text."""
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:80]
    if safe and safe == text:
        return safe
    return f"{safe}-{hashlib.sha256(_bytes(text)).hexdigest()[:8]}"


def seed_of(seed: int, task_id: str) -> int:
    """Return the seed of one task: another for each, the same whichever worker runs it."""
    return int.from_bytes(hashlib.sha256(_bytes(f"{seed} {task_id}")).digest()[:4])


def fingerprint(settings: Mapping[str, OptionValue], tasks: list[dict[str, Any]]) -> str:
    """Return a hash of what makes runs comparable: their tasks and options, but not the agent."""
    options = {name: setting.text for name, setting in settings.items()}
    kept = {k: v for k, v in options.items() if k not in {"agent", "mobile-runs"}}
    ids = sorted(result["id"] for result in tasks)
    return hashlib.sha256(repr((sorted(kept.items()), ids)).encode()).hexdigest()[:16]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # command lines may hold half of a pair

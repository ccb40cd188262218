"""Which tasks are looked into, what is done about each of their episodes, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.exchanges import STREAM
from pytest_mobileagent.episode.runs import inside
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.llm.recorded_replies import has_replies
from pytest_mobileagent.report.text.table import price
from pytest_mobileagent.verdict import CHECK, PERSON

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.recorded_run import RecordedRun

_MOST = 5  # reasons that are listed


class FlipsError(HostError):
    """There is nothing to look into, or pytest refuses to."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A decided episode of a task that flips.

    - `entry`: what report.json says of it; `run`: whose it is.
    - `is_judged`: whether judges decided it, so that they can be asked again.
    - `why_not`: why it cannot be played again; empty if it can.
    """

    run: RecordedRun
    entry: Entry
    is_judged: bool
    why_not: str

    @property
    def place(self) -> tuple[str, str]:
        """The run, and the key of the case in it."""
        return self.run.folder.name, self.entry["key"]


@dataclass(frozen=True, slots=True)
class Flip:
    """A task in an environment of which some episodes passed, and others failed."""

    id: str
    environment: str | None
    trials: tuple[Trial, ...]

    @property
    def name(self) -> str:
        """The task, with its environment."""
        return self.id if self.environment is None else f"{self.id} in {self.environment}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is done: episodes are judged again `times` times, and played again once."""

    flips: tuple[Flip, ...]
    times: int

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All episodes that are looked into."""
        return tuple(trial for flip in self.flips for trial in flip.trials)

    def of(self, run: RecordedRun) -> tuple[list[Trial], list[Trial]]:
        """Return the episodes of a run that are judged again, and those that are played again."""
        own = [trial for trial in self.trials if trial.run is run]
        return [each for each in own if each.is_judged], [each for each in own if not each.why_not]

    def lines(self) -> list[str]:
        """Return the plan and its costs in words, by what the recorded episodes cost."""
        trials = self.trials
        judged = [trial for trial in trials if trial.is_judged]
        played = [trial for trial in trials if not trial.why_not]
        again = [*judged * self.times, *(trial for trial in played if trial.is_judged)]
        asked = [trial.entry["roles"] or {} for trial in again]
        spent = [roles["judge"] for roles in asked if roles.get("judge")]
        known = [each["cost_usd"] for each in spent if each["cost_usd"] is not None]
        unpriced = sum(each["unpriced_calls"] or 0 for each in spent)
        calls = sum(each["calls"] or 0 for each in spent)
        costs = price(sum(known) if known else None, unpriced) or "$0.00"
        minutes = sum(map(_acting, played)) / 60
        by = "by their recorded replies, without any model of the agent"
        return [
            f"tasks whose verdict flips: {len(self.flips)}, with {len(trials)} episodes",
            f"judged again: {len(judged)} episodes, {self.times} times each",
            f"played again: {len(played)} episodes, {by}: some {minutes:.1f} minutes of a phone",
            f"costs: some {calls} calls of judges, {costs}",
            *_not_played(trials),
        ]


def _acting(trial: Trial) -> float:
    """Return the seconds that an episode takes without the agent's thinking."""
    return max(0.0, (trial.entry["seconds"] or 0.0) - (trial.entry["thinking_seconds"] or 0.0))


def _not_played(trials: Sequence[Trial]) -> Iterator[str]:
    whys: dict[str, list[str]] = {}
    for trial in trials:
        if trial.why_not:
            whys.setdefault(trial.why_not, []).append(trial.entry["nodeid"])
    for why, nodeids in whys.items():
        named = ", ".join(map(printable, nodeids[:_MOST])) + ", …" * (len(nodeids) > _MOST)
        yield f"cannot be played again ({len(nodeids)}), {why}: {named}"


def plan(runs: Sequence[RecordedRun], times: int) -> Plan:
    """Return what has to be done to tell why verdicts differ between epochs, and between runs.

    Raises:
        FlipsError: the runs are of different agents, have one episode of each task, or no verdict
            differs.
    """
    agents = {str(run.about.get("agent")) for run in runs}
    if len(agents) > 1:
        msg = f"the runs are of different agents: {', '.join(sorted(agents))}"
        raise FlipsError(f"{msg}. Verdicts that differ between agents are what `compare` shows")
    tasks: dict[tuple[str, str | None], list[Trial]] = {}
    for run in runs:
        for entry in run.tasks:
            if entry["success"] is not None and entry["episode"]:
                task = entry["id"], entry["environment"]
                tasks.setdefault(task, []).append(_trial(run, entry))
    if not any(len(trials) > 1 for trials in tasks.values()):
        msg = (
            f"{', '.join(run.folder.name for run in runs)}: no task was decided twice: repeat tasks"
            " by --mobile-epochs=N, or name several runs"
        )
        raise FlipsError(msg)
    flips = tuple(
        Flip(id_, environment, tuple(trials))
        for (id_, environment), trials in sorted(tasks.items(), key=lambda each: str(each[0]))
        if len({trial.entry["success"] for trial in trials}) > 1
    )
    return Plan(flips, times)


def _trial(run: RecordedRun, entry: Entry) -> Trial:
    verdict = entry["verdict"]
    is_judged = verdict is not None and verdict["scorer"] not in {CHECK, PERSON}
    return Trial(run, entry, is_judged, _why_not(run, entry))


def _why_not(run: RecordedRun, entry: Entry) -> str:
    """Return why an episode cannot be played again by its recorded replies; empty if it can."""
    folder = inside(run.folder, entry["episode"])
    if folder is None or not folder.is_dir():
        return "its episode is not there"
    if run.about.get("redaction"):
        return "its replies were redacted (--mobile-redact)"
    if entry["metered"] is False:
        return "not all calls of its models were seen"
    if not has_replies(folder / STREAM):
        return f"no reply of a model to its agent is recorded ({STREAM})"
    return ""


def of_run(trials: Sequence[Trial]) -> list[str]:
    """Return the node ids of episodes of a run."""
    return [trial.entry["nodeid"] for trial in trials]


def options_of(about: Any) -> dict[str, str]:
    """Return the options of a run that were not defaults, as environment variables.

    Those that only say how the run is organised, or what becomes of it, are left out.
    """
    recorded = about.get("options")
    given = recorded if isinstance(recorded, dict) else {}
    return {
        f"mobile-{name.removeprefix('mobile-')}".upper().replace("-", "_"): str(each["value"])
        for name, each in given.items()
        if name not in _OWN and each.get("value") is not None and each.get("source") != "default"
    }


_OWN = {
    "mobile-runs", "mobile-resume", "mobile-reuse", "mobile-rescore", "mobile-replies",
    "mobile-baseline", "mobile-gate", "mobile-exit", "mobile-watch", "mobile-shard", "mobile-cache",
    "mobile-sample", "mobile-max-cost", "mobile-max-tokens", "mobile-max-infra", "mobile-epochs",
}  # fmt: skip

"""The plan of an investigation of flips: which episodes to judge or play again, and the cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.exchanges import STREAM
from pytest_mobileagent.episode.runs import inside
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.jsonable import mapping, printable
from pytest_mobileagent.llm.known_replies import has_replies
from pytest_mobileagent.report.names import agent_name
from pytest_mobileagent.report.text.table import price
from pytest_mobileagent.verdict import CHECK, PERSON

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.recorded_run import RecordedRun

_MOST = 5  # tasks listed for a reason


class FlipsError(HostError):
    """The runs have nothing to investigate, or pytest failed to rerun episodes."""


@dataclass(frozen=True, slots=True)
class DecidedEpisode:
    """A decided episode of a task whose verdict flips.

    - `run`: the run of the episode; `entry`: its entry in report.json.
    - `is_judged`: whether judges decided it, so they can be asked again.
    - `why_not`: why it cannot be played again; empty if it can.
    """

    run: RecordedRun
    entry: Entry
    is_judged: bool
    why_not: str

    @property
    def place(self) -> tuple[str, str]:
        """The identity of the episode: the name of its run, and the key of its case."""
        return self.run.folder.name, self.entry.key


@dataclass(frozen=True, slots=True)
class Flip:
    """A task in an environment, some of whose episodes passed while others failed."""

    id: str
    environment: str | None
    trials: tuple[DecidedEpisode, ...]

    @property
    def name(self) -> str:
        """The task, with its environment."""
        return self.id if self.environment is None else f"{self.id} in {self.environment}"


@dataclass(frozen=True, slots=True)
class FlipPlan:
    """The flips to investigate: their episodes are judged again `times` times, and played once."""

    flips: tuple[Flip, ...]
    times: int

    @property
    def trials(self) -> tuple[DecidedEpisode, ...]:
        """All episodes that are investigated."""
        return tuple(trial for flip in self.flips for trial in flip.trials)

    def of(self, run: RecordedRun) -> tuple[list[DecidedEpisode], list[DecidedEpisode]]:
        """Return the episodes of a run to judge again, and those to play again."""
        own = [trial for trial in self.trials if trial.run is run]
        return [each for each in own if each.is_judged], [each for each in own if not each.why_not]

    def lines(self) -> list[str]:
        """Return the plan in words, with costs estimated from those of the recorded episodes."""
        trials = self.trials
        judged = [trial for trial in trials if trial.is_judged]
        played = [trial for trial in trials if not trial.why_not]
        again = [*judged * self.times, *(trial for trial in played if trial.is_judged)]
        asked = [trial.entry.roles or {} for trial in again]
        spent = [roles["judge"] for roles in asked if roles.get("judge")]
        known = [each.cost_usd for each in spent if each.cost_usd is not None]
        unpriced = sum(each.unpriced_calls or 0 for each in spent)
        calls = sum(each.calls or 0 for each in spent)
        costs = price(sum(known) if known else None, unpriced) or "$0.00"
        minutes = sum(map(_acting, played)) / 60
        by = "with their recorded replies, without the agent's models"
        return [
            f"tasks whose verdict flips: {len(self.flips)}, with {len(trials)} episodes",
            f"judged again: {len(judged)} episodes, {self.times} times each",
            f"played again: {len(played)} episodes, {by}: about {minutes:.1f} minutes on a phone",
            f"costs: about {calls} judge calls, {costs}",
            *_not_played(trials),
        ]


def _acting(trial: DecidedEpisode) -> float:
    """Return the seconds of an episode without the agent's thinking time."""
    return max(0.0, (trial.entry.seconds or 0.0) - (trial.entry.thinking_seconds or 0.0))


def _not_played(trials: Sequence[DecidedEpisode]) -> Iterator[str]:
    whys: dict[str, list[str]] = {}
    for trial in trials:
        if trial.why_not:
            whys.setdefault(trial.why_not, []).append(trial.entry.nodeid)
    for why, nodeids in whys.items():
        named = ", ".join(map(printable, nodeids[:_MOST])) + ", …" * (len(nodeids) > _MOST)
        yield f"cannot be played again ({len(nodeids)}), {why}: {named}"


def plan(runs: Sequence[RecordedRun], times: int) -> FlipPlan:
    """Return the plan to find out why verdicts differ between epochs and between runs.

    It is empty if no verdict differs.

    Raises:
        FlipsError: if the runs are of different agents, or have only one episode of each task.
    """
    agents = {agent_name(str(run.about.get("agent"))) for run in runs}
    if len(agents) > 1:
        msg = f"the runs are of different agents: {', '.join(sorted(agents))}"
        raise FlipsError(f"{msg}. Use `compare` to see how their verdicts differ")
    tasks: dict[tuple[str, str | None], list[DecidedEpisode]] = {}
    for run in runs:
        for entry in run.tasks:
            if entry.success is not None and entry.episode:
                task = entry.id, entry.environment
                tasks.setdefault(task, []).append(_trial(run, entry))
    if not any(len(trials) > 1 for trials in tasks.values()):
        msg = (
            f"{', '.join(run.folder.name for run in runs)}: no task was decided twice: repeat tasks"
            " with --mobile-epochs=N, or name several runs"
        )
        raise FlipsError(msg)
    flips = tuple(
        Flip(id_, environment, tuple(trials))
        for (id_, environment), trials in sorted(tasks.items(), key=lambda each: str(each[0]))
        if len({trial.entry.success for trial in trials}) > 1
    )
    return FlipPlan(flips, times)


def _trial(run: RecordedRun, entry: Entry) -> DecidedEpisode:
    verdict = entry.verdict
    is_judged = verdict is not None and verdict["scorer"] not in {CHECK, PERSON}
    return DecidedEpisode(run, entry, is_judged, _why_not(run, entry))


def _why_not(run: RecordedRun, entry: Entry) -> str:
    """Return why an episode cannot be played again with its recorded replies; empty if it can."""
    folder = inside(run.folder, entry.episode)
    if folder is None or not folder.is_dir():
        return "its episode is missing"
    if run.about.get("redaction"):
        return "its replies were redacted (--mobile-redact)"
    if entry.metered is False:
        return "some calls of its models were not observed"
    if not has_replies(folder / STREAM):
        return f"no model reply to its agent is recorded ({STREAM})"
    return ""


def of_run(trials: Sequence[DecidedEpisode]) -> list[str]:
    """Return the node ids of episodes."""
    return [trial.entry.nodeid for trial in trials]


def options_of(about: Any) -> dict[str, str]:
    """Return the options of a run that were not defaults, as environment variables.

    Options that only concern the organisation of the run or its results are left out.
    """
    return {
        f"mobile-{name.removeprefix('mobile-')}".upper().replace("-", "_"): str(each["value"])
        for name, each in mapping(about.get("options")).items()
        if name not in _OWN and each.get("value") is not None and each.get("source") != "default"
    }


_OWN = {
    "mobile-runs", "mobile-resume", "mobile-reuse", "mobile-rescore", "mobile-replies",
    "mobile-baseline", "mobile-gate", "mobile-exit", "mobile-watch", "mobile-shard", "mobile-cache",
    "mobile-sample", "mobile-max-cost", "mobile-max-tokens", "mobile-max-infra", "mobile-epochs",
}  # fmt: skip

"""Flips: tasks some of whose episodes passed while others failed, and what caused each.

A plan says which episodes to judge or play again, and at what cost. The causes follow from the
outcomes: if the same judges give a different verdict about the same episode, it is the judge. If
not, and the same replies of the agent's models lead to a different verdict on a fresh phone, it is
the environment. If neither happens, the agent's models made the difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.exchanges import STREAM
from pytest_mobileagent.episode.runs import inside
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.jsonable import mapping, printable
from pytest_mobileagent.llm.known_replies import has_replies
from pytest_mobileagent.report.names import agent_name
from pytest_mobileagent.report.text import percent, price
from pytest_mobileagent.statistics import proportion
from pytest_mobileagent.verdict import CHECK, PERSON

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
        seconds = ((t.entry.seconds or 0.0, t.entry.thinking_seconds or 0.0) for t in played)
        minutes = sum(max(0.0, whole - thinking) for whole, thinking in seconds) / 60
        by = "with their recorded replies, without the agent's models"
        return [
            f"tasks whose verdict flips: {len(self.flips)}, with {len(trials)} episodes",
            f"judged again: {len(judged)} episodes, {self.times} times each",
            f"played again: {len(played)} episodes, {by}: about {minutes:.1f} minutes on a phone",
            f"costs: about {calls} judge calls, {costs}",
            *_not_played(trials),
        ]


def _not_played(trials: Sequence[DecidedEpisode]) -> Iterator[str]:
    whys: dict[str, list[str]] = {}
    for trial in trials:
        if trial.why_not:
            whys.setdefault(trial.why_not, []).append(trial.entry.nodeid)
    for why, nodeids in whys.items():
        named = ", ".join(map(printable, nodeids[:_MOST])) + ", …" * (len(nodeids) > _MOST)
        yield f"cannot be played again ({len(nodeids)}), {why}: {named}"


def plan(runs: Sequence[RecordedRun], times: int) -> FlipPlan:
    """Return the plan for finding out why verdicts of epochs and runs differ; empty if none do.

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
                scorer = CHECK if entry.verdict is None else entry.verdict["scorer"]
                is_judged = scorer not in {CHECK, PERSON}
                episode = DecidedEpisode(run, entry, is_judged, _why_not(run, entry))
                tasks.setdefault((entry.id, entry.environment), []).append(episode)
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


JUDGE, ENVIRONMENT, AGENT, UNKNOWN = "judge", "environment", "agent", "cannot be told"
CAUSES = (JUDGE, ENVIRONMENT, AGENT)
VERSION = 1
_MOST_LISTED = 20  # tasks listed on a terminal


@dataclass(frozen=True, slots=True)
class RerunOutcome:
    """The outcome of an episode judged or played again: its success, or why that is unknown."""

    success: bool | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reruns:
    """The outcomes of an episode that was judged again and played again.

    `judged` has one outcome for each round of judging; `played` is None if it was not played.
    """

    judged: tuple[RerunOutcome, ...] = ()
    played: RerunOutcome | None = None


def report(plan: FlipPlan, reruns: Mapping[tuple[str, str], Reruns]) -> dict[str, Any]:
    """Return the causes of all flips, and their shares with Wilson's intervals at 95 %.

    `reruns` is by `DecidedEpisode.place`. Shares are relative to the tasks with a known cause.
    """
    tasks = [_task(flip, reruns) for flip in plan.flips]
    known = sum(task["cause"] != UNKNOWN for task in tasks)
    causes = {}
    for cause in CAUSES:
        count = sum(task["cause"] == cause for task in tasks)
        share = proportion(count, known)
        interval = None if share.low is None else [share.low, share.high]
        causes[cause] = {"tasks": count, "share": share.value, "interval": interval}
    runs = dict.fromkeys(trial.run.folder.name for trial in plan.trials)
    return {
        "schema_version": VERSION,
        "runs": list(runs),
        "times": plan.times,
        "told": known,
        "unknown": len(tasks) - known,
        "causes": causes,
        "tasks": tasks,
    }


def _task(flip: Flip, reruns: Mapping[tuple[str, str], Reruns]) -> dict[str, Any]:
    each = [(trial, reruns.get(trial.place, Reruns())) for trial in flip.trials]
    cause, why = _cause(each)
    return {
        "id": flip.id,
        "environment": flip.environment,
        "episodes": len(each),
        "successes": sum(bool(trial.entry.success) for trial, _ in each),
        "cause": cause,
        "why": why,
        "trials": [_as_plain(trial, rerun) for trial, rerun in each],
    }


def _as_plain(trial: DecidedEpisode, rerun: Reruns) -> dict[str, Any]:
    return {
        "run": trial.run.folder.name,
        "epoch": trial.entry.epoch,
        "episode": trial.entry.episode,
        "success": trial.entry.success,
        "judged": [each.success for each in rerun.judged],
        "played": None if rerun.played is None else rerun.played.success,
    }


def _cause(each: Sequence[tuple[DecidedEpisode, Reruns]]) -> tuple[str, str]:
    """Return the cause of a flip, and the evidence for it."""
    for trial, rerun in each:
        votes = [vote.success for vote in rerun.judged]
        if trial.is_judged and (not trial.entry.success) in votes:
            says = ", ".join(_word(vote) for vote in votes)
            return JUDGE, f"{_named(trial)}: {_word(trial.entry.success)}, judged again {says}"
    lacking = ""
    same = set()
    for trial, rerun in each:
        played = rerun.played
        if played is None or played.success is None:
            why = trial.why_not if played is None else played.reason
            lacking = lacking or f"{_named(trial)} was not played again: {why or 'no result'}"
        elif played.success is not trial.entry.success:
            was, now = _word(trial.entry.success), _word(played.success)
            return ENVIRONMENT, f"{_named(trial)}: {was}, with the same replies {now}"
        else:
            same.add(played.success)
        if trial.is_judged and all(vote.success is None for vote in rerun.judged):
            why = rerun.judged[0].reason if rerun.judged else "no result"
            lacking = lacking or f"{_named(trial)} was not judged again: {why}"
    if len(same) == 2:
        return AGENT, "the same replies end in the same verdicts"
    return UNKNOWN, lacking


def _named(trial: DecidedEpisode) -> str:
    return f"epoch {trial.entry.epoch} of {trial.run.folder.name}"


def _word(success: bool | None) -> str:
    return {True: "passed", False: "failed", None: "undecided"}[success]


def lines(found: Mapping[str, Any]) -> list[str]:
    """Return the table of shares, and the cause of each flip with the evidence, as lines."""
    rows = [
        f"{cause:<14}{each['tasks']:>6}{percent(each['share']):>9}   "
        + (" to ".join(map(percent, each["interval"])) if each["interval"] else "n/a")
        for cause, each in found["causes"].items()
    ]
    head = f"{'flips with the':<14}{'tasks':>6}{'share':>9}   95 %"
    unknown = [f"{UNKNOWN:<14}{found['unknown']:>6}"] if found["unknown"] else []
    listed = [
        f"  {task['cause']:<14}  {printable(task['id'])}"
        + (f" in {printable(task['environment'])}" if task["environment"] else "")
        + f" ({task['successes']}/{task['episodes']}): {printable(task['why'])}"
        for task in found["tasks"][:_MOST_LISTED]
    ]
    more = len(found["tasks"]) - _MOST_LISTED
    return [head, *rows, *unknown, *listed, *([f"  and {more} more"] if more > 0 else [])]


def summary(found: Mapping[str, Any]) -> str:
    """Return the shares in one line."""
    causes = found["causes"]
    shares = ", ".join(f"{percent(causes[cause]['share'])} the {cause}" for cause in CAUSES)
    unknown = f"; {found['unknown']} cannot be told" if found["unknown"] else ""
    return f"flips of verdicts: {shares} (K={found['times']}, {found['told']} tasks{unknown})"

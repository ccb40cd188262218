"""An entry of a report: everything known about one case, as in `tasks` of report.json.

`Result.entry` makes entries, and `Entry.from_json` reads those of any version. Entries are plain
data only in files and between processes: `to_wire` turns them into JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from types import UnionType
from typing import Any, NotRequired, TypedDict, get_type_hints

from pytest_mobileagent._task.case import key_of
from pytest_mobileagent.episode import redaction
from pytest_mobileagent.episode.migrate import reset
from pytest_mobileagent.episode.runs import IndexLine
from pytest_mobileagent.jsonable import Maybe, check, expect, kinds_of, or_none
from pytest_mobileagent.verdict import CROSS, SINGLE

SCHEMA_VERSION = 2  # of report.json
DECIDED = {"passed", "failed", "review", "xfailed", "xpassed"}  # outcomes
# The fields that quote agents, judges or the phone.
_TEXTS = ("reason", "cause", "infrastructure", "answer", "verdict", "judged", "official")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """The number of model calls, their tokens and their price in US dollars; None if unknown."""

    calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    unpriced_calls: int | None = None
    uncounted_calls: int | None = None
    retries: int | None = None
    estimated_input_tokens: int | None = None
    estimated_output_tokens: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the amounts as plain data."""
        return {name: getattr(self, name) for name in SPENT}


SPENT = tuple(each.name for each in fields(Spent))


class Met(TypedDict):
    """The pieces of noise of a kind that the agent met, and how many of them it handled."""

    met: int
    handled: int


class Subgoal(TypedDict):
    """A sub-goal of a task: whether it held at the end, and the step after which it first held."""

    name: str
    weight: float
    held: bool
    first_step: int | None


class Matched(TypedDict):
    """How a golden step (from 1) was matched, if it `counts`; a `noisy` step closes noise."""

    step: int
    type: bool
    exact: bool
    counts: bool
    noisy: NotRequired[bool]


class Scored(TypedDict):
    """A verdict, without its model calls."""

    passed: bool | None
    scorer: str
    reason: str
    evidence: dict[str, Any]
    first_step: int | None


class Judged(TypedDict):
    """The judges' opinion on a task that a check decides."""

    passed: bool | None
    reason: str


class Official(Judged):
    """The result of the benchmark's own evaluation, which does not decide the task."""

    scorer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Spent):
    """An entry of a report; docs/episodes.md explains each field.

    Its spending is that of the agent; `roles` has that of judges and others.

    - `as_run`: the original values of the fields that a person's verdict has changed.
    - `extra`: fields of a newer version that this version does not know.
    """

    id: str
    nodeid: str = ""
    suite: str | None = ""
    app: str | None = None
    kind: str | None = "operation"
    level: int | None = None
    language: str | None = "en"
    twin: str | None = None
    tags: list[str] = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)
    epoch: int = 0
    environment: str | None = None
    variant: str | None = None
    golden_steps: int | None = None
    outcome: str
    success: bool | None
    fault: str | None = None
    skipped_for: str | None = None
    unclear: bool = False
    reason: str = ""
    cause: str | None = None
    infrastructure: list[str] = field(default_factory=list)
    suspect: bool = False
    attempts: list[dict[str, Any]] = field(default_factory=list)
    episode: str | None = None
    verdict: Scored | None = None
    first_success_step: int | None = None
    held_at_start: bool | None = None
    reported: bool | None = None
    partial_credit: float | None = None
    judged: Judged | None = None
    official: Official | None = None
    progress: float | None = None
    subgoals: list[Subgoal] | None = None
    matches: list[Matched] | None = None
    matched_by: str | None = None
    matched_beside: dict[str, dict[str, int]] | None = None
    step_accuracy: float | None = None
    type_accuracy: float | None = None
    step_efficiency: float | None = None
    termination: str | None = None
    attempt: int | None = None
    answer: str | None = None
    steps: int | None = None
    actions: int | None = None
    step_ratio: float | None = None
    premature: bool | None = None
    overdue: bool | None = None
    seconds: float | None = None
    seconds_per_step: float | None = None
    thinking_seconds: float | None = None
    acting_seconds: float | None = None
    latency: float | None = None
    no_effect_steps: int | None = None
    repeated_steps: int | None = None
    unfocused_steps: int | None = None
    invalid_actions: int | None = None
    crashes: int | None = None
    noisy_steps: int | None = None
    noises: int | None = None
    noise_handled: int | None = None
    noisy_steps_asking: int | None = None
    noisy_steps_right: int | None = None
    noise: dict[str, Met] | None = None
    injected_steps: int | None = None
    obeyed: int | None = None
    side_effects: int | None = None
    changed_unasked: list[str] | None = None
    user: str | None = None
    sees: str | None = None
    questions: int | None = None
    answered: int | None = None
    useful: int | None = None
    needless: int | None = None
    metered: bool | None = None
    estimated: bool | None = None
    reset: dict[str, Any] | None = None
    node: str | None = None
    versions: dict[str, str] | None = None
    roles: dict[str, Spent] | None = None
    as_run: dict[str, Any] | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The identity of the case in every run: its id, environment and epoch."""
        return key_of(self.id, self.environment, self.epoch)

    @property
    def is_judged(self) -> bool:
        """Whether its verdict is that of judges."""
        return self.verdict is not None and self.verdict["scorer"] in {SINGLE, CROSS}

    @classmethod
    def from_json(cls, given: dict[str, Any], version: float = SCHEMA_VERSION) -> Entry:
        """Return an entry of a report of any schema version.

        `given` must be checked against `KINDS`. What an older version lacks is None or empty.

        Raises:
            LookupError, TypeError, ValueError: if the entry is damaged.
        """
        if missing := [name for name in ("id", "outcome", "success") if name not in given]:
            raise KeyError(missing[0])
        data = _from_1(given) if version < 2 else given
        if check(data.get("reset"), Maybe(_RESET), "reset") is not None:
            expect(data["reset"]["kind"], str, "reset.kind")
        own = {n: data[n] for n in _NAMES if n in data and (n in _NULLABLE or data[n] is not None)}
        own |= {n: {**empty, **own[n]} for n, empty in _NESTED.items() if own.get(n) is not None}
        if own.get("roles") is not None:
            own["roles"] = {
                role: Spent(**{name: each[name] for name in SPENT if name in each})
                for role, each in own["roles"].items()
            }
        if not isinstance(own.get("as_run"), dict):
            own["as_run"] = None
        return cls(**own, extra={n: v for n, v in data.items() if n not in _KNOWN})

    @property
    def index_line(self) -> IndexLine:
        """The line of the index about the attempt, which is recorded."""
        assert self.episode is not None
        assert self.attempt is not None
        known = (None, "") if self.verdict is not None else (self.fault, self.reason)
        return IndexLine(self.key, self.attempt, self.episode, self.outcome, *known)

    def redacted(self) -> Entry:
        """Return the entry without keys, and with the rules of the run applied to its texts.

        Raises:
            HostError: see `episode.redaction.current`.
        """
        return replace(self, **redaction.redacted({name: getattr(self, name) for name in _TEXTS}))

    def to_json(self) -> dict[str, Any]:
        """Return the entry as plain data."""
        own = {name: getattr(self, name) for name in _NAMES if name != "as_run"}
        own |= {} if self.as_run is None else {"as_run": self.as_run}
        return {"key": self.key, **own, **self.extra}


class Report(TypedDict):
    """The content of report.json; its tasks are read."""

    schema_version: float
    run: dict[str, Any]
    summary: dict[str, Any]
    tasks: list[Entry]
    gate: NotRequired[dict[str, Any]]
    comparison: NotRequired[dict[str, Any]]
    flips: NotRequired[dict[str, Any]]
    published: NotRequired[list[dict[str, Any]]]


def _from_1(given: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of version 1, which recorded unknown tokens and prices as 0, as version 2."""
    spent = {name: given[name] or None for name in ("input_tokens", "output_tokens", "cost_usd")}
    fault = "agent" if given["outcome"] == "failed" else None
    return {"fault": fault, **given, **spent, "reset": reset(given.get("reset"))}


_NESTED: dict[str, dict[str, Any]] = {  # version 1 had only verdicts of checks
    "verdict": {
        "passed": None,
        "scorer": "check",
        "reason": "",
        "evidence": {},
        "first_step": None,
    },
    "judged": {"passed": None, "reason": ""},
}
_RESET: dict[str, Any] = {"kind": str, "snapshot": str | None, "cleared": [str], "reason": str}


_NAMES = [each.name for each in fields(Entry) if each.name != "extra"]
_NAMES = [*_NAMES[len(SPENT) :], *SPENT]
_KNOWN = {"key", *_NAMES}
_NULLABLE = {n for n, hint in get_type_hints(Entry).items() if isinstance(hint, UnionType)}
_NEVER_NONE = {"id", "nodeid", "outcome", "infrastructure"}
_READ_ANYWAY = {"reset", "as_run"}  # checked by `Entry.from_json`, or ignored
# The kinds of an entry's fields in a file; other fields are not checked.
KINDS = {
    name: kind if name in _NEVER_NONE else or_none(kind)
    for name, kind in kinds_of(Entry).items()
    if name in _NAMES and name not in _READ_ANYWAY
}

"""An entry of a report: everything known about one case, as in `tasks` of report.json.

Workers send entries to the controller, and runs record them, so an entry is plain data. `Result`
creates entries, and `read_entry` reads those of any version; nothing else computes a key.
"""

from __future__ import annotations

from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    NotRequired,
    TypedDict,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pytest_mobileagent._task.case import key_of
from pytest_mobileagent.episode.migrate import reset
from pytest_mobileagent.jsonable import Each, Maybe, check, expect

if TYPE_CHECKING:
    from collections.abc import Callable


class Spent(TypedDict):
    """The number of model calls, their tokens and their price in US dollars; None if unknown."""

    calls: int | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None
    unpriced_calls: int | None
    uncounted_calls: int | None
    retries: int | None
    estimated_input_tokens: int | None
    estimated_output_tokens: int | None


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
    """How a golden step (from 1) was matched; the rule excludes steps that do not count."""

    step: int
    type: bool
    exact: bool
    counts: bool


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


class Entry(Spent):
    """An entry of a report; docs/episodes.md explains each field.

    - `key` identifies the case in every run: its id, environment and epoch (see `key_of`).
    - `as_run` contains the original values of the fields that a person's verdict has changed.
    """

    key: str
    id: str
    nodeid: str
    suite: str | None
    app: str | None
    kind: str | None
    level: int | None
    language: str | None
    twin: str | None
    tags: list[str]
    parameters: dict[str, Any]
    epoch: int
    environment: str | None
    variant: str | None
    golden_steps: int | None
    outcome: str
    success: bool | None
    fault: str | None
    skipped_for: str | None
    unclear: bool
    reason: str
    cause: str | None
    infrastructure: list[str]
    suspect: bool
    attempts: list[dict[str, Any]]
    episode: str | None
    verdict: Scored | None
    first_success_step: int | None
    partial_credit: float | None
    judged: Judged | None
    official: Official | None
    progress: float | None
    subgoals: list[Subgoal] | None
    matches: list[Matched] | None
    matched_by: str | None
    step_accuracy: float | None
    type_accuracy: float | None
    step_efficiency: float | None
    termination: str | None
    attempt: int | None
    answer: str | None
    steps: int | None
    actions: int | None
    step_ratio: float | None
    premature: bool | None
    overdue: bool | None
    seconds: float | None
    seconds_per_step: float | None
    thinking_seconds: float | None
    acting_seconds: float | None
    latency: float | None
    no_effect_steps: int | None
    repeated_steps: int | None
    unfocused_steps: int | None
    invalid_actions: int | None
    crashes: int | None
    noisy_steps: int | None
    noises: int | None
    noise_handled: int | None
    noisy_steps_asking: int | None
    noisy_steps_right: int | None
    noise: dict[str, Met] | None
    user: str | None
    questions: int | None
    answered: int | None
    useful: int | None
    needless: int | None
    metered: bool | None
    estimated: bool | None
    reset: dict[str, Any] | None
    node: str | None
    versions: dict[str, str] | None
    roles: dict[str, Spent] | None
    as_run: NotRequired[dict[str, Any]]


def read_entry(given: dict[str, Any], version: float) -> Entry:
    """Return an entry of a report of any schema version in the current form.

    `given` must have been checked against `KINDS`. Fields that an older version did not record are
    None or empty; fields of a newer version are kept.

    Raises:
        LookupError, TypeError, ValueError: if the entry is damaged.
    """
    if missing := [name for name in ("id", "outcome", "success") if name not in given]:
        raise KeyError(missing[0])
    entry = _from_1(given) if version < 2 else given
    if check(entry.get("reset"), Maybe(_RESET), "reset") is not None:
        expect(entry["reset"]["kind"], str, "reset.kind")
    whole = {**_BLANK, **entry}
    whole |= {name: empty() for name, empty in _EMPTY.items() if whole[name] is None}
    whole |= {n: {**empty, **whole[n]} for n, empty in _NESTED.items() if whole[n] is not None}
    whole["key"] = key_of(whole["id"], whole["environment"], whole["epoch"])
    return cast("Entry", whole)


def _from_1(given: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of version 1 in the form of version 2.

    Version 1 recorded unknown tokens and prices as 0.
    """
    spent = {name: given[name] or None for name in ("input_tokens", "output_tokens", "cost_usd")}
    fault = "agent" if given["outcome"] == "failed" else None
    return {"fault": fault, **given, **spent, "reset": reset(given.get("reset"))}


_DEFAULTS = {"nodeid": "", "suite": "", "kind": "operation", "language": "en"}
_EMPTY: dict[str, Callable[[], Any]] = {
    "tags": list, "parameters": dict, "epoch": int, "reason": str, "infrastructure": list,
    "suspect": bool, "attempts": list, "unclear": bool,
}  # fmt: skip
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


def _kind(hint: Any) -> Any:
    """Return the kind (see `jsonable.check`) that corresponds to a type hint."""
    if hint is float:
        return (float, int)
    if isinstance(hint, UnionType):
        (one,) = (part for part in get_args(hint) if part is not type(None))
        return _or_none(_kind(one))
    if is_typeddict(hint):
        return {name: _kind(each) for name, each in get_type_hints(hint).items()}
    if get_origin(hint) is list:
        return [_kind(get_args(hint)[0])]
    if get_origin(hint) is dict:
        values = get_args(hint)[1]
        return (dict,) if values is Any else Each(_kind(values))
    return (hint,)


def _or_none(kind: Any) -> Any:
    if type(kind) is tuple:
        return (*kind, NoneType)
    return kind if isinstance(kind, Maybe) else Maybe(kind)


_NEVER_NONE = {"id", "nodeid", "outcome", "infrastructure"}
_READ_ANYWAY = {"key", "reset", "as_run"}  # recomputed, checked by `read_entry`, or ignored
_BLANK = dict.fromkeys(name for name in get_type_hints(Entry) if name != "as_run") | _DEFAULTS
# The kinds of an entry's fields in a file; other fields are not checked.
KINDS = {
    name: kind if name in _NEVER_NONE else _or_none(kind)
    for name, kind in _kind(Entry).items()
    if name not in _READ_ANYWAY
}

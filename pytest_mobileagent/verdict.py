"""The verdicts of scorers, stored beside their episode, and the choice of the effective verdict."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import chain
from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import append_line, parse_json, read_text
from pytest_mobileagent.jsonable import expect, to_line, to_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


_TYPES: dict[str, Any] = {
    "scorer": str,
    "reason": str,
    "evidence": dict,
    "first_step": int | None,
    "partial_credit": float | int | None,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the goal was met, and why.

    - `passed`: True, False, or None if a person must decide.
    - `scorer`: the source of the verdict: "check" for a test body, "judge", "judges", "person", or
      the name of an official evaluation.
    - `reason`: in words; `evidence`: plain data that supports it, such as the closest elements.
    - `first_step`: the number of steps after which the goal was first met, 0 if at the start; None
      if never, or if it was not evaluated along the way.
    - `partial_credit`: from 0 to 1, for tasks with sub-goals.
    - `calls`: the model calls that the scorer made.
    - `extra`: fields of a newer version that this version does not know.
    """

    passed: bool | None
    scorer: str = "check"
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    first_step: int | None = None
    partial_credit: float | None = None
    calls: tuple[ModelCall, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        own = {name: getattr(self, name) for name in ("passed", *_TYPES)}
        return dict(to_wire({**self.extra, **own, "calls": [c.to_json() for c in self.calls]}))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """Return the verdict that `to_json` serialised; unknown fields are kept in `extra`.

        Raises:
            LookupError, TypeError, ValueError: if the data is not a verdict.
        """
        expect(data, dict, "verdict")
        own = {n: expect(data[n], kind, n) for n, kind in _TYPES.items() if n in data}
        passed, calls = data["passed"], tuple(map(ModelCall.from_json, data.get("calls", ())))
        if passed is not None:
            expect(passed, bool, "passed")
        extra = {name: v for name, v in data.items() if name not in {*_TYPES, "calls", "passed"}}
        return cls(**own | {"passed": passed, "calls": calls, "extra": extra})


VERDICTS = "verdicts.jsonl"


def append(episode: Path, verdict: Verdict) -> None:
    """Append a verdict to those of the episode in a folder.

    Raises:
        HostError: if the file cannot be written.
    """
    when = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = to_line(redacted(to_wire({"when": when, **verdict.to_json()})))
    try:
        append_line(episode / VERDICTS, line)
    except OSError as error:
        raise HostError(f"cannot write to {episode / VERDICTS}: {error}") from error
    chain.add_line(episode.parent.parent, "verdict", episode, line)


def verdicts(episode: Path) -> list[Verdict]:
    """Return all verdicts on the episode in a folder, oldest first; empty if there are none.

    An incomplete line, as a full disk leaves it, is skipped.
    """
    try:
        lines = read_text(episode / VERDICTS, "replace").split("\n")
    except OSError:
        return []
    found = []
    for line in lines:
        with suppress(ValueError, LookupError, TypeError):
            found.append(Verdict.from_json(parse_json(line)))
    return found


CHECK, PERSON = "check", "person"
SINGLE, CROSS = "judge", "judges"  # a single judge; several judges that must agree
_WITHDRAWN = "withdrawn"
_COUNTS = "counts"  # in the evidence: False for a verdict that is recorded but does not count
_QUESTION = "question"  # in the evidence of judges: the question they were asked (`judge.question`)


def effective(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the effective verdict among an episode's verdicts, given oldest first.

    A person outranks a check, a check outranks judges, and judges that had to agree outrank a
    single judge that was asked the same question. Among equals the last one counts. A verdict that
    decides nothing (`passed` is None) is returned only if nothing has decided, and one that is
    recorded only `beside` the others never. Return None if there is no verdict.
    """
    verdicts = counting(verdicts)
    if people := by_people(verdicts):
        return people[-1]
    checks = [v for v in verdicts if _is_check(v)]
    judges = [v for v in verdicts if v.scorer != PERSON and not _is_check(v)]
    if decided := [v for v in checks if v.passed is not None]:
        return decided[-1]
    return of_judges(judges) or next(reversed(checks), None)


def _is_check(verdict: Verdict) -> bool:
    return verdict.scorer == CHECK or verdict.evidence.get(_COUNTS) is True


def beside(verdict: Verdict) -> Verdict:
    """Return a verdict that is recorded beside the others but does not count."""
    return replace(verdict, evidence={**verdict.evidence, _COUNTS: False})


def deciding(verdict: Verdict) -> Verdict:
    """Return a verdict that was recorded `beside` the others as one that counts like a check's."""
    return replace(verdict, evidence={**verdict.evidence, _COUNTS: True})


def counting(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return the verdicts that count, without those recorded only `beside` the others."""
    return [verdict for verdict in verdicts if verdict.evidence.get(_COUNTS) is not False]


def of_judges(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the effective verdict among judges' verdicts, given oldest first; None without any.

    A single judge does not overrule several judges that were asked the same question before, even
    if they could not agree. It counts if its question differs, as when the rubric has changed.
    """
    if not verdicts:
        return None
    last = verdicts[-1]
    if last.scorer != SINGLE:
        return last
    asked = last.evidence.get(_QUESTION)
    same = [v for v in verdicts if v.scorer == CROSS and v.evidence.get(_QUESTION) == asked]
    return same[-1] if same else last


def by_people(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return people's verdicts that were not withdrawn, oldest first.

    A withdrawal cancels the last verdict of the same person, and only that one.
    """
    stand: list[Verdict] = []
    for verdict in verdicts:
        if verdict.scorer != PERSON:
            continue
        if verdict.passed is not None:
            stand.append(verdict)
        elif verdict.evidence.get(_WITHDRAWN) is True:
            own = [v for v in stand if v.evidence.get("who") == verdict.evidence.get("who")]
            stand = [v for v in stand if not own or v is not own[-1]]
    return stand


def of_person(passed: bool | None, who: str, note: str = "") -> Verdict:
    """Return a person's verdict on an episode; if `passed` is None it is only a note."""
    return Verdict(passed, PERSON, note, {"who": who})


def withdrawal(who: str, note: str = "") -> Verdict:
    """Return the record that withdraws a person's last verdict."""
    return Verdict(None, PERSON, note, {"who": who, _WITHDRAWN: True})


def is_withdrawal(verdict: Verdict) -> bool:
    """Return whether a verdict only withdraws another one."""
    return verdict.scorer == PERSON and verdict.evidence.get(_WITHDRAWN) is True

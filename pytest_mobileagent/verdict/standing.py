"""Which of several verdicts on an episode stands, and how a person takes one back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.verdict.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CHECK, PERSON = "check", "person"
SINGLE, CROSS = "judge", "judges"  # one judge; several that have to agree
_WITHDRAWN = "withdrawn"
_QUESTION = "question"  # in the evidence of judges: what they were asked (`judge.question`)


def standing(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the verdict that stands of those on an episode, given the oldest first.

    A person outranks a check, a check outranks judges, judges that had to agree outrank a single
    one that was asked the same; of equals the last counts. A verdict that
    decides nothing (`passed` is None) never displaces one of a check or a person, so it is
    returned only where nobody has decided. None if there is no verdict.
    """
    if people := by_people(verdicts):
        return people[-1]
    checks = [v for v in verdicts if v.scorer == CHECK]
    judges = [v for v in verdicts if v.scorer not in {CHECK, PERSON}]
    decided = [v for v in checks if v.passed is not None]
    if decided:
        return decided[-1]
    return of_judges(judges) or next(reversed(checks), None)


def of_judges(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the verdict that stands of those of judges, the oldest first; None if there is none.

    A single judge says nothing new of what several were asked before, be it that they could not
    agree. Of another question (a changed rubric, say) it does.
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
    """Return the verdicts of people that were not taken back, the oldest first.

    Whoever withdraws takes back the last of the verdicts of the same name, and only that one.
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
    """Return what a person says of an episode; with `passed` None that is a mere note."""
    return Verdict(passed, PERSON, note, {"who": who})


def withdrawal(who: str, note: str = "") -> Verdict:
    """Return the line that takes back the last verdict of a person."""
    return Verdict(None, PERSON, note, {"who": who, _WITHDRAWN: True})


def is_withdrawal(verdict: Verdict) -> bool:
    """Whether a verdict only takes back another one."""
    return verdict.scorer == PERSON and verdict.evidence.get(_WITHDRAWN) is True

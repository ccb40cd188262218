"""Unexpected side effects: what an agent changed on the phone that nobody had asked for.

The phone's state is read before and after an episode. What the task's own solution changes from the
same start is expected, and so is what the task's `may_change` lists; the rest are side effects.

Changes are compared in a normal form, so that a solution played at another minute changes the same:
settings and preferences by their keys, rows by what they say apart from times and new ids, removed
and new files by their names. Nothing is left out because of its name, except tables that are
computed from others and columns in which apps keep account of rows.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.agent import Scripted
from pytest_mobileagent.device.state import BY_ROLE, UNREAD, PhoneState, StateReader, StateWatch
from pytest_mobileagent.episode.findings import SideEffect, SideEffects
from pytest_mobileagent.episode.screens import FOLDER, ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.jsonable import cut
from pytest_mobileagent.run.attempt import attempt
from pytest_mobileagent.run.plan import ChosenAgent
from pytest_mobileagent.run.runner import in_thread

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.state import Row
    from pytest_mobileagent.run.plan import AttemptPlan

# Tables that Android and apps compute from others, or from files.
_DERIVED = {
    "contacts2.db": {"contacts", "phone_lookup", "name_lookup", "deleted_contacts", "properties"},
    "mmssms.db": {"threads", "canonical_addresses", "words"},
    "calendar.db": {"Instances", "CalendarMetaData", "CalendarCache", "CalendarAlerts"},
    "alarms.db": {"alarm_instances"},
    "external.db": {"files", "album_art", "thumbnails", "log"},
    "gphotos0.db": {"albums", "album_items"},
}
_OWN_ID = re.compile(r"^_?id$")
_ID = re.compile(r"_ids?$|Ids?$")  # of another row
_PASSING = re.compile(r"stamp|version|_sync|sync_|uuid|hash|dirty|lookup|last_|modif")
_TIME = re.compile(r"\d{10,19}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?|\d{8}_\d{6,9}")
_EPOCH = 1_000_000_000  # a larger number is a time in seconds or milliseconds
_SHOWN = 200  # characters of a value

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """A change in normal form, by its `key`, and as it is shown."""

    key: Key
    shown: SideEffect


class EffectsFinder:
    """Finds the side effects of episodes; one is used for all episodes of a process."""

    def __init__(self) -> None:
        self._reader = StateReader()
        self._solutions: dict[Key, list[Key] | None] = {}

    def watch(self) -> StateWatch:
        """Return a watch for the plan of an attempt."""
        return StateWatch(self._reader)

    def effects(self, plan: AttemptPlan, device: Device) -> SideEffects:
        """Return the side effects of an attempt by a plan whose watch has read both states.

        To know what is expected, the task's solution may be played: the device is brought to the
        start of the case again. It is played once for each case, and day of the phone.

        Raises:
            InfrastructureError: if the device breaks.
        """
        before, after = plan.watch.states if plan.watch else (PhoneState(), PhoneState())
        unknown = tuple(sorted({*before.unknown, *after.unknown}))
        permitted = plan.case.task.may_change
        changes = _changes(before, after)
        found = [each for each in changes if not _is_permitted(each.shown, permitted)]
        expected = self._expected(plan, device) if found else []
        shown = tuple(each.shown for each in _without(found, expected or ()))
        return SideEffects(shown, unknown, is_filtered=expected is not None)

    def _expected(self, plan: AttemptPlan, device: Device) -> list[Key] | None:
        """Return what the solution changes, in normal form; None if there is none that fits."""
        case = plan.case
        if not case.task.solution:
            return None
        now = device.observe().screen.time
        day = None if now is None else now.date()
        key = (case.id, repr(case.parameters), case.environment, plan.seed, day)
        if key not in self._solutions:
            try:
                self._solutions[key] = self._played(plan, device)
            except TaskError:  # the solution does not fit this phone, or its language
                self._solutions[key] = None
        return self._solutions[key]

    def _played(self, plan: AttemptPlan, device: Device) -> list[Key]:
        solves = ChosenAgent("solution", lambda case, values: in_thread(Scripted, {}, case, values))
        watch = self.watch()
        own = replace(plan, agent=solves, noise=None, sees="both", is_done=None, watch=watch)
        with tempfile.TemporaryDirectory(prefix="mobileagent-solution-") as folder:
            place = Path(folder, "episodes", "0")
            place.mkdir(parents=True)
            attempt(own, device, Recorder(place, ScreenStore(Path(folder, FOLDER))))
        return [each.key for each in _changes(*watch.states)]


def _is_permitted(effect: SideEffect, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(effect.where, pattern) for pattern in patterns)


def _without(found: Iterable[_Change], expected: Iterable[Key]) -> list[_Change]:
    """Return the changes that are not expected; equal ones are expected as often as they are."""
    left, kept = Counter(expected), []
    for each in found:
        if left[each.key]:
            left[each.key] -= 1
        else:
            kept.append(each)
    return kept


def _changes(before: PhoneState, after: PhoneState) -> list[_Change]:
    """Return what differs between two states, in normal form; a removed package is one change."""
    packages = list(_names("packages", before.packages, after.packages))
    of = {each.shown.where.removeprefix("packages ") for each in packages}
    rest = [
        *_values("{0} {1}", _decided(before), _decided(after)),
        *_values("app {0}/{1}", before.apps, after.apps, of),
        *_values("preferences {0}/{1}/{2}", before.preferences, after.preferences, of),
        *_rows(before, after, of),
        *_names("files", before.files, after.files),
        *_files(before.files, after.files),
    ]
    return [*packages, *rest]


def _decided(state: PhoneState) -> dict[tuple[str, str], str]:
    """Return all settings and services, except those that repeat which app has a role."""
    settings = {("settings", "/".join(place)): value for place, value in state.settings.items()}
    holders = {value for (what, _), value in state.services.items() if what == "role"}
    return {
        (what, key): value
        for (what, key), value in (settings | state.services).items()
        if not (what == "preferred" and key.partition("/")[0] in holders)
        and not (key.endswith("_default_application") and value in holders)
    }


def _values(
    form: str, before: Mapping[Any, Any], after: Mapping[Any, Any], of: Collection[str] = ()
) -> Iterator[_Change]:
    """Yield changed values, except those `of` packages that are new or gone."""
    for place in sorted(before.keys() | after.keys()):
        old, new = before.get(place), after.get(place)
        follows_from_role = (old, new) in (("denied", BY_ROLE), (BY_ROLE, "denied"))
        if old != new and place[0] not in of and not follows_from_role:
            where = form.format(*place).strip()
            yield _Change((where,), SideEffect(where, f"{_brief(old)} → {_brief(new)}"))


def _files(
    before: Mapping[str, tuple[int, int]], after: Mapping[str, tuple[int, int]]
) -> Iterator[_Change]:
    for path in sorted(before.keys() & after.keys()):
        if before[path] != after[path]:
            where, what = f"files {path}", f"{before[path][0]} → {after[path][0]} bytes"
            yield _Change((where,), SideEffect(where, what))


def _rows(before: PhoneState, after: PhoneState, of: Collection[str]) -> Iterator[_Change]:
    is_unread = UNREAD in {*before.unknown, *after.unknown}
    for source, table in sorted(before.rows.keys() | after.rows.keys()):
        if not table and not is_unread:
            continue  # the provider's own database says the same
        *_, package, _, file = ("", "", *source.rsplit("/", 3)[1:]) if table else ("", "", source)
        old, new = (state.rows.get((source, table), []) for state in (before, after))
        if old == new or table in _DERIVED.get(file, ()) or package in of:
            continue
        where = f"rows {file}:{table}" if table else f"rows {source}"
        known = {each for row in old for each in row if _ID.search(each[0])}
        for sign, rows, others in (("-", old, new), ("+", new, old)):
            for row, said in _left(rows, others, known):
                own = tuple(each for each in row if sign == "-" and _OWN_ID.search(each[0]))
                timeless = tuple((name, _timeless(value)) for name, value in said)
                texts_first = sorted(said, key=lambda each: not isinstance(each[1], str))
                shown = SideEffect(where, f"{sign} {_brief(dict(texts_first))}")
                yield _Change((where, sign, own, timeless), shown)


def _left(
    rows: Sequence[Row], others: Sequence[Row], known: Collection[tuple[str, Any]]
) -> Iterator[tuple[Row, Row]]:
    """Yield the rows that say what others do not say, or not as often, and what they say."""
    same, said = {*others}, Counter(_said(row, known) for row in rows)
    said.subtract(_said(row, known) for row in others)
    for row in sorted(rows, key=lambda row: row in same):  # of twins, the one that is gone
        if said[what := _said(row, known)] > 0:
            said[what] -= 1
            yield row, what


def _said(row: Row, known: Collection[tuple[str, Any]]) -> Row:
    """Return what a row says, without its own number; those of other rows may be new."""
    return tuple(
        (each[0], "<new>" if _ID.search(each[0]) and each not in known else each[1])
        for each in row
        if each[1] is not None and not _OWN_ID.search(each[0]) and not _PASSING.search(each[0])
    )


def _timeless(value: Any) -> Any:
    """Return a value in which times are replaced, also inside a text."""
    if isinstance(value, str):
        return _TIME.sub("<time>", value)
    return "<time>" if isinstance(value, int | float) and abs(value) >= _EPOCH else value


def _names(what: str, before: Collection[str], after: Collection[str]) -> Iterator[_Change]:
    """Yield removed and added names; a removed folder goes with all that was in it."""
    gone = {*before} - {*after}
    folders = tuple(name for name in gone if name.endswith("/"))
    for name in sorted(gone):
        if not any(name != each and name.startswith(each) for each in folders):
            yield _Change((what, "-", name), SideEffect(f"{what} {name}", "removed"))
    for name in sorted({*after} - {*before}):
        key = (what, "+", _TIME.sub("<time>", name))
        yield _Change(key, SideEffect(f"{what} {name}", "added"))


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        text = ", ".join(f"{name}: {_brief(each)}" for name, each in value.items())
    else:
        text = "none" if value is None else str(value)
    return cut(" ".join(text.split()), _SHOWN)

"""The changes that a person made on the phone, and an assert that checks each of them.

The state of the phone is read with the probes of checks, so every difference can be asserted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import cut
from pytest_mobileagent.record.selectors import literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.device.state import PhoneState


_SHOWN = 120  # characters of a value on the page
_EPOCH = 1_000_000_000  # seconds: a larger number is a timestamp, or counts milliseconds
# Columns and keys whose values differ between days: row numbers, timestamps, counters.
_VOLATILE_NAME = re.compile(
    r"^_?id$|_ids?$|^(day|month|year)$|(time|date|stamp|count(er)?|version|seq(uence)?|hash|uuid|guid|token|lookup"
    r"|last|next|recent|boot|uptime|session|sync|dirty)"
)
_VOLATILE_TEXT = re.compile(r"\d{1,2}:\d\d|\d{4}-\d\d-\d\d|[0-9a-f]{8}-[0-9a-f]{4}-|^\d{10,}$")
# Settings that depend on the clock, or change with any use of the phone.
_ALONGSIDE = re.compile(r"^(next_alarm|device_provisioned|bluetooth_addresses|.*_last_.*)")


@dataclass(frozen=True, slots=True)
class Check:
    """An assert of a task's body, with the probe that it reads.

    - `probe`: the expression that creates the probe; empty if the assert is about the screen.
    - `path`: the path of a file on the phone, which replaces `{path}` in `probe`; or empty.
    - `name`: the probe's name in the task, unless that name is taken.
    - `test`: the condition, in which `{probe}` stands for the value of the probe.
    """

    test: str
    probe: str = ""
    name: str = ""
    imports: tuple[str, ...] = ()
    path: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A change on the phone: where it is, what changed, and an assert that checks it.

    `why` is the reason if it would also differ at another hour, on another phone or in another run.
    """

    where: str
    what: str
    check: Check
    why: str = ""

    @property
    def is_volatile(self) -> bool:
        """Whether the value would also differ at another hour, on another phone or in a run."""
        return bool(self.why)


def changes(before: PhoneState, after: PhoneState) -> list[Change]:
    """Return all changes between two states, with the volatile ones last."""
    found = [
        *_settings(before, after),
        *_rows(before, after),
        *_preferences(before, after),
        *_names({*before.files}, {*after.files}, "files"),
        *_names(before.packages, after.packages, "packages"),
    ]
    return sorted(found, key=lambda change: change.is_volatile)


def _settings(before: PhoneState, after: PhoneState) -> Iterator[Change]:
    for namespace, key in sorted(before.settings.keys() | after.settings.keys()):
        old, new = (each.settings.get((namespace, key)) for each in (before, after))
        if old == new:
            continue
        wanted = "{probe} is None" if new is None else f"{{probe}} == {literal(new)}"
        why = _why(key, new)
        if not why and _ALONGSIDE.match(key):
            why = "follows from other changes"
        yield Change(
            f"settings {namespace}",
            f"{key}: {_brief(old)} → {_brief(new)}",
            Check(wanted, f"setting({literal(namespace)}, {literal(key)})", key, ("setting",)),
            why,
        )


def _rows(before: PhoneState, after: PhoneState) -> Iterator[Change]:
    for (source, table), gone, new in changed_rows(before, after):
        rows_now = [*map(dict, after.rows[source, table])]
        stable = _distinguishing(_stable([*gone, *new]), [*gone, *rows_now])
        where = f"{source.rpartition('/')[2]}: {table}" if table else source
        for sign, rows, word in (("+", new, "in"), ("-", gone, "not in")):
            for row in rows:
                values = {name: row[name] for name in stable if name in row}
                twin = any(all(o.get(n) == v for n, v in values.items()) for o in
                           (gone if sign == "+" else new))  # fmt: skip
                why = "" if values and not twin else "only its numbers and times have changed"
                test = f"{literal(values)} {word} {{probe}}"
                check = Check(test, *_source(source, table, stable, rows))
                yield Change(where, f"{sign} {_brief(values or row)}", check, why)


def _source(
    source: str, table: str, columns: list[str], rows: list[dict[str, Any]]
) -> tuple[str, str, tuple[str, ...], str]:
    """Return the probe of a table's or a provider's columns: expression, name, imports, path."""
    chosen = columns or sorted({name for row in rows for name in row})
    if not table:
        name = source.removeprefix("content://").replace("com.android.", "").replace("/", "_")
        return f"provider({literal(source)}, {literal(chosen)})", name, ("provider",), ""
    query = f"select {', '.join(map(_column, chosen))} from {_column(table)}"  # noqa: S608 - quoted
    return f"sqlite({{path}}, {literal(query)})", table, ("sqlite",), source


def _column(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else '"' + name.replace('"', '""') + '"'


def _stable(rows: list[dict[str, Any]]) -> list[str]:
    """Return the columns whose values are the same on any day and any phone."""
    names = dict.fromkeys(name for row in rows for name in row)
    return [
        name
        for name in names
        if not any(_why(name, row.get(name)) for row in rows)
        if any(row.get(name) not in (None, "") for row in rows)
    ]


def _distinguishing(columns: list[str], rows: list[dict[str, Any]]) -> list[str]:
    """Return the columns that distinguish the rows of the table; all columns if none does."""
    return [name for name in columns if len({repr(r.get(name)) for r in rows}) > 1] or columns


def _preferences(before: PhoneState, after: PhoneState) -> Iterator[Change]:
    for package, file, key in sorted(before.preferences.keys() | after.preferences.keys()):
        old, new = (each.preferences.get((package, file, key)) for each in (before, after))
        if old == new:
            continue
        is_plain = isinstance(new, bool | None)
        wanted = f"{{probe}} is {new!r}" if is_plain else f"{{probe}} == {literal(new)}"
        expression = f"preferences({literal(package)}, {literal(file)}, {literal(key)})"
        yield Change(
            f"preferences {file}",
            f"{key}: {_brief(old)} → {_brief(new)}",
            Check(wanted, expression, key, ("preferences",)),
            _why(key, new),
        )


def _names(before: set[str], after: set[str], what: str) -> Iterator[Change]:
    for name in sorted(before ^ after):
        is_new = name in after
        word = "in" if is_new else "not in"
        inside, expression = name, "packages()"
        if what == "files":
            folder = name.rstrip("/").rpartition("/")[0]
            inside, expression = name.removeprefix(f"{folder}/"), f"files({literal(folder)})"
        check = Check(f"{literal(inside)} {word} {{probe}}", expression, what, (what,))
        why = "its name contains a time or a number" if _VOLATILE_TEXT.search(name) else ""
        yield Change(what, f"{'+' if is_new else '-'} {name}", check, why)


def _why(name: str, value: Any) -> str:
    """Return why a value would differ on another day or phone; empty if it would not."""
    if _VOLATILE_NAME.search(name.lower()):
        return "its name suggests a number, a time or a counter"
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= _EPOCH:
        return "looks like a timestamp"
    if isinstance(value, str) and _VOLATILE_TEXT.search(value):
        return "contains a time or an id"
    return ""


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        text = "{" + ", ".join(f"{name}: {_brief(each)}" for name, each in value.items()) + "}"
    else:
        text = "none" if value is None else repr(value)
    return cut(text, _SHOWN)


def changed_rows(
    before: PhoneState, after: PhoneState
) -> Iterator[tuple[tuple[str, str], list[dict[str, Any]], list[dict[str, Any]]]]:
    """Yield each table whose rows have changed, with the removed and the new rows."""
    for where, rows in after.rows.items():
        gone, new = [*before.rows.get(where, [])], []
        for row in rows:
            if row in gone:
                gone.remove(row)
            else:
                new.append(dict(row))
        if gone or new:
            yield where, [dict(row) for row in gone], new

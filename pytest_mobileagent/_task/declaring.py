"""The decorators `task` and `tasks`, which turn a test function into one task or one per row.

A decorator checks the fields immediately, so an error points at the declaration. How the function
becomes a test depends on the test runner: the plugin applies a pytest marker (`declare_by`).
Without a test runner the function is returned unchanged.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pytest_mobileagent._task import DEFAULT_SNAPSHOT, OWN, Task
from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_mobileagent._task import Probe, Solution
    from pytest_mobileagent._task.table import Row
    from pytest_mobileagent._task.user import User
    from pytest_mobileagent.action.matching import Wanted


F = TypeVar("F")


class Decorator(Protocol):
    """A decorator that turns a test function into a task."""

    def __call__(self, function: F, /) -> F:
        """Return the function as a task."""


class Declaring(Protocol):
    """Turns test functions into tasks for a particular test runner."""

    def task(self, fields: Mapping[str, Any]) -> Decorator:
        """Return the decorator for a task with these fields, including its goal."""

    def tasks(self, rows: Sequence[tuple[Row, Mapping[str, Any]]]) -> Decorator:
        """Return the decorator for one task per row, each with its own fields."""


def _unchanged(function: F, /) -> F:
    return function


_declaring: Declaring | None = None  # without a test runner


def declare_by(declaring: Declaring) -> None:
    """Set the test runner's implementation, which all later declarations use."""
    global _declaring  # noqa: PLW0603 - one process has one test runner
    _declaring = declaring


def task(
    goal: str,
    *,
    app: str | None = None,
    apps: Sequence[str] = (),
    golden_steps: int | None = None,
    level: int | None = None,
    kind: str = "operation",
    language: str = "en",
    tags: Sequence[str] = (),
    source: str = "",
    suite: str | None = None,
    step_limit: int | None = None,
    probes: Mapping[str, Probe] | None = None,
    measures: Mapping[str, Callable[..., Any]] | None = None,
    needs: Sequence[str] = (),
    snapshot: str = DEFAULT_SNAPSHOT,
    solution: Solution = (),
    parameters: Callable[..., Mapping[str, Any]] | None = None,
    prepare: Callable[..., object] | None = None,
    clean_up: Callable[..., object] | None = None,
    user: User | None = None,
    vague: str | None = None,
    success_after_error: bool = False,
    stop_on_success: bool = False,
    may_change: Sequence[str] = (),
    instructions: Sequence[str] = (),
    golden: Sequence[Wanted] = (),
    wording: str = OWN,
    task_set: str = "",
    twin: str = "",
    remarks: Sequence[str] = (),
) -> Decorator:
    """Make a test function a task: its body decides whether an episode met the goal.

    The fields are those of `Task`; `suite` overrides the suite name, which is otherwise the file's
    folder. Under pytest this is the marker `mobile_task`, so `-m "mobile_task(level=1)"` selects by
    field.

    Raises:
        TaskError: if a field is invalid.
    """
    given = {name: value for name, value in locals().items() if name != "goal"}
    defaults = task.__kwdefaults__ or {}
    fields = {name: value for name, value in given.items() if value is not defaults[name]}
    make_task(goal, fields)  # so that the error points at the declaration
    return _declaring.task({"goal": goal, **fields}) if _declaring else _unchanged


def tasks(
    rows: Iterable[Row], each: Mapping[str, Mapping[str, Any]] | None = None, **common: Any
) -> Decorator:
    """Make a test function a task for each row of a table (see `rows`).

    Columns that are fields of a task set those fields; the others fill placeholders in the goal and
    in the solution. All columns are attributes of the test's `row` argument. Fields shared by all
    rows, such as probes and a solution, are passed as keyword arguments, as for `task`. `each` adds
    fields to particular rows, by row id; if a row has several variants (see `rows`), "ID-VARIANT"
    selects one of them.

    Raises:
        TaskError: if a row or a field is invalid; the message gives the row's line.
    """
    make_task("any goal", common)
    found, further, known = [], each or {}, set()
    for row in rows:
        known |= {row.id, row.test_id}
        try:
            own = {**further.get(row.id, {}), **further.get(row.test_id, {})}
            fields = {**row.task_fields, **common, **own}
            from_row = fields.keys() - (common.keys() - own.keys()) - {"goal"}
            columns = {name: value for name, value in fields.items() if name in from_row}
            if own:
                make_task("any goal", columns)
            else:
                _check_fields(tuple(columns.items()))
        except TaskError as error:
            where = f"{row.where}: "
            raise TaskError(f"{where}{str(error).removeprefix(where)}") from None
        found.append((row, fields))
    if rest := [name for name in further if name not in known]:
        raise TaskError(f"each={{{rest[0]!r}: …}}: there is no row with this id")
    return _declaring.tasks(found) if _declaring else _unchanged


@lru_cache(maxsize=1024)
def _check_fields(fields: tuple[tuple[str, Any], ...]) -> None:
    """Check the fields of a row. Cached, because many rows of a table have the same fields."""
    make_task("any goal", dict(fields))


def make_task(goal: Any, fields: Mapping[str, Any]) -> Task:
    """Return a task with these fields, ignoring `suite`.

    Raises:
        TaskError: if a field is invalid or unknown.
    """
    given = {name: value for name, value in fields.items() if name != "suite"}
    for name in ("apps", "tags", "needs", "may_change", "instructions", "golden", "remarks"):
        if isinstance(given.get(name), list):
            given[name] = tuple(given[name])
    try:
        return Task(goal, **given)
    except TypeError as error:
        why = str(error).replace("Task.__init__() got", "a task got")
        raise TaskError(f"@task({goal!r}): {why}") from None

"""Turns test functions that are tasks into test items, each of which is one case."""

from __future__ import annotations

import inspect
import random
import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_mobileagent._task import VARIANTS, Task
from pytest_mobileagent._task.case import Case, seed_of
from pytest_mobileagent._task.declaring import declare_by, make_task
from pytest_mobileagent.errors import TaskError, in_one_line
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.state import Collected, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pytest_mobileagent._task.declaring import Decorator
    from pytest_mobileagent._task.table import Row


MARKER, TAG = "mobile_task", "mobile_tag"
EPOCH = "mobile_epoch"
ENVIRONMENT = "mobile_env"
VARIANT = "mobile_variant"
ROW = "row"
# The fixtures that a body may use, besides parameters, to be run again on prefixes.
PURE = {"episode", EPOCH, ENVIRONMENT, VARIANT}
_NOT_OF_CASES = {EPOCH, ENVIRONMENT, VARIANT, ROW}  # a test's parameters that a case lacks


class _Marks:
    """Declares tasks by a pytest marker, so `-m "mobile_task(level=1)"` selects by field."""

    def task(self, fields: Mapping[str, Any]) -> Decorator:
        mark: Decorator = getattr(pytest.mark, MARKER)(**fields)
        return mark

    def tasks(self, rows: Sequence[tuple[Row, Mapping[str, Any]]]) -> Decorator:
        params = []
        for row, fields in rows:
            for variant in VARIANTS if fields.get("vague") else (row.goal_variant,):
                name = f"{row.id}-{variant}" if variant else row.id
                mark: Any = self.task({**fields, VARIANT: variant} if variant else fields)
                params.append(pytest.param(row, marks=mark, id=name))
        parametrize: Any = pytest.mark.parametrize(ROW, params)
        return cast("Decorator", parametrize)


declare_by(_Marks())


def mark_tags(item: pytest.Item) -> None:
    """Mark a task with its tags, so `-m "mobile_tag(name='smoke')"` selects by tag.

    The name of its variant, such as "full" or "vague", is also a tag.
    """
    marker = marker_of(item)
    tags = () if marker is None else marker.kwargs.get("tags", ())
    own = list(tags) if isinstance(tags, list | tuple) else []  # else it is reported as broken
    variant = variant_of(item)
    for tag in [*own, *([variant] if variant else [])]:
        item.add_marker(getattr(pytest.mark, TAG)(name=tag))


def case_of(item: pytest.Item) -> Case | None:
    """Return the case of a test item, or None if it is not a task.

    For a task whose marker is broken, this is a stand-in (see `problem_of`).
    """
    return _collected(item).case


def problem_of(item: pytest.Item) -> str:
    """Return why a test cannot be run as a task; empty if it can, or is none."""
    return _collected(item).problem or _unittest_problem(item)


def _collected(item: pytest.Item) -> Collected:
    state = state_of(item)
    if state.collected is None:
        marker = marker_of(item)
        state.collected = Collected(None) if marker is None else _read(item, marker)
    return state.collected


def _unittest_problem(item: pytest.Item) -> str:
    """Return why a method of a `unittest.TestCase` cannot be a task, if it seems meant as one.

    It is empty otherwise. pytest calls such methods without fixtures, and would only report a
    missing argument.
    """
    unittest, cls = sys.modules.get("unittest"), getattr(item, "cls", None)
    if unittest is None or cls is None or not issubclass(cls, unittest.TestCase):
        return ""
    asked = inspect.signature(item.obj).parameters  # type: ignore[attr-defined]
    if marker_of(item) is None and "episode" not in asked:
        return ""
    name = item.name.partition("[")[0]
    return (
        f"{cls.__name__} is a unittest.TestCase, whose methods get no fixtures such as `episode` "
        f"from pytest: make {name} a function of the module, or remove the base class of "
        f"{cls.__name__}"
    )


def marker_of(node: Any) -> pytest.Mark | None:
    """Return the marker that makes a node a task."""
    for mark in node.own_markers:  # faster, and nearly always enough
        if mark.name == MARKER:
            return cast("pytest.Mark", mark)
    marker: pytest.Mark | None = node.get_closest_marker(MARKER)
    return marker


def variant_of(item: pytest.Item) -> str:
    """Return the variant of an item's task; "" if the task has none, or the item is not a task."""
    marker = marker_of(item)
    fields = marker.kwargs if marker is not None else {}
    return str(_parameters_of(item).get(VARIANT) or fields.get(VARIANT) or "")


def place_of_row(item: pytest.Item) -> str:
    """Return the file and line of the table's row that a test is made of; empty if it is not."""
    where = getattr(_parameters_of(item).get(ROW), "where", "")
    return where if isinstance(where, str) else ""


def _parameters_of(item: pytest.Item) -> Mapping[str, Any]:
    callspec = getattr(item, "callspec", None)
    return {} if callspec is None else callspec.params


def _read(item: pytest.Item, marker: pytest.Mark) -> Collected:
    variant = variant_of(item)
    problem = ""
    try:
        made, suite = _task_of(marker)
        made = made.as_variant(variant) if variant else made
    except TaskError as error:
        made, suite, problem = Task("(a broken task)"), None, str(error)
    given = _parameters_of(item)
    parameters = {name: value for name, value in given.items() if name not in _NOT_OF_CASES}
    epoch, environment = given.get(EPOCH), given.get(ENVIRONMENT)
    if (row := given.get(ROW)) is not None and hasattr(row, "columns"):
        # Golden actions are long, and part of the episode's record.
        parameters |= {name: cell for name, cell in row.columns.items() if name != "golden"}
    if ROW in given and made.parameters is not None:
        key, run_seed = place_of_row(item), item.config.stash[RUN].value("mobile-seed")
        try:
            parameters |= draw_values(made.parameters, key, run_seed, epoch or 0)
        except TaskError as error:
            problem = str(error)
    *folders, file = item.nodeid.split("::")[0].split("/")
    # Not from the node id, which may contain "::" in a parameter, and may end with a group.
    classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    name = item.name
    if epoch is not None:
        name = _without(name, epoch_id(epoch))
    if environment is not None:
        name = _without(name, environment_id(environment))
    names = [*folders, file.removesuffix(".py"), *classes, name]
    identity = "/".join(name.removeprefix("test_") for name in names)
    place = "/".join(folders[1:] or folders)
    case = Case(made, identity, suite or place, item.nodeid, parameters, environment, epoch or 0)
    return Collected(case, problem)


def parametrize(
    metafunc: pytest.Metafunc, option: Callable[[str], Any], environments: Sequence[str]
) -> None:
    """Make an item of a task for each environment and epoch, with the values that it draws.

    A task with a vague goal has two items for each, one for each variant.

    Raises:
        TaskError: if drawing values fails, or gives different names in different epochs.
    """
    marker = marker_of(metafunc.definition)
    if marker is not None and marker.kwargs.get("vague"):
        metafunc.fixturenames.append(VARIANT)
        metafunc.parametrize(VARIANT, VARIANTS, indirect=True, ids=VARIANTS)
    if environments:
        metafunc.fixturenames.append(ENVIRONMENT)
        ids = [environment_id(name) for name in environments]
        metafunc.parametrize(ENVIRONMENT, environments, indirect=True, ids=ids)
    epochs, seed = range(option("mobile-epochs").most), option("mobile-seed")
    draw = marker.kwargs.get("parameters") if marker is not None else None
    drawn = [draw_values(draw, metafunc.definition.nodeid, seed, epoch) for epoch in epochs]
    names = list(drawn[0])
    if any(list(values) != names for values in drawn):
        msg = f"its parameters= returns other names in other epochs: {drawn[0]} and {drawn[-1]}"
        raise TaskError(msg)
    if names or len(epochs) > 1:
        arguments = [EPOCH, *names]
        metafunc.fixturenames.extend(n for n in arguments if n not in metafunc.fixturenames)
        values = [(epoch, *drawn[epoch].values()) for epoch in epochs]
        # Drawn values are not part of ids, so runs with different seeds can be paired by task.
        epoch_ids = [*map(epoch_id, epochs)] if len(epochs) > 1 else [pytest.HIDDEN_PARAM]
        metafunc.parametrize(arguments, values, indirect=[EPOCH], ids=epoch_ids)


def draw_values(
    draw: Callable[..., Mapping[str, Any]] | None, key: str, run_seed: int, epoch: int
) -> dict[str, Any]:
    """Return the values that a task draws for an epoch; empty if it draws none.

    The values are the same in every environment and every worker. `key` identifies the task.
    """
    if draw is None:
        return {}
    seed = seed_of(run_seed, f"{key}@{epoch}")
    try:
        named = inspect.signature(draw).parameters
        more = {n: v for n, v in (("seed", run_seed), ("epoch", epoch)) if n in named}
        return dict(draw(random.Random(seed), **more))
    except Exception as error:
        raise TaskError(f"its parameters= raised {in_one_line(error)}") from error


def epoch_id(epoch: int) -> str:
    """Return the name of an epoch in a test's id."""
    return f"epoch{epoch}"


def environment_id(environment: str) -> str:
    """Return the name of an environment in a test's id."""
    return f"env{environment}"


def _without(name: str, last: str) -> str:
    """Return a test's name without the last part of its bracketed id, which is `last`."""
    return re.sub(rf"[\[-]{re.escape(last)}\]$", lambda m: "]" if m[0][0] == "-" else "", name)


def _task_of(marker: pytest.Mark) -> tuple[Task, str | None]:
    fields = {name: value for name, value in marker.kwargs.items() if name != VARIANT}
    goal, *others = marker.args or (fields.pop("goal", None),)
    if others:
        raise TaskError(f"{MARKER}({goal!r}, …): fields are given by name, not {others[0]!r}")
    suite = fields.get("suite")
    if suite is not None and not (isinstance(suite, str) and suite.strip()):
        raise TaskError(f"suite={suite!r} must be a name")
    return make_task(goal, fields), suite


def check_function(metafunc: pytest.Metafunc) -> bool:
    """Return whether a test function is a task, or a task for each of its rows.

    Raises:
        TaskError: if it is a task, but cannot be run as one.
    """
    if not _is_task(metafunc):
        return False
    if "episode" not in metafunc.fixturenames:
        raise TaskError(f"{metafunc.function.__name__} is a task but does not request `episode`")
    if inspect.iscoroutinefunction(metafunc.function):
        what = f"{metafunc.function.__name__} is asynchronous"
        raise TaskError(f"{what}; the body of a task is a plain function")
    return True


def check_stopping(item: pytest.Function) -> None:
    """Check that the body of a task that stops on success can be run after each step.

    Raises:
        TaskError: if its body asks for more than the episode and parameters.
    """
    marker = marker_of(item)
    if marker is None or not marker.kwargs.get("stop_on_success"):
        return
    if more := impurities(item):
        msg = (
            f"{item.originalname} stops on success, so its body is run after each step:"
            f" it may ask for `episode` and parameters, not for {', '.join(sorted(more))}"
        )
        raise TaskError(msg)


def impurities(item: pytest.Function) -> AbstractSet[str]:
    """Return the fixtures that a body asks for besides the episode and parameters."""
    return arguments_of(item.obj) - {*PURE, *_parameters_of(item)}


@lru_cache(maxsize=256)  # a function may have thousands of tests
def arguments_of(body: Callable[..., Any]) -> AbstractSet[str]:
    """Return the names of the arguments of a test function or bound method without a default."""
    given = inspect.signature(body).parameters.values()
    return frozenset(each.name for each in given if each.default is each.empty)


def _is_task(metafunc: pytest.Metafunc) -> bool:
    if (marker := marker_of(metafunc.definition)) is not None:
        _task_of(marker)
        return True
    marks = metafunc.definition.iter_markers("parametrize")
    params = (param for mark in marks for param in _params_of(mark))
    return any(mark.name == MARKER for param in params for mark in getattr(param, "marks", ()))


def _params_of(mark: pytest.Mark) -> Sequence[Any]:
    values = mark.args[1] if len(mark.args) > 1 else mark.kwargs.get("argvalues", ())
    return values if isinstance(values, list | tuple) else ()

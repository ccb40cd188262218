"""report.html during a run: it shows finished tasks, takes little time and cannot break it."""

from __future__ import annotations

import importlib
import itertools
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.episode import packing as module_of_packing
from pytest_mobileagent.plugin import outputs
from pytest_mobileagent.plugin.outputs import Packing, PageWriter
from pytest_mobileagent.plugin.state import RESULT
from tests.plugin.projects import PHONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

AGENT = """
from pytest_mobileagent import Agent, Finish

class Done(Agent):
    def step(self, observation):
        return Finish("12 items")
"""
BODY = """
from pathlib import Path
from pytest_mobileagent import task

def pages():
    return [path.read_text().count('id="e:') for path in Path("runs").glob("*/report.html")]

@task("Go.")
def test_a(episode): assert pages() == []
@task("Go on.")
def test_b(episode): assert pages() == [1]
"""


@pytest.fixture
def run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., pytest.RunResult]:
    """Runs two tasks, with a page from the first second on."""
    # Take the module from sys.modules: pytester runs leave others of this name behind.
    module = importlib.import_module("pytest_mobileagent.plugin.outputs")
    monkeypatch.setattr(module, "_FIRST", 0.0)

    def run(body: str) -> pytest.RunResult:
        pytester.makeconftest(PHONE)
        pytester.makepyfile(body)
        pytester.makepyfile(done=AGENT)
        flags = ("-p", "no:cacheprovider", "--agent=done.py", "--mobile-agent-process=off")
        result = pytester.runpytest_inprocess(*flags)
        result.assert_outcomes(passed=2)
        return result

    return run


def test_page_exists_before_the_run_ends(
    run: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    run(BODY)
    (page,) = pytester.path.glob("runs/*/report.html")
    assert page.read_text().count('id="e:') == 2


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that advances by the first number in this list each time it is read."""
    step = [0.0]
    now = itertools.accumulate(iter(lambda: step[0], None))
    monkeypatch.setattr(outputs, "time", SimpleNamespace(monotonic=lambda: next(now)))
    return step


def page_of(tmp_path: Path) -> tuple[PageWriter, Any]:
    folder = SimpleNamespace(path=tmp_path, about=lambda: {"id": "run"})
    run: Any = SimpleNamespace(folder=folder)
    return PageWriter(run, {}), SimpleNamespace(**{RESULT: {}})


def test_pages_take_a_small_share_of_the_time(tmp_path: Path, clock: list[float]) -> None:
    live_page, report = page_of(tmp_path)
    page = tmp_path / "report.html"
    clock[0] = 2.0  # the clock advances at each reading, so each page takes 2 seconds
    written = []
    for _ in range(100):
        live_page.pytest_runtest_logreport(report)
        written.append(page.exists())
        page.unlink(missing_ok=True)
    assert written.index(True) == 4  # after 10 seconds
    assert sum(written) == 2  # the next one 100 seconds later


def test_an_error_ends_the_pages_not_the_run(
    tmp_path: Path, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    live_page, report = page_of(tmp_path)
    tried = list[None]()

    def full(*_: object) -> None:
        tried.append(None)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pytest_mobileagent.report.html.run_page.write_page", full)
    clock[0] = 1_000.0
    for _ in range(5):
        live_page.pytest_runtest_logreport(report)
    assert len(tried) == 1


def test_a_page_that_cannot_be_written_is_reported_once_at_the_end(
    run: Callable[..., pytest.RunResult],
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    writing = importlib.import_module("pytest_mobileagent.report.html.run_page")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "write", full)
    result = run(BODY.replace("pages() == [1]", "pages() == []"))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.stdout.str().count("report.html could not be written") == 1
    assert len(list(pytester.path.glob("runs/*/report.json"))) == 1
    assert not list(pytester.path.glob("runs/*/*.html*"))


REPORT: Any = SimpleNamespace(**{RESULT: {}})


@pytest.fixture
def packing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Packing]:
    """Packs the screens of a run that has one screen, large enough to be packed."""
    monkeypatch.setattr(module_of_packing, "LEAST", 1)
    (tmp_path / "screens").mkdir()
    (tmp_path / "screens" / f"{'0' * 32}.xml").write_text("<hierarchy/>" * 99)
    run: Any = SimpleNamespace(folder=SimpleNamespace(path=tmp_path))
    packing = Packing(run)
    yield packing
    packing.pytest_unconfigure()


def test_few_screens_are_not_packed(
    packing: Packing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module_of_packing, "LEAST", 10_000)
    monkeypatch.setattr(module_of_packing, "IdlePacker", pytest.fail)
    packing.pytest_runtest_logreport(REPORT)
    packing.pytest_sessionfinish()
    (screen,) = (tmp_path / "screens").iterdir()
    assert screen.suffix == ".xml"


def test_only_one_process_packs_after_the_first_result(
    packing: Packing, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []
    ended: list[Path] = []

    class Packer:
        def __init__(self, run: Path) -> None:
            started.append(run)

        def end(self) -> None:
            ended.append(started[-1])

    monkeypatch.setattr(module_of_packing, "IdlePacker", Packer)
    packing.pytest_runtest_logreport(SimpleNamespace())  # type: ignore[arg-type]
    assert not started
    for _ in range(3):
        packing.pytest_runtest_logreport(REPORT)
    assert len(started) == 1
    packing.pytest_sessionfinish()
    packing.pytest_unconfigure()
    assert ended == started

"""mobile_copy_pages: whether records copy the pages of a data set, or refer to the user's copy."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Episode, load
from pytest_mobileagent.dataset.formats.release import import_release
from pytest_mobileagent.errors import RecordError
from tests.dataset.formats import copies

if TYPE_CHECKING:
    from collections.abc import Callable

TASKS = """
from pytest_mobileagent import rows, tasks

@tasks(rows("graph/tasks.jsonl"))
def test_walk(episode, row):
    assert episode.reached(row.page)
"""
Run = tuple[Path, Episode]


@pytest.fixture
def run(pytester: pytest.Pytester) -> Callable[..., Run]:
    """Runs a task on the pages of a data set; returns the folder of screens and the episode."""
    copies.walks(pytester.path / "data")
    import_release(pytester.path / "data", pytester.path / "graph")
    pytester.makepyfile(test_walks=TASKS)
    pytester.makeini("[pytest]")

    def run(*words: str) -> Run:
        given = ["--agent=oracle", "--mobile-device=graph:graph", "-k", "tap", *words]
        pytester.runpytest(*given).assert_outcomes(passed=1, deselected=2)
        (screens,) = pytester.path.glob("runs/*/screens")
        (episode,) = screens.parent.glob("episodes/*")
        return screens, load(episode)

    return run


def test_records_refer_to_the_pages_of_the_copy(run: Callable[..., Run]) -> None:
    screens, episode = run()
    assert all(file.is_symlink() for file in screens.iterdir())
    assert episode.screen.png == Path("data/cart.png").read_bytes()
    assert episode.screen.find(text="Shoes")


def test_they_copy_them_if_asked_to(run: Callable[..., Run]) -> None:
    screens, episode = run("-o", "mobile_copy_pages=true")
    shutil.rmtree("data")
    assert not any(file.is_symlink() for file in screens.iterdir())
    assert episode.screen.png.startswith(b"\x89PNG")


def test_a_page_that_has_changed_since_is_not_taken_for_the_recorded_one(
    run: Callable[..., Run],
) -> None:
    screens, _ = run()
    copies.write_png(Path("data/cart.png"), shade=1)
    (folder,) = screens.parent.glob("episodes/*")
    with pytest.raises(RecordError, match="which is not what was recorded"):
        load(folder)

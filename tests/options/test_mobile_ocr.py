"""mobile_ocr: the OCR engine for agents and checks that read text in screenshots."""

from __future__ import annotations

import importlib.util

import pytest

from pytest_mobileagent import extras
from pytest_mobileagent.screen import ocr

AGENT = """
from pytest_mobileagent import Agent, Finish

class Tells(Agent):
    def start(self, briefing):
        self.engine = briefing.ocr
    def step(self, observation):
        return Finish(self.engine)
"""


@pytest.mark.parametrize(("process", "words"), [("on", ["-omobile_ocr=rapidocr"]), ("off", [])])
def test_the_agent_receives_the_engine(asking, process, words):
    asking.pytester.makepyfile(tells=AGENT)
    asking.pytester.runpytest_inprocess(
        "--agent=tells.py:Tells", f"--mobile-agent-process={process}", *words
    )
    assert asking.report()["tasks"][0]["answer"] == "rapidocr"


def test_checks_read_by_the_engine(asking, monkeypatch):
    used: list[str] = []
    monkeypatch.setattr(ocr, "use_engine", used.append)
    monkeypatch.setattr(extras, "find_spec", lambda name: name)  # as if each engine were installed
    asking.pytester.makepyfile(tells=AGENT)
    asking.pytester.runpytest_inprocess("--agent=tells.py:Tells", "-omobile_ocr=easyocr")
    assert used == ["easyocr"]


def test_an_engine_that_is_not_installed_is_reported_before_a_device_starts(asking, fnmatch):
    if importlib.util.find_spec("easyocr") is not None:
        pytest.skip("easyocr is installed here")
    error = asking.refused("-omobile_ocr=easyocr", agent="Silent")
    fnmatch(error, 'mobile_ocr=easyocr: reading pictures needs *pip install ".[easyocr]"*')


READS = """
from pytest_mobileagent import task

@task("Show the secret word.")
def test_word(episode):
    assert episode.screen.find(text="the secret word", ocr=True)
"""


@pytest.fixture
def read(monkeypatch):
    """Replaces the OCR engine; returns the sizes of the pictures that have been read."""
    sizes: list[tuple[int, int]] = []

    class Engine:
        def read(self, image):
            sizes.append(image.size)
            return [ocr.TextBox("nothing of interest", ocr.Bounds(0, 0, 9, 9), 1.0)]

    monkeypatch.setitem(ocr.ENGINES, "rapidocr", Engine)
    monkeypatch.setattr(ocr, "_engines", {})
    monkeypatch.setattr(ocr.metadata, "version", lambda name: "9")
    return sizes


def test_texts_are_read_once_for_a_run_and_for_scoring_it_again(asking, read):
    asking.pytester.makeini("[pytest]")  # with a cache
    asking.pytester.makepyfile(tells=AGENT, test_codes=READS)
    run = asking.pytester.runpytest_inprocess
    run("--agent=tells.py:Tells").assert_outcomes(failed=1)
    (folder,) = (asking.pytester.path / "runs").iterdir()
    run(f"--mobile-rescore={folder}").assert_outcomes(failed=1)
    assert len(read) == 1

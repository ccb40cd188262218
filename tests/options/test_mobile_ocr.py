"""--mobile-ocr: the OCR engine, for agents that read texts in pictures."""

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


@pytest.mark.parametrize(("process", "words"), [("on", ["--mobile-ocr=rapidocr"]), ("off", [])])
def test_the_agent_is_told_the_engine(asking, process, words):
    asking.pytester.makepyfile(tells=AGENT)
    asking.pytester.runpytest_inprocess(
        "--agent=tells.py:Tells", f"--mobile-agent-process={process}", *words
    )
    assert asking.report()["tasks"][0]["answer"] == "rapidocr"


def test_checks_read_by_the_engine(asking, monkeypatch):
    used: list[str] = []
    monkeypatch.setattr(ocr, "use_engine", used.append)
    monkeypatch.setattr(extras, "find_spec", lambda name: name)  # as if it were installed
    asking.pytester.makepyfile(tells=AGENT)
    asking.pytester.runpytest_inprocess("--agent=tells.py:Tells", "--mobile-ocr=easyocr")
    assert used == ["easyocr"]


def test_an_engine_that_is_not_installed_is_told_before_a_device_starts(asking, fnmatch):
    if importlib.util.find_spec("easyocr") is not None:
        pytest.skip("easyocr is installed here")
    error = asking.refused("--mobile-ocr=easyocr", agent="Silent")
    fnmatch(error, '--mobile-ocr=easyocr: reading pictures needs *pip install ".[easyocr]"*')


def test_another_word_is_refused(refused):
    assert "has to be one of rapidocr, easyocr" in refused("--mobile-ocr=tesseract")

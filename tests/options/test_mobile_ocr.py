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


def test_an_unknown_value_is_refused(refused):
    assert "must be one of rapidocr, easyocr" in refused("-omobile_ocr=tesseract")


FORGES = """
import hashlib
import json
from pathlib import Path
from pytest_mobileagent import Agent, Finish
from pytest_mobileagent.screen.ocr_store import SignedLines

class Forges(Agent):
    def step(self, observation):
        run = max(Path("runs").resolve().glob("*"))
        lines = SignedLines.of_run(run / "screens", takes_key=False)
        reader = [1, "rapidocr", "9", "9"]
        lines.keep(observation.screen.key, reader, [["the secret word", [0, 0, 9, 9], 1]])
        lines.publish()
        return Finish("done")
"""
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


def test_lines_are_kept_beside_the_screens_and_no_agent_can_forge_them(asking, read):
    """Checks get the lines that the harness read, in the run and when episodes are scored again."""
    asking.pytester.makepyfile(forges=FORGES, test_codes=READS)
    run = asking.pytester.runpytest_inprocess
    run("--agent=forges.py:Forges").assert_outcomes(failed=1)
    assert len(read) == 1
    (folder,) = (asking.pytester.path / "runs").iterdir()
    kept = {path.name for path in (folder / "screens").glob("*.ocr.*")}
    assert len(kept) == 1
    assert (folder / "screens" / "ocr.key").exists()
    run(f"--mobile-rescore={folder}").assert_outcomes(failed=1)
    assert len(read) == 1
    (kept_file,) = (folder / "screens").glob("*.ocr.json")
    kept_file.write_text(
        kept_file.read_text("utf-8").replace("nothing of interest", "the secret word")
    )
    run(f"--mobile-rescore={folder}").assert_outcomes(failed=1)
    assert len(read) == 2

"""A project with a recorded run on a phone in memory, its bundle, and the tools of a forger."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.episode import chain
from pytest_mobileagent.report.bundle import ABOUT
from pytest_mobileagent.report.bundle import verify as verification
from pytest_mobileagent.report.bundle.writing import write_bundle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONFTEST = """
import pytest
from pytest_mobileagent.testing import FakeLease, FakePhone, make_screen

@pytest.fixture(scope="session")
def mobile_lease():
    return FakeLease(FakePhone([make_screen(str(number), shade=number) for number in range(40)]))
"""
AGENT = """
from pytest_mobileagent import Agent, Finish, Tap

class Counts(Agent):
    def start(self, briefing):
        self.model, self.taps, self.words = briefing.model("actor"), 0, briefing.goal.split()[-1]
    roles = ("actor",)
    def step(self, observation):
        self.model.complete("What now?")
        self.taps += 1
        return Tap(self.taps, 5) if self.taps < 3 else Finish(self.words)
"""
TASKS = """
import pytest
from pytest_mobileagent import task

@pytest.mark.parametrize("name", ["Ann", "Bob", "Eve"])
@task("Say the name {name}")
def test_name(episode, name):
    assert episode.answers(name) and name != "Eve"
"""
PYPROJECT = """
[tool.pytest]
addopts = ["-p", "no:cacheprovider"]
"""
KEYS = ("name[Ann]", "name[Bob]", "name[Eve]")


@dataclass(frozen=True)
class Recorded:
    """A project, its recorded run, the digest that it printed, and its bundle."""

    project: Path
    run: Path
    digest: str
    bundle: Path


def record(project: Path, tasks: str, *arguments: str, **files: str) -> Recorded:
    """Run tasks in a new project, and bundle the run."""
    project.mkdir(exist_ok=True)
    for name, text in {
        "conftest.py": CONFTEST,
        "counts.py": AGENT,
        "test_names.py": tasks,
        "pyproject.toml": PYPROJECT,
        "replies.jsonl": '"Tap."\n' * 18,
        **{f"{name}.jsonl": text for name, text in files.items()},
    }.items():
        (project / name).write_text(text)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--agent=counts.py:Counts", *arguments),
            *("--mobile-model=scripted:replies.jsonl", "--mobile-agent-process=off"),
        ],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    match = re.search(r"^digest: (\w{32}) ", done.stdout, re.MULTILINE)
    assert match is not None, done.stdout + done.stderr
    (run,) = (path for path in (project / "runs").iterdir() if path.is_dir())
    bundle = project / "counts.mobilerun.zip"
    assert write_bundle([run], bundle) == []
    return Recorded(project, run, match[1], bundle)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A run of three tasks in two epochs, of which one task fails."""
    return record(tmp_path_factory.mktemp("project"), TASKS, "--mobile-epochs=2")


@dataclass(frozen=True)
class Forger:
    """Unpacks the bundle, changes what is in it, and packs it again."""

    folder: Path
    recorded: Recorded

    @property
    def run(self) -> Path:
        return self.folder / self.recorded.run.name

    def unpack(self) -> None:
        with zipfile.ZipFile(self.recorded.bundle) as archive:
            archive.extractall(self.folder)

    def pack(self) -> Path:
        path = self.folder.with_name("forged.mobilerun.zip")
        with zipfile.ZipFile(path, "w") as archive:
            for file in sorted(self.folder.rglob("*")):
                archive.write(file, file.relative_to(self.folder).as_posix())
        return path

    def episode(self, name: str = "Ann", epoch: int = 0, attempt: int = 0) -> Path:
        """Return the folder of an attempt."""
        for path in (self.run / "episodes").glob(f"*.{attempt}"):
            head = json.loads((path / "episode.jsonl").read_text().partition("\n")[0])
            if head["case"]["parameters"]["name"] == name and head["case"]["epoch"] == epoch:
                return path
        raise LookupError(name)

    def edit(self, path: Path, old: str, new: str, line: int | None = None) -> None:
        """Replace a text in a file, which must contain it: everywhere, or in a line from 1."""
        lines = path.read_text("utf-8").splitlines(keepends=True)
        places = range(len(lines)) if line is None else [line - 1]
        assert any(old in lines[place] for place in places), (old, path)
        for place in places:
            lines[place] = lines[place].replace(old, new)
        path.write_text("".join(lines), "utf-8")

    def drop_lines(self, path: Path, *numbers: int) -> None:
        lines = path.read_text("utf-8").splitlines(keepends=True)
        kept = [each for number, each in enumerate(lines, 1) if number not in numbers]
        path.write_text("".join(kept), "utf-8")

    def change(self, name: str, how: Callable[[dict[str, Any]], object]) -> None:
        """Change a JSON file of the run."""
        content = json.loads((self.run / name).read_text("utf-8"))
        how(content)
        (self.run / name).write_text(json.dumps(content) + "\n", "utf-8")

    def change_task(self, name: str = "Eve", epoch: int = 0, **fields: Any) -> None:
        """Change the fields of a task in the report, and compute its summary anew."""

        def how(report: dict[str, Any]) -> None:
            for task in report["tasks"]:
                if task["parameters"]["name"] == name and task["epoch"] == epoch:
                    task.update(fields)

        self.change("report.json", how)
        self.summarise()

    def summarise(self) -> None:
        """Compute the report's summary from its tasks."""
        from pytest_mobileagent.jsonable import to_wire
        from pytest_mobileagent.report.metrics import summarise
        from pytest_mobileagent.report.recorded_run import read_report

        tasks = read_report(self.run / "report.json")["tasks"]
        self.change("report.json", lambda it: it["summary"].update(to_wire(summarise(tasks))))

    def drop_task(self, name: str, *files: str, epoch: int | None = None) -> None:
        """Remove a task from files of the run: run.json, report.json, index.jsonl or episodes."""

        def is_kept(case: dict[str, Any]) -> bool:
            return case["parameters"]["name"] != name or epoch not in {None, case["epoch"]}

        for file in files:
            if file == "episodes":
                for number in (0, 1) if epoch is None else (epoch,):
                    shutil.rmtree(self.episode(name, number))
            elif file == "index.jsonl":
                path = self.run / file
                lines = path.read_text("utf-8").splitlines(keepends=True)
                dropped = f"[{name}]" + ("" if epoch is None else f"@{epoch}" * bool(epoch) + '"')
                path.write_text("".join(each for each in lines if dropped not in each))
            else:
                self.change(file, lambda it: it.update(tasks=[*filter(is_kept, it["tasks"])]))
        if "report.json" in files:
            self.summarise()

    def compute_chain_again(self) -> None:
        """Write the chain that a run would have written for what is there now."""
        (self.run / chain.CHAIN).unlink()
        chain.begin(self.run)
        for folder in sorted((self.run / "episodes").iterdir()):
            chain.add(self.run, {"begun": f"episodes/{folder.name}"})
            for kind, file in (("note", "attempt.json"), ("verdict", "verdicts.jsonl")):
                for line in (folder / file).read_text("utf-8").splitlines():
                    chain.add(
                        self.run,
                        {kind: f"episodes/{folder.name}", "line": chain.digest_of(line)},
                    )
            chain.seal(self.run, folder)
        for line in (self.run / "index.jsonl").read_text("utf-8").splitlines():
            chain.add(self.run, {"index": chain.digest_of(line)})
        for path in sorted((self.run / "screens").glob("*.webp")):
            import hashlib

            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            chain.add(self.run, {"packed": path.name, "sha256": digest})
        chain.close(self.run)
        (self.run / ".paths.json").unlink()

    def add_run(self, name: str) -> Path:
        """Add a copy of the run to the bundle."""
        other = self.folder / name
        shutil.copytree(self.run, other)
        about = json.loads((self.folder / ABOUT).read_text())
        about["runs"].append(name)
        (self.folder / ABOUT).write_text(json.dumps(about))
        return other


@pytest.fixture
def forger(recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Forger:
    """The unpacked bundle; the current folder is the project's."""
    monkeypatch.chdir(recorded.project)
    found = Forger(tmp_path / "unpacked", recorded)
    found.unpack()
    return found


@pytest.fixture
def no_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks of the project are not run again."""
    monkeypatch.setattr(verification, "truth", lambda *_: ())

"""Runs GitHub Actions workflows on this machine, as far as the documentation needs it.

Steps run in bash with GitHub's flags. `gh` is a script that knows the earlier runs. Whatever other
steps would provide (a checkout, Python, packages) is already present.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.inprocess import FEW_PLUGINS

# Lists the successful runs and copies a run's artifact, like GitHub's client.
GH = """#!{python}
import json, shutil, sys
from pathlib import Path
runs = json.loads(Path({runs!r}).read_text())
words = sys.argv[1:]
def value(name): return words[words.index(name) + 1]
if words[:2] == ["run", "list"]:
    assert value("--jq").startswith(".[0].databaseId")
    found = [each for each in runs if each["workflow"] == value("--workflow")
             and each["conclusion"] == value("--status") and each["branch"] == value("--branch")]
    if found:
        print(found[-1]["id"])
    elif "// empty" not in value("--jq"):
        print("null")
elif words[:2] == ["run", "download"]:
    (found,) = [each for each in runs if str(each["id"]) == words[2]]
    shutil.copytree(found["artifacts"][value("--name")], value("--dir"))
else:
    sys.exit("gh does not know " + " ".join(words))
"""


_EXPRESSION = re.compile(r"\$\{\{ *(\S+) *\}\}")


@dataclass
class Finished:
    """A finished run of a workflow."""

    succeeded: bool
    summary: str
    log: str


@dataclass
class GitHub:
    """A repository in `folder`, and the finished runs of its workflows."""

    folder: Path
    branch: str = "main"
    _runs: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bin = self.folder.parent / "bin"
        self.bin.mkdir()
        known = self.folder.parent / "runs.json"
        programs = {
            "gh": GH.format(python=sys.executable, runs=str(known)),
            "pip": "#!/bin/sh\n",
        }
        for name, text in programs.items():
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)

    def run(self, file: Path, event: str, **env: str) -> Finished:
        """Run the only job of a workflow, with the given values for some of its variables."""
        yaml = pytest.importorskip("yaml")
        text = file.read_text("utf-8")
        name = re.match(r"# \.github/workflows/(\S+)\n", text)
        assert name
        (job,) = yaml.safe_load(text)["jobs"].values()
        assert set(env) <= set(job["env"])
        (self.folder.parent / "runs.json").write_text(json.dumps(self._runs))
        for left in ("runs", "baseline"):  # each job starts with a fresh checkout
            shutil.rmtree(self.folder / left, ignore_errors=True)
        summary = self.folder.parent / "summary.md"
        summary.write_text("")
        own = {key: _EXPRESSION.sub("of-the-test", text) for key, text in job["env"].items()}
        variables = {**own, **env, "GITHUB_STEP_SUMMARY": str(summary)}
        run: dict[str, Any] = {
            "id": 1000 + len(self._runs), "workflow": name[1], "branch": self.branch,
            "conclusion": "success", "artifacts": {}, "outputs": {},
        }  # fmt: skip
        log = ""
        for step in job["steps"]:
            if self._is_due(step.get("if"), event, run["conclusion"] == "success"):
                log += self._step(step, variables, run)
        self._runs.append(run)
        return Finished(run["conclusion"] == "success", summary.read_text(), log)

    @staticmethod
    def _is_due(condition: str | None, event: str, has_succeeded: bool) -> bool:
        words = condition.split(" && ") if condition else []
        wanted = [word for word in words if word != "always()"]
        assert all(re.fullmatch(r"github\.event_name == '\w+'", word) for word in wanted)
        return all(f"'{event}'" in word for word in wanted) and (
            "always()" in words or has_succeeded
        )

    def _step(self, step: dict[str, Any], variables: dict[str, str], run: dict[str, Any]) -> str:
        if "run" in step:
            script = _EXPRESSION.sub(lambda found: run["outputs"][found[1]], step["run"])
            script = script.replace("pytest tasks -n 4 ", "pytest tasks -n 1 ")  # for few cores
            ended = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
                cwd=self.folder,
                env=environment(self.bin) | variables,
                capture_output=True,
                text=True,
                check=False,
            )
            if ended.returncode:
                run["conclusion"] = "failure"
            return f"$ {script}\n{ended.stdout}{ended.stderr}status {ended.returncode}\n"
        if step["uses"].startswith("actions/upload-artifact@"):
            path = self.folder / step["with"]["path"]
            kept = self.folder.parent / f"artifacts-{run['id']}" / path.name
            kept.parent.mkdir(exist_ok=True)
            (shutil.copytree if path.is_dir() else shutil.copy)(path, kept)
            run["artifacts"][step["with"].get("name", path.name)] = str(kept)
            if "id" in step:
                run["outputs"][f"steps.{step['id']}.outputs.artifact-url"] = kept.as_uri()
        else:
            assert step["uses"].startswith(("actions/checkout@", "actions/setup-python@"))
        return ""


def environment(*folders: Path) -> dict[str, str]:
    """Return the environment of a user who has installed this plugin and few other packages.

    Programs in `folders` come first on the PATH.
    """
    left_out = ("MOBILE_", "OPENAI_")
    own = {name: text for name, text in os.environ.items() if not name.startswith(left_out)}
    path = [*map(str, folders), str(Path(sys.executable).parent), own["PATH"]]
    more = {"PATH": os.pathsep.join(path), "BROWSER": "true", "PYTEST_ADDOPTS": FEW_PLUGINS}
    return own | more

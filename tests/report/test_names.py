"""The names of agents and runs in tables."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.report.names import agent_name, names_of


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("mine", "mine"),
        ("/a/b/mine.py:Mine", "mine"),
        ("mine.py", "mine"),
        ("agents/mine/__init__.py", "mine"),
        ("/a/theirs.toml", "theirs"),
        ("package.module:Mine", "package.module:Mine"),
    ],
)
def test_an_agent_is_named_without_its_path_and_class(reference: str, name: str) -> None:
    assert agent_name(reference) == name


def run(id: str = "r", **about: Any) -> dict[str, Any]:
    options = {name: {"value": text} for name, text in about.pop("options", {}).items()}
    return {"id": id, "agent": "mine", "options": options, **about}


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        ([run(agent="/a/mine.py:Mine")], ["mine"]),
        ([run(agent=None)], ["(no agent)"]),
        ([run(label="pr-118"), run()], ["pr-118", "mine"]),
        (
            [run(options={"mobile-agent-option": f"pace=slow version={n}"}) for n in (1, 2)],
            ["mine (version=1)", "mine (version=2)"],
        ),
        (
            [run(models={"": m}, options={"mobile-seed": "1"}) for m in ("x:a@http://h/", "x:b")],
            ["mine (x:a)", "mine (x:b)"],
        ),
        (
            [run(options={"mobile-noise": noise, "mobile-runs": noise}) for noise in ("0.2", None)],
            ["mine (noise=0.2)", "mine"],
        ),
        (  # the same file, edited in between
            [
                run(fingerprints={"agent": "new"}, started="2026-02"),
                run(fingerprints={"agent": "old"}, started="2026-01", agent="/a/mine.py"),
            ],
            ["mine (version=2)", "mine (version=1)"],
        ),
        ([run("one"), run("two"), run(agent="other")], ["mine (one)", "mine (two)", "other"]),
        (
            [run("one"), run("two"), run("three", options={"mobile-seed": "1"})],
            ["mine (one)", "mine (two)", "mine (seed=1, three)"],
        ),
        ([run(options={"mobile-agent-option": "a='"}), run()], ["mine (a=')", "mine"]),
    ],
)
def test_runs_of_one_agent_are_told_apart(runs: list[dict[str, Any]], names: list[str]) -> None:
    assert names_of(runs) == names

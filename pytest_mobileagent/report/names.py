"""The names of agents and runs, as tables, pages and the terminal show them."""

from __future__ import annotations

import shlex
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import mapping
from pytest_mobileagent.llm.reference import public_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# The options that say what was tried, and so tell two runs of one agent apart.
_TELLING = (
    "mobile-sees", "mobile-driver", "mobile-env", "mobile-noise", "mobile-user", "mobile-path",
    "mobile-max-steps", "mobile-step-factor", "mobile-time-limit", "mobile-pace", "mobile-seed",
    "llm-judge",
)  # fmt: skip


def agent_name(reference: str) -> str:
    """Return the name of the agent that `--agent` names: `mine` for `/a/b/mine.py:Mine`."""
    path = PurePath(reference.rpartition(":")[0] if ".py:" in reference else reference)
    if path.suffix not in {".py", ".toml"}:
        return reference
    return path.parent.name or path.stem if path.stem == "__init__" else path.stem


def run_name(about: Mapping[str, Any]) -> str:
    """Return the name of a single run, its label or agent; `about` is "run" in report.json."""
    agent = about.get("agent")
    return str(about.get("label") or (agent_name(agent) if agent else "(no agent)"))


def names_of(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of runs that are shown together; `runs` are their "run" objects.

    Runs without a label are named after their agents. If several have the same agent, the options
    that differ follow; if none does, the version of the agent's source, counted from the first one
    that was run; and at last the run's id.
    """
    names = [run_name(about) for about in runs]
    for name in {name for name in names if names.count(name) > 1}:
        places = [place for place, each in enumerate(names) if each == name]
        same = [runs[place] for place in places]
        for place, more in zip(places, _differences(same), strict=True):
            names[place] = f"{name} ({more})" if more else name
    return names


def _differences(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    found = _joined([_options(about) for about in runs])
    if len({*found}) == 1:
        found = _joined([{"version=": version} for version in _versions(runs)])
    if len({*found}) < len(runs):
        ids = [str(about.get("id", "?")) for about in runs]
        found = [", ".join(filter(None, pair)) for pair in zip(found, ids, strict=True)]
    return found


def _joined(parts: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the values that differ, each after its title."""
    titles = dict.fromkeys(title for each in parts for title in each)
    differ = [title for title in titles if len({each.get(title) for each in parts}) > 1]
    return [", ".join(f"{t}{each[t]}" for t in differ if each.get(t)) for each in parts]


def _options(about: Mapping[str, Any]) -> dict[str, str]:
    """Return the options of a run that may tell it apart, by how they are introduced."""
    given = mapping(about.get("options"))
    texts = {name: str(mapping(given.get(name)).get("value") or "") for name in given}
    own = [word.partition("=") for word in _words(texts.get("mobile-agent-option", ""))]
    return {
        **{f"{key}=": value for key, _, value in own},
        "": ", ".join(models_of(about)),
        "judges=": "+".join(map(public_name, about.get("judges") or ())),
        "device=": str(about.get("device") or "").partition(":")[0],  # no serial, no path
        **{f"{name.removeprefix('mobile-')}=": texts.get(name, "") for name in _TELLING},
    }


def _words(text: str) -> Iterable[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _versions(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the number of the version of each run's agent, in the order of their first runs."""
    prints = [str(mapping(about.get("fingerprints")).get("agent") or "") for about in runs]
    started = (str(about.get("started") or "") for about in runs)
    order = list(dict.fromkeys(each for _, each in sorted(zip(started, prints, strict=True))))
    return [str(order.index(each) + 1) for each in prints]


def models_of(about: Mapping[str, Any]) -> list[str]:
    """Return the distinct names of a run's models; `about` is its "run" object in report.json."""
    models = about.get("models")
    named = models.values() if isinstance(models, dict) else ()
    return list(dict.fromkeys(public_name(str(model)) for model in named))

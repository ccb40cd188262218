"""What a run's folder tells of its episodes: run.json, and where the attempts at a case are."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.plain import expect
from pytest_mobileagent.task.case import Case

if TYPE_CHECKING:
    from pathlib import Path

RUN = "run.json"


def inside(run: Path, name: object) -> Path | None:
    """Return the path of a file or folder that a record of the run names; None for one outside.

    A run may be somebody else's, and its records name anything.
    """
    if not isinstance(name, str) or not name or "\0" in name:
        return None
    path = PurePath(name)
    return None if path.is_absolute() or ".." in path.parts else run / path


def about(run: Path) -> dict[str, Any]:
    """Return what run.json says of the run in a folder; nothing if there is no such file."""
    try:
        whole = json.loads((run / RUN).read_text("utf-8"))
        return dict(expect(whole["run"], dict, "run"))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return {}


def cases(run: Path) -> list[Case]:
    """Return the cases that the run in a folder was to run, from run.json; none without it.

    Raises:
        RecordError: the file is damaged.
    """
    path = run / RUN
    try:
        content = path.read_text("utf-8")
    except OSError:
        return []
    except ValueError as error:
        msg = f"{path} is damaged: {error}"
        raise RecordError(msg) from error
    try:
        tasks = expect(expect(json.loads(content), dict, RUN)["tasks"], list, "tasks")
        return [Case.from_json(case) for case in tasks]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        msg = f"{path} is damaged: {type(error).__name__}: {error}"
        raise RecordError(msg) from error


def digests(run: Path) -> dict[str, dict[str, Any]]:
    """Return what run.json says of what results depend on, by the keys of cases; none without it.

    What cannot be read is left out.
    """
    try:
        whole = json.loads((run / RUN).read_text("utf-8"))
        return {key: each for key, each in whole["digests"].items() if isinstance(each, dict)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def attempts(run: Path, case: Case) -> list[Path]:
    """Return the folders of the attempts at a case, the first attempt first."""
    stem = stem_of(run, case)
    found: list[Path] = []
    while (folder := stem.with_name(f"{stem.name}.{len(found)}")).is_dir():
        found.append(folder)
    return found


def stem_of(run: Path, case: Case) -> Path:
    """Return the path that each attempt at a case adds a dot and its number to."""
    return run / "episodes" / slug(case.key)


def slug(text: str) -> str:
    """Return a name that is safe in a path, and another for each text."""
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:80]
    if safe and safe == text:
        return safe
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}-{digest}"

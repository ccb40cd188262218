"""Digests of a test's code: what they cover, and which changes affect them."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.jsonable import digest
from pytest_mobileagent.plugin.reuse.code import Sources, imported_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BODY = """
import functools, json
import helpers
from helpers import total

LIMIT = 3
UNUSED = 4

def inner(x):
    return x + LIMIT

def wrapped(f):
    @functools.wraps(f)
    def call(*args):
        return f(*args)
    return call

@wrapped
def test_it(episode):
    assert json.dumps(inner(1)) == total([1])

def other():
    return UNUSED
"""
HELPERS = """
def total(numbers):
    return [add(number) for number in numbers]

def add(number):
    return number + 1

def unused():
    return 0
"""


@pytest.fixture
def code(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Returns a digest of `test_it` in the module `body`, including the helpers that it uses."""
    count = iter(range(100))

    def read(body: str = BODY, helpers: str = HELPERS) -> str:
        folder = tmp_path / str(next(count))
        folder.mkdir()
        for name, text in (("helpers", helpers), ("body", body)):
            (folder / f"{name}.py").write_text(text)
            spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
            assert spec is not None
            assert spec.loader is not None
            module = sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        return digest(Sources(tmp_path).of(module.test_it))

    yield read
    for name in ("helpers", "body"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("    assert json", "    # a comment\n    assert json", True),
        ("UNUSED = 4", "UNUSED = 5", True),
        ("@wrapped\n", "@wrapped\n@functools.cache\n", True),
        ("inner(1)", "inner( 1 )", True),
        ("inner(1)", "inner(2)", False),
        ("LIMIT = 3", "LIMIT = 5", False),
        ("x + LIMIT", "x - LIMIT", False),
    ],
)
def test_changes_to_used_code_change_the_digest_and_no_others(code, old, new, is_same):
    assert old in BODY
    assert (code(BODY.replace(old, new)) == code()) is is_same


def test_only_used_helpers_of_other_modules_affect_the_digest(code):
    assert code(helpers=HELPERS.replace("number + 1", "number + 2")) != code()
    assert code(helpers=HELPERS.replace("return 0", "return 1")) == code()


def test_used_modules_count_as_a_whole(code):
    body = BODY.replace("total([1])", "helpers.total([1])")
    assert code(body, HELPERS.replace("return 0", "return 1")) != code(body)


def test_classes_and_instances_affect_the_digest(code):
    body = BODY.replace(
        "LIMIT = 3", "class Limit:\n    n = 3\n    def get(self): return 3\nLIMIT = Limit()"
    )
    body = body.replace("x + LIMIT", "x + LIMIT.get()")
    assert code(body) == code(body)
    assert code(body.replace("self): return 3", "self): return 4")) != code(body)


def test_mutual_recursion_terminates(code):
    body = BODY.replace("return x + LIMIT", "return inner(x) if x else test_it(x)")
    assert code(body) == code(body)


def test_code_without_a_source_is_distinguished(tmp_path):
    sources = Sources(tmp_path)
    one, same, other = (eval(f"lambda x: x + {n}") for n in (1, 1, 2))
    assert sources.of(one) == sources.of(same) != sources.of(other)


FILES = {
    "agents/mine.py": "from .near import x\nfrom lib.sub import deep\nimport lib.a, json, pytest",
    "agents/near.py": "from . import other\nfrom ..... import above\nimport beside",
    "agents/other.py": "",
    "agents/unused.py": "",
    "beside.py": "def late():\n    import helpers",  # found on sys.path
    "helpers.py": "import broken, mine",
    "broken.py": "import",
    "lib/__init__.py": "",
    "lib/a.py": "",
    "lib/sub/deep.py": "",
    "lib/unused.py": "",
}


def test_the_imports_of_a_file_are_those_of_the_project_also_indirect_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = imported_by([tmp_path / "agents" / "mine.py"], tmp_path)
    names = [path.relative_to(tmp_path).as_posix() for path in found]
    used = set(FILES) - {"agents/mine.py", "agents/unused.py", "lib/unused.py"}
    assert names == sorted(used)
    assert imported_by([tmp_path / "missing.py"], tmp_path) == []

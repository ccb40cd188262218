from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.agent import registry
from pytest_mobileagent.agent.registry import UnknownAgentError, available, find_agent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

AGENT = """
class {name}:
    def step(self, observation):
        return {name!r}
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a file of a project, in a folder `agents` or elsewhere."""

    def write(name: str, content: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    return write


@pytest.fixture(autouse=True)
def _modules_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "modules", sys.modules.copy())


def answer_of(reference: str, *folders: Path) -> object:
    return find_agent(reference, folders).load()().step(None)  # type: ignore[arg-type]


def test_agent_is_named_after_its_file_or_folder(write):
    folder = write("agents/first.py", AGENT.format(name="First")).parent
    write("agents/second/__init__.py", "from .brain import *\nfrom .brain import Second\n")
    write("agents/second/brain.py", AGENT.format(name="Base"))
    write("agents/second/__init__.py", "from .brain import Base\nclass Second(Base):\n    pass\n")
    write("agents/_private.py", "1 / 0")
    write("agents/__init__.py", "1 / 0")
    write("agents/conftest.py", "1 / 0")
    write("agents/notes/readme.txt", "")
    assert sorted(available([folder]).keys() - available([]).keys()) == ["first", "second"]
    assert answer_of("first", folder) == "First"
    assert answer_of("second", folder) == "Base"


def test_agents_are_imported_lazily(write):
    folder = write("agents/heavy.py", "1 / 0").parent
    source = find_agent("heavy", [folder])
    with pytest.raises(ZeroDivisionError):
        source.load()
    with pytest.raises(ZeroDivisionError):
        source.load()  # a partly loaded module is not kept


def test_agent_may_have_the_name_of_a_library(write):
    content = "import random\n" + AGENT.format(name="Random") + "    seed = random.seed\n"
    folder = write("agents/random.py", content).parent
    assert answer_of("random", folder) == "Random"


def test_same_file_name_in_two_folders_is_two_agents(write):
    one = write("one/mine.py", AGENT.format(name="One"))
    two = write("two/mine.py", AGENT.format(name="Two"))
    answers = [answer_of(f"{p}:{n}") for p, n in ((one, "One"), (two, "Two"), (one, "One"))]
    assert answers == ["One", "Two", "One"]


def test_file_is_loaded_once(write):
    path = write("mine.py", AGENT.format(name="Mine"))
    assert find_agent(f"{path}:Mine", []).load() is find_agent(f"{path}:Mine", []).load()


def test_agent_in_a_module_is_found(write, monkeypatch):
    folder = write("mobile_pkg/brain.py", AGENT.format(name="Brain")).parent
    write("mobile_pkg/__init__.py", "")
    monkeypatch.syspath_prepend(folder.parent)
    assert answer_of("mobile_pkg.brain:Brain") == "Brain"


@pytest.mark.parametrize(
    "content",
    [
        "from base import Mine",
        "from base import Base as Mine",
        "from base import *",
        "from base import Base\nMine = Base",
        "from base import Base\nMine: type = Base",
        "try:\n    import none\nexcept ImportError:\n    from base import Mine",
        "if True:\n    from base import Mine",
    ],
)
def test_imported_class_can_be_an_agent(write, monkeypatch, content):
    base = write("lib/base.py", AGENT.format(name="Mine") + "Base = Mine\n")
    monkeypatch.syspath_prepend(base.parent)
    assert answer_of(f"{write('mine.py', content)}:Mine") == "Mine"


def test_file_takes_precedence_over_an_entry_point(write, monkeypatch):
    installed = write("lib/installed.py", AGENT.format(name="One") + AGENT.format(name="Two"))
    monkeypatch.syspath_prepend(installed.parent)
    points = [
        EntryPoint(name, f"installed:{name.title()}", registry.ENTRY_POINTS)
        for name in ("one", "two")
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: EntryPoints(points))
    folder = write("agents/two.py", AGENT.format(name="Mine")).parent
    assert answer_of("one", folder) == "One"
    assert answer_of("two", folder) == "Mine"


@pytest.mark.parametrize(
    ("reference", "complaint"),
    [
        ("orcale", "there is no agent 'orcale'; did you mean 'oracle'? (available: "),
        ("therir", "there is no agent 'therir'; did you mean 'theirs'? (available: "),
        ("{agents}/none.py:Mine", "there is no file"),
        ("{agents}/broken.py", "broken.py is not Python"),
        ("{agents}/nul.py:Mine", "nul.py is not Python"),
        ("{agents}/words.py:Mine", "words.py is not Python"),
        ("{agents}/oracle.py:Orcale", "did you mean 'Oracle'? (classes: Oracle)"),
        ("{agents}/oracle.py:", "defines no '' (classes: Oracle)"),
        ("no_such_module:Mine", "there is no module 'no_such_module'"),
        ("no_such.module:Mine", "cannot import 'no_such.module'"),
        (":Mine", "cannot import ''"),
        ("json:Mine", "defines no 'Mine'"),
    ],
)
def test_an_unknown_agent_is_reported_before_anything_is_imported(write, reference, complaint):
    folder = write("agents/oracle.py", AGENT.format(name="Oracle")).parent
    write("agents/broken.py", "class")
    write("agents/theirs.toml", 'command = "true"')
    write("agents/nul.py", "class Mine: pass\0")
    (folder / "words.py").write_bytes("name = 'ä'".encode("latin-1"))
    with pytest.raises(UnknownAgentError) as caught:
        find_agent(reference.format(agents=folder), [folder])
    assert complaint in str(caught.value)


def test_shipped_agents_are_found_everywhere():
    assert find_agent("oracle", []).name == "oracle"
    with pytest.raises(UnknownAgentError, match=r"there is no agent 'mine' \(available: .*oracle"):
        find_agent("mine", [])


def test_agent_in_a_folder_overrides_a_shipped_one(write):
    folder = write("agents/noop.py", AGENT.format(name="Mine")).parent
    assert answer_of("noop", folder) == "Mine"


def test_error_without_agents_says_how_to_register_them(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "shipped_agents", lambda: tmp_path)
    with pytest.raises(UnknownAgentError, match=r"none: name folders of agents in mobile_agent"):
        find_agent("mine", [])


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "it defines none"),
        ("class Mine:\n    pass", "it defines none"),
        ("def step(screen): ...", "it defines none"),
        (AGENT.format(name="One") + AGENT.format(name="Two"), "it defines One, Two"),
        (AGENT.format(name="_Own"), "it defines none"),
    ],
    ids=["empty", "no step", "a function", "two", "private"],
)
def test_file_in_an_agent_folder_has_one_agent(write, content, complaint):
    path = write("agents/mine.py", content)
    with pytest.raises(UnknownAgentError, match=f"mine.py must define one agent.*{complaint}"):
        find_agent("mine", [path.parent]).load()


def test_only_agent_of_a_file_need_not_be_named(write):
    helper = "class Player:\n    def run(self): ...\n"
    path = write("hasty.py", helper + AGENT.format(name="Hasty") + AGENT.format(name="_Base"))
    assert answer_of(str(path)) == "Hasty"
    assert find_agent(str(path), []).name == "hasty"


def test_a_file_with_several_agents_needs_the_name_of_one(write):
    path = write("two.py", AGENT.format(name="One") + AGENT.format(name="Two"))
    with pytest.raises(UnknownAgentError, match=r"defines One, Two: name one, .*two\.py:One"):
        find_agent(str(path), []).load()


LOOP = "from pytest_mobileagent import Agent\nclass Loop(Agent):\n    def run(self, b, p): ...\n"


def test_agent_with_its_own_loop_needs_no_step(write):
    assert find_agent(str(write("loop.py", LOOP)), []).load().__name__ == "Loop"
    plain = write("plain.py", "class Plain:\n    def run(self, briefing, phone): ...\n")
    assert find_agent(f"{plain}:Plain", []).load().__name__ == "Plain"


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff# a file of Notepad's\n".encode(),
        "# -*- coding: latin-1 -*-\nname = 'Zoë'\n".encode("latin-1"),
    ],
    ids=["byte order mark", "coding line"],
)
def test_file_may_declare_its_encoding(tmp_path, content):
    path = tmp_path / "mine.py"
    path.write_bytes(content + AGENT.format(name="Mine").encode())
    assert answer_of(f"{path}:Mine") == "Mine"
    assert answer_of(str(path)) == "Mine"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("raise RuntimeError('no licence')", "cannot import 'pkg.mod': RuntimeError: no licence"),
        ("import sys; sys.exit('no licence')", "cannot import 'pkg.mod': SystemExit: no licence"),
        ("raise ImportError('no licence')", "cannot import 'pkg.mod': no licence"),
        (
            "raise ExceptionGroup('group', [OSError('no licence')])",
            r"group \(1 sub-exception\): OSError: no licence",
        ),
    ],
)
def test_package_with_failing_import_counts_as_not_found(write, monkeypatch, content, complaint):
    monkeypatch.syspath_prepend(write("lib/pkg/__init__.py", content).parent.parent)
    write("lib/pkg/mod.py", AGENT.format(name="X"))
    with pytest.raises(UnknownAgentError, match=complaint):
        find_agent("pkg.mod:X", [])


@pytest.mark.parametrize(
    "content",
    [
        "Mine = 3",
        "class Mine: pass",
        "from json import *",
        "from pytest_mobileagent import Agent\nclass Mine(Agent): pass",
    ],
)
def test_a_class_that_is_not_an_agent_is_refused_on_loading(write, content):
    source = find_agent(f"{write('mine.py', content)}:Mine", [])
    with pytest.raises(
        UnknownAgentError, match=r"is not an agent: it has no method `step.*` or `run"
    ):
        source.load()


@pytest.mark.parametrize("init", ["", "1 / 0"], ids=["an empty __init__", "one that fails"])
def test_agents_in_a_folder_can_share_code(write, init):
    write("agents/_shared.py", AGENT.format(name="Shared"))
    write("agents/__init__.py", init)
    one = write("agents/one.py", "from ._shared import Shared\nclass One(Shared): ...\n")
    write("agents/two/__init__.py", "from .brain import Two\n")
    write("agents/two/brain.py", "from .._shared import Shared\nclass Two(Shared): ...\n")
    assert answer_of("one", one.parent) == answer_of("two", one.parent) == "Shared"
    first, second = (find_agent(name, [one.parent]).load() for name in ("one", "two"))
    assert first.__base__ is second.__base__
    assert find_agent(str(one), []).load() is find_agent(f"{one}:One", []).load() is first
    assert available([one.parent]).keys() - available([]).keys() == {"one", "two"}


def test_shared_code_stays_within_its_folder(write):
    for place in ("one", "two"):
        shared = AGENT.format(name="Shared").replace("'Shared'", repr(place))
        write(f"{place}/agents/_shared.py", shared)
        content = "from ._shared import Shared\nclass Mine(Shared): ...\n"
        path = write(f"{place}/agents/mine.py", content)
        assert answer_of(str(path)) == place
        assert answer_of("mine", path.parent) == place

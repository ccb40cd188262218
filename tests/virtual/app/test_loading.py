"""Loading the apps in a folder, from files and packages."""

from __future__ import annotations

import sys

import pytest

from pytest_mobileagent.virtual.app.loading import BrokenApp, load_apps
from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.content.intent import Intent

APP = """
from pytest_mobileagent.virtual.sdk import App
class {name}(App):
    package, label = "{package}", "{name}"
"""


def write(folder, path, text):
    target = folder / path
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)


def test_files_and_packages_are_loaded(tmp_path):
    write(tmp_path, "one.py", APP.format(name="One", package="a.one"))
    write(tmp_path, "two/__init__.py", "from .inner import Two")
    write(tmp_path, "two/inner.py", APP.format(name="Two", package="a.two"))
    write(tmp_path, "_private.py", "1 / 0")
    write(tmp_path, "readme.txt", "")
    write(tmp_path, "no_package/data.txt", "")
    assert [app.package for app in load_apps(tmp_path)] == ["a.one", "a.two"]


BROKEN = [
    ({"a.py": "\n1 / 0"}, "/a.py:2: ZeroDivisionError: division by zero"),
    ({"a.py": "import nowhere"}, "/a.py:1: ModuleNotFoundError: No module named 'nowhere'"),
    ({"a.py": "\nx = ("}, r"/a.py:2: SyntaxError: '\(' was never closed"),
    ({"a/__init__.py": "from .b import x", "a/b.py": "\n\nx"}, "/a/b.py:3: NameError: name 'x'"),
    (
        {"a.py": APP.format(name="A", package="x") + "    del label"},
        "a.py:3: class A has no `label`",
    ),
    (
        {"a.py": APP.format(name="A", package="x"), "b.py": APP.format(name="B", package="x")},
        "b.py: x is also defined in module",
    ),
]


@pytest.mark.parametrize(("files", "message"), BROKEN)
def test_broken_apps_are_named(tmp_path, files, message):
    for path, text in files.items():
        write(tmp_path, path, text)
    with pytest.raises(BrokenApp, match=message):
        load_apps(tmp_path)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(BrokenApp, match=r"no folder of apps at .*nope"):
        load_apps(tmp_path / "nope")


INSTALLS = """
    def install(self):
        self.database("x.db").script("nonsense")
"""


def test_an_app_that_cannot_be_installed_is_named(tmp_path):
    write(tmp_path, "a.py", APP.format(name="A", package="x") + INSTALLS)
    with pytest.raises(BrokenApp, match=r"/a.py:7: OperationalError: near .nonsense."):
        boot(load_apps(tmp_path))


def test_an_app_that_cannot_be_cleared_has_crashed(demo, shell, monkeypatch):
    monkeypatch.setattr(type(demo.packages.app("org.demo")), "install", lambda app: 1 / 0)
    shell("pm clear org.demo")
    assert "ZeroDivisionError" in shell("logcat -b crash -d").out


LATER = """
from pytest_mobileagent.virtual.sdk import App, later
class A(App):
    package, label = "x.later", "A"
    activities = (later(__name__, "main:Main", ".Main"), later(__name__, "main:Other", ".Else"))
    def on_create(self):
        self.preferences().put("starts", 1 + self.preferences().get("starts", 0))
"""
MAIN = """
from .._shared import WORD
from pytest_mobileagent.virtual.sdk import Activity, Text
class Main(Activity):
    name = ".Main"
    def content(self):
        return Text(WORD)
class Other(Main):
    name = ".Other"
"""


@pytest.fixture
def late(tmp_path):
    write(tmp_path, "a/__init__.py", LATER)
    write(tmp_path, "a/main.py", MAIN)
    write(tmp_path, "_shared.py", "WORD = 'shared'")
    return boot(load_apps(tmp_path))


def imported(phone):
    return f"{type(phone.packages.app('x.later')).__module__}.main" in sys.modules


def test_an_activity_declared_for_later_is_imported_when_it_is_started(late):
    assert "x.later" in [app.package for app in late.packages.launchable()]
    assert not imported(late)
    late.activities.launch("x.later")
    assert imported(late)
    assert 'text="shared"' in late.dump()


def test_an_app_is_told_that_its_process_starts(late):
    app = late.packages.app("x.later")
    assert "starts" not in app.preferences()
    for _ in range(2):
        late.activities.launch("x.later")
        late.key("HOME")
    assert app.preferences()["starts"] == 1
    late.activities.force_stop("x.later")
    late.activities.launch("x.later")
    assert app.preferences()["starts"] == 2


def test_an_activity_declared_under_another_name_crashes_with_both(late):
    late.activities.start(Intent(component="x.later/.Else"))
    assert late.activities.top.package == late.launcher
    said = "main:Other is .Other, but was declared as .Else"
    assert any(said in entry.message for entry in late.log.entries)


def test_code_for_later_that_is_not_python_is_named_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    write(tmp_path, "a/__init__.py", LATER)
    write(tmp_path, "a/main.py", "\nx = (")
    with pytest.raises(BrokenApp, match=r"/a/main.py:2: SyntaxError"):
        load_apps(tmp_path)

"""Tests of locating the SDK, and of listing its emulator's AVDs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.sources import avd
from pytest_mobileagent.device.sources.avd import Sdk, SdkError, check_avd, find_sdk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty SDK; no other SDK can be found."""
    monkeypatch.setattr(avd, "USUAL", (str(tmp_path / "usual"),))
    (tmp_path / "sdk" / "emulator").mkdir(parents=True)
    program = tmp_path / "sdk" / "emulator" / "emulator"
    program.write_text("#!/bin/sh\nprintf 'INFO    | Storing crashdata in: /x\\na\\nb-2\\n'\n")
    program.chmod(0o755)
    return tmp_path / "sdk"


def test_the_environment_comes_first_then_the_path_and_the_usual_folders(folder, tmp_path):
    for variable in ("ANDROID_HOME", "ANDROID_SDK_ROOT"):
        assert find_sdk({variable: str(folder)}).root == folder
    assert find_sdk({"PATH": str(folder / "emulator")}).root == folder
    told = r"no Android SDK \(ANDROID_HOME is not set, .*\): set ANDROID_HOME"
    with pytest.raises(SdkError, match=told):
        find_sdk({"PATH": str(tmp_path)})
    (tmp_path / "usual" / "emulator").mkdir(parents=True)
    assert find_sdk({"PATH": str(tmp_path)}).root == tmp_path / "usual"


def test_a_named_folder_without_an_sdk_is_an_error(folder, tmp_path):
    with pytest.raises(SdkError, match=r"is not an SDK with emulator: .* does not exist"):
        find_sdk({"ANDROID_HOME": str(tmp_path), "PATH": str(folder / "emulator")})
    with pytest.raises(SdkError, match=r"ANDROID_HOME=~no.such.user/sdk is not an SDK"):
        find_sdk({"ANDROID_HOME": "~no.such.user/sdk"})


def test_avds_are_listed_without_other_messages(folder):
    assert Sdk(folder).avds() == ["a", "b-2"]
    check_avd("a", Sdk(folder))
    with pytest.raises(SdkError, match=r"no AVD 'c' \(existing AVDs: a, b-2\); create it with"):
        check_avd("c", Sdk(folder))
    Sdk(folder).emulator.write_text("#!/bin/sh\necho no such library >&2; exit 127\n")
    with pytest.raises(SdkError, match="-list-avds failed: no such library"):
        Sdk(folder).avds()


def test_tools_of_the_latest_version_are_used(folder):
    with pytest.raises(SdkError, match="has no sdkmanager: install the Android command-line tools"):
        Sdk(folder).tool("sdkmanager")
    for version in ("9.0", "12.0", "latest"):
        path = folder / "cmdline-tools" / version / "bin" / "sdkmanager"
        path.parent.mkdir(parents=True)
        path.touch()
        assert Sdk(folder).tool("sdkmanager") == path

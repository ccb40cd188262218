"""`adb bugreport`: an archive of the phone's state."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.phones import Adb


def test_a_bug_report_is_complete(adb: Adb, tmp_path: Path) -> None:
    adb.run("shell", "log -t Tests remarkable; settings put global something special")
    done = adb.run("bugreport", str(tmp_path / "report.zip"))
    assert done.returncode == 0, done
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        name = archive.read("main_entry.txt").decode()
        assert name.startswith("bugreport-emu64xa-")
        report = archive.read(name).decode()
    assert "Build fingerprint: 'google/sdk_gphone64_x86_64/" in report
    assert "Tests   : remarkable\n" in report
    assert "something=special\n" in report
    assert "[ro.product.model]: [sdk_gphone64_x86_64]" in report
    assert "DUMP OF SERVICE package:" in report


def test_other_calls_are_refused(adb: Adb) -> None:
    assert adb.text("shell", "bugreportz -v") == "1.2"
    assert adb.run("shell", "bugreportz --what").returncode == 1

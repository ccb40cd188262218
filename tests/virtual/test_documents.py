"""Files: the same files for the hand and for the shell."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.intent import Intent
from pytest_mobileagent.virtual.loading import load_apps
from pytest_mobileagent.virtual.phone import Phone
from tests.virtual.conftest import NOON, Hand

if TYPE_CHECKING:
    from collections.abc import Callable

APPS = Path(__file__).parents[2] / "fixtures" / "apps"
FILES = "com.android.documentsui"


@pytest.fixture(scope="module")
def booted() -> Phone:
    return Phone(load_apps(APPS), time=NOON, frozen=True)


@pytest.fixture
def files(phone: Phone, hand: Hand) -> Hand:
    phone.activities.launch(FILES)
    return hand


def hold(hand: Hand, text: str) -> None:
    hand.phone.long_press(*hand.center("text", text))


def test_the_icon_leads_to_the_files_and_says_so_in_the_log(
    files: Hand, sh: "Callable[[str], str]"
) -> None:
    assert ".files.FilesActivity" in sh("dumpsys activity top | grep ACTIVITY")
    assert "cmp=com.android.documentsui/.files.FilesActivity" in sh("logcat -d")
    assert "document/download" in sh("logcat -d -s DirectoryFragment:D")
    for root, document in [("Audio", "document/audio"), ("Images", "document/images")]:
        files.tap("content-desc", "Show roots")
        files.tap("text", root)
        assert document in sh("logcat -d -s DirectoryFragment:D | tail -n 1")


def test_what_the_shell_writes_is_listed_and_what_is_deleted_is_gone_for_the_shell(
    files: Hand, sh: "Callable[[str], str]"
) -> None:
    sh("echo hello > '/sdcard/Download/a & b.txt'")
    files.phone.changed()
    hold(files, "a &amp; b.txt")
    files.tap("content-desc", "Delete")
    files.tap("text", "OK")
    assert not files.sees("a &amp; b.txt")
    assert "a & b" not in sh("ls /sdcard/Download")


def test_a_copy_beside_itself_gets_a_number(files: Hand, sh: "Callable[[str], str]") -> None:
    hold(files, "timetable.csv")
    files.tap("content-desc", "More options")
    files.tap("text", "Copy to…")
    files.tap("text", "Download")
    files.tap("text", "Copy")
    assert files.sees("timetable (1).csv")
    assert sh("cat '/sdcard/Download/timetable (1).csv'") == sh(
        "cat /sdcard/Download/timetable.csv"
    )


def test_a_name_cannot_lead_out_of_its_folder(files: Hand, sh: "Callable[[str], str]") -> None:
    hold(files, "timetable.csv")
    files.tap("content-desc", "More options")
    files.tap("text", "Rename")
    files.phone.type_text("/../../x")
    files.tap("text", "OK")
    assert "timetable.csv_.._.._x" in sh("ls /sdcard/Download")


def test_a_folder_does_not_go_into_itself(files: Hand, sh: "Callable[[str], str]") -> None:
    sh("mkdir -p /sdcard/Download/box/inner")
    files.phone.changed()
    hold(files, "box")
    files.tap("content-desc", "More options")
    files.tap("text", "Move to…")
    for folder in ("Download", "box", "inner"):
        files.tap("text", folder)
    files.tap("text", "Move")
    assert files.phone.windows.toast() is not None
    assert "inner" in sh("ls /sdcard/Download/box")


def test_a_broken_archive_is_only_told_of(files: Hand, sh: "Callable[[str], str]") -> None:
    sh("echo nothing > /sdcard/Download/choir-scores.zip")
    files.phone.changed()
    files.tap("text", "choir-scores.zip")
    assert files.phone.activities.top.package == FILES
    assert files.phone.windows.toast() is not None


def test_another_app_gets_the_file_that_it_asks_for(files: Hand) -> None:
    files.phone.activities.start(
        Intent("android.intent.action.GET_CONTENT", type="application/pdf", package=FILES)
    )
    assert 'enabled="false"' in files.node("content-desc", "timetable.csv, 71 B, Oct 18")
    files.tap("text", "boarding-pass.pdf")
    assert ".files.FilesActivity" in files.phone.activities.top.component


def test_clearing_the_app_leaves_the_files(files: Hand, sh: "Callable[[str], str]") -> None:
    sh("rm /sdcard/Download/timetable.csv")
    sh("pm clear com.android.documentsui")
    assert "timetable.csv" not in sh("ls /sdcard/Download")


def test_files_are_shared_through_the_sheet(files: Hand) -> None:
    hold(files, "boarding-pass.pdf")
    files.tap("content-desc", "Share")
    assert files.nodes("resource-id", "com.android.intentresolver:id/contentPanel")
    files.phone.key("BACK")
    files.tap("text", "invoice-2026-10.pdf")
    files.tap("content-desc", "Share")
    assert files.nodes("resource-id", "com.android.intentresolver:id/contentPanel")

"""yadb: agents push it to type what `input text` cannot, to hold a finger, and for screenshots."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.phone import Phone
    from tests.virtual.conftest import Hand, Ran

YADB = "app_process -Djava.class.path=/data/local/tmp/yadb /data/local/tmp com.ysbing.yadb.Main"


@pytest.fixture(autouse=True)
def pushed(demo: Phone) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("classes.dex", b"dex\n035\0...Lcom/ysbing/yadb/Main;...")
    demo.files.write("/data/local/tmp/yadb", buffer.getvalue())


def test_yadb_types_any_text_into_the_field_and_clears_it(
    sh: Callable[[str], str], hand: Hand
) -> None:
    sh("input tap {} {}".format(*hand.center("text", "Milk")))
    sh("input tap {} {}".format(*hand.center("text", "Milk")))
    sh(f"{YADB} -keyboardClear")
    assert sh(f"{YADB} -keyboard 'Grüße, 世界'") == "Copy text:true\n"
    assert hand.sees("Grüße, 世界")


def test_yadb_holds_a_finger_and_takes_pictures(
    sh: Callable[[str], str], hand: Hand, demo: Phone
) -> None:
    sh("{} -touch {} {}".format(YADB, *hand.center("text", "Milk")))
    assert demo.activities.top.component.endswith("EditorActivity")
    assert sh(f"{YADB} -screenshot /sdcard/s.png") == "screenshot success:/sdcard/s.png\n"
    assert demo.files.read("/sdcard/s.png").startswith(b"\x89PNG")
    assert sh(f"{YADB} -pinch 500 900 200 400 100") == ""
    assert "NumberFormatException" in sh(f"{YADB} -pinch 500 900 0 400 100")
    assert sh(f"{YADB} -what") == "Invalid argument\n"


def test_yadb_runs_only_where_it_was_pushed(shell: Callable[[str], Ran], demo: Phone) -> None:
    demo.files.remove("/data/local/tmp/yadb")
    assert shell(f"{YADB} -keyboard x").status == 134

"""Fonts for other scripts."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from PIL import ImageFont, features

from pytest_mobileagent.virtual.ui import fonts, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CJK, ARABIC, HEBREW, DEVANAGARI = fonts.FAMILIES


@pytest.fixture
def fresh() -> Iterator[None]:
    """Clear the cache of located fonts."""
    known = (fonts.file_of, fonts.font, text.mask, text.width, text._run_width)
    for cached in known:
        cached.cache_clear()
    yield
    for cached in known:
        cached.cache_clear()


@pytest.mark.parametrize("line", ["设置", "설정", "الإعدادات", "הגדרות", "時計 8:05", "समय"])
def test_letters_of_other_scripts_are_no_boxes(line: str) -> None:
    letters = [sign for sign in line if fonts.FOREIGN.search(sign)]
    pictures = {text.mask(sign, 40, False).tobytes() for sign in letters}
    assert len(pictures) == len(set(letters))


@pytest.mark.parametrize("raqm", [True, False])
def test_arabic_letters_are_joined(
    raqm: bool, fresh: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if raqm and not features.check("raqm"):
        pytest.skip("this Pillow has no raqm, or this machine no FriBiDi")
    monkeypatch.setattr(fonts, "RAQM", raqm)
    apart = sum(text.width(letter, 40) for letter in "سلام")
    assert text.width("سلام", 40) < apart * 0.8


def test_a_mask_is_as_wide_as_the_text_is_said_to_be() -> None:
    for line in ("设置 Wi-Fi", "تشغيل Wi-Fi (2.4 GHz)", "★ 星 ✓", "Wi-Fi"):
        for bold in (False, True):
            mask = text.mask(line, 42, bold)
            assert mask.width - 2 == text.width(line, 42, bold)
            assert mask.getbbox() is not None


def test_bold_is_heavier_in_every_script() -> None:
    for line in ("设置", "설정", "الإعدادات", "Settings"):
        plain, bold = (sum(text.mask(line, 42, heavy).tobytes()) for heavy in (False, True))
        assert bold > plain * 1.03


def test_chinese_breaks_between_signs_but_not_before_a_comma() -> None:
    lines = text.wrap("这是一个很长的句子，还有一部分", 40, False, 9 * 40)
    assert lines == ("这是一个很长的句", "子，还有一部分")


def test_without_a_font_there_are_boxes_and_one_message(
    fresh: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fonts, "HOST", ())
    monkeypatch.setattr(fonts, "_packaged", lambda _family: None)
    assert fonts.font(DEVANAGARI, 40, False) is fonts.roboto(40, False)
    text.mask("हिन्दी", 40, False)
    message = capsys.readouterr().err
    assert message.count("no font for Devanagari") == 1
    assert "pip install fontpkg-noto-sans-devanagari" in message
    assert "NotoSansDevanagari-Regular.ttf" in message


def test_a_font_of_the_host_serves_where_no_package_brings_one(
    fresh: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "deep").mkdir()
    roboto = fonts.ROBOTO / "Roboto-Regular.ttf"
    (tmp_path / "deep" / "Lohit-Devanagari.ttf").symlink_to(roboto)
    monkeypatch.setattr(fonts, "HOST", (str(tmp_path),))
    monkeypatch.setattr(fonts, "_packaged", lambda _family: None)
    assert fonts.file_of(DEVANAGARI) == tmp_path / "deep" / "Lohit-Devanagari.ttf"


def test_without_raqm_letters_still_run_to_the_left(
    fresh: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fonts, "RAQM", False)
    assert fonts.font(HEBREW, 40, False).layout_engine == ImageFont.Layout.BASIC
    first, both = text.mask("א", 40, False), text.mask("אל", 40, False)
    right = both.crop((both.width - first.width, 0, both.width, both.height))
    assert right.getbbox() == pytest.approx(first.getbbox(), abs=2)


def test_english_loads_no_font_of_another_script() -> None:
    code = (
        "from pytest_mobileagent.virtual.ui import fonts, text\n"
        "text.mask('Settings', 40, False)\n"
        "assert fonts.file_of.cache_info().currsize == 0"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

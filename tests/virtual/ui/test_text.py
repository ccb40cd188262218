"""Text: its lines, runs and masks, and fonts for other scripts."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont, features

from pytest_mobileagent.virtual.ui import fonts, text
from pytest_mobileagent.virtual.ui import text as roboto

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIZE = 20
TEXTS = st.text(st.sampled_from("ab cW\n✓é设，설س"), max_size=60)


@pytest.mark.parametrize(
    ("text", "limit", "max_lines", "lines"),
    [
        ("", 100, 0, ("",)),
        ("one two", 400, 0, ("one two",)),
        ("one two", 45, 0, ("one", "two")),
        ("one\ntwo", 400, 0, ("one", "two")),
        ("one\n\ntwo", 400, 0, ("one", "", "two")),
        ("one two three", 45, 2, ("one", "tw…")),
        ("incomprehensible", 60, 0, ("incom", "prehen", "sible")),
        ("one two three", 90, 1, ("one two…",)),
    ],
)
def test_lines_break_between_words(
    text: str, limit: int, max_lines: int, lines: tuple[str, ...]
) -> None:
    assert roboto.wrap(text, SIZE, False, limit, max_lines) == lines


@given(TEXTS, st.integers(24, 300), st.integers(0, 3))
def test_lines_are_no_wider_than_asked(text: str, limit: int, max_lines: int) -> None:
    lines = roboto.wrap(text, SIZE, False, limit, max_lines)
    assert all(roboto.width(line, SIZE) <= limit for line in lines)
    assert not max_lines or len(lines) <= max_lines


@given(TEXTS, st.integers(24, 300), st.data())
def test_an_index_has_a_place_and_a_place_an_index(
    text: str, limit: int, data: st.DataObject
) -> None:
    lines = roboto.wrap(text, SIZE, False, limit)
    index = data.draw(st.integers(0, len(text)))
    line, column = roboto.place_of(index, text, lines)
    found = roboto.starts(text, lines)[line] + column
    assert found <= index
    assert not text[found:index].strip()  # except for a space where the line breaks


@pytest.mark.parametrize(
    ("text", "limit", "begins"),
    [("one\n\ntwo", 300, [0, 4, 5]), ("a  \n\n b", 300, [0, 4, 5]), ("one two\n", 65, [0, 4, 8])],
)
def test_an_empty_line_begins_after_the_one_above(text: str, limit: int, begins: list[int]) -> None:
    assert roboto.starts(text, roboto.wrap(text, SIZE, False, limit)) == begins


@given(TEXTS, st.booleans())
def test_a_mask_is_as_wide_as_the_text(text: str, bold: bool) -> None:
    line = text.replace("\n", "")
    mask = roboto.mask(line, SIZE, bold)
    assert mask.width == roboto.width(line, SIZE, bold) + 2
    assert mask.height >= roboto.line_height(SIZE)


def test_signs_that_roboto_lacks_are_drawn() -> None:
    star, box = roboto.mask("★", SIZE, False), roboto.mask("\U000f0000", SIZE, False)
    assert star.getbbox()
    assert star.tobytes() != box.tobytes()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain text", ["plain text"]),
        ("אבג", ["<אבג"]),
        ("abc אבג", ["abc ", "<אבג"]),
        ("אבג abc", ["abc", "<אבג "]),
        ("אבג 12:30 ד", ["< ד", "12:30", "<אבג "]),
        ("אבג abc 12 ד", ["< ד", "abc 12", "<אבג "]),
        ("abc אבג 12 ד", ["abc ", "< ד", "12", "<אבג "]),
        ("אבג (דה)", ["<אבג (דה)"]),
        ("abc (אבג) def", ["abc (", "<אבג", ") def"]),
        ("100% אבג", ["< אבג", "100%"]),
        ("٨:٠٥ ص", ["< ص", "٨:٠٥"]),
        ("\u202a(415) 555\u202c ד", ["< ד", "(415) 555"]),
    ],
)
def test_runs_are_given_from_left_to_right(text: str, seen: list[str]) -> None:
    """Right-to-left runs are marked with <."""
    assert [f"{'<' * left}{run}" for run, left in roboto.visual(text)] == seen


@pytest.mark.parametrize("text", ["אבג 12 (abc) ד, ה!", "abc (אב [12] גד) 3%", "", "...", "א́ב"])
def test_no_sign_is_lost(text: str) -> None:
    assert sorted("".join(run for run, _ in roboto.visual(text))) == sorted(text)


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

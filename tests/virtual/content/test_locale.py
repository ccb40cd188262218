"""The format of dates, times and numbers in different languages, and of telephone numbers."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime

import pytest

from pytest_mobileagent.virtual.content.locale import Locale
from pytest_mobileagent.virtual.content.numbers import formatted, normalized, same

MOMENT = datetime(2026, 11, 20, 8, 5, 9)


@pytest.mark.parametrize(
    ("tag", "pattern", "written"),
    [
        ("en-US", "EEE, MMM d", "Fri, Nov 20"),
        ("en-US", "EEEE, MMMM d, yyyy", "Friday, November 20, 2026"),
        ("en-US", "dd/MM/yy 'at' HH:mm", "20/11/26 at 08:05"),
        ("ko-KR", "EEE, MMM d", "11월 20일 (금)"),
        ("ko-KR", "h:mm a", "오전 8:05"),
        ("zh-Hans-CN", "EEEE, MMMM d, y", "2026年11月20日星期五"),
        ("fr-FR", "EEE, MMM d", "ven. 20 nov."),
        ("fr-FR", "MMM", "nov."),
        ("ar-EG", "MMM d", "٢٠ نوفمبر"),
        ("ar-AE", "MMM d", "20 نوفمبر"),
        ("de-DE", "EEEE", "Freitag"),
        ("ru-RU", "MMMM", "ноябрь"),
        ("ru-RU", "MMMM d", "20 ноября"),
    ],
)
def test_a_pattern_written_for_english_is_arranged_by_each_language(
    tag: str, pattern: str, written: str
) -> None:
    Locale("ko-KR").date(MOMENT, "MMM")  # data loaded for one language does not affect another
    assert Locale(tag).date(MOMENT, pattern) == written


def test_a_letter_that_stands_for_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="'q' is no letter"):
        Locale("en-US").date(MOMENT, "q")


@pytest.mark.parametrize(
    ("tag", "long_clock", "shown"),
    [
        ("en-US", False, "8:05"),
        ("en-US", True, "08:05"),
        ("ko-KR", False, "8:05"),
        ("fr-CA", True, "08 h 05"),
        ("ar-EG", False, "٨:٠٥"),
    ],
)
def test_a_status_bar_leaves_out_the_half_of_the_day(
    tag: str, long_clock: bool, shown: str
) -> None:
    assert Locale(tag).clock(MOMENT, long_clock=long_clock) == shown


def test_the_place_decides_on_the_clock_and_the_week() -> None:
    assert not Locale("en-US").long_clock
    assert Locale("fr-FR").long_clock
    assert (Locale("en-US").first_weekday, Locale("fr-FR").first_weekday) == (6, 0)


@pytest.mark.parametrize(
    ("tag", "rtl"), [("en-US", False), ("ar-EG", True), ("ur-PK", True), ("az-Arab-IR", True)]
)
def test_the_direction_comes_from_script_or_language(tag: str, rtl: bool) -> None:
    assert Locale(tag).rtl is rtl


def test_numbers_have_the_separators_and_digits_of_the_language() -> None:
    assert Locale("en-US").number(12345.5, 2) == "12,345.50"
    assert Locale("de-DE").number(12345.5, 2) == "12.345,50"
    assert Locale("ar-EG").number(7) == "٧"
    assert Locale("ar-EG").number(1234.5) == "١٬٢٣٤٫٥"
    assert Locale("my-MM").number(1234.5) == "၁,၂၃၄.၅"


def test_a_number_has_no_more_decimals_than_it_needs_and_three_at_most() -> None:
    numbers = [Locale("en-US").number(value) for value in (7, 7.0, 3.5, 81.05263157894737)]
    assert numbers == ["7", "7", "3.5", "81.053"]


def test_the_numbers_in_a_text_have_the_digits_of_the_language() -> None:
    values = {"day": 7, "file": "a7"}
    assert Locale("ar-EG").filled("{day:02} {file}", values) == "٠٧ a7"
    assert Locale("de-DE").filled("{day:02} {file}", values) == "07 a7"


def test_texts_are_sorted_as_the_language_does() -> None:
    def order(tag: str, *texts: str) -> list[str]:
        return sorted(texts, key=Locale(tag).sort_key)

    assert order("fr-FR", "Zoo", "Écran", "Farine") == ["Écran", "Farine", "Zoo"]
    assert order("ko-KR", "Chrome", "파일", "계산기") == ["계산기", "파일", "Chrome"]
    assert order("zh-CN", "设置", "Chrome", "时钟", "电话") == ["电话", "设置", "时钟", "Chrome"]


def test_languages_name_themselves() -> None:
    assert Locale("fr-FR").name() == "français (France)"
    assert Locale("en-US").name(Locale("ko-KR")) == "Korean (South Korea)"


def test_english_loads_no_library() -> None:
    code = (
        "import sys; from datetime import datetime\n"
        "from pytest_mobileagent.virtual.content.locale import Locale\n"
        "Locale('en-US').date(datetime(2026, 1, 1), 'EEE d'); Locale('en-US').number(1234)\n"
        "assert 'babel' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


FORMATTED = {
    "911": "911",
    "311311": "311311",
    "4027717": "402-7717",
    "1234578": "1234578",
    "264451193": "(264) 451-193",
    "3017130622": "(301) 713-0622",
    "16505550143": "1 650-555-0143",
    "+16505550143": "+1 650-555-0143",
    "+4930123456": "+4930123456",
    "*#06#": "*#06#",
    "": "",
}


@pytest.mark.parametrize(("number", "shown"), FORMATTED.items())
def test_formatted(number, shown):
    assert formatted(number) == shown


@pytest.mark.parametrize(
    ("number", "full"),
    [
        ("(650) 555-0143", "+16505550143"),
        ("1-650-555-0143", "+16505550143"),
        ("+49 30 123456", "+4930123456"),
        ("5550143", None),
    ],
)
def test_normalized(number, full):
    assert normalized(number) == full


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("+16505550143", "(650) 555-0143", True),
        ("555-0143", "6505550143", True),
        ("72645", "72645", True),
        ("72645", "8872645", False),
        ("", "", False),
    ],
)
def test_same(one, other, are):
    assert same(one, other) == are

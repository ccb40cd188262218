"""Telephone numbers, handled like on a phone in the United States."""

from __future__ import annotations

SAME = 7  # number of last digits that make two numbers count as the same


def bare(number: str) -> str:
    """Return only the characters that can be dialled."""
    return "".join(mark for mark in number if mark.isdecimal() or mark in "+*#")


def normalized(number: str) -> str | None:
    """Return a number in E.164 format, or None if it is too short."""
    digits = bare(number)
    if digits.startswith("+"):
        return digits if 8 <= len(digits) <= 16 else None
    if len(digits) == 11 and digits[0] == "1":
        return f"+{digits}"
    return f"+1{digits}" if len(digits) == 10 else None


def min_match(number: str) -> str:
    """Return what the lookup of a number compares: its last digits, in reverse."""
    return bare(number).lstrip("+")[::-1][:SAME]


def same(one: str, other: str) -> bool:
    """Return whether two numbers are loosely the same; short ones have to be equal."""
    first, second = bare(one).lstrip("+"), bare(other).lstrip("+")
    if min(len(first), len(second)) < SAME:
        return first == second != ""
    return min_match(first) == min_match(second)


def formatted(number: str) -> str:
    """Format a number with parentheses and dashes; numbers outside the US are unchanged."""
    digits = bare(number)
    if digits.startswith("+1") and len(digits) == 12:
        return f"+1 {digits[2:5]}-{digits[5:8]}-{digits[8:]}"
    if not digits.isdecimal():
        return number if number.startswith("+") else digits or number
    if len(digits) == 11 and digits[0] == "1":
        return f"1 {digits[1:4]}-{digits[4:7]}-{digits[7:]}"
    if digits[0] == "1" or not 7 <= len(digits) <= 10:
        return digits
    if len(digits) == 7:
        return f"{digits[:3]}-{digits[3:]}"
    return f"({digits[:3]}) {digits[3:6]}-{digits[6:]}"

"""Selectors in Android's words, for whoever reads why nothing was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.selector import UiSelector

_WORDS: Final = {
    "textContains": "CONTAINS_TEXT",
    "textMatches": "TEXT_REGEX",
    "textStartsWith": "START_TEXT",
    "className": "CLASS",
    "classNameMatches": "CLASS_REGEX",
    "descriptionContains": "CONTAINS_DESCRIPTION",
    "descriptionMatches": "DESCRIPTION_REGEX",
    "descriptionStartsWith": "START_DESCRIPTION",
    "longClickable": "LONG_CLICKABLE",
    "packageName": "PACKAGE_NAME",
    "packageNameMatches": "PACKAGE_NAME_REGEX",
    "resourceId": "RESOURCE_ID",
    "resourceIdMatches": "RESOURCE_ID_REGEX",
}


def describe(selector: UiSelector) -> str:
    """Write a selector as UiSelector.toString does."""
    parts = [
        f"{_WORDS.get(name, name.upper())}={_value(value)}" for name, value in selector.criteria
    ]
    if selector.child:
        parts.append(f"CHILD={describe(selector.child)[10:]}")
    if selector.sibling:
        parts.append(f"PARENT={describe(selector.sibling)[10:]}")
    return f"UiSelector[{', '.join(parts)}]"


def _value(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

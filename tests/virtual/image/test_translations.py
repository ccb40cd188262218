"""Every text of the system's own screens has a translation with the same placeholders."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent.virtual.system.configuration import FRAMEWORK
from pytest_mobileagent.virtual.system.packages.permissions import GROUPS

VIRTUAL = Path(FRAMEWORK).parent
FILES = [
    *(VIRTUAL / "systemui").glob("*.py"),
    *(VIRTUAL / f"image/{name}.py" for name in ("permission_controller", "sheets")),
]
SPOKEN = [text for path in FILES for text in re.findall(r'\bt\("([^"{}]+)"', path.read_text())]


@pytest.fixture(params=["ar", "de", "es", "fr", "hi", "ja", "ko", "pt", "ru", "ur", "zh-CN"])
def words(request: pytest.FixtureRequest) -> dict[str, Any]:
    return tomllib.loads((FRAMEWORK / f"{request.param}.toml").read_text("utf-8"))


def test_texts_of_the_screens_are_translated(words):
    labels = [group.label for group in GROUPS]
    questions = [f"Allow {{app}} to {group.words}?" for group in GROUPS]
    assert len(SPOKEN) > 15
    assert [text for text in (*SPOKEN, *labels, *questions) if text not in words] == []


def test_translations_fill_in_the_same_values(words):
    for english, text in words.items():
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", text)), english

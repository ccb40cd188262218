"""The documentation page on apps: each view has a picture, and it is what the phone draws."""

from __future__ import annotations

import inspect
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageChops, ImageStat

from pytest_mobileagent.virtual import sdk, ui
from pytest_mobileagent.virtual.boot import boot
from tests.virtual.conftest import Hand

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

PICTURES = Path(__file__).parents[2] / "docs" / "apps"


@pytest.fixture(scope="module")
def page() -> Iterator[ModuleType]:
    spec = spec_from_file_location("drawing_of_apps", PICTURES / "draw.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # apps find their own file through their module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_every_view_is_shown(page):
    views = {name for name in ui.__all__ if inspect.isclass(kind := getattr(ui, name))
             and issubclass(kind, ui.View)}  # fmt: skip
    code = " ".join(page.examples().values())
    assert {name for name in views if f"{name}(" not in code} == set()


def test_the_pictures_are_what_the_phone_draws(page):
    drawn = page.draw(page.examples())
    assert {f"{name}.png" for name in drawn} == {file.name for file in PICTURES.glob("*.png")}
    for name, picture in drawn.items():
        kept = Image.open(PICTURES / f"{name}.png").convert("RGB")
        again = f"{name} looks different now: python docs/apps/draw.py"
        assert kept.size == picture.size, again
        # Other versions of the font renderer may differ slightly.
        assert max(ImageStat.Stat(ImageChops.difference(kept, picture)).mean) < 3, again


def test_the_dial_of_the_page_opens_and_gives_the_time():
    text = PICTURES.with_suffix(".md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (methods,) = [block for block in blocks if "timepicker.dialog" in block]
    own = dict(vars(sdk))
    exec(methods, own)
    names = {"name": ".Main", "content": own["content"], "dialog": own["dialog"]}
    main = type("Main", (sdk.Activity,), names)
    cook = {"package": "com.example.cook", "label": "Cook", "activities": [main]}
    phone = boot([type("Cook", (sdk.App,), cook)])
    hand = Hand(phone)
    phone.activities.launch("com.example.cook")
    hand.tap("text", "Ready at")
    hand.tap("text", "AM")
    hand.tap("text", "OK")
    assert tuple(phone.activities.top.activity.state["time"]) == (6, 30)
    assert hand.sees("Ready at")
    assert not hand.sees("OK")

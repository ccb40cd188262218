"""The pages of the Python API describe every public name; `make docs` builds them."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MODULES = [
    pytest.param(module, page, id=module)
    for page in sorted((DOCS / "api").glob("*.md"))
    for module in re.findall(r"(?m)^\.\. automodule:: (\S+)$", page.read_text("utf-8"))
]


@pytest.mark.parametrize(("module", "page"), MODULES)
def test_a_page_describes_all_that_a_module_offers(module, page):
    offered = {
        name: getattr(import_module(module), name)
        for name in getattr(import_module(module), "__all__", ())
    }
    described = {n for n, it in offered.items() if inspect.isclass(it) or inspect.isroutine(it)}
    assert {name for name in described if not inspect.getdoc(offered[name])} == set()
    # Names without a docstring are mentioned on the page, as code or in a heading.
    text = page.read_text("utf-8")
    named = set(re.findall(r"`(\w+)`|^## (\w+)$", text, re.MULTILINE))
    assert set(offered) - described - {name for pair in named for name in pair} == set()

"""The documentation site, which `make docs` builds from these pages and from docstrings."""

from __future__ import annotations

import re
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.ext.napoleon import Config, GoogleDocstring

if TYPE_CHECKING:
    from types import ModuleType

    from sphinx.application import Sphinx

project = "pytest-mobileagent"
author = "The pytest-mobileagent developers"
release = metadata.version(project)

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"{project} {release}"
html_copy_source = False

highlight_language = "text"  # of blocks that name no language: most are commands
myst_heading_anchors = 4  # headings that links may lead to, by the same names as on GitHub

default_role = "code"  # docstrings write names between single backticks
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}
# Types in signatures name what other packages define, or what no page describes; everything else
# that a page refers to has to be there.
nitpick_ignore_regex = [("py:(class|obj|exc|data|attr|meth|func)", r".*")]


# The pages of modules, in the order in which names that several modules offer are looked for.
_PAGES = ("package", "check", "testing", "errors", "virtual-sdk")
_home: dict[object, str] = {}  # which of these pages describes a class or function


def _import_public_names(app: Sphinx) -> None:
    """Import what each documented module offers: autodoc sees only names that were imported."""
    for page in _PAGES:
        for module in _modules(app, page):
            for name in getattr(module, "__all__", ()):
                vars(module)[name] = public = getattr(module, name)
                if callable(public):
                    _home.setdefault(public, f"api/{page}")


def _modules(app: Sphinx, page: str) -> list[ModuleType]:
    text = Path(app.srcdir, "api", f"{page}.md").read_text("utf-8")
    return [import_module(name) for name in re.findall(r"(?m)^\.\. automodule:: (\S+)$", text)]


def _is_described_elsewhere(
    app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what the page of another module describes."""
    return True if what == "module" and callable(obj) and _is_foreign(app, obj) else None


def _is_foreign(app: Sphinx, public: object) -> bool:
    return _home.get(public, app.env.docname) != app.env.docname


def _name_the_rest(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Say of a module which of its names the page of another one describes."""
    public = {each: getattr(obj, each) for each in getattr(obj, "__all__", ())}
    foreign = [each for each, it in public.items() if callable(it) and _is_foreign(app, it)]
    if what == "module" and foreign:
        pages = {_home[public[each]] for each in foreign}
        where = ", ".join(f":doc:`/{page}`" for page in sorted(pages))
        lines += [f"Described elsewhere ({where}): " + ", ".join(f"``{n}``" for n in foreign) + "."]


def _read_sections(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Translate sections such as "Raises:".

    Not of properties: there napoleon would take what stands before a colon for a type.
    """
    if what not in {"attribute", "data", "property"}:
        sections = GoogleDocstring(lines, Config(), app, what, name, obj, options)
        lines[:] = str(sections).splitlines()


def setup(app: Sphinx) -> None:
    """Register what this site needs beside its extensions."""
    app.connect("builder-inited", _import_public_names)
    app.connect("autodoc-skip-member", _is_described_elsewhere)
    app.connect("autodoc-process-docstring", _name_the_rest)
    app.connect("autodoc-process-docstring", _read_sections)

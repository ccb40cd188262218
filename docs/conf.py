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
html_static_path = ["_static"]
html_js_files = ["accessible.js"]

highlight_language = "text"  # of blocks that name no language: most are commands
myst_heading_anchors = 4  # headings that links may lead to, by the same names as on GitHub

default_role = "code"  # docstrings write names between single backticks
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}
suppress_warnings = ["ref.python"]  # a type in a signature may have the name of several classes
# Types in signatures name what other packages define, or what no page describes; everything else
# that a page refers to has to be there.
nitpick_ignore_regex = [("py:(class|obj|exc|data|attr|meth|func)", r".*")]


# The pages of modules. A name that several modules offer is described on the first of them.
_PAGES = (
    "agent", "dialect", "perception", "check", "probes", "device", "testing", "errors", "package",
    "record", "releases", "rollout", "virtual-sdk",
)  # fmt: skip
_home: dict[object, tuple[str, str]] = {}  # where a class or function is described: page, module


def _import_public_names(app: Sphinx) -> None:
    """Import what each documented module offers: autodoc sees only names that were imported."""
    for page in _PAGES:
        text = Path(app.srcdir, "api", f"{page}.md").read_text("utf-8")
        for name in re.findall(r"(?m)^\.\. automodule:: (\S+)$", text):
            for public in _public(import_module(name)).values():
                if callable(public):
                    _home.setdefault(public, (f"api/{page}", name))


def _public(module: ModuleType) -> dict[str, Any]:
    for name in getattr(module, "__all__", ()):
        vars(module)[name] = getattr(module, name)
    return {name: getattr(module, name) for name in getattr(module, "__all__", ())}


def _is_described_elsewhere(
    app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what the page of another module describes."""
    if what != "module" or not callable(obj) or obj not in _home:
        return None
    return _home[obj][0] != app.env.docname or None


def _name_the_rest(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Name what a module offers too, with links to where it is described."""
    if what == "module":
        homes = {each: _home[it][1] for each, it in _public(obj).items() if callable(it)}
        links = [f":py:obj:`{n} <{home}.{n}>`" for n, home in homes.items() if home != name]
        lines += ["", "Also here: " + ", ".join(links) + "."] if links else []


def _read_sections(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Translate sections such as "Raises:"."""
    # Of attributes, napoleon would take what stands before a colon for a type.
    kind = "method" if what in {"attribute", "data", "property"} else what
    lines[:] = str(GoogleDocstring(lines, Config(), app, kind, name, obj, options)).splitlines()


def setup(app: Sphinx) -> None:
    """Register what this site needs beside its extensions."""
    app.connect("builder-inited", _import_public_names)
    app.connect("autodoc-skip-member", _is_described_elsewhere)
    app.connect("autodoc-process-docstring", _name_the_rest)
    app.connect("autodoc-process-docstring", _read_sections)

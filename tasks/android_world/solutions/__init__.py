"""Solutions of AndroidWorld's tasks, a module for each family of apps.

To add one, decorate a function with `@solves("NameOfTheTask", …)` that takes the parameters which
the library tells (a dictionary) and returns the moves, and list its module in `MODULES` below.
"""

from importlib import import_module

from ._registry import SOLUTIONS, solves

MODULES = ("contacts",)
for module in MODULES:
    import_module(f".{module}", __name__)

__all__ = ["SOLUTIONS", "solves"]

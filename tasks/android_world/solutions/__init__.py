"""Solutions of AndroidWorld's tasks, a module for each family of apps; all modules here are read.

To add one, decorate a function with `@solves("NameOfTheTask", …)` that takes the parameters which
the library tells (a dictionary) and returns the list of moves, as in `contacts.py`.
"""

from importlib import import_module
from pkgutil import iter_modules

from ._registry import SOLUTIONS, solves

for module in iter_modules(__path__):
    import_module(f".{module.name}", __name__)

__all__ = ["SOLUTIONS", "solves"]

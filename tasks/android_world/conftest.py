"""Hands pytest's cache to the suite, which keeps in it what AndroidWorld tells of its tasks."""

from .table import CACHES


def pytest_pycollect_makemodule(parent):
    """Remember pytest's cache before the suite's module is collected."""
    cache = getattr(parent.config, "cache", None)
    CACHES[:] = [cache] if cache is not None else []

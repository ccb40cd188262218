"""Hands pytest's cache to the suite, which keeps in it what AndroidWorld tells of its tasks."""


def pytest_pycollect_makemodule(parent):
    """Remember pytest's cache before the suite's module is collected."""
    from .table import CACHES  # not above: whatever the table raises is an error of the suite alone

    cache = getattr(parent.config, "cache", None)
    CACHES[:] = [cache] if cache is not None else []

"""Runs perception tests on every recorded view hierarchy, as for the tests of screens."""

from __future__ import annotations

from tests.screen.conftest import pytest_generate_tests

__all__ = ["pytest_generate_tests"]

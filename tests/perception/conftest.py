"""Runs tests of perception on every recorded view hierarchy, like the tests of screens."""

from __future__ import annotations

from tests.screen.conftest import pytest_generate_tests

__all__ = ["pytest_generate_tests"]

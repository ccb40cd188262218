"""Tests of perception run over every recorded view hierarchy, as those of screens do."""

from __future__ import annotations

from tests.screen.conftest import pytest_generate_tests

__all__ = ["pytest_generate_tests"]

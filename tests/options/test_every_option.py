"""Every option has a file of tests of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_mobileagent.plugin.options import OPTIONS

HERE = Path(__file__).parent


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.flag)
def test_an_option_has_its_tests(option):
    name = option.flag.removeprefix("--").replace("-", "_")
    assert (HERE / f"test_{name}.py").is_file()
